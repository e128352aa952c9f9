#!/usr/bin/env python3
"""Opens pages of the built site in headless Chromium, light, dark and on a phone: formulas, pictures and search are there, and nothing is
asked of another server.

    in_browser.py SITE [--screenshots FOLDER]

Needs `chromium` on the PATH and Python's standard library; the browser is driven as in crates/similis-cli/tests/browser.py.
"""

import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "crates/similis-cli/tests"))
from browser import SCREENS, Browser, screenshot  # noqa: E402

DESK, PHONE, DARK = SCREENS
# (page, what must be seen there, on which screens)
PAGES = [
    ("", ["article img", "article table", "article .highlight"], SCREENS),
    ("start/quick-start/", ["article .highlight", "article table"], [PHONE]),
    ("how/told-with-pictures/", ["article img[src$='10-answer.png']"], [DARK]),
    ("how/latent-graphs/", ["article .arithmatex .katex", "article .katex-display"], [DESK, DARK]),
    ("reference/python/", ["article h2", "article table"], [DESK]),
    ("gallery/01-points/", ["article img", "article .highlight"], [DESK]),
]
SEARCHED = "medoid"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def value(browser, session, expression):
    return browser.ask("Runtime.evaluate", session, expression=expression, returnByValue=True)["result"].get("value")


def until(browser, session, expression, seconds=20):
    """Waits until an expression is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value(browser, session, expression):
            return True
        time.sleep(0.1)
    return False


def opened(browser, session, url, screen):
    name, width, height, scheme = screen
    browser.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=name == "phone")
    browser.ask("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.events.clear()
    browser.ask("Page.navigate", session, url=url)
    browser.wait_for("Page.loadEventFired")


def mistakes(browser, session, wanted, screen, address):
    _, width, _, scheme = screen
    for selector in wanted:
        seen = f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect().height >= 5"
        if not until(browser, session, seen):
            yield f"{selector} is not to be seen"
    if value(browser, session, "document.documentElement.scrollWidth") > width:
        yield f"the page is wider than {width} pixels"
    if value(browser, session, "document.querySelectorAll('.katex-error').length"):
        yield "a formula cannot be drawn"
    dark = value(browser, session, "document.body.dataset.mdColorScheme") == "slate"
    if dark != (scheme == "dark"):
        yield f"the page is {'dark' if dark else 'light'} where {scheme} was asked for"
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            yield f"the console says {json.dumps(parameters)[:500]}"
        elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith((address, "data:", "blob:")):
            yield f"it asks for {parameters['request']['url']}"


def found(browser, session, address):
    """Whether the search finds a word."""
    opened(browser, session, address, DESK)
    value(browser, session, "document.querySelector('[data-md-component=search-query]').focus()")
    browser.ask("Input.insertText", session, text=SEARCHED)
    return until(browser, session, "document.querySelectorAll('.md-search-result__item').length > 0")


def main(site, pictures):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            browser.ask(f"{domain}.enable", session)
        for page, wanted, screens in PAGES:
            for screen in screens:
                opened(browser, session, address + page, screen)
                wrong += [f"/{page} ({screen[0]}): {what}" for what in mistakes(browser, session, wanted, screen, address)]
                if pictures:
                    screenshot(browser, session, pictures / f"{page.strip('/').replace('/', '-') or 'home'}-{screen[0]}.png")
        if not found(browser, session, address):
            wrong.append(f"the search does not find {SEARCHED!r}")
        browser.close()
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"site in a browser: {len(PAGES)} pages, {sum(len(page[2]) for page in PAGES)} views and the search are as they should be")


if __name__ == "__main__":
    folder = None
    if "--screenshots" in sys.argv:
        folder = pathlib.Path(sys.argv[sys.argv.index("--screenshots") + 1])
        folder.mkdir(parents=True, exist_ok=True)
    main(pathlib.Path(sys.argv[1]).resolve(), folder)
