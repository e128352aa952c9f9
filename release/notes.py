#!/usr/bin/env python3
"""Prints what the changelog says of a version: release/notes.py VERSION."""

import re
import sys
from pathlib import Path

text = (Path(__file__).resolve().parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
section = re.search(rf"^## {re.escape(sys.argv[1])} \(.*\)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
if not section:
    print(f"error: CHANGELOG.md has no section {sys.argv[1]}", file=sys.stderr)
    sys.exit(2)
print(section.group(1).strip())
