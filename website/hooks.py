"""Makes the site from the repository as it is: mkdocs calls these functions (mkdocs.yml, `hooks`).

- The order of pages is that of docs/README.md.
- Documents outside docs/ (CONTRIBUTING.md and others) are pages too; links to them are followed.
- The lines to the previous and next page are left out: the site has its own.
- Notebooks of gallery/ are pages, with their outputs; the Python reference has every public name; schemas are files of the site.
"""

import base64
import json
import os
import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]

# Documents outside docs/, and the pages that they become.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing/contributing.md",
    "ARCHITECTURE.md": "contributing/architecture.md",
    "EQUATIONS.md": "contributing/equations.md",
    "CHANGELOG.md": "contributing/changelog.md",
    "SECURITY.md": "contributing/security.md",
    "CODE_OF_CONDUCT.md": "contributing/code-of-conduct.md",
    "RELEASING.md": "contributing/releasing.md",
}
CONTENTS = "contents.md"
PYTHON = "reference/python.md"
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
ENTRY = re.compile(r"^\d+\. \[(.+?)\]\((.+?)\)")


def on_config(config):
    """Sets the order of pages; versions are offered where they are published (DOCS_VERSIONS)."""
    config.nav = navigation()
    if os.environ.get("DOCS_VERSIONS"):
        config.extra["version"] = {"provider": "mike"}
    return config


def navigation():
    """The sections of docs/README.md with their pages, then what only the site has."""
    sections = [{"Home": "index.md"}]
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections.append({line[3:]: []})
        elif entry := ENTRY.match(line):
            title, path = entry.groups()
            page = OUTSIDE[path[3:]] if path.startswith("../") else path
            next(iter(sections[-1].values())).append({title: page})
    notebooks = [{title: f"gallery/{path.stem}.md"} for path, title in galleries()]
    more = [path for path in ("CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md") if (ROOT / path).exists()]
    next(iter(sections[1].values())).insert(0, {"Contents": CONTENTS})
    next(iter(sections[-1].values())).extend(OUTSIDE[path] for path in more)
    sections.insert(2, {"Gallery": notebooks})
    sections.insert(4, {"Reference": [{"Python": PYTHON}, {"Rust": "https://docs.rs/similis"}]})
    # A page of the book that lists the notebooks comes first among them.
    start, gallery = next(iter(sections[1].values())), next(iter(sections[2].values()))
    listed = next(page for page in start if "start/gallery.md" in page.values())
    start.remove(listed)
    gallery.insert(0, listed)
    return [section for section in sections if next(iter(section.values()))]


def galleries():
    """The notebooks and their titles."""
    for path in sorted((ROOT / "gallery").glob("*.ipynb")):
        first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        yield path, first.splitlines()[0].lstrip("# ")


def on_files(files, config):
    """Adds the pages that are not files of docs/."""
    # The front page is that of the repository, and the book's is its table of contents.
    contents = files.get_file_from_path("README.md")
    files.remove(contents)
    files.append(File.generated(config, CONTENTS, content=(ROOT / "docs/README.md").read_text(encoding="utf-8")))
    for path, page in OUTSIDE.items():
        if (ROOT / path).exists():
            files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    for path, _ in galleries():
        for name, content in notebook(path):
            files.append(File.generated(config, f"gallery/{name}", content=content))
    files.append(File.generated(config, PYTHON, content=python_reference()))
    for path in sorted((ROOT / "crates/similis-cli/schemas").glob("*.json")):
        files.append(File.generated(config, f"schemas/{path.name}", content=path.read_text(encoding="utf-8")))
    files.append(File.generated(config, "llms.txt", content=LINK.sub(address, (ROOT / "llms.txt").read_text(encoding="utf-8"))))
    return files


def address(match):
    """The address on the site of a file of the repository that llms.txt links to."""
    if not (ROOT / match.group(1)).exists():
        raise PluginError(f"llms.txt links to {match.group(1)}, which is not there")
    return page_of(match.group(1)).removesuffix(".md") + "/"


def python_reference():
    """A page with every public name of the Python package."""
    text = (ROOT / "python/similis/__init__.py").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', text[text.index("__all__") :])
    names = [name for name in names if not name.startswith("_")]
    estimators = [name for name in names if name.endswith("Clustering")]
    blocks = [f"::: similis.{name}" for name in estimators + [name for name in names if name not in estimators]]
    return "# Python reference\n\n[The guide](../guide/python.md) has the whole in fewer words.\n\n" + "\n\n".join(blocks) + "\n"


def notebook(path):
    """A notebook as a page, and its pictures: (name, content)."""
    text, pictures = [f"[Download the notebook]({path.name}) or [the script]({path.stem}.py).\n"], []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            text.append(source)
            continue
        text.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            text.append(shown(output, path.stem, pictures))
    title, *rest = text[1].split("\n", 1)
    page = "\n\n".join([title, text[0], *rest, *text[2:]])
    yield f"{path.stem}.md", page
    yield path.name, path.read_text(encoding="utf-8")
    yield f"{path.stem}.py", path.with_suffix(".py").read_text(encoding="utf-8")
    yield from pictures


def shown(output, stem, pictures):
    """What a cell printed or drew, as Markdown."""
    data = output.get("data", {})
    for kind, end in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in data:
            name = f"{stem}-{len(pictures) + 1}.{end}"
            content = "".join(data[kind])
            pictures.append((name, content if end == "svg" else base64.b64decode(content)))
            return f"![What the cell draws]({name})"
    printed = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
    return f"```text\n{printed}\n```" if printed else ""


def on_page_markdown(markdown, page, config, files):
    """Follows links into and out of docs/, and leaves out the last line."""
    source = next((path for path, name in OUTSIDE.items() if name == page.file.src_uri), None)
    markdown = re.sub(r"\n---\n\n(?:Previous: .*|\[Contents\].*)\n*\Z", "\n", markdown)
    # Blocks for tests alone have a second word: `sh build`, `text summary`.
    markdown = re.sub(r"^```(\w+) \w+$", r"```\1", markdown, flags=re.MULTILINE)
    here = source if source else f"docs/{page.file.src_uri}"
    if page.file.src_uri == CONTENTS:
        here = "docs/README.md"
    if page.file.src_uri.startswith("gallery/"):
        here = page.file.src_uri

    def followed(match):
        target, _, anchor = match.group(1).partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group(1)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        new = page_of(path)
        if new is None:
            return match.group(1)
        way = posixpath.relpath(new, posixpath.dirname(page.file.src_uri) or ".")
        return f"{way}#{anchor}" if anchor else way

    return LINK.sub(followed, markdown)


def page_of(path):
    """The page or file of the site that a file of the repository became; None where there is none."""
    if path == "docs/README.md":
        return CONTENTS
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("gallery/"):
        return path.removesuffix(".ipynb") + ".md" if path.endswith(".ipynb") else path
    return None
