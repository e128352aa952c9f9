"""What noise costs: noise.py SIMILIS DATA [--sets ring,lsun] [--part 0.1] [--jobs 2].

DATA holds folders of labelled sets (NAME.data.gz, NAME.labels0.gz; label 0 is noise and left out). To every set of up to 2,200
points whose clusters, the true number given, agree with its labels by at least 0.95, a tenth as many points are added, strewn
over its box and a tenth of its sides around it. Printed are the agreement (adjusted Rand index) on the set's own points without
these, with them, and with them and `--noise background`; precision and recall of what is called noise; and the part of the set
alone that is called noise.
"""

import argparse
import glob
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.metrics import adjusted_rand_score

LEAST = 0.95
MOST_POINTS = 2200


def read(path):
    """Return the points and labels of a set, without its noise."""
    points = np.loadtxt(path, ndmin=2)
    labels = np.loadtxt(path.replace(".data.gz", ".labels0.gz")).astype(int).ravel()
    return points[labels > 0], labels[labels > 0]


def cluster(similis, points, n_clusters, *options):
    """Return the clusters that the command finds."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.csv"), os.path.join(folder, "labels.txt")
        np.savetxt(data, points, delimiter=",", fmt="%.17g")
        command = [similis, "cluster", data, "--input", "points", "--n-clusters", str(n_clusters), "-o", out, "--quiet"]
        subprocess.run([*command, "--threads", "1", *options], check=True)
        return np.loadtxt(out).astype(int)


def strewn(points, part):
    """Return the points and more of them, strewn over their box and around it."""
    low, high = points.min(0), points.max(0)
    room = 0.1 * (high - low)
    random = np.random.default_rng(1)
    return np.vstack([points, random.uniform(low - room, high + room, (round(part * len(points)), points.shape[1]))])


def row(arguments, path):
    """Return the figures of a set, nothing if it is not separated."""
    points, labels = read(path)
    n, k = len(points), len(np.unique(labels))
    if n > MOST_POINTS:
        return None
    alone = adjusted_rand_score(labels, cluster(arguments.similis, points, k))
    if alone < LEAST:
        return None
    noisy = strewn(points, arguments.part)
    without = adjusted_rand_score(labels, cluster(arguments.similis, noisy, k)[:n])
    found = cluster(arguments.similis, noisy, k, "--noise", "background")
    called, true = found < 0, np.arange(len(noisy)) >= n
    clean = cluster(arguments.similis, points, k, "--noise", "background")
    both = (called & true).sum()
    return np.array(
        [
            alone,
            without,
            adjusted_rand_score(labels, found[:n]),
            both / max(1, called.sum()),
            both / true.sum(),
            (clean < 0).mean(),
        ]
    )


def main():
    """Print the figures of every set, and their means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("data")
    parser.add_argument("--sets")
    parser.add_argument("--part", type=float, default=0.1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(arguments.data, "**", "*.data.gz"), recursive=True))
    if arguments.sets:
        paths = [path for path in paths if os.path.basename(path)[:-8] in arguments.sets.split(",")]
    names = ("alone", "with noise", "noise class", "precision", "recall", "called, alone")
    print(f"{'set':18}" + "".join(f"{name:>14}" for name in names), flush=True)
    rows = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for path, found in zip(paths, pool.map(lambda path: row(arguments, path), paths)):
            if found is not None:
                rows.append(found)
                print(f"{os.path.basename(path)[:-8]:18}" + "".join(f"{value:>14.3f}" for value in found), flush=True)
    print(f"{'mean':18}" + "".join(f"{value:>14.3f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
