"""A hash of the labels that the defaults give on each set: `answers.py SIMILIS [DATA] [--jobs 2]`.

Two lists of the same length mean the same answers: run it before and after a change that should change none, and compare by
`diff`. The sets are the paper-like ones (seeds 0 to 9) and, if DATA is given, its labelled sets (BATTERY/NAME.data.gz with
NAME.labelsN.gz). Each is clustered with every true number of clusters, and once with the number left to similis. A row is the
set, the number asked for, how many clusters came out, and the first 16 hexadecimal digits of the SHA-256 of the labels.
"""

import argparse
import glob
import hashlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import paperlike


def labelled_sets(data):
    """Yield the name, points and numbers of clusters of every labelled set below a folder."""
    for path in sorted(glob.glob(os.path.join(data, "*", "*.data.gz"))):
        labels = [np.loadtxt(file).astype(int) for file in sorted(glob.glob(path.replace(".data.", ".labels*.")))]
        name = os.path.relpath(path, data)[: -len(".data.gz")]
        yield name, np.loadtxt(path, ndmin=2), sorted({int(each.max()) for each in labels})


def paperlike_sets():
    """Yield the name, points and numbers of clusters of ten draws of each paper-like set."""
    for name in paperlike.SETS:
        for seed in range(10):
            points, labels = paperlike.make(name, seed)
            yield f"paperlike/{name}-s{seed:02}", points, [int(labels.max())]


def answer(similis, points, n_clusters):
    """Return the number of clusters and the hash of the labels of one run of the command."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.csv"), os.path.join(folder, "labels.txt")
        np.savetxt(data, points, delimiter=",", fmt="%.9g")
        command = [similis, "cluster", data, "--input", "points", "--n-clusters", str(n_clusters), "-o", out]
        subprocess.run([*command, "--quiet", "--threads", "1"], check=True)
        with open(out, "rb") as file:
            labels = file.read()
        return len(set(labels.split())), hashlib.sha256(labels).hexdigest()[:16]


def main():
    """Read the arguments, and print a row a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("data", nargs="?")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    sets = [*paperlike_sets(), *(labelled_sets(arguments.data) if arguments.data else [])]
    runs = [(name, points, number) for name, points, numbers in sets for number in [*numbers, "auto"]]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        answers = pool.map(lambda run: answer(arguments.similis, *run[1:]), runs)
        for (name, _, number), (found, digest) in zip(runs, answers):
            print(f"{name:34} {number!s:>5} {found:>5}  {digest}", flush=True)


if __name__ == "__main__":
    main()
