#!/usr/bin/env python3
"""Opens the page of `similis serve` in headless Chromium and does what a person would do.

    page_tests.py SIMILIS [--screenshots DIR] [--python PYTHON] [--only WORD]

Every test is a sentence about the page. Needs `chromium` on the PATH and Python's standard library. PYTHON is one that has the
package similis: with it, the Python lines that the page shows are run too.
"""

import argparse
import base64
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from browser import ROOT, Browser

WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SHIFT, ALT, CONTROL = 8, 1, 2


class Server:
    """A page of its own: `similis serve` on a copy of an input."""

    def __init__(self, similis, path, *arguments):
        self.process = subprocess.Popen(
            [similis, "serve", path, "--no-open", *arguments], cwd=path.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("open "):
                self.link = line.split()[1]
                return
        sys.exit(f"the server ended: {''.join(self.said)}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()


class Client:
    """A program that speaks to a server as a page does."""

    def __init__(self, link):
        self.address, token = link.split("/#token=")
        self.cookie = ""
        self.cookie = self.post("session", {"token": token}).headers["Set-Cookie"].split(";")[0]

    def post(self, route, value):
        headers = {"Content-Type": "application/json", "Origin": self.address, "Cookie": self.cookie}
        return urllib.request.urlopen(urllib.request.Request(f"{self.address}/api/{route}", json.dumps(value).encode(), headers), timeout=60)


class Tab:
    """One page in the browser."""

    def __init__(self, browser, size=(1280, 860), scheme="light", before=None):
        self.browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if before:
            self.ask("Page.addScriptToEvaluateOnNewDocument", source=before)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def open(self, url):
        self.ask("Page.navigate", url=url)
        return self

    def js(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {json.dumps(answer['exceptionDetails'])[:600]}")
        return answer["result"].get("value")

    def until(self, expression, seconds=40):
        """Waits until an expression is true, and returns it."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.js(expression)
            except (AssertionError, SystemExit):
                # Between two pages there is none.
                value = None
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {expression}; the page says {self.js('document.body.innerText')[:400]!r}")
            time.sleep(0.03)

    def settled(self, after=None):
        """Waits for an answer, newer than `after` if that is given, and returns its number."""
        newer = f" && document.documentElement.dataset.answer !== {json.dumps(after)}" if after else ""
        return self.until(f"document.documentElement.dataset.busy === 'false' && document.documentElement.dataset.answer{newer} && document.documentElement.dataset.answer")

    def labels(self):
        return self.js("Array.from(similis.answer.labels)")

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def click(self, selector, text=""):
        """Clicks the first element of this selector that holds a text."""
        found = self.js(f"""(() => {{ const one = [...document.querySelectorAll({json.dumps(selector)})].find((e) => e.textContent.includes({json.dumps(text)}) && !e.disabled);
            one?.scrollIntoView({{block: "center"}}); one?.click(); return Boolean(one); }})()""")
        assert found, f"nothing to click: {selector} {text!r}"

    def set(self, selector, value):
        found = self.js(f"""(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) return false;
            one.value = {json.dumps(value)}; for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, {{bubbles: true}})); return true; }})()""")
        assert found, selector

    def key(self, key, modifiers=0):
        code = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}.get(key, ord(key[0].upper()))
        text = "\r" if key == "Enter" else key if len(key) == 1 and not modifiers & CONTROL else ""
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=modifiers, text=text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def mouse(self, kind, x, y, modifiers=0, buttons=1):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" or buttons else "none", buttons=buttons, clickCount=1, modifiers=modifiers)

    def place(self, item):
        """Where an item is on the screen."""
        return self.js(f"(() => {{ const [x, y] = similis.map.screen({item}); const box = similis.map.element.getBoundingClientRect(); return [x + box.left, y + box.top]; }})()")

    def drag(self, path, modifiers=0):
        self.mouse("mousePressed", *path[0], modifiers)
        for at in path[1:]:
            self.mouse("mouseMoved", *at, modifiers)
        self.mouse("mouseReleased", *path[-1], modifiers)

    def around(self, items, tool="lasso", modifiers=0, room=10):
        """Draws a line around items by hand."""
        self.js(f"document.querySelector('button[data-tool={tool}]').click()")
        places = [self.place(item) for item in items]
        left, right = min(x for x, _ in places) - room, max(x for x, _ in places) + room
        top, bottom = min(y for _, y in places) - room, max(y for _, y in places) + room
        corners = [(left, top), (right, bottom)] if tool == "box" else [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self.drag(corners, modifiers)

    def shot(self, path):
        time.sleep(0.3)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def wrong(self):
        """What the console said, and requests that left this machine."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, parameters = event.get("method"), event.get("params", {})
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                # Screenshots, and tests that look at pixels.
                if "GPU stall due to ReadPixels" in json.dumps(parameters):
                    continue
                found.append(json.dumps(parameters)[:500])
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:|file:|about:)", url):
                    found.append(f"it asks for {url}")
        return found

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)


