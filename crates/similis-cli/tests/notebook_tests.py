#!/usr/bin/env python3
"""Opens a notebook in JupyterLab in headless Chromium, and works with the widget of `similis.explore` as a person would.

    notebook_tests.py PYTHON [--screenshots DIR]

PYTHON has the package similis, anywidget and JupyterLab. Needs `chromium` on the PATH.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from browser import Browser
from page_tests import WEBGL, Tab

CELLS = [
    """from similis import explore, make_shapes
X, y = make_shapes("two_rings", 300)
page = explore(X, n_clusters=2, classes=y, name="rings")
page""",
    "page.wait(); print([int(label) for label in page.labels_])",
    "print(page.selection)",
    "page.wait(); print([page.must_link, page.labels_.tolist(), page.model_.labels_.tolist(), type(page.model_).__name__])",
    "page.selection = [3, 5, 8]",
    "page.known_labels = ['inner' if i == 7 else None for i in range(300)]; page.wait()",
]
HOLDER = "document.querySelector('[data-lm-suppress-shortcuts=true]')"
ROOT = f"{HOLDER}.shadowRoot"


class Lab:
    """JupyterLab on a folder with one notebook, and nothing of the user's own settings."""

    def __init__(self, python, folder):
        cells = [{"cell_type": "code", "id": f"c{at}", "execution_count": None, "metadata": {}, "outputs": [], "source": source} for at, source in enumerate(CELLS)]
        kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        (folder / "work").mkdir()
        (folder / "work" / "explore.ipynb").write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
        own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
        self.log = (folder / "lab.log").open("w+")
        command = [python, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.token=test", f"--ServerApp.root_dir={folder / 'work'}",
                   "--LabApp.expose_app_in_browser=True", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url="]
        self.process = subprocess.Popen(command, env={**os.environ, **own}, stdout=self.log, stderr=self.log, start_new_session=True)
        self.address = self.find(folder / "runtime")

    def find(self, folder):
        """The address, which the server writes to a file."""
        for _ in range(1200):
            found = [file for file in folder.glob("jpserver-*.json") if file.stat().st_size]
            if found:
                return json.loads(found[0].read_text())["url"]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.log.seek(0)
        sys.exit(f"JupyterLab does not start:\n{self.log.read()}")

    def end(self):
        # Its kernels too.
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()


class Notebook:
    """The notebook in the browser."""

    def __init__(self, tab):
        self.tab, self.ran = tab, 0
        tab.until("globalThis.jupyterapp?.shell.currentWidget?.content?.model?.cells?.length", seconds=120)
        tab.until("jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'", seconds=60)
        # What JupyterLab has to tell a new user covers the page.
        tab.js("document.querySelectorAll('.Toastify__close-button').forEach((button) => button.click())")

    def run(self):
        """Runs the next cell, and returns what it printed."""
        at, self.ran = self.ran, self.ran + 1
        tab = self.tab
        tab.js(f"jupyterapp.shell.currentWidget.content.activeCellIndex = {at}")
        tab.js("void jupyterapp.commands.execute('notebook:run-cell')")
        cell = tab.until(f"(() => {{ const cell = jupyterapp.shell.currentWidget.content.model.toJSON().cells[{at}]; return cell.execution_count ? cell : null; }})()", seconds=120)
        wrong = [out for out in cell["outputs"] if out["output_type"] == "error"]
        assert not wrong, "\n".join(wrong[0]["traceback"])
        self.outputs = cell["outputs"]
        return "".join("".join(out["text"]) for out in cell["outputs"] if out["output_type"] == "stream")

    def widget(self):
        """Waits for the widget and its answer, and gives it the name that the page has."""
        self.tab.until(f"{HOLDER}?.similis?.answer", seconds=60)
        self.tab.js(f"globalThis.similis = {HOLDER}.similis; {HOLDER}.scrollIntoView()")

    def click(self, selector, text):
        found = self.tab.until(f"(() => {{ const one = [...{ROOT}.querySelectorAll({json.dumps(selector)})].find((e) => e.textContent.includes({json.dumps(text)})); one?.click(); return Boolean(one); }})()")
        assert found


def check(tab, shot):
    book = Notebook(tab)
    book.run()
    # Where no widget can run, the picture stands.
    data = next(out["data"] for out in book.outputs if "data" in out)
    assert "".join(data["image/svg+xml"]).lstrip().startswith("<svg"), list(data)
    book.widget()
    assert tab.js("similis.map.drawing.name") == "WebGL2" and tab.js(f"{ROOT}.querySelector('.map canvas').getBoundingClientRect().width") > 200
    labels = tab.labels()
    assert json.loads(book.run()) == labels and len(set(labels)) == 2
    shot("notebook")

    # A lasso on the map is the selection in Python.
    tab.js("similis.use('lasso')")
    wanted = tab.js("similis.answer.head.clusters.find(({number}) => number === 1).medoid")
    x, y = tab.place(wanted)
    tab.drag([(x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20), (x - 20, y - 20)])
    chosen = sorted(tab.until("similis.map.selected.size && [...similis.map.selected]"))
    assert wanted in chosen and len(chosen) < 100
    assert json.loads(book.run()) == chosen

    # A correction on the map is a pair in Python, and the model obeys it.
    first, last = labels.index(0), labels.index(1)
    tab.js(f"similis.map.select([{first}, {last}])")
    before = tab.js("similis.answer.head.number")
    book.click(".actions button", "Together")
    tab.until(f"similis.answer.head.number !== {before} && !similis.state.fits")
    pairs, shown, fitted, kind = json.loads(book.run().replace("(", "[").replace(")", "]").replace("'", '"'))
    assert pairs == [[min(first, last), max(first, last)]] and shown[first] == shown[last] and fitted[first] == fitted[last]
    assert shown == tab.labels() and kind == "AutoClustering"
    shot("notebook-corrected")

    # What Python sets, the map shows.
    book.run()
    tab.until("JSON.stringify([...similis.map.selected].sort((a, b) => a - b)) === '[3,5,8]'")
    book.run()
    tab.until("similis.answer.head.clusters.some(({name}) => name === 'inner')")

    # Keys are the map's, not JupyterLab's: B would make a cell.
    cells = tab.js("jupyterapp.shell.currentWidget.content.model.cells.length")
    tab.js("similis.map.element.focus()")
    tab.key("b")
    assert tab.js("similis.map.tool") == "box"
    assert tab.js("jupyterapp.shell.currentWidget.content.model.cells.length") == cells

    # A dark theme is followed.
    tab.js("void jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    tab.until(f"Boolean({ROOT}.querySelector('.similis.dark'))")
    shot("notebook-dark")


def main():
    parser = argparse.ArgumentParser()
    # The path as it is given: a virtual environment's Python is a link.
    parser.add_argument("python")
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    signal.alarm(400)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        lab = Lab(options.python, folder)
        browser = Browser(folder / "profile", WEBGL)
        try:
            tab = Tab(browser, size=(1500, 1000)).open(f"{lab.address}lab/tree/explore.ipynb?token=test")
            check(tab, lambda name: options.screenshots and tab.shot(options.screenshots / f"{name}.png"))
        finally:
            browser.close()
            lab.end()
    print(f"a notebook in JupyterLab shows the page, hears corrections and reads them back ({time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
