#!/usr/bin/env python3
"""Tests release/cut.py on a clone of this repository, with nothing but Python's standard library and git."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Cut(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.clone = Path(self.folder.name) / "similis"
        self.git("clone", "--quiet", str(ROOT), str(self.clone), where=ROOT)
        # What is not committed yet is tested too.
        for path in self.git("ls-files", "--modified", "--others", "--exclude-standard", where=ROOT).split():
            if (ROOT / path).is_file():
                (self.clone / path).parent.mkdir(parents=True, exist_ok=True)
                (self.clone / path).write_bytes((ROOT / path).read_bytes())
        for name, value in (("user.name", "A"), ("user.email", "a@example.org")):
            self.git("config", name, value)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "now")

    def git(self, *words, where=None):
        return subprocess.run(["git", *words], cwd=where or self.clone, capture_output=True, text=True, check=True).stdout

    def cut(self, *words):
        return subprocess.run([sys.executable, "release/cut.py", *words], cwd=self.clone, capture_output=True, text=True)

    def test_one_commit_and_one_tag_have_the_version_everywhere(self):
        done = self.cut("7.8.9", "--without-build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("rev-list", "--count", "v7.8.9^..v7.8.9").strip(), "1")
        self.assertEqual(self.git("rev-parse", "v7.8.9^{commit}"), self.git("rev-parse", "HEAD"))
        read = lambda name: (self.clone / name).read_text(encoding="utf-8")  # noqa: E731
        self.assertEqual(read("Cargo.toml").count('version = "7.8.9"'), 2)
        self.assertIn('version = "7.8.9"', read("python/Cargo.toml"))
        self.assertRegex(read("CITATION.cff"), r"version: 7\.8\.9\ndate-released: \d{4}-\d\d-\d\d\n")
        self.assertRegex(read("CHANGELOG.md"), r"## Unreleased\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n")
        ours = re.findall(r'name = "(similis[a-z-]*)"\nversion = "(.+)"', read("Cargo.lock"))
        self.assertEqual({version for _, version in ours}, {"7.8.9"})
        self.assertEqual(len(ours), 3)
        notes = subprocess.run([sys.executable, "release/notes.py", "7.8.9"], cwd=self.clone, capture_output=True, text=True, check=True)
        self.assertGreater(len(notes.stdout), 100)
        self.assertIn("there is a tag v7.8.9", self.cut("7.8.9").stderr)

    def test_mistakes_are_refused_and_change_nothing(self):
        before, tags = self.git("rev-parse", "HEAD"), self.git("tag")
        for words, says in [(["0.0.1"], "at least"), (["one"], "three numbers"), ([], "usage"), (["9.0.0", "--fast"], "usage")]:
            refused = self.cut(*words)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(says, refused.stderr)
        (self.clone / "README.md").write_text("changed", encoding="utf-8")
        self.assertIn("not committed", self.cut("9.0.0").stderr)
        self.assertEqual(self.git("rev-parse", "HEAD"), before)
        self.assertEqual(self.git("tag"), tags)


if __name__ == "__main__":
    unittest.main()
