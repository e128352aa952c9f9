"""Writes labelled sets that similis was not made on: `other_sets.py FOLDER`.

Two draws of overlapping and separated Gaussians in 2 to 128 dimensions, clusters of unlike size, curves, shapes with and
without noise, scikit-learn's toys; and its iris, wine, breast cancer and digits. One CSV each: coordinates, then the class,
from 1; 0 is noise.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn import datasets


def gaussians(random):
    """Yield overlapping clouds: fifteen, thirty on a grid, two or eight in many dimensions, eight of unlike size."""
    for level, spread in enumerate([0.03, 0.045, 0.06, 0.075], start=1):
        centres = apart(random, 15, 0.15)
        classes = np.repeat(np.arange(15), 100)
        yield f"fifteen{level}", centres[classes] + spread * random.normal(size=(1500, 2)), classes
    grid = np.stack(np.meshgrid(np.arange(6), np.arange(5)), -1).reshape(-1, 2)
    grid = grid + 0.15 * random.normal(size=(30, 2))
    classes = np.repeat(np.arange(30), 100)
    yield "thirty", grid[classes] + 0.17 * random.normal(size=(3000, 2)), classes
    for n_dimensions in [2, 8, 32, 128]:
        for spread in [20, 40, 60]:
            classes = np.repeat([0, 1], 500)
            points = spread * random.normal(size=(1000, n_dimensions)) + 100 * classes[:, None]
            yield f"two_{n_dimensions}d_{spread}", points, classes
    for n_dimensions in [4, 16, 64]:
        centres = random.normal(size=(8, n_dimensions))
        centres *= 6 / np.linalg.norm(centres, axis=1)[:, None]
        classes = np.repeat(np.arange(8), 100)
        spreads = 1.8 / np.sqrt(n_dimensions) * np.exp(0.5 * random.normal(size=8))
        points = centres[classes] + spreads[classes][:, None] * random.normal(size=(800, n_dimensions))
        yield f"eight_{n_dimensions}d", points, classes
    centres = np.array([[0, 0], [1, 0], [0.5, 0.8], [4, 0], [4, 1], [5, 0], [5, 1], [4.5, 0.5]])
    classes = np.repeat(np.arange(8), [800] * 3 + [40] * 5)
    yield "unlike_sizes", centres[classes] + 0.12 * random.normal(size=(len(classes), 2)), classes


def apart(random, n, least):
    """Return places in the unit square, no two nearer than `least`."""
    while True:
        places = random.random((n, 2))
        if (np.linalg.norm(places[:, None] - places, axis=2) + np.eye(n)).min() > least:
            return places


def shapes(random):
    """Yield waves, a bar, a ring around a blob, with and without noise; worms; a shell around a core; a bar by a blob."""
    parts = []
    for height in [3.0, 1.8]:
        x = 6 * random.random(700)
        parts.append(np.c_[x, height + 0.5 * np.sin(2 * x) + 0.15 * random.normal(size=700)])
    parts.append(random.random((500, 2)) * [1.5, 1.0] + [0.2, -0.4])
    angle = 2 * np.pi * random.random(500)
    parts.append(np.c_[4.5 + 0.6 * np.cos(angle), 0.1 + 0.6 * np.sin(angle)] + 0.06 * random.normal(size=(500, 2)))
    parts.append(0.12 * random.normal(size=(200, 2)) + [4.5, 0.1])
    points, classes = np.vstack(parts), np.repeat(np.arange(5), [len(part) for part in parts])
    yield "waves", points, classes
    noise = random.random((250, 2)) * [6.4, 5] + [-0.2, -0.9]
    yield "waves_in_noise", np.vstack([points, noise]), np.r_[classes, np.full(250, -1)]
    yield "worms", np.vstack([worm(random) for _ in range(6)]), np.repeat(np.arange(6), 150)
    classes = np.repeat([0, 1], [500, 200])
    sphere = random.normal(size=(700, 3))
    sphere *= 2 / np.linalg.norm(sphere, axis=1)[:, None]
    shell = sphere + 0.08 * random.normal(size=(700, 3))
    yield "shell", np.where(classes[:, None] == 0, shell, 0.4 * random.normal(size=(700, 3))), classes
    classes = np.repeat([0, 1], [600, 200])
    bar, blob = random.normal(size=(800, 2)) * [3, 0.4], random.normal(size=(800, 2)) * 0.4 + [0, 2.5]
    yield "bar_and_blob", np.where(classes[:, None] == 0, bar, blob), classes


def worm(random):
    """Return points along a path that turns by chance."""
    place, angle, points = 10 * random.random(2), 2 * np.pi * random.random(), []
    for _ in range(150):
        angle += 0.15 * random.normal()
        place = place + 0.05 * np.array([np.cos(angle), np.sin(angle)])
        points.append(place + 0.12 * random.normal(size=2))
    return np.array(points)


def toys(draw):
    """Yield the sets of scikit-learn's comparison page, other draws; noisier moons."""
    yield "circles", *datasets.make_circles(500, factor=0.5, noise=0.05, random_state=30 + draw)
    yield "moons", *datasets.make_moons(500, noise=0.05, random_state=30 + draw)
    yield "noisy_moons", *datasets.make_moons(600, noise=0.12, random_state=draw)
    yield "blobs", *datasets.make_blobs(500, random_state=8 + draw)
    yield "varied", *datasets.make_blobs(500, cluster_std=[1, 2.5, 0.5], random_state=170 + draw)
    points, classes = datasets.make_blobs(500, random_state=170 + draw)
    yield "aniso", points @ np.array([[0.6, -0.6], [-0.4, 0.8]]), classes


def measured():
    """Yield scikit-learn's measured sets, scaled where their units differ."""
    for name in ["iris", "wine", "breast_cancer", "digits"]:
        points, classes = getattr(datasets, f"load_{name}")(return_X_y=True)
        if name in ("wine", "breast_cancer"):
            points = (points - points.mean(0)) / points.std(0)
        yield name, points, classes


def write(folder, name, points, classes):
    """Write a set as CSV."""
    table = np.column_stack([points, classes + 1])
    np.savetxt(folder / f"{name}.csv", table, delimiter=",", fmt=["%.10g"] * points.shape[1] + ["%d"])


def main():
    """Write every set."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    for draw in range(2):
        random = np.random.default_rng(100 + draw)
        for name, points, classes in [*gaussians(random), *shapes(random), *toys(draw)]:
            write(folder, f"{name}-s0{draw}", points, classes)
    for name, points, classes in measured():
        write(folder, f"{name}-s00", points, classes)


if __name__ == "__main__":
    main()
