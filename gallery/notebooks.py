"""Makes the notebooks of the gallery from its scripts, with their outputs.

    python notebooks.py [NAME ..]     all, or those whose names begin so

Needs similis, jupytext, nbclient and ipykernel (`make gallery` installs them).
"""

import os
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent


def main(names):
    os.environ["SIMILIS_TESTDATA"] = str(HERE.parent / "testdata")
    for script in sorted(HERE.glob("[0-9]*.py")):
        if names and not any(script.name.startswith(name) for name in names):
            continue
        notebook = jupytext.read(script, fmt="py:percent")
        notebook.metadata = {
            "jupytext": {"formats": "ipynb,py:percent"},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        }
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number}"
            # Times of the run are no part of the notebook.
            cell.metadata = {}
            for output in cell.get("outputs", []):
                # A widget lives as long as its kernel; its picture stays.
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        notebook.metadata.pop("language_info", None)
        notebook.metadata.pop("widgets", None)
        nbformat.write(notebook, script.with_suffix(".ipynb"))


if __name__ == "__main__":
    main(sys.argv[1:])
