"""What noise costs: noise.py SIMILIS DATA [--sets ring,lsun] [--part 0.1] [--jobs 2].

DATA is the folder of labelled sets (see README.md); points that are noise there are left out. To every set of up to 2,200
points whose clusters, the true number given, have an adjusted Rand index of at least 0.95, a tenth as many points are
added, uniform over its box and a margin of a tenth of its sides. Printed are the adjusted Rand index on the set's own
points without these, with them, and with them and `--noise background`; precision and recall of the noise; and the
fraction of the set alone that is called noise.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness

LEAST = 0.95
MOST_POINTS = 2200


def with_noise(points, part):
    """Return the points and uniform noise points over their box and around it."""
    low, high = points.min(0), points.max(0)
    room = 0.1 * (high - low)
    random = np.random.default_rng(1)
    return np.vstack([points, random.uniform(low - room, high + room, (round(part * len(points)), points.shape[1]))])


def row(similis, part, labelled):
    """Return the figures of a set, nothing if it is not separated."""
    counted = labelled.labels > 0
    points, labels = labelled.points[counted], labelled.labels[counted]
    n, k = len(points), harness.n_classes(labels)
    if n > MOST_POINTS:
        return None
    alone = adjusted_rand_score(labels, harness.cluster(similis, points, k))
    if alone < LEAST:
        return None
    noisy = with_noise(points, part)
    without = adjusted_rand_score(labels, harness.cluster(similis, noisy, k)[:n])
    found = harness.cluster(similis, noisy, k, "--noise", "background")
    called, true = found < 0, np.arange(len(noisy)) >= n
    clean = harness.cluster(similis, points, k, "--noise", "background")
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
    harness.add_data(parser)
    parser.add_argument("--part", type=float, default=0.1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    sets = list(harness.labelled_sets(arguments.data, arguments.sets))
    names = ("alone", "with noise", "noise class", "precision", "recall", "called, alone")
    print(f"{'set':18}" + "".join(f"{name:>14}" for name in names), flush=True)
    rows = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        figures = pool.map(lambda labelled: row(arguments.similis, arguments.part, labelled), sets)
        for labelled, found in zip(sets, figures, strict=True):
            if found is not None:
                rows.append(found)
                print(f"{labelled.name:18}" + "".join(f"{value:>14.3f}" for value in found), flush=True)
    print(f"{'mean':18}" + "".join(f"{value:>14.3f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
