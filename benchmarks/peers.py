"""How well peers and commands find the classes of labelled sets: one CSV row for each set, labelling and method.

    peers.py --data DATA --out rows.csv [--methods genie,njw]
    peers.py --csv FOLDER --out rows.csv --methods none --command 'NAME=similis cluster {data} -k {n_clusters} -o {out}'

DATA holds the batteries wut, graves and fcps; FOLDER CSV files of coordinates and, last, the class, where 0 is noise. Noise
is clustered with the rest and left out of the score. The true number of clusters is given: the number of classes of the
labelling. Points are centred and divided by one number. A command reads a CSV file without a header and writes a label a
line; {seed} is replaced too. Methods with several settings (see `methods.py`) have a second row, NAME_oracle, with the
setting that the truth chooses: an upper bound, no method. Seconds are processor time; of a command, of its whole process; of
a peer, without imports, over all its settings. A method that fails, or is not run on a set, has a row without a score, and
the reason as its note.
"""

import argparse
import csv
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import harness
import methods

FIELDS = ("battery", "set", "labels", "n_points", "n_dimensions", "n_clusters", "method", "ari", "seconds", "note")


@dataclass(frozen=True)
class Answer:
    """What a method gave for a set: candidates, the best first; none if it failed or was not run."""

    candidates: list
    seconds: float
    note: str = ""


def standard(points):
    """Return points centred and divided by one number: a change of unit."""
    points = points - points.mean(axis=0)
    return points / np.sqrt((points**2).mean())


def by_command(template, timeout):
    """Return a command as a method."""

    def method(points, n_clusters, seed):
        with tempfile.TemporaryDirectory() as folder:
            data, out = os.path.join(folder, "data.csv"), os.path.join(folder, "labels.txt")
            np.savetxt(data, points, delimiter=",", fmt="%.17g")
            given = {"{data}": data, "{out}": out, "{n_clusters}": str(n_clusters), "{seed}": str(seed)}
            words = shlex.split(template)
            for placeholder, value in given.items():
                words = [word.replace(placeholder, value) for word in words]
            done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
            if done.returncode:
                raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()[-200:]}")
            labels = np.loadtxt(out, ndmin=1)
        if len(labels) != len(points):
            raise RuntimeError(f"{len(labels)} labels for {len(points)} points")
        return labels

    return method


def processor_seconds():
    """Return the processor time of this process and of its children so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def run(method, points, n_clusters, seed):
    """Return the answer of a method; its failure is an answer, too."""
    started = processor_seconds()
    try:
        found = method(points, n_clusters, seed)
    except Exception as error:
        return Answer([], processor_seconds() - started, f"{type(error).__name__}: {str(error)[:200]}")
    seconds = processor_seconds() - started
    if found is None:
        return Answer([], seconds, "not run: too many points")
    if not isinstance(found, list):
        found = [methods.Candidate("", found, 0)]
    return Answer(sorted(found, key=lambda candidate: candidate.criterion), seconds)


def scores(name, answer, labels):
    """Yield the columns `method`, `ari` and `note` of the rows of an answer."""
    rows = [name, f"{name}_oracle"] if name in methods.SCANS else [name]
    if not answer.candidates:
        yield from ({"method": row, "note": answer.note} for row in rows)
        return
    agreements = [harness.agreement(labels, candidate.labels) for candidate in answer.candidates]
    for row, at in zip(rows, (0, int(np.argmax(agreements))), strict=False):
        yield {"method": row, "ari": f"{agreements[at]:.4f}", "note": answer.candidates[at].setting}


def rows(labelled, chosen, seed):
    """Yield the rows of a set; labellings with the same number of classes share a run."""
    points = standard(labelled.points)
    numbers = {tag: harness.n_classes(labels) for tag, labels in labelled.labellings.items()}
    for n_clusters in sorted(set(numbers.values())):
        for name, method in chosen.items():
            answer = run(method, points, n_clusters, seed)
            for tag in (tag for tag, number in numbers.items() if number == n_clusters):
                common = dict(zip(FIELDS, (labelled.battery, labelled.name, tag, *points.shape, n_clusters), strict=False))
                for row in scores(name, answer, labelled.labellings[tag]):
                    yield common | {"seconds": f"{answer.seconds:.3f}"} | row


def chosen_methods(arguments):
    """Return the peers and commands that are asked for, by name."""
    known = methods.METHODS | methods.SCANS
    names = known if arguments.methods is None else [name for name in arguments.methods if name != "none"]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no such method: {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = {name: known[name] for name in names}
    # The first run imports and compiles; it is not timed.
    warm = np.random.default_rng(0).normal(size=(60, 2))
    for method in chosen.values():
        run(method, warm, 2, 0)
    commands = (command.split("=", 1) for command in arguments.command)
    return chosen | {name: by_command(template, arguments.timeout) for name, template in commands}


def parsed():
    """Return the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path)
    source.add_argument("--csv", type=Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these sets: NAME,NAME")
    parser.add_argument("--most", type=int, default=10_000, help="sets with more points are left out")
    parser.add_argument("--methods", type=lambda text: text.split(","), help="peers, or none; all if not given")
    parser.add_argument("--command", action="append", default=[], metavar="NAME=TEMPLATE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=300, help="seconds that a command may take")
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def main():
    """Write the rows."""
    arguments = parsed()
    # Warnings of the peers, such as that a graph of neighbours is not connected, are no news here.
    warnings.filterwarnings("ignore")
    chosen = chosen_methods(arguments)
    # Now that every library is loaded: one thread, so that seconds compare.
    threadpool_limits(1)
    sets = (
        harness.labelled_sets(arguments.data, arguments.sets)
        if arguments.data
        else harness.csv_sets(arguments.csv, arguments.sets)
    )
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for labelled in sets:
            if len(labelled.points) <= arguments.most:
                started = time.perf_counter()
                writer.writerows(rows(labelled, chosen, arguments.seed))
                file.flush()
                print(f"{labelled.battery}/{labelled.name}: {time.perf_counter() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
