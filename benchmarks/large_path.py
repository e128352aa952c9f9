"""The large path with few points, beside the whole search: large_path.py SIMILIS [DATA] [--sets x1,dense-ring-s01].

DATA is the folder of labelled sets (see README.md): those of up to 2,000 points are taken, and two draws of 1,000 points of
every shape that `similis generate` has. The true number of clusters is given. A row has the score of the whole search, by
how much that of the large path is behind (in percent), both adjusted Rand indices and both times; the last row has the
means.
"""

import argparse
import itertools
import sys
import time

import numpy as np

import harness


def sets(arguments):
    """Yield the sets that are asked for, the labelled ones only if their folder is given."""
    if arguments.data:
        for labelled in harness.labelled_sets(arguments.data, arguments.sets):
            if len(labelled.points) <= arguments.most:
                yield labelled
    else:
        print(harness.MISSING, file=sys.stderr)
    for shape, seed in itertools.product(harness.shapes(arguments.similis), (1, 2)):
        drawn = harness.drawn_shape(arguments.similis, shape, seed, arguments.n_points)
        if not arguments.sets or drawn.name in arguments.sets:
            yield drawn


def fit(similis, labelled, *options):
    """Return the score, the agreement and the seconds of a fit."""
    began = time.perf_counter()
    answer = harness.fit(similis, labelled.points, "-k", str(harness.n_classes(labelled.labels)), *options)
    seconds = time.perf_counter() - began
    return answer["score"]["total"], harness.agreement(labelled.labels, np.array(answer["labels"])), seconds


def main():
    """Print a row for each set, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    harness.add_data(parser)
    parser.add_argument("--most", type=int, default=2_000, help="labelled sets with more points are left out")
    parser.add_argument("--n-points", type=int, default=1_000, help="points of each draw")
    arguments = parser.parse_args()
    print("| set | score | behind % | ARI whole | ARI large | s whole | s large |\n|---|---:|---:|---:|---:|---:|---:|")
    rows = []
    for labelled in sets(arguments):
        score, whole, seconds = fit(arguments.similis, labelled)
        own, large, taken = fit(arguments.similis, labelled, "--without", "whole-search")
        rows.append((100 * (score - own) / abs(score), whole, large, seconds, taken))
        print(f"| {labelled.name} | {score:.1f} | " + " | ".join(f"{value:.3f}" for value in rows[-1]) + " |", flush=True)
    means = np.mean(rows, axis=0)
    print(f"| mean of {len(rows)} | | " + " | ".join(f"{value:.4f}" for value in means) + " |")


if __name__ == "__main__":
    main()
