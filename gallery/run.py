"""Runs the scripts of the gallery, each in a folder of its own; their assertions are the tests.

    python run.py [NAME ..]     all, or those whose names begin so

First it checks that each notebook has the cells of its script. Needs similis: the environment of python/install has it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = sorted(HERE.glob("[0-9]*.py"))
# Points of the notebook that shows a million.
FEW = "30000"


def cells(script):
    """The cells of a script in the percent format: (kind, text)."""
    pieces = re.split(r"^# %%(.*)$", script.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for kind, text in zip(pieces[::2], pieces[1::2], strict=True):
        text = text.strip("\n")
        if "markdown" in kind:
            yield "markdown", re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        else:
            yield "code", text


def check_pair(script):
    notebook = json.loads(script.with_suffix(".ipynb").read_text(encoding="utf-8"))
    paired = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    if paired != list(cells(script)):
        sys.exit(f"{script.name}: its notebook has other cells; run `make gallery`")
    failed = [out for cell in notebook["cells"] for out in cell.get("outputs", []) if out["output_type"] == "error"]
    if failed or not any(cell.get("outputs") for cell in notebook["cells"]):
        sys.exit(f"{script.stem}.ipynb was not run, or failed; run `make gallery`")


def run(script):
    with tempfile.TemporaryDirectory() as folder:
        variables = {"SIMILIS_MANY": FEW, "SIMILIS_TESTDATA": str(HERE.parent / "testdata"), "MPLBACKEND": "Agg"}
        done = subprocess.run([sys.executable, script], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{script.name} failed:\n{done.stdout}{done.stderr}")


def main(names):
    assert len(SCRIPTS) >= 10, "the gallery has lost scripts"
    for script in SCRIPTS:
        check_pair(script)
    chosen = [script for script in SCRIPTS if any(script.name.startswith(name) for name in names)] if names else SCRIPTS
    assert chosen, f"no script begins with any of {names}"
    began = time.monotonic()
    for script in chosen:
        run(script)
    print(f"gallery: {len(chosen)} of {len(SCRIPTS)} scripts ran in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
