"""Scattered noise on drawn sets: scattered.py SIMILIS [--seeds 4] [--shapes 20] [--jobs 2].

First two Gaussians of standard deviations 0.3 and 0.6, four apart, and 10, 30 and 60 uniform points over their box and a margin;
the number of clusters is given, `--noise background`. Printed are the fraction of the noise beyond four standard deviations of both
that is found, the fraction of all other points that is called noise, and that of the Gaussians' own points; HDBSCAN's beside
them if it is installed.

Then 6 to 9 shapes with a tenth and a fifth of uniform noise, nothing given: how often the number is right, and the mean adjusted
Rand index of the shapes' points, without a noise label and with `--noise background`.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness


def two_gaussians(n_noise, seed):
    """Return points, their labels (-1 is noise), and which noise is beyond four standard deviations of both."""
    random = np.random.default_rng([n_noise, seed])
    size = (100, 150)[seed % 2]
    own = np.vstack([random.normal(0, 0.3, (size, 2)), random.normal(0, 0.6, (size, 2)) + [4, 0]])
    low, high = own.min(0), own.max(0)
    room = 0.1 * (high - low) + 0.5
    points = np.vstack([own, random.uniform(low - room, high + room, (n_noise, 2))])
    labels = np.repeat([0, 1, -1], [size, size, n_noise])
    beyond = (np.linalg.norm(points, axis=1) > 1.2) & (np.linalg.norm(points - [4, 0], axis=1) > 2.4)
    return points, labels, (labels < 0) & beyond


def shape(random, n):
    """Return the points of a shape of about one unit, turned at random."""
    along, angle = random.uniform(0, 1, n), random.uniform(0, 2 * np.pi)
    arc = np.pi * along
    points = [
        lambda: random.normal(0, 0.13, (n, 2)),
        lambda: 0.35 * np.c_[np.cos(2 * arc), np.sin(2 * arc)] + random.normal(0, 0.02, (n, 2)),
        lambda: 0.38 * np.c_[np.cos(arc), np.sin(arc) - 0.5] + random.normal(0, 0.025, (n, 2)),
        lambda: np.c_[0.8 * (along - 0.5), random.uniform(-0.06, 0.06, n)],
        lambda: random.uniform(-0.27, 0.27, (n, 2)),
        lambda: np.c_[0.8 * (along - 0.5), 0.15 * np.sin(2 * arc)] + random.normal(0, 0.025, (n, 2)),
    ][random.integers(6)]()
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return points @ turn.T


def scattered_shapes(part, seed):
    """Return 6 to 9 shapes on a lattice with uniform noise, and their labels (-1 is noise)."""
    random = np.random.default_rng([7, seed])
    n_shapes = random.integers(6, 10)
    places = random.permutation([(i, j) for i in range(4) for j in range(3)])[:n_shapes] * 1.25
    sizes = random.integers(80, 251, n_shapes)
    own = np.vstack([shape(random, n) + place for n, place in zip(sizes, places, strict=True)])
    low, high = own.min(0), own.max(0)
    room = 0.05 * (high - low)
    n_noise = round(part * len(own))
    labels = np.r_[np.repeat(np.arange(n_shapes), sizes), np.full(n_noise, -1)]
    return np.vstack([own, random.uniform(low - room, high + room, (n_noise, 2))]), labels


def found_and_wrong(called, labels, beyond):
    """Return the fractions of far noise, of all else, and of the clusters' own points that are called noise."""
    return [called[beyond].mean() if beyond.any() else np.nan, called[~beyond].mean(), called[labels >= 0].mean()]


def hdbscan(points):
    """Return which points HDBSCAN calls noise; nothing without it."""
    try:
        from sklearn.cluster import HDBSCAN
    except ImportError:
        return np.full(len(points), np.nan)
    return HDBSCAN(copy=True).fit_predict(points) < 0


def of_gaussians(similis, n_noise, seed):
    """Return the figures of similis and of HDBSCAN."""
    points, labels, beyond = two_gaussians(n_noise, seed)
    called = harness.cluster(similis, points, 2, "--noise", "background") < 0
    return found_and_wrong(called, labels, beyond) + found_and_wrong(hdbscan(points), labels, beyond)


def of_shapes(similis, part, seed):
    """Return whether the number is right and the agreement, without and with a noise label."""
    points, labels = scattered_shapes(part, seed)
    own, figures = labels >= 0, []
    for options in ((), ("--noise", "background")):
        found = harness.cluster(similis, points, "auto", *options)
        right = len(np.unique(found[found >= 0])) == labels.max() + 1
        figures += [right, adjusted_rand_score(labels[own], found[own])]
    return figures


def main():
    """Print the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--shapes", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    def means(row, of, n_seeds):
        with ThreadPoolExecutor(arguments.jobs) as pool:
            rows = list(pool.map(lambda seed: row(arguments.similis, of, seed), range(n_seeds)))
        return "".join(f"{value:>10.3f}" for value in np.nanmean(np.array(rows, dtype=float), axis=0))

    print("two Gaussians   found      rest       own   HDBSCAN      rest       own")
    for n_noise in (10, 30, 60):
        print(f"{n_noise:>11}" + means(of_gaussians, n_noise, arguments.seeds), flush=True)
    print("shapes    number right, ARI; with a noise label: number right, ARI")
    for part in (0.1, 0.2) if arguments.shapes else ():
        print(f"{part:>11}" + means(of_shapes, part, arguments.shapes), flush=True)


if __name__ == "__main__":
    main()
