#!/usr/bin/env python3
"""Cuts a version: one commit and one tag, which the workflow `release` publishes once they are pushed.

    release/cut.py VERSION [--without-build]

It sets the version in Cargo.toml, python/Cargo.toml, Cargo.lock and CITATION.cff, dates the changelog, keeps models and outputs of
the version in testdata/versions (`make store-version`; --without-build leaves that out, for a trial), commits and tags. Nothing is pushed.
Needs a clean tree, git, cargo and Python's standard library.
"""

import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?")


def run(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"`{' '.join(words)}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def refuse(reason):
    print(f"error: {reason}", file=sys.stderr)
    sys.exit(2)


def order(version):
    """A key that sorts versions: 1.0.0-rc.1 is before 1.0.0."""
    numbers, _, stage = version.partition("-")
    return [int(part) for part in numbers.split(".")], not stage, stage


def replaced(name, old, new, count):
    """Replaces text that must be there a known number of times."""
    path = ROOT / name
    text = path.read_text(encoding="utf-8")
    if text.count(old) != count:
        refuse(f"{name} must have {old!r} {count} times, has {text.count(old)}; correct this script or the file")
    path.write_text(text.replace(old, new), encoding="utf-8")


def check(version, before):
    if not NUMBER.fullmatch(version):
        refuse(f"a version is three numbers such as 1.2.3 or 1.2.3-rc.1, got {version!r}")
    if order(version) < order(before):
        refuse(f"the version must be at least {before}, which Cargo.toml has, got {version}")
    if run("git", "status", "--porcelain"):
        refuse("the tree has changes that are not committed; commit or stash them first")
    if f"v{version}" in run("git", "tag").split():
        refuse(f"there is a tag v{version}; choose a higher version")
    if "## Unreleased\n" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        refuse('CHANGELOG.md has no section "## Unreleased"; add it, with what has changed')


def set_version(version, before, date):
    replaced("CHANGELOG.md", "## Unreleased\n", f"## Unreleased\n\n## {version} ({date})\n", 1)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = re.sub(r"^version: .*\n(date-released: .*\n)?", f"version: {version}\ndate-released: {date}\n", citation, flags=re.MULTILINE)
    (ROOT / "CITATION.cff").write_text(citation, encoding="utf-8")
    if version == before:
        return
    replaced("Cargo.toml", f'version = "{before}"', f'version = "{version}"', 2)
    replaced("python/Cargo.toml", f'version = "{before}"', f'version = "{version}"', 1)
    run("cargo", "update", "--workspace", "--offline")


def main(version, with_build):
    before = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    check(version, before)
    set_version(version, before, datetime.date.today().isoformat())
    if with_build:
        run("make", "store-version")
    run("git", "add", "--all")
    run("git", "commit", "--quiet", "--message", f"release: {version}")
    run("git", "tag", "--annotate", f"v{version}", "--message", f"similis {version}")
    print(f"{version} is committed and tagged v{version}; `git push --follow-tags` publishes it")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--without-build"]):
        refuse("usage: release/cut.py VERSION [--without-build]")
    main(sys.argv[1], len(sys.argv) == 2)
