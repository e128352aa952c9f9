#!/usr/bin/env python3
"""Opens reports in headless Chromium: finds pictures and tables, fails on any console message or outside request.

    browser.py SIMILIS [--screenshots DIR]

Needs `chromium` on the PATH and nothing but Python's standard library: the browser is driven through a pair of pipes.
Checked at the width of a desk and of a phone, light and dark.
"""

import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--hide-scrollbars", "--remote-debugging-pipe",
]

# (name, arguments of similis, pictures and tables that must be there)
REPORTS = [
    ("points", ["cluster", "testdata/two-scales.csv", "-k", "2"],
     ["#scatter svg", "#matrix svg", "#scales svg", "#lengths svg", "#candidates svg", "table#classes", "table#settings"]),
    ("distances", ["cluster", "testdata/rings-distances.csv", "-k", "2"], ["#scatter svg", "#matrix svg", "table#classes"]),
    ("features", ["cluster", "testdata/two-scales.csv", "-k", "2", "--model", "latent-feature"],
     ["#scatter svg", "#eigenvalues svg", "table#classes"]),
    ("printed", ["cluster", "testdata/two-scales.csv", "-k", "2", "--preset", "paper", "--n-restarts", "2"],
     ["#scatter svg", "#trace svg", ".warnings"]),
    ("compared", ["compare", "testdata/two-scales.csv", "-k", "2", "--variants", "search,ng-jordan-weiss"],
     ["#pictures figure:nth-child(2) svg", "table#variants", "table#agreement"]),
]

# A page with every mistake that is looked for: it must be found, or the test finds nothing.
BAD_PAGE = """<!doctype html><body style="width: 5000px; background: #abc">
<script>console.error("a message"); throw new Error("an error")</script><img src="http://127.0.0.1:9/outside.png">
<table id="classes"><tr><td>one<td>word</table>"""
BAD_WORDS = ["is not to be seen", "a column of a few letters", "is wider than", "the background is", "a message", "an error", "it asks for http://127.0.0.1:9/outside.png"]

# (name, width, height, colour scheme)
SCREENS = [("desk", 1200, 900, "light"), ("phone", 390, 844, "light"), ("dark", 1200, 900, "dark")]

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Browser:
    """Chromium, and the messages it sends."""

    def __init__(self, folder, flags=()):
        to_browser, self.out = os.pipe()
        self.inn, from_browser = os.pipe()

        def hand_over():
            # The browser reads from 3 and writes to 4.
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            ["chromium", *FLAGS, *flags, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.events = 0, b"", []

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inn, 1 << 16)
            if not piece:
                sys.exit("the browser ended early")
            self.rest += piece
        first, self.rest = self.rest.split(b"\0", 1)
        return json.loads(first)

    def ask(self, method, session=None, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        os.write(self.out, json.dumps(asked).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def check(browser, session, page, wanted, screen):
    """Opens a page; returns what is wrong with it."""
    name, width, height, scheme = screen
    browser.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=name == "phone")
    browser.ask("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.events.clear()
    browser.ask("Page.navigate", session, url=page.as_uri())
    browser.wait_for("Page.loadEventFired")
    time.sleep(0.2)

    def value(expression):
        return browser.ask("Runtime.evaluate", session, expression=expression, returnByValue=True)["result"].get("value")

    wrong = []
    for selector in wanted:
        element = f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect()"
        width_and_height = [value(f"{element}?.{side}") for side in ("width", "height")]
        if not all(side and side >= 10 for side in width_and_height):
            wrong.append(f"{selector} is not to be seen")
    if value("document.documentElement.scrollWidth") > width:
        wrong.append(f"the page is wider than {width} pixels")
    narrow = "cell => cell.getBoundingClientRect().width < 80"
    if value(f"[...document.querySelectorAll('#classes td:last-child:not(.number)')].some({narrow})"):
        wrong.append("words of the table of clusters have a column of a few letters")
    background = value("getComputedStyle(document.body).backgroundColor")
    if (background == "rgb(255, 255, 255)") != (scheme == "light"):
        wrong.append(f"the background is {background} where {scheme} was asked for")
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            wrong.append(f"the console says {json.dumps(parameters)[:1000]}")
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if url != page.as_uri() and not url.startswith("data:"):
                wrong.append(f"it asks for {url}")
    return wrong


def screenshot(browser, session, path):
    shot = browser.ask("Page.captureScreenshot", session, captureBeyondViewport=True)
    path.write_bytes(base64.b64decode(shot["data"]))


def main():
    similis = pathlib.Path(sys.argv[1]).resolve()
    shots = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--screenshots"] else None
    if not shutil.which("chromium"):
        sys.exit("the browser test needs chromium on the PATH: apt-get install chromium")
    failures = 0
    # A browser that does not answer must not hold the tests for ever.
    signal.alarm(600)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        browser = Browser(folder / "profile")
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.ask(f"{domain}.enable", session)
        bad = folder / "bad.html"
        bad.write_text(BAD_PAGE)
        found = " ".join(check(browser, session, bad, ["#scatter svg"], SCREENS[0]))
        missed = [words for words in BAD_WORDS if words not in found]
        if missed:
            sys.exit(f"the test does not find mistakes that are there: {missed}")
        for name, arguments, wanted in REPORTS:
            page = folder / f"{name}.html"
            command = [similis, *arguments, "--quiet", "--report", page]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            for screen in SCREENS:
                wrong = check(browser, session, page, wanted, screen)
                for words in wrong:
                    print(f"{name}, {screen[0]}: {words}", file=sys.stderr)
                failures += len(wrong)
                if shots:
                    shots.mkdir(parents=True, exist_ok=True)
                    screenshot(browser, session, shots / f"{name}-{screen[0]}.png")
        browser.close()
    if failures:
        sys.exit(f"{failures} mistakes in the reports")
    print(f"{len(REPORTS)} reports in {len(SCREENS)} screens: pictures and tables are there, the console is empty, nothing is asked for")


if __name__ == "__main__":
    main()