def same(first, second):
    """Whether two partitions are equal, whatever their numbers; -1 is noise."""
    return len(first) == len(second) and len(set(zip(first, second))) == len(set(first)) == len(set(second)) and \
        all((a == -1) == (b == -1) for a, b in zip(first, second))


class Tests:
    """What a person can see. Each has its own input and its own server."""

    def __init__(self, similis, folder, browser, options):
        self.similis, self.folder, self.browser, self.options = similis, folder, browser, options
        self.servers, self.tabs, self.n = [], [], 0

    def copy(self, name):
        self.n += 1
        place = self.folder / f"{self.n}"
        place.mkdir()
        return pathlib.Path(shutil.copy(ROOT / "testdata" / name, place))

    def serve(self, path, *arguments):
        server = Server(self.similis, path, *arguments)
        self.servers.append(server)
        return server

    def tab(self, url, **options):
        tab = Tab(self.browser, **options).open(url)
        self.tabs.append(tab)
        tab.until("document.documentElement.dataset.ready")
        return tab

    def page(self, name, *arguments, **options):
        server = self.serve(self.copy(name), *arguments)
        tab = self.tab(server.link, **options)
        tab.settled()
        return server, tab

    def shot(self, tab, name):
        if self.options.screenshots:
            tab.shot(self.options.screenshots / f"{name}.png")

    def clean_up(self):
        wrong = [words for tab in self.tabs for words in tab.wrong()]
        for tab in self.tabs:
            tab.close()
        for server in self.servers:
            server.end()
        self.servers, self.tabs = [], []
        self.browser.events.clear()
        return wrong

    # -- sentences ----------------------------------------------------------------------------------------------------------

    def points_distances_similarities_and_graphs_are_loaded_and_drawn(self):
        kinds = [("two-scales.csv", ["-k", "2"], 400, "points"), ("string-distances.csv", ["-k", "2"], None, "matrix"),
                 ("similarity-graph.csv", ["--input", "edges", "--edge-values", "similarities"], None, "edges")]
        for name, arguments, n, word in kinds:
            _, tab = self.page(name, *arguments)
            labels = tab.labels()
            assert len(set(labels)) >= 2 and (n is None or len(labels) == n), name
            assert word in tab.text(".lead"), tab.text(".lead")
            assert tab.js("document.documentElement.dataset.renderer") == "WebGL2"
            drawn = tab.js("""(() => { similis.map.timeFrame(); const gl = document.querySelector('.map canvas').getContext('webgl2');
                const all = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
                gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, all);
                let n = 0; for (let i = 3; i < all.length; i += 4) n += all[i] > 100; return n; })()""")
            assert drawn > 300, f"{name}: {drawn} pixels"
            self.shot(tab, name.split(".")[0])

    def a_new_number_gives_new_clusters_and_the_camera_and_the_numbers_of_clusters_stay(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        tab.js("similis.map.zoom(1.7, 200, 200)")
        camera, before, answer = tab.js("JSON.stringify(similis.map.camera)"), tab.labels(), tab.settled()
        tab.set("input[type=range]", "3")
        tab.settled(answer)
        after = tab.labels()
        assert len(set(after)) == 3 and tab.js("JSON.stringify(similis.map.camera)") == camera
        assert sum(a == b for a, b in zip(before, after)) > len(after) / 2
        answer = tab.settled()
        tab.click("button.auto")
        tab.settled(answer)
        assert tab.js("document.querySelectorAll('.numbers .bar-row').length") >= 2
        assert tab.js("document.querySelector('button.auto').getAttribute('aria-pressed')") == "true"
        chosen = tab.js("[...document.querySelectorAll('.numbers .bar-row')].find((e) => !e.matches('[aria-current=true]')).querySelector('b').textContent")
        answer = tab.settled()
        tab.click(".numbers .bar-row:not([aria-current=true])", chosen)
        tab.settled(answer)
        assert len(set(tab.labels())) == int(chosen)

    def model_metric_and_noise_change_the_fit(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        for selector, value, words in [("#model", "latent_feature", "latent features"), ("#model", "latent_graph", "latent graph"), ("#metric", "manhattan", "latent graph")]:
            answer = tab.settled()
            tab.set(selector, value)
            tab.settled(answer)
            assert words in tab.text(".status"), tab.text(".status")
        answer = tab.settled()
        tab.click("#noise")
        tab.settled(answer)
        assert "--noise background" in tab.until("document.querySelector('[data-recipe=shell] pre')?.textContent")
        assert "--metric manhattan" in tab.text("[data-recipe=shell] pre")

    def a_fit_shows_progress_and_can_be_stopped_with_its_best_answer(self):
        place = self.folder / "large.csv"
        rows = ((i * 7919 % 10007, i * i % 10007 + 20000 * (i % 3)) for i in range(9000))
        place.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
        server = self.serve(place)
        tab = self.tab(server.link)
        tab.until("!document.querySelector('.stop').hidden && document.querySelector('.bar').classList.contains('on')")
        tab.until("Number(document.querySelector('.bar').getAttribute('aria-valuenow')) > 0 || document.documentElement.dataset.answer")
        tab.key("s")
        tab.settled()
        assert tab.js("similis.answer.head.cut_short"), tab.text(".status")
        assert len(tab.labels()) == 9000
        assert tab.js("document.querySelector('.stop').hidden")

    def a_lasso_and_together_are_obeyed_and_undone(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        labels, answer = tab.labels(), tab.settled()
        pair = [labels.index(0), labels.index(1)]
        tab.around([pair[0]])
        first = tab.js("[...similis.map.selected]")
        assert pair[0] in first
        tab.around([pair[1]], modifiers=SHIFT)
        assert set(first) < set(tab.js("[...similis.map.selected]")) and pair[1] in tab.js("[...similis.map.selected]")
        tab.around([pair[1]], modifiers=ALT)
        assert tab.js("[...similis.map.selected]") == first
        tab.around([pair[1]], tool="box", modifiers=SHIFT)
        chosen = tab.js("[...similis.map.selected]")
        self.shot(tab, "lasso")
        tab.click(".actions button", "Together")
        answer = tab.settled(answer)
        joined = tab.labels()
        assert len({joined[item] for item in chosen}) == 1
        assert tab.js("document.querySelectorAll('.overlay .must').length") == len(chosen) - 1
        tab.key("z", CONTROL)
        answer = tab.settled(answer)
        assert tab.labels() == labels
        tab.key("z", CONTROL | SHIFT)
        tab.settled(answer)
        assert tab.labels() == joined

    def a_brush_and_a_label_name_a_cluster_and_split_makes_another(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        labels, answer = tab.labels(), tab.settled()
        item = labels.index(1)
        tab.js("document.querySelector('button[data-tool=brush]').click()")
        x, y = tab.place(item)
        tab.drag([(x, y), (x + 6, y), (x + 8, y + 4)])
        assert item in tab.js("[...similis.map.selected]")
        tab.js(f"similis.map.select([{item}])")
        tab.set(".actions input", "the cloud")
        tab.click(".actions button", "Label")
        answer = tab.settled(answer)
        tab.until("document.querySelector('.clusters').textContent.includes('the cloud')")
        own = [i for i, label in enumerate(tab.labels()) if label == 0]
        tab.js(f"similis.map.select({json.dumps(own[:25])})")
        tab.click(".actions button", "Split off")
        tab.settled(answer)
        labels = tab.labels()
        assert len(set(labels)) == 3 and len({labels[i] for i in own[:25]}) == 1

    def a_contradiction_is_shown_on_the_map_with_its_chain_and_undo_solves_it(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        answer = tab.settled()
        tab.js("similis.send('correct', {kind: 'together', items: [3, 5, 9]})")
        answer = tab.settled(answer)
        before = tab.labels()
        tab.js("similis.send('correct', {kind: 'apart', items: [3, 9]})")
        tab.until("Boolean(document.querySelector('.notice .chain'))")
        chain = tab.js("similis.state.problem.chain")
        assert chain[0] in (3, 9) and chain[-1] in (3, 9) and 5 in chain, chain
        assert tab.until("document.querySelectorAll('.overlay line.chain').length") == 2
        assert tab.labels() == before
        self.shot(tab, "contradiction")
        tab.click(".notice button", "Undo")
        tab.settled(answer)
        assert not tab.js("Boolean(document.querySelector('.notice .chain'))")

    def noise_is_left_out_and_only_these_are_clustered_again(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        answer = tab.settled()
        tab.js("similis.map.select([0, 1, 2])")
        tab.click(".actions button", "Noise")
        answer = tab.settled(answer)
        labels = tab.labels()
        assert labels[:3] == [-1, -1, -1] and labels.count(-1) == 3
        own = [i for i, label in enumerate(labels) if label == labels[200]]
        tab.js(f"similis.map.select({json.dumps(own)})")
        tab.click(".actions button", "Only these")
        tab.settled(answer)
        labels = tab.labels()
        assert {i for i, label in enumerate(labels) if label >= 0} == set(own) and len(set(labels)) == 3

    def it_asks_about_a_pair_and_two_keys_answer(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        tab.click(".ask button", "Ask me")
        tab.until("document.querySelectorAll('.overlay circle.question').length === 2")
        self.shot(tab, "ask")
        pairs = []
        for key in "yn":
            pairs.append(tab.js("similis.map.marks.question"))
            answer = tab.settled()
            tab.key(key)
            tab.settled(answer)
            tab.until(f"similis.map.marks.question.length === 2 && JSON.stringify(similis.map.marks.question) !== {json.dumps(json.dumps(pairs[-1]).replace(' ', ''))}")
        labels = tab.labels()
        assert labels[pairs[0][0]] == labels[pairs[0][1]] and labels[pairs[1][0]] != labels[pairs[1][1]]

    def a_runner_up_shows_where_it_differs(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        tab.click(".rivals .rival")
        differ = int(re.search(r"([\d,]+) items? in another cluster", tab.until("document.querySelector('.notice:not([hidden])')?.textContent"))[1].replace(",", ""))
        dimmed = tab.js("similis.map.scene.flags.filter((bits) => bits & 2).length")
        assert 0 < differ < 400 and dimmed == 400 - differ
        tab.click(".notice button", "Back")
        assert tab.js("similis.map.scene.flags.filter((bits) => bits & 2).length") == 0

    def items_are_found_by_name_shown_with_every_column_and_coloured_by_one(self):
        _, tab = self.page("partly-labelled.csv", "-k", "2", "--label-column", "kind")
        tab.set(".tools select", "0")
        tab.until("!document.querySelector('.legend').hidden")
        assert len(set(tab.js("Array.from({length: 60}, (_, i) => similis.map.scene.styles.slice(4 * i, 4 * i + 3).join())"))) > 20
        self.shot(tab, "colour")
        columns = tab.js("similis.meta.columns")
        tab.set(".tools select", str(len(columns) - 1))
        tab.until("document.querySelectorAll('.legend span').length >= 2")
        x, y = tab.place(7)
        tab.mouse("mouseMoved", x, y, buttons=0)
        tab.until("!document.querySelector('.tip').hidden")
        assert all(column in tab.text(".tip") for column in columns), tab.text(".tip")
        _, tab = self.page("string-distances.csv", "-k", "2")
        name = tab.js("similis.answer.head.clusters[0].medoid_name")
        tab.set("input[type=search]", name)
        tab.until("document.querySelectorAll('.found button').length")
        tab.click(".found button", name)
        assert tab.js("[...similis.map.selected]") == [tab.js("similis.answer.head.clusters[0].medoid")]

    def the_panels_show_the_pictures_of_the_engine(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        for kind in ("scales", "lengths", "matrix", "candidates"):
            tab.click(f"[data-kind={kind}] summary")
            assert tab.until(f"document.querySelector('[data-kind={kind}] svg')?.getBoundingClientRect().width") > 100

    def files_and_lines_taken_away_give_the_same_clusters(self):
        server, tab = self.page("two-scales.csv", "-k", "2")
        answer = tab.settled()
        tab.js("similis.send('correct', {kind: 'together', items: [4, 399]})")
        answer = tab.settled(answer)
        tab.js("similis.send('correct', {kind: 'label', items: [7], label: 'a, b'})")
        answer = tab.settled(answer)
        tab.set("input[type=range]", "3")
        tab.settled(answer)
        labels = tab.labels()
        fetched = {file: tab.js(f"fetch('api/{file}').then((r) => r.ok ? r.text() : r.status)") for file in ("labels.csv", "labels.json", "map.svg", "page.html")}
        assert [int(line.split(",")[1]) for line in fetched["labels.csv"].splitlines()[1:]] == labels
        assert json.loads(fetched["labels.json"])["labels"] == labels
        assert fetched["map.svg"].startswith("<svg")
        assert tab.js("fetch('api/map.png').then((r) => r.arrayBuffer()).then((b) => String.fromCharCode(...new Uint8Array(b).slice(1, 4)))") == "PNG"
        place = pathlib.Path(server.process.args[2]).parent
        lines = tab.until("document.querySelector('[data-recipe=shell] pre')?.textContent")
        (place / "bin").mkdir()
        (place / "bin" / "similis").symlink_to(self.similis)
        subprocess.run(["sh", "-ec", f'PATH="{place}/bin:$PATH"\n{lines}'], cwd=place, check=True, capture_output=True)
        again = [int(line.split(",")[1]) for line in (place / "labels.csv").read_text().splitlines()[1:]]
        assert same(labels, again)
        if self.options.python:
            script = tab.text("[data-recipe=python] pre") + "print(*labels)\n"
            done = subprocess.run([self.options.python, "-c", script], cwd=place, check=True, capture_output=True, text=True)
            assert same(labels, [int(label) for label in done.stdout.split()])
        exported = place / "page.html"
        exported.write_text(fetched["page.html"])
        alone = self.tab(exported.as_uri())
        alone.settled()
        assert alone.labels() == labels and not alone.js("Boolean(document.querySelector('.settings'))")
        alone.click(".clusters .cluster")
        assert alone.js("similis.map.selected.size") > 10

    def a_page_is_exported_without_a_server(self):
        path = self.copy("string-distances.csv")
        out = path.parent / "page.html"
        subprocess.run([self.similis, "serve", path, "-k", "2", "--export", out, "--quiet"], check=True)
        tab = self.tab(out.as_uri())
        tab.settled()
        assert len(set(tab.labels())) == 2
        self.shot(tab, "exported")

    def a_reload_and_a_new_server_find_the_page_as_it_was_left(self):
        path = self.copy("two-scales.csv")
        content = path.read_bytes()
        server = self.serve(path, "-k", "2")
        tab = self.tab(server.link)
        answer = tab.settled()
        tab.js("similis.send('correct', {kind: 'together', items: [4, 399]})")
        answer = tab.settled(answer)
        tab.set("input[type=range]", "4")
        tab.settled(answer)
        labels = tab.labels()
        tab.ask("Page.reload")
        tab.until("document.documentElement.dataset.ready && 'similis' in window")
        tab.settled()
        assert tab.labels() == labels
        # The page names the newest version; an earlier one was saved after the first correction.
        folder, words = path.parent / "two-scales.csv.similis", ""
        while not words or json.loads((folder / words).read_text())["labels"] != labels:
            words = re.search(r"page-\d+\.json", tab.until("document.querySelector('.saved')?.textContent.includes('saved in') && document.querySelector('.saved').textContent"))[0]
            time.sleep(0.05)
        # Killed, not ended.
        server.process.kill()
        server.process.wait()
        self.servers.remove(server)
        saved = sorted(folder.iterdir())
        assert saved and all(json.loads(file.read_text())["n_items"] == 400 for file in saved)
        assert path.read_bytes() == content
        again = self.serve(path)
        assert any("as it was left, with 1 correction" in line for line in again.said), again.said
        tab.close()
        self.tabs.remove(tab)
        tab = self.tab(again.link)
        tab.settled()
        assert tab.labels() == labels

    def levels_are_nested_found_without_a_search_and_left_by_escape(self):
        path = self.folder / "blobs" / "blobs.csv"
        path.parent.mkdir()
        subprocess.run([self.similis, "generate", "five-blobs", "--n-points", "300", "--seed", "1", "--output", path, "--quiet"], check=True)
        server = self.serve(path, "--label-column", "label")
        tab = self.tab(server.link)
        answer, before = tab.settled(), tab.labels()
        tab.click(".levels summary")
        tab.until("Boolean(document.querySelector('.level'))")
        levels = {}
        for n in (2, 3, 5, 8, 12):
            tab.set(".level", str(n))
            levels[n] = tab.js("Array.from(similis.shownLabels())")
            assert len(set(levels[n])) == n and f"{n} clusters" in tab.text(".levels")
            painted = tab.js("new Set(Array.from({length: 300}, (_, i) => similis.map.scene.styles.slice(4 * i, 4 * i + 4).join())).size")
            assert painted == n, (n, painted)
        # The numbers of the command's levels, whatever they are called.
        subprocess.run([self.similis, "cluster", path, "--label-column", "label", "--levels", "2,8", "--output", path.with_name("levels.csv"), "--quiet"], check=True)
        rows = [line.split(",") for line in path.with_name("levels.csv").read_text().splitlines()]
        for n in (2, 8):
            at = rows[0].index(f"level_{n}")
            assert same(levels[n], [int(row[at]) for row in rows[1:]])
        # Nested, and a cluster that stays as it is keeps its number and so its colour.
        for coarse, fine in [(2, 3), (3, 5), (5, 8), (8, 12)]:
            assert len(set(zip(levels[coarse], levels[fine]))) == fine
        assert levels[5] == before and set(levels[2]) <= set(before) <= set(levels[8])
        self.shot(tab, "levels")
        assert tab.js("document.querySelectorAll('.overlay .chip').length") == 0
        tab.key("Escape")
        assert tab.js("Array.from(similis.shownLabels())") == before and tab.js("document.querySelector('.level').value") == "5"
        assert tab.settled() == answer
        tab.set(".level", "3")
        tab.click(".levels button", "Search this number")
        tab.settled(answer)
        assert len(set(tab.labels())) == 3 and tab.js("similis.shownLabels() === similis.answer.labels")
        exported = path.with_name("page.html")
        exported.write_text(tab.js("fetch('api/page.html').then((r) => r.text())"))
        alone = self.tab(exported.as_uri())
        alone.settled()
        alone.click(".levels summary")
        alone.until("Boolean(document.querySelector('.level'))")
        alone.set(".level", "2")
        assert len(set(alone.js("Array.from(similis.shownLabels())"))) == 2

    def links_are_drawn_as_dark_as_they_are_probable(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        n = tab.js("similis.map.scene.links.length / 2")
        tab.click("button[aria-label='Links by probability']")
        tab.until("document.documentElement.dataset.links === 'likely'")
        bands = tab.js("similis.map.scene.bands")
        links = tab.js("similis.map.scene.links.length / 2")
        assert links > n and [bands[0]["from"], bands[-1]["to"]] == [0, 2 * links]
        assert all(a["ink"] > b["ink"] and a["to"] == b["from"] for a, b in zip(bands, bands[1:])) and len(bands) >= 4
        # Of every cluster they add up to nearly a tree: those that are left out are improbable.
        likely = tab.js("similis.from.likely().then(({probabilities}) => Array.from(probabilities).reduce((a, b) => a + b, 0))")
        assert 0.9 * n < likely <= n + 0.5, (likely, n)
        self.shot(tab, "likely")
        tab.click("button[aria-label='Links by probability']")
        tab.until("document.documentElement.dataset.links === 'answer'")
        assert tab.js("similis.map.scene.links.length / 2") == n
        _, tab = self.page("two-scales.csv", "-k", "2", "--model", "latent-feature")
        tab.click("button[aria-label='Links by probability']")
        tab.until("document.querySelector('.notice').textContent.includes('no probabilities of links')")

    def the_table_has_every_item_sorted_and_is_linked_with_the_map_both_ways(self):
        _, tab = self.page("partly-labelled.csv", "-k", "2", "--label-column", "kind")
        n = tab.js("similis.meta.n_items")
        columns = tab.js("similis.meta.columns")
        tab.key("t")
        row = "document.querySelectorAll('.table .rows .cells')"
        tab.until(f"{row}.length > 3 && {row}[0].children.length === {len(columns) + 2} && {row}[0].children[2].textContent")
        assert tab.js(f"{row}.length") < 40 and f"{n} of {n}" in tab.text(".table .top")
        tab.click(".table .heads button", columns[0])
        tab.until("similis.table.key === 0 && similis.table.values.has(0)")
        values = tab.js("Array.from(similis.table.values.get(0))")
        tab.until("document.querySelector('[aria-sort=ascending]')?.textContent.includes(" + json.dumps(columns[0]) + ")")
        order = tab.js("Array.from(similis.table.order)")
        assert order == sorted(range(n), key=lambda item: (values[item], item))
        tab.click(".table .heads button", columns[0])
        tab.until("Boolean(document.querySelector('[aria-sort=descending]'))")
        assert tab.js("similis.table.order[0]") == max(range(n), key=lambda item: (values[item], -item))
        # A row selects on the map, with Shift another; the map selects rows.
        tab.js(f"{row}[2].click()")
        chosen = tab.js("similis.table.order[2]")
        assert tab.js("[...similis.map.selected]") == [chosen]
        assert tab.js("[...document.querySelectorAll('.table .cells[aria-selected=true]')].map((e) => Number(e.dataset.item))") == [chosen]
        last = tab.js(f"similis.table.order[{n - 1}]")
        tab.js(f"similis.map.select([{last}])")
        tab.until(f"document.querySelector('.table .cells[aria-selected=true]')?.dataset.item === '{last}'")
        tab.js("similis.map.select([5, 3, 8])")
        tab.js("document.querySelector('.table .top input').click()")
        assert sorted(tab.js("Array.from(similis.table.order)")) == [3, 5, 8] and tab.js(f"{row}.length") == 3
        tab.until(f"{row}[0].children[2].textContent")
        self.shot(tab, "table")
        tab.js("document.querySelector('.table .top input').click()")
        # By keys alone.
        tab.js("document.querySelector('.table .scroller').focus()")
        tab.key("Home")
        tab.key("ArrowDown")
        tab.key(" ")
        assert tab.js("[...similis.map.selected]") == [tab.js("similis.table.order[1]")]
        tab.key("End")
        tab.key(" ", SHIFT)
        assert sorted(tab.js("[...similis.map.selected]")) == sorted([tab.js("similis.table.order[1]"), tab.js(f"similis.table.order[{n - 1}]")])
        tab.key("t")
        assert not tab.js("Boolean(document.querySelector('.table'))")

    def the_table_reaches_the_last_of_very_many_rows(self):
        path = self.folder / "many" / "many.csv"
        path.parent.mkdir()
        path.write_text("x,y\n" + "".join(f"{i % 701},{i % 997}\n" for i in range(300_000)))
        server = self.serve(path, "-k", "2", "--time-limit", "1")
        tab = self.tab(server.link)
        tab.js("similis.toggleTable()")
        row = "document.querySelectorAll('.table .rows .cells')"
        tab.until(f"{row}.length > 3")
        tab.key("End")
        tab.until(f"[...{row}].at(-1).dataset.item === '299999' && [...{row}].at(-1).children[2].textContent")
        assert tab.js(f"{row}.length") < 40
        values = tab.js(f"[...[...{row}].at(-1).children].slice(-2).map((e) => e.textContent)")
        assert values == [str(299_999 % 701), str(299_999 % 997)], values
        box = tab.js(f"[[...{row}].at(-1).getBoundingClientRect().bottom, document.querySelector('.table .scroller').getBoundingClientRect().bottom]")
        assert box[0] <= box[1] + 1, box
        tab.key("PageUp")
        tab.key("PageUp")
        tab.until(f"Number({row}[0].dataset.item) < 299990 && Number({row}[0].dataset.item) > 299900")

    def a_heat_map_of_co_assignment_is_linked_with_the_map(self):
        _, tab = self.page("two-scales.csv", "-k", "2", "--inference", "sample", "--n-sweeps", "40")
        tab.click(".heat summary")
        tab.until("Boolean(document.querySelector('.heat canvas'))")
        found = tab.js("similis.from.together().then(({n_cells, items, cells}) => [n_cells, Array.from(items), Array.from(cells)])")
        n, items, cells = found
        assert sorted(items) == list(range(400)) and len(cells) == n * n and all(0 <= cell <= 1000 for cell in cells)
        assert all(abs(cells[a * n + b] - cells[b * n + a]) <= 1 for a in range(0, n, 7) for b in range(0, n, 5))
        labels = tab.labels()
        first = [labels[items[at * 400 // n]] for at in range(n)]
        inside = [cells[a * n + b] for a in range(n) for b in range(n) if first[a] == first[b]]
        across = [cells[a * n + b] for a in range(n) for b in range(n) if first[a] != first[b]]
        assert sum(inside) / len(inside) > 2 * sum(across) / len(across)
        tab.js("document.querySelector('.heat canvas').focus()")
        for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
            tab.key(key)
        wanted = sorted({*items[400 // n:2 * 400 // n], *items[2 * 400 // n:3 * 400 // n]})
        tab.until(f"document.querySelectorAll('.overlay circle.pointed').length === {len(wanted)}")
        assert f"probability {cells[n + 2] / 1000:.2f}" in tab.text(".heat figcaption")
        self.shot(tab, "heat")
        tab.key("Enter")
        assert sorted(tab.js("[...similis.map.selected]")) == wanted
        box = tab.js("(() => { const canvas = document.querySelector('.heat canvas'); canvas.scrollIntoView({block: 'center'}); const box = canvas.getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
        tab.mouse("mouseMoved", box[0] + box[2] * 0.998, box[1] + box[2] * 0.998, buttons=0)
        last = sorted(items[(n - 1) * 400 // n:])
        tab.until(f"JSON.stringify([...new Set(similis.map.pointed)].sort((a, b) => a - b)) === '{json.dumps(last).replace(' ', '')}'")

    def a_server_that_is_killed_at_any_moment_leaves_the_input_and_a_whole_state(self):
        place = self.folder / "killed"
        place.mkdir()
        path = place / "points.csv"
        path.write_text("x,y\n" + "".join(f"{i % 173},{i % 211}\n" for i in range(20_000)))
        content, saves, chance = path.read_bytes(), place / "points.csv.similis", random.Random(7)
        sent, kept = [], 0
        for life in range(6):
            server = self.serve(path, "-k", "2", "--time-limit", "0.2")
            left = [line for line in server.said if "as it was left" in line]
            assert not kept or f"with {kept} correction" in left[0], (kept, server.said)
            sent = sent[:kept]
            client = Client(server.link)
            before = {file.name for file in saves.glob("*")}
            for _ in range(1 + life):
                sent.append([2 * len(sent), 2 * len(sent) + 1])
                client.post("correct", {"kind": "together", "items": sent[-1]})
            # Some die at once, some while a save is written, which makes a file under another name first, some after it.
            wanted = chance.choice(["*", "*", "page-*.json", None]) if life else "page-*.json"
            while wanted and {file.name for file in saves.glob(wanted)} <= before:
                pass
            server.process.kill()
            server.process.wait()
            self.servers.remove(server)
            server.process.stdout.close()
            server.process.stderr.close()
            assert path.read_bytes() == content and sorted(file.name for file in place.iterdir()) in (["points.csv"], ["points.csv", "points.csv.similis"])
            states = [json.loads(file.read_text()) for file in sorted(saves.glob("page-*.json"))]
            assert all(state["n_items"] == 20_000 for state in states)
            said = [correction["items"] for correction in states[-1]["corrections"]] if states else []
            assert said == sent[:len(said)] and len(said) >= kept, (said, sent, kept)
            kept = len(said)
        assert kept > 0

    def without_webgl_the_map_is_drawn_by_canvas_and_without_canvas_it_is_a_picture(self):
        path = self.copy("two-scales.csv")
        no_gl = "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest); };"
        server = self.serve(path, "-k", "2")
        tab = self.tab(server.link, before=no_gl)
        tab.settled()
        assert tab.js("document.documentElement.dataset.renderer") == "Canvas 2-d" and "Canvas 2-d" in tab.text(".footnote")
        tab.around([tab.labels().index(0)])
        assert tab.js("similis.map.selected.size") >= 1
        self.shot(tab, "canvas")
        nothing = self.tab(server.link.split("#")[0], before="HTMLCanvasElement.prototype.getContext = () => null;")
        nothing.settled()
        assert nothing.until("document.querySelector('.map img')?.naturalWidth") > 100
        assert "the map is a picture" in nothing.text(".footnote")

    def everything_can_be_done_by_keyboard(self):
        _, tab = self.page("two-scales.csv", "-k", "2")
        reached = set()
        for _ in range(60):
            tab.key("Tab")
            reached.add(tab.js("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim() || document.activeElement.id"))
        for wanted in ("Lasso", "Links", "Find an item", "Number of clusters", "Ask me", "Colour by"):
            assert wanted in reached, (wanted, sorted(reached))
        assert any("Map of the items" in name for name in reached)
        tab.key("Escape")
        tab.js("similis.map.element.focus()")
        before = tab.js("similis.map.camera.scale")
        tab.key("+")
        tab.key(" ")
        assert tab.js("similis.map.camera.scale") > before and tab.js("similis.map.selected.size") == 1
        first = tab.js("[...similis.map.selected][0]")
        labels = tab.labels()
        other = next(i for i, label in enumerate(labels) if label != labels[first])
        tab.js("document.activeElement.blur()")
        tab.key("/")
        for digit in str(other):
            tab.key(digit)
        tab.until(f"document.querySelector('.found button')?.textContent === '{other}'")
        tab.key("Tab")
        tab.key("Enter", SHIFT)
        tab.until("similis.map.selected.size === 2")
        answer = tab.settled()
        tab.js("[...document.querySelectorAll('.actions button')].find((b) => b.textContent === 'Together').focus()")
        tab.key("Enter")
        tab.settled(answer)
        labels = tab.labels()
        assert labels[first] == labels[other]

    def a_phone_and_a_dark_screen_show_everything(self):
        for name, options in [("phone", {"size": (390, 844)}), ("dark", {"scheme": "dark"}), ("phone-dark", {"size": (390, 844), "scheme": "dark"})]:
            _, tab = self.page("two-scales.csv", **options)
            width = options.get("size", (1280, 0))[0]
            assert tab.js("document.documentElement.scrollWidth") <= width, name
            for selector in (".map canvas", ".tools", ".settings", ".clusters", ".ask"):
                assert tab.js(f"document.querySelector('{selector}').getBoundingClientRect().width") > 60, (name, selector)
            light = sum(int(part) for part in re.findall(r"\d+", tab.js("getComputedStyle(document.body).backgroundColor"))[:3]) > 380
            assert light == (options.get("scheme") != "dark"), name
            self.shot(tab, name)

    def a_browser_without_the_link_sees_nothing_and_a_link_works_once(self):
        server, tab = self.page("two-scales.csv", "-k", "2")
        browser = Browser(self.folder / "stranger", WEBGL)
        try:
            for url in (server.link.split("#")[0], server.link):
                other = Tab(browser).open(url)
                words = other.until("document.querySelector('.locked')?.textContent")
                assert "open the page by the link" in words, words
                assert not other.js("'similis' in window")
        finally:
            browser.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("similis", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    # A browser that does not answer must not hold the tests for ever.
    signal.alarm(900)
    names = [name for name in vars(Tests) if not name.startswith("_") and name.count("_") >= 3 and options.only in name]
    failures = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        browser = Browser(folder / "profile", WEBGL)
        tests = Tests(options.similis.resolve(), folder, browser, options)
        for name in names:
            started = time.monotonic()
            problem = ""
            try:
                getattr(tests, name)()
            except Exception as error:  # Whatever goes wrong is told, and the next sentence is tried.
                problem = f"line {error.__traceback__.tb_next.tb_lineno}: {type(error).__name__}: {error}"
            wrong = tests.clean_up()
            problem = "; ".join([*([problem] if problem else []), *wrong])
            failures += bool(problem)
            print(f"{'FAILED' if problem else 'ok'} {time.monotonic() - started:5.1f} s  {name.replace('_', ' ')}{': ' + problem if problem else ''}", flush=True)
        browser.close()
    if failures or not names:
        sys.exit(f"{failures} of {len(names)} sentences about the page do not hold")
    print(f"{len(names)} sentences about the page hold; the consoles are empty, and no request left this machine")


if __name__ == "__main__":
    main()
