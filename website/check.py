"""Checks the built site: nothing is asked of another server, every picture is there, and pages are short.

    check.py SITE
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

ROOT = Path(__file__).resolve().parents[1]
# Words of prose (not of tables and code) that a page may have, and the pages that are looked up, not read.
MOST_WORDS = 1500
REFERENCE = {"docs/guide/command-line.md", "docs/how/number-and-noise.md", "docs/glossary.md"}
# What a browser loads by itself.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Loads(HTMLParser):
    """The addresses that a page loads."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        address = attrs.get(LOADED.get(tag, ""))
        if address and attrs.get("rel") not in ("canonical", "prev", "next", "edit"):
            self.found.append(address)


def mistakes_of(page, site):
    loads = Loads()
    text = page.read_text(encoding="utf-8")
    loads.feed(text)
    for address in loads.found:
        parts = urlsplit(urldefrag(address).url)
        if parts.scheme == "data":
            continue
        if parts.netloc:
            yield f"{page.relative_to(site)}: loads {address} from another server"
        elif page.name != "404.html" and not (page.parent / unquote(parts.path)).exists():
            yield f"{page.relative_to(site)}: {address} is missing"


def n_words(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    return len(re.findall(r"[^\W_][\w'.-]*", re.sub(r"\]\([^)]*\)", "]", text)))


def main(site):
    pages = sorted(site.rglob("*.html"))
    mistakes = [mistake for page in pages for mistake in mistakes_of(page, site)]
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name, words = str(path.relative_to(ROOT)), n_words(path.read_text(encoding="utf-8"))
        if words > MOST_WORDS and name not in REFERENCE:
            mistakes.append(f"{name}: {words} words, at most {MOST_WORDS}")
    assert len(pages) >= 40, f"only {len(pages)} pages"
    if mistakes:
        sys.exit("\n".join(mistakes))
    print(f"site: {len(pages)} pages, each loads only what the site holds")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
