"""Every Python block of the documentation runs."""

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "python/README.md", *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md"))]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_the_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)


def test_most_pages_of_the_guide_have_blocks():
    assert sum(bool(blocks(page)) for page in PAGES) >= 8


@pytest.mark.parametrize("package", ["python", "crates/similis", "crates/similis-cli"])
@pytest.mark.parametrize("name", ["LICENSE-MIT", "LICENSE-APACHE"])
def test_every_package_carries_the_repository_s_licences(name, package):
    assert (ROOT / package / name).read_text() == (ROOT / name).read_text()
