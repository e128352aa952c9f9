"""Every Python block of the documentation runs."""

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "python/README.md",
    "docs/python.md",
    "docs/coming-from.md",
    "docs/prediction.md",
    "docs/side-information.md",
    "docs/number-and-noise.md",
]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert found
    names = {}
    for block in found:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("name", ["LICENSE-MIT", "LICENSE-APACHE"])
def test_the_wheel_carries_the_repository_s_licences(name):
    assert (ROOT / "python" / name).read_text() == (ROOT / name).read_text()
