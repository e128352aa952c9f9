"""What a little side information is worth: side_information.py SIMILIS DATA [--draws 3] [--sets mk1,z2] [--options ...].

DATA holds folders of labelled sets (NAME.data.gz, NAME.labels0.gz; label 0 is noise and not counted). Every set whose clusters,
the true number given, agree with its labels by less than 0.9 is clustered again with 2% of its labels known, one of each
class at least, and with as many pairs drawn at random, each a must-link or a cannot-link as the labels say. Agreement is the
adjusted Rand index of all points that have a label, and, in brackets, of those of which nothing was said.
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.metrics import adjusted_rand_score

BELOW = 0.9
PART = 0.02


def read(path):
    """Return the points and labels of a set."""
    points = np.loadtxt(path, ndmin=2)
    labels = np.loadtxt(path.replace(".data.gz", ".labels0.gz")).astype(int).ravel()
    return points, labels


def known_points(labels, random):
    """Return the points whose labels are known: one of each class, the others at random."""
    of_class = [random.choice(np.flatnonzero(labels == c)) for c in np.unique(labels[labels > 0])]
    others = random.permutation(np.setdiff1d(np.flatnonzero(labels > 0), of_class))
    n_known = max(len(of_class), round(PART * len(labels)))
    return np.concatenate([of_class, others[: n_known - len(of_class)]])


def drawn_pairs(labels, n_pairs, random):
    """Return pairs that must, and that cannot, share a cluster."""
    pairs = np.array([random.choice(np.flatnonzero(labels > 0), 2, replace=False) for _ in range(n_pairs)])
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return pairs[same], pairs[~same]


def cluster(similis, options, points, labels, side):
    """Return the clusters that the command finds, `side` being the names and contents of files of side information."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.csv"), os.path.join(folder, "labels.txt")
        np.savetxt(data, points, delimiter=",", fmt="%.17g")
        n_clusters = len(np.unique(labels[labels > 0]))
        command = [similis, "cluster", data, "--input", "points", "--n-clusters", str(n_clusters), "-o", out, "--quiet"]
        command += ["--threads", "1", *options]
        for flag, content in side.items():
            if len(content) > 0:
                path = os.path.join(folder, flag[2:] + ".csv")
                np.savetxt(path, content, fmt="%d", delimiter=",")
                command += [flag, path]
        subprocess.run(command, check=True)
        return np.loadtxt(out).astype(int)


def agreement(found, labels, told):
    """Return the adjusted Rand index of all points with a label, and of those of which nothing was said."""
    counted = labels > 0
    rest = counted.copy()
    rest[told] = False
    return np.array([adjusted_rand_score(labels[of], found[of]) for of in (counted, rest)])


def with_side_information(arguments, points, labels, draw):
    """Return the agreement with known labels, and with pairs."""
    random = np.random.default_rng(draw)
    told = known_points(labels, random)
    known = np.full(len(labels), -1)
    known[told] = labels[told]
    must, cannot = drawn_pairs(labels, len(told), random)
    ends = np.unique(np.concatenate([must, cannot]))
    common = (arguments.similis, arguments.options, points, labels)
    by_labels = agreement(cluster(*common, {"--known-labels": known}), labels, told)
    by_pairs = agreement(cluster(*common, {"--must-link": must, "--cannot-link": cannot}), labels, ends)
    return np.concatenate([by_labels, by_pairs])


def row(arguments, path):
    """Return a line of the table, and its numbers; `None` for a set that needs no help."""
    points, labels = read(path)
    common = (arguments.similis, arguments.options, points, labels)
    without = agreement(cluster(*common, {}), labels, [])[0]
    if without >= BELOW:
        return None
    draws = [with_side_information(arguments, points, labels, draw) for draw in range(arguments.draws)]
    numbers = np.concatenate([[without], np.mean(draws, axis=0)])
    return os.path.basename(path)[: -len(".data.gz")], len(labels), numbers


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("similis")
    parser.add_argument("data")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--sets", default="")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[])
    arguments = parser.parse_args()
    wanted = [name for name in arguments.sets.split(",") if name]
    paths = sorted(glob.glob(os.path.join(arguments.data, "*", "*.data.gz")))
    paths = [path for path in paths if not wanted or os.path.basename(path)[: -len(".data.gz")] in wanted]
    line = "| {:16} | {:>5} | {:>7} | {:>15} | {:>15} |"
    print(line.format("set", "n", "without", "labels 2%", "as many pairs"))
    print("|---|---|---|---|---|")
    rows = []
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda path: row(arguments, path), paths):
            if found is not None:
                name, n_points, n = found
                rows.append(n)
                print(line.format(name, n_points, f"{n[0]:.3f}", f"{n[1]:.3f} ({n[2]:.3f})", f"{n[3]:.3f} ({n[4]:.3f})"))
                sys.stdout.flush()
    n = np.mean(rows, axis=0)
    print(line.format("mean", len(rows), f"{n[0]:.3f}", f"{n[1]:.3f} ({n[2]:.3f})", f"{n[3]:.3f} ({n[4]:.3f})"))


if __name__ == "__main__":
    main()
