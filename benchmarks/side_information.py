"""What a little side information is worth: side_information.py SIMILIS DATA [--draws 3] [--sets mk1,z2] [--options ...].

DATA is the folder of labelled sets (see README.md); noise is not counted. Every set whose clusters, the true number given,
agree with its labels by less than 0.9 is clustered again with 2% of its labels known, one of each class at least, and with
as many pairs drawn at random, each a must-link or a cannot-link as the labels say. Agreement is the adjusted Rand index of
all points that have a label, and, in brackets, of those in no known label and no pair.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness

BELOW = 0.9
PART = 0.02


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


def cluster(arguments, labelled, side=None):
    """Return the clusters that the command finds, the true number given."""
    n_clusters = harness.n_classes(labelled.labels)
    return harness.cluster(arguments.similis, labelled.points, n_clusters, *arguments.options, side=side)


def agreement(found, labels, told):
    """Return the adjusted Rand index of all points with a label, and of those that the side information does not name."""
    counted = labels > 0
    rest = counted.copy()
    rest[told] = False
    return np.array([adjusted_rand_score(labels[of], found[of]) for of in (counted, rest)])


def with_side_information(arguments, labelled, draw):
    """Return the agreement with known labels, and with pairs."""
    labels = labelled.labels
    random = np.random.default_rng(draw)
    told = known_points(labels, random)
    known = np.full(len(labels), -1)
    known[told] = labels[told]
    must, cannot = drawn_pairs(labels, len(told), random)
    ends = np.unique(np.concatenate([must, cannot]))
    by_labels = agreement(cluster(arguments, labelled, {"--known-labels": known}), labels, told)
    pairs = {"--must-link": must, "--cannot-link": cannot}
    by_pairs = agreement(cluster(arguments, labelled, pairs), labels, ends)
    return np.concatenate([by_labels, by_pairs])


def row(arguments, labelled):
    """Return the numbers of a set; `None` for one that needs no help."""
    without = agreement(cluster(arguments, labelled), labelled.labels, [])[0]
    if without >= BELOW:
        return None
    draws = [with_side_information(arguments, labelled, draw) for draw in range(arguments.draws)]
    return np.concatenate([[without], np.mean(draws, axis=0)])


def cells(numbers):
    """Return the numbers of a row as text."""
    return f"{numbers[0]:.3f}", f"{numbers[1]:.3f} ({numbers[2]:.3f})", f"{numbers[3]:.3f} ({numbers[4]:.3f})"


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("similis")
    harness.add_data(parser)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[])
    arguments = parser.parse_args()
    sets = list(harness.labelled_sets(arguments.data, arguments.sets))
    line = "| {:16} | {:>5} | {:>7} | {:>15} | {:>15} |"
    print(line.format("set", "n", "without", "labels 2%", "as many pairs"))
    print("|---|---|---|---|---|")
    rows = []
    with ThreadPoolExecutor(2) as pool:
        figures = pool.map(lambda labelled: row(arguments, labelled), sets)
        for labelled, numbers in zip(sets, figures, strict=True):
            if numbers is not None:
                rows.append(numbers)
                print(line.format(labelled.name, len(labelled.labels), *cells(numbers)))
                sys.stdout.flush()
    print(line.format("mean", len(rows), *cells(np.mean(rows, axis=0))))


if __name__ == "__main__":
    main()
