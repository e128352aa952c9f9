"""What levels cost, and how good they are: levels.py SIMILIS [DATA] [--repeats 3].

Printed are the processor time of a fit of 10,000 points with and without `--levels 1-50`, and their ratio; with DATA (see
README.md) the mean adjusted Rand index of the level of the true number, from a fit without a number, beside a fit that is told it.
"""

import argparse
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness


def seconds(command):
    """Return the processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def times(similis, folder, repeats):
    """Print what levels cost beside a fit."""
    path, out = folder / "blobs.csv", folder / "out.csv"
    subprocess.run(
        [similis, "generate", "five-blobs", "--n-points", "10000", "--output", path, "--quiet"], check=True
    )
    fit = [similis, "cluster", path, "--label-column", "label", "--threads", "1", "--quiet", "--output", out]
    alone = min(seconds(fit) for _ in range(repeats))
    levels = min(seconds([*fit, "--levels", "1-50"]) for _ in range(repeats))
    print(f"10,000 points: fit {alone:.2f} s, with all levels up to 50 {levels:.2f} s, ratio {levels / alone:.2f}")


def quality(similis, data, folder):
    """Print the agreement of levels with the true classes, beside that of fits that are told the number."""
    rows = []
    for labelled in harness.labelled_sets(data):
        path, out = folder / "points.npy", folder / "levels.csv"
        np.save(path, labelled.points)
        truths = [classes[classes > 0] for classes in labelled.labellings.values()]
        counted = [classes > 0 for classes in labelled.labellings.values()]
        numbers = [len(np.unique(truth)) for truth in truths]
        wanted = ",".join(map(str, sorted(set(numbers))))
        command = [similis, "cluster", path, "--input", "points", "--quiet", "--levels", wanted, "--output", out]
        subprocess.run(command, check=True, capture_output=True)
        found = np.genfromtxt(out, delimiter=",", names=True)
        each = list(zip(truths, counted, numbers, strict=True))
        level = max(adjusted_rand_score(truth, found[f"level_{n}"][own]) for truth, own, n in each)
        told = max(
            adjusted_rand_score(truth, harness.cluster(similis, labelled.points, n)[own]) for truth, own, n in each
        )
        rows.append((level, told))
    level, told = np.mean(rows, axis=0)
    print(f"{len(rows)} sets: level of the true number {level:.3f}, number given {told:.3f}")


def main():
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times(args.similis, Path(folder), args.repeats)
        if args.data:
            quality(args.similis, args.data, Path(folder))


if __name__ == "__main__":
    main()
