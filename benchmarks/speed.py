"""Eigenpairs and spanning trees, ours beside the peers' in one run: `speed.py SIMILIS [--repeat 2] [--only TEXT]`.

One thread. A row has the seconds of the call alone (no start, imports, reading) and how many times as long similis takes,
call against call; the processor seconds of the whole process (start, imports, reading and all) and the same ratio, process
against process; the greatest memory; and the answer: a row whose answer differs is wrong or less exact, whatever its time.
The seconds of calls are wall time: on a busy machine compare the processes. The least of --repeat rounds counts. Processes
print their answer and write nothing, except in the table "written as CSV", in which each also writes all links of the tree.
--only picks the tables whose title holds a text. Inputs are kept in the user's cache folder; the largest takes 800 MB.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import harness
import inputs

EMBED = ("embed", "--input", "similarities", "--normalised", "--variant", "lemma1", "--n-features", "10")
TREE_OF_POINTS = ("tree", "--input", "points")
TREE_OF_DISTANCES = ("tree", "--input", "distances")
EIGEN_PEERS = ("scipy_eigsh",)
TREE_PEERS = ("quitefastmst", "fast_hdbscan")


@dataclass(frozen=True)
class Comparison:
    """A table: how its input is made, what similis is asked for, the peers, and further inputs of similis alone."""

    title: str
    make_input: Callable[[], Path]
    ours: tuple
    peers: tuple
    more: dict = field(default_factory=dict)
    writes: bool = False


COMPARISONS = (
    Comparison("ten greatest eigenpairs, dense, 5,000 points", lambda: inputs.affinity(5000), EMBED, EIGEN_PEERS),
    Comparison(
        "ten greatest eigenpairs, 15 neighbours of each of 100,000 points",
        lambda: inputs.graph(100_000),
        EMBED,
        EIGEN_PEERS,
    ),
    Comparison(
        "minimum spanning tree, 1,000,000 points in 2 dimensions",
        lambda: inputs.points(1_000_000, 2),
        TREE_OF_POINTS,
        TREE_PEERS,
    ),
    Comparison(
        "minimum spanning tree, 1,000,000 points in 2 dimensions, written as CSV",
        lambda: inputs.points(1_000_000, 2),
        TREE_OF_POINTS,
        ("quitefastmst",),
        writes=True,
    ),
    Comparison(
        "minimum spanning tree, 100,000 points in 10 dimensions",
        lambda: inputs.points(100_000, 10),
        TREE_OF_POINTS,
        TREE_PEERS,
    ),
    Comparison(
        "minimum spanning tree, distances between 10,000 points",
        lambda: inputs.distances(10_000),
        TREE_OF_DISTANCES,
        ("genie",),
        {"similis, single precision": lambda: inputs.distances(10_000, single=True)},
    ),
)


def commands(similis, comparison):
    """Return the command of each row."""
    path = comparison.make_input()
    task, *options = comparison.ours
    ours = {"similis": path} | {name: make() for name, make in comparison.more.items()}
    rows = {name: [similis, task, given, *options, "--json", "--threads", "1"] for name, given in ours.items()}
    script = Path(__file__).with_name("speed_peers.py")
    rows |= {name: [sys.executable, script, name, path] for name in comparison.peers}
    if comparison.writes:
        written = path.with_name("written.csv")
        rows = {name: [*row, *(["--output"] if row[0] == similis else []), written] for name, row in rows.items()}
    return rows


def best_of(rows, n_rounds):
    """Return the best of several rounds of every row: the process of least processor time, the JSON of the fastest call."""
    best = {}
    for _ in range(n_rounds):
        for name, command in rows.items():
            spent = harness.measure(command)
            printed = json.loads(spent.output.strip().splitlines()[-1])
            process, call = best.get(name, (spent, printed))
            process = min(process, spent, key=lambda one: one.processor_seconds)
            best[name] = (process, min(call, printed, key=lambda one: one["seconds"]))
    return best


def answer_of(printed):
    """Return what lets rows be compared: the weight of a tree, or two of the eigenvalues."""
    if "eigenvalues" in printed:
        return f"eig2 {printed['eigenvalues'][1]:.7g}, eig10 {printed['eigenvalues'][9]:.7g}"
    return ", ".join(f"{key} {printed[key]:.7g}" for key in ("weight", "eig2", "eig10") if key in printed)


def show(comparison, best):
    """Print a table."""
    print(f"\n{comparison.title}\n")
    print("| method | call s | similis / it | process, processor s | similis / it | peak MB | answer |")
    print("|---|---:|---:|---:|---:|---:|---|")
    process, call = best["similis"]
    for name, (spent, printed) in best.items():
        figures = f"{printed['seconds']:.3f} | {call['seconds'] / printed['seconds']:.2f}"
        ratio = process.processor_seconds / spent.processor_seconds
        figures += f" | {spent.processor_seconds:.2f} | {ratio:.2f}"
        print(f"| {name} | {figures} | {spent.peak_bytes / 1e6:.0f} | {answer_of(printed)} |", flush=True)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for comparison in COMPARISONS:
        if arguments.only in comparison.title:
            show(comparison, best_of(commands(arguments.similis, comparison), arguments.repeat))


if __name__ == "__main__":
    main()
