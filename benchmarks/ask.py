"""Questions needed to reach an ARI of 0.95: the pairs that similis asks about, and random pairs.

    ask.py SIMILIS [--n-points 200] [--seeds 3] [--most 60] [--draws 3]

Shapes of `similis generate` whose first answer, the true number of clusters given, has an ARI below 0.95. The questions are answered by
the classes. Random pairs are drawn from all pairs, those left out whose answer follows from earlier ones. Every answer is followed by a
fit, through the same server that the page uses. Sets that do not get there within `--most` count with `--most`.
"""

import argparse
import http.client
import json
import pathlib
import random
import re
import statistics
import struct
import subprocess
import tempfile
from collections import Counter

SHAPES = [
    "two-rings",
    "half-moons",
    "dense-blob",
    "dense-ring",
    "dense-line",
    "crossing-lines",
    "dense-spiral",
    "dense-letter",
    "overlapping-squares",
    "unlike-spirals",
    "nested-scales",
    "thinned",
    "five-blobs",
]
GOAL = 0.95


def ari(first, second):
    pairs = lambda counts: sum(n * (n - 1) / 2 for n in counts.values())
    both, a, b = pairs(Counter(zip(first, second))), pairs(Counter(first)), pairs(Counter(second))
    chance = a * b / (len(first) * (len(first) - 1) / 2)
    return (both - chance) / ((a + b) / 2 - chance)


class Session:
    """A server on one set."""

    def __init__(self, similis, path, n_clusters, labelled=True):
        self.process = subprocess.Popen(
            [similis, "serve", path, *(["--label-column", "label"] if labelled else []), "-k", str(n_clusters), "--no-open"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        link = next(line for line in self.process.stderr if line.startswith("open "))
        self.port, token = re.search(r":(\d+)/#token=(\w+)", link).groups()
        self.cookie, self.last = None, None
        self.cookie = self.send("session", {"token": token}).getheader("Set-Cookie").split(";")[0]

    def ask(self, method, route, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=120)
        origin = f"http://127.0.0.1:{self.port}"
        headers = {"Origin": origin, "Content-Type": "application/json", **({"Cookie": self.cookie} if self.cookie else {})}
        connection.request(method, f"/api/{route}", body, headers)
        response = connection.getresponse()
        response.content = response.read()
        connection.close()
        return response

    def send(self, route, value):
        return self.ask("POST", route, json.dumps(value))

    def settle(self):
        """Waits for the next answer; returns its labels, or nothing for a contradiction."""
        version = 0
        while True:
            state = json.loads(self.ask("GET", f"state?after={version}").content)
            version = state["version"]
            if not state["fits"] and (state["problem"] or state["answer"] != self.last):
                break
        if state["problem"]:
            return None
        self.last = state["answer"]
        content = self.ask("GET", "answer").content
        (length,) = struct.unpack_from("<I", content)
        head = json.loads(content[4 : 4 + length])
        n = (len(content) - 4 - length) // 4 - 2 * head["n_links"]
        return list(struct.unpack_from(f"<{n}i", content, 4 + length))

    def question(self):
        found = json.loads(self.ask("GET", "question").content)
        return found and found["items"]

    def tell(self, pair, same):
        self.send("correct", {"kind": "together" if same else "apart", "items": pair})
        return self.settle()

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()


def course(session, classes, most, choose):
    """The ARI before any question and after each answer, until the goal is reached."""
    labels = session.settle()
    reached = [ari(labels, classes)]
    while reached[-1] < GOAL and len(reached) <= most:
        pair = choose(session)
        if pair is None:
            break
        labels = session.tell(pair, classes[pair[0]] == classes[pair[1]]) or labels
        reached.append(ari(labels, classes))
    return reached


def drawn(classes, chance):
    """Random pairs whose answer does not follow from those before."""
    group, apart = list(range(len(classes))), set()

    def choose(_session):
        while True:
            i, j = chance.sample(range(len(classes)), 2)
            a, b = group[i], group[j]
            if a == b or frozenset((a, b)) in apart:
                continue
            if classes[i] == classes[j]:
                group[:] = [a if own == b else own for own in group]
                apart.update([frozenset(a if own == b else own for own in pair) for pair in apart])
            else:
                apart.add(frozenset((a, b)))
            return [i, j]

    return choose


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("similis")
    for name, default in (("--n-points", 200), ("--seeds", 3), ("--most", 60), ("--draws", 3)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    rows = []
    print(
        "| set | ARI before | questions asked | random pairs | ARI after 10 asked | 10 random |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            for seed in range(options.seeds):
                rows.extend(row(options, pathlib.Path(folder) / f"{shape}-{seed}.csv", shape, seed))
    means = [statistics.mean(column) for column in zip(*rows)]
    print(line(f"mean of {len(rows)}", means))
    capped = [sum(one[k] >= options.most for one in rows) for k in (1, 2)]
    print(
        f"asked: {means[1] / means[2]:.2f} of random; {capped[0]} and {capped[1]} sets do not get there within {options.most}"
    )


def row(options, path, shape, seed):
    """A row for a set whose first answer is below the goal: ARI, questions, random pairs, and the ARI after ten of each."""
    command = [options.similis, "generate", shape, "-n", str(options.n_points), "--seed", str(seed), "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    classes = [line.rsplit(",", 1)[1] for line in path.read_text().splitlines()[1:]]
    asked = measured(options, path, classes, lambda session: session.question())
    if asked[0] >= GOAL:
        return
    others = [
        measured(options, path, classes, drawn(classes, random.Random(1000 * seed + draw))) for draw in range(options.draws)
    ]
    needed = lambda reached: len(reached) - 1 if reached[-1] >= GOAL else options.most
    after = lambda reached: reached[min(10, len(reached) - 1)]
    found = (
        asked[0],
        needed(asked),
        statistics.mean(map(needed, others)),
        after(asked),
        statistics.mean(map(after, others)),
    )
    print(line(f"{shape} {seed}", found), flush=True)
    yield found


def line(name, row):
    return f"| {name} | {row[0]:.2f} | {row[1]:.1f} | {row[2]:.1f} | {row[3]:.2f} | {row[4]:.2f} |"


def measured(options, path, classes, choose):
    """The ARI before any question and after each answer."""
    session = Session(options.similis, path, len(set(classes)))
    try:
        return course(session, classes, options.most, choose)
    finally:
        session.end()
        for file in path.with_name(f"{path.name}.similis").glob("*"):
            file.unlink()


if __name__ == "__main__":
    main()
