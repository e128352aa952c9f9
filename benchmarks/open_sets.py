"""Time and agreement on the labelled sets: open_sets.py SIMILIS DATA [--before OTHER] [--repeat 1].

Each labelling of the 41 sets is one partition, 55 in all. Printed for each build: the processor seconds of `cluster` with the true number
given, whole processes on one thread, added up; the mean adjusted Rand index and the mean score of the partitions, both scored by
SIMILIS; and with no number given the seconds, the mean index by the first labelling, and how often the number is right.
"""

import argparse
import json
import os
import tempfile

import harness
import numpy as np


def fitted(build, data, folder, number, repeat):
    """Return the labels of a fit and the least processor seconds of some repeats."""
    labels = os.path.join(folder, "labels.txt")
    options = ["--input", "points", "--threads", "1", "--quiet", "-o", labels, "-k", str(number)]
    seconds = harness.least_seconds([[build, "cluster", data, *options]], repeat)[0]
    return np.loadtxt(labels, dtype=int), seconds


def score(similis, data, folder):
    """Return the score of the labels that were written last."""
    labels = os.path.join(folder, "labels.txt")
    command = [similis, "score", data, "--input", "points", "--labels", labels, "--json"]
    return json.loads(harness.measure(command).output)["score"]


def rows(similis, build, data, repeat):
    """Yield for each partition the seconds, index and score with the number given; for each set those without."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "points.npy")
        for labelled in harness.labelled_sets(data):
            np.save(path, labelled.points)
            for labels in labelled.labellings.values():
                found, seconds = fitted(build, path, folder, harness.n_classes(labels), repeat)
                yield "given", seconds, harness.agreement(labels, found), score(similis, path, folder)
            first = labelled.labellings["labels0"]
            found, seconds = fitted(build, path, folder, "auto", repeat)
            yield "auto", seconds, harness.agreement(first, found), len(set(found)) == harness.n_classes(first)


def main():
    """Print a row for each build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    harness.add_data(parser)
    parser.add_argument("--before", help="another build of the command")
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    print("| build | given s | ARI | score | auto s | ARI | number right |\n|---|---:|---:|---:|---:|---:|---:|")
    for name, build in [("SIMILIS", arguments.similis), ("OTHER", arguments.before)]:
        if build:
            table = list(rows(arguments.similis, build, arguments.data, arguments.repeat))
            given = np.array([row[1:] for row in table if row[0] == "given"], dtype=float)
            auto = np.array([row[1:] for row in table if row[0] == "auto"], dtype=float)
            told = f"{given[:, 0].sum():.1f} | {given[:, 1].mean():.4f} | {given[:, 2].mean():.2f}"
            print(f"| {name} | {told} | {auto[:, 0].sum():.1f} | {auto[:, 1].mean():.4f} | {auto[:, 2].sum():.0f} |")


if __name__ == "__main__":
    main()
