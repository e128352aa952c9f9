"""Times of the page of `similis serve` in headless Chromium, its size, and its memory over many fits.

    page.py SIMILIS [--fits 1000]

Prints the seconds from the start of the process to the first picture of 10,000 and 1,000,000 points (the fit goes on behind it), of a frame
of 100,000 points with their tree by the software renderer, from a correction of 1,000 points to the new labels on the screen, the
size of the page's files, and the memory of one server before and after many fits and connections.
"""

import argparse
import gzip
import json
import pathlib
import random
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "crates/similis-cli/tests"), str(ROOT / "benchmarks")]

from browser import Browser  # noqa: E402
from page_tests import WEBGL, Server, Tab  # noqa: E402

from ask import Session  # noqa: E402


def blobs(path, n):
    chance = random.Random(0)
    centres = [(chance.uniform(-9, 9), chance.uniform(-9, 9)) for _ in range(8)]
    with path.open("w") as out:
        out.write("x,y\n")
        for i in range(n):
            x, y = centres[i % 8]
            out.write(f"{chance.gauss(x, 0.5):.5f},{chance.gauss(y, 0.5):.5f}\n")
    return path


def first_picture(similis, browser, folder, n):
    path = blobs(folder / f"{n}.csv", n)
    started = time.monotonic()
    server = Server(similis, path, "-k", "8", "--time-limit", "1")
    listening = time.monotonic() - started
    tab = Tab(browser).open(server.link)
    tab.until("document.documentElement.dataset.ready")
    tab.js(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { similis.map.drawing.finish(); done(1); })))"
    )
    print(
        f"{n:,} points: listening after {listening:.2f} s, first picture after {time.monotonic() - started:.2f} s",
        flush=True,
    )
    return server, tab


def memory(process):
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def soak(similis, folder, n_fits):
    session = Session(similis, blobs(folder / "soak.csv", 120), 3, labelled=False)
    session.settle()
    sizes = []
    for fit in range(n_fits):
        session.send("choose", {"n_clusters": str(2 + fit % 4)})
        session.settle()
        if fit % 50 == 49:
            sizes.append(memory(session.process))
    session.end()
    early, late = statistics.mean(sizes[1:4]), statistics.mean(sizes[-3:])
    print(f"{n_fits} fits: {early:.1f} MB early, {late:.1f} MB late, {100 * (late / early - 1):+.1f}%")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("similis", type=pathlib.Path)
    parser.add_argument("--fits", type=int, default=1000)
    options = parser.parse_args()
    similis = options.similis.resolve()
    files = [file.read_bytes() for file in sorted((ROOT / "crates/similis-cli/assets/web").iterdir())]
    print(
        f"files of the page: {sum(map(len, files)) / 1000:.1f} kB, {sum(len(gzip.compress(file)) for file in files) / 1000:.1f} kB gzipped"
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        browser = Browser(folder / "profile", WEBGL)
        # The first page starts parts of the browser: a person's is open already.
        server, tab = first_picture(similis, browser, folder, 1_000)
        tab.close()
        server.end()
        for n in (10_000, 100_000, 1_000_000):
            server, tab = first_picture(similis, browser, folder, n)
            if n == 100_000:
                tab.settled()
                times = [tab.js("similis.map.timeFrame()") for _ in range(11)]
                links = tab.js("similis.map.scene.links.length / 2")
                print(f"a frame of {n:,} points and {links:,} links: {1000 * statistics.median(times):.0f} ms")
            tab.close()
            server.process.kill()
            server.process.wait()
        server = Server(similis, blobs(folder / "small.csv", 1000), "-k", "8")
        tab = Tab(browser).open(server.link)
        tab.until("document.documentElement.dataset.ready")
        times = []
        for items in ([0, 1], [2, 3], [4, 5, 6]):
            answer = tab.settled()
            started = time.monotonic()
            tab.js(f"similis.send('correct', {json.dumps({'kind': 'together', 'items': items})})")
            tab.settled(answer)
            times.append(time.monotonic() - started)
        print(f"a correction of 1,000 points to new labels: {statistics.median(times):.2f} s")
        tab.close()
        server.end()
        browser.close()
        soak(similis, folder, options.fits)


if __name__ == "__main__":
    main()
