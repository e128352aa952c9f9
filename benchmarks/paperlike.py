"""Writes point sets in the spirit of Figures 2 and 4 of the paper: `paperlike.py FOLDER [--seeds 10] [--bound]`.

Their clusters have unlike scales and densities, and lie inside or across one another. Each draw is a CSV file SET-sSEED.csv
without a header: x, y and the class, counted from 1. A set and a seed always give the same points.

With --bound the mean adjusted Rand index of a classifier that knows the source is printed for each set, and no file is
written: 15 nearest neighbours among 400 times as many labelled points of the same source. No method is expected to do
better.
"""

import argparse
from pathlib import Path

import numpy as np

TURN = 2 * np.pi
LETTER = ["#####", "#....", "#....", "####.", "#....", "#....", "#...."]


def join(*parts):
    """Return the points of all parts, and the number of the part of each, from 1."""
    labels = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
    return np.vstack(parts), labels


def gaussian(random, n, spread, centre=(0, 0)):
    """Return points with a Gaussian distribution, the same in all directions."""
    return np.array(centre) + random.normal(0, spread, (n, 2))


def square(random, n, low, high):
    """Return points that are uniform in a square."""
    return random.uniform(low, high, (n, 2))


def circle(random, n, radius, jitter):
    """Return points around a circle."""
    angle = random.uniform(0, TURN, n)
    return np.c_[np.cos(angle), np.sin(angle)] * radius + gaussian(random, n, jitter)


def spaced(random, n):
    """Return n numbers in [0, 1] at equal steps, each moved by a part of a step."""
    return (np.arange(n) + 0.5 + random.uniform(-0.3, 0.3, n)) / n


def spiral(random, n, inner, outer, turns, phase, jitter):
    """Return points along a spiral, evenly along its arc."""
    radius = np.sqrt(spaced(random, n) * (outer**2 - inner**2) + inner**2)
    angle = phase + TURN * turns * (radius - inner) / (outer - inner)
    return np.c_[np.cos(angle), np.sin(angle)] * radius[:, None] + gaussian(random, n, jitter)


def rings(random, f):
    """Return two rings, one inside the other."""
    return join(circle(random, 100 * f, 1.0, 0.08), circle(random, 200 * f, 2.2, 0.08))


def moons(random, f):
    """Return two half moons that reach into each other."""
    n = 150 * f
    upper, lower = random.uniform(0, np.pi, n), random.uniform(0, np.pi, n)
    return join(
        np.c_[np.cos(upper), np.sin(upper)] + gaussian(random, n, 0.07),
        np.c_[1 - np.cos(lower), 0.5 - np.sin(lower)] + gaussian(random, n, 0.07),
    )


def blob_in_cloud(random, f):
    """Return a dense Gaussian in a sparse square."""
    return join(gaussian(random, 150 * f, 0.08, (0.15, 0.1)), square(random, 120 * f, -1, 1))


def ring_in_cloud(random, f):
    """Return a dense ring in a sparse square."""
    return join(circle(random, 180 * f, 0.5, 0.012), square(random, 120 * f, -1, 1))


def spiral_in_cloud(random, f):
    """Return a dense spiral in a sparse square."""
    return join(spiral(random, 220 * f, 0.1, 0.8, 1.75, 0.4, 0.008), square(random, 100 * f, -1, 1))


def two_lines_in_cloud(random, f):
    """Return two dense lines that cross, one class together, in a sparse square."""
    s, u = spaced(random, 100 * f), spaced(random, 100 * f)
    lines = np.r_[np.c_[-0.9 + 1.8 * s, -0.5 + 0.9 * s], np.c_[-0.6 + 1.1 * u, 0.85 - 1.7 * u]]
    return join(lines + random.normal(0, 0.008, lines.shape), square(random, 100 * f, -1, 1))


def squares_1_10(random, f):
    """Return two squares of densities 1,000 and 100, the small one half across the corner of the large one."""
    return join(square(random, 200 * f, 0.75, 0.75 + np.sqrt(0.2)), square(random, 100 * f, 0, 1))


def line_in_cloud(random, f):
    """Return a dense line through a Gaussian cloud."""
    s = spaced(random, 120 * f)
    line = np.c_[-1.3 + 2.6 * s, -0.35 + 0.75 * s]
    return join(line + random.normal(0, 0.006, line.shape), gaussian(random, 120 * f, 0.45))


def spirals_densities(random, f):
    """Return two spirals, one of them with about four times as many points."""
    return join(
        spiral(random, 260 * f, 0.25, 1.3, 1.25, 0.0, 0.012),
        spiral(random, 70 * f, 0.25, 1.3, 1.25, np.pi, 0.012),
    )


def three_scales(random, f):
    """Return a small Gaussian in a larger one in a square."""
    return join(
        gaussian(random, 120 * f, 0.08, (0.9, 0.5)),
        gaussian(random, 140 * f, 0.60, (0.4, 0.2)),
        square(random, 120 * f, -4, 4),
    )


def letter(random, f):
    """Return a letter F on a regular grid in a sparse square."""
    m = round(4 * np.sqrt(f))
    cell = (np.arange(m) + 0.5) / m
    filled = [(row, column) for row, text in enumerate(LETTER) for column, mark in enumerate(text) if mark == "#"]
    points = np.array([(column + x, len(LETTER) - row - y) for row, column in filled for x in cell for y in cell])
    points = points + random.normal(0, 0.03, points.shape)
    return join(points, random.uniform((-3.5, -2.5), (8.5, 9.5), (90 * f, 2)))


SHAPES = (
    rings,
    moons,
    blob_in_cloud,
    ring_in_cloud,
    spiral_in_cloud,
    two_lines_in_cloud,
    squares_1_10,
    line_in_cloud,
    spirals_densities,
    three_scales,
    letter,
)
SETS = {shape.__name__: shape for shape in SHAPES}


def make(name, seed, f=1):
    """Return the points and the labels, from 1, of a set; f multiplies the numbers of points."""
    random = np.random.default_rng([seed, f, list(SETS).index(name)])
    return SETS[name](random, f)


def bound(name, seed):
    """Return the adjusted Rand index of a classifier that has seen 400 times as many points of the set's source."""
    from sklearn.metrics import adjusted_rand_score
    from sklearn.neighbors import KNeighborsClassifier

    points, labels = make(name, seed)
    classifier = KNeighborsClassifier(15).fit(*make(name, seed, 400))
    return adjusted_rand_score(labels, classifier.predict(points))


def print_bounds(n_seeds):
    """Print the mean bound of each set, and the mean of these."""
    means = {name: np.mean([bound(name, seed) for seed in range(n_seeds)]) for name in SETS}
    for name, mean in (means | {"mean": np.mean(list(means.values()))}).items():
        print(f"{name:20}{mean:8.3f}", flush=True)


def write(folder, n_seeds=10):
    """Write a CSV file for every set and seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        for seed in range(n_seeds):
            points, labels = make(name, seed)
            path = folder / f"{name}-s{seed:02}.csv"
            np.savetxt(path, np.c_[points, labels], delimiter=",", fmt=["%.9g", "%.9g", "%d"])


def main():
    """Read the arguments, and write the sets or print their bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--bound", action="store_true")
    arguments = parser.parse_args()
    if arguments.bound:
        print_bounds(arguments.seeds)
    elif arguments.folder:
        write(arguments.folder, arguments.seeds)
    else:
        parser.error("give a folder, or --bound")


if __name__ == "__main__":
    main()
