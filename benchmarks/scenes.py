"""Random labelled scenes, as many as wanted: scenes.py SIMILIS [--seeds 0:200] [--most 900] [--no-peers] [--parts].

Each seed draws a scene of 100 points and more: Gaussians in 2 to 20 dimensions, shapes side by side, dense shapes in a
cloud, clusters inside one another, tiles of unlike density, clusters in groups; some have bridges between clusters, uniform
noise or groups of outliers, or are thinned along a direction. What is noise, bridge or outlier has the label -1 and does not
count.

Printed are, with nothing given and with the true number of clusters given, the mean adjusted Rand index (ARI) and how often
the number is right; HDBSCAN's as it comes, its noise given to the nearest cluster, beside it. With --parts also without one
part of the search or of the score at a time. Choose rules by one range of seeds, and report them on another.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import harness
import numpy as np

CIRCLE = 2 * np.pi


def turned(random, points):
    """Return points turned at random."""
    turn, _ = np.linalg.qr(random.normal(size=(points.shape[1],) * 2))
    return points @ turn


def along(random, n):
    """Return places on a curve from 0 to 1, evenly spread or by chance."""
    even = (np.arange(n) + random.uniform(0.2, 0.8, n)) / n
    return even if random.random() < 0.4 else random.random(n)


def blob(random, n):
    """Return a Gaussian, sometimes with long tails."""
    points = 0.35 * random.normal(size=(n, 2)) * [1, random.uniform(0.3, 1)]
    tails = random.choice([0, 0, 4, 8])
    return points / np.sqrt(random.chisquare(tails, n) / tails)[:, None] if tails else points


def patch(random, n):
    """Return a disc, a rectangle or a triangle of even density."""
    kind, points = random.integers(3), random.random((n, 2))
    if kind == 0:
        angle, radius = CIRCLE * points[:, 0], np.sqrt(points[:, 1])
        return np.c_[radius * np.cos(angle), random.uniform(0.4, 1) * radius * np.sin(angle)]
    if kind == 1:
        return (2 * points - 1) * [1, random.uniform(0.2, 1)]
    outside = points.sum(1) > 1
    points[outside] = 1 - points[outside]
    return points @ random.normal(size=(2, 2))


def curve(random, n):
    """Return a ring, an arc, a line, a wave, a spiral or a path that turns by chance, with some width."""
    t, kind = along(random, n), random.integers(6)
    width = np.exp(random.uniform(np.log(0.005), np.log(0.12)))
    if kind < 2:
        angle = CIRCLE * t * (1 if kind == 0 else random.uniform(0.2, 0.8))
        points = np.c_[np.cos(angle), np.sin(angle)]
    elif kind == 2:
        points = np.c_[2 * t - 1, np.zeros(n)]
    elif kind == 3:
        points = np.c_[2 * t - 1, random.uniform(0.2, 0.6) * np.sin(CIRCLE * random.uniform(0.5, 2.5) * t)]
    elif kind == 4:
        radius = 0.1 + 0.9 * np.sqrt(t)
        angle = CIRCLE * random.uniform(0.8, 1.8) * radius
        points, width = np.c_[radius * np.cos(angle), radius * np.sin(angle)], 0.4 * width
    else:
        angles = np.cumsum(random.normal(0, random.uniform(0.03, 0.12), 200))
        path = np.cumsum(np.c_[np.cos(angles), np.sin(angles)], 0)
        path = (path - path.mean(0)) / np.abs(path - path.mean(0)).max()
        points = np.c_[[np.interp(199 * t, np.arange(200), column) for column in path.T]].T
    return points + random.normal(0, width, (n, 2))


def piece(random, n, full=False):
    """Return a blob, a patch or, unless it is to be full, a curve."""
    return [blob, patch, curve][random.integers(2 if full else 3)](random, n)


def sizes(random, n, m):
    """Return m sizes that add up to about n, alike or not."""
    weights = random.dirichlet(np.full(m, random.choice([1, 3, 50])))
    return np.maximum((n * weights).astype(int), 10)


def gaussians(random, n, m):
    """Return Gaussians of their own shapes and scales in 2 to 20 dimensions, apart or overlapping."""
    d, apart = int(random.choice([2, 2, 3, 4, 6, 10, 20])), random.uniform(2, 6)
    scales = np.exp(random.choice([0, 0.3, 0.7]) * random.normal(size=m))
    centres, room = [], 1.0
    while len(centres) < m:
        place, room = random.normal(size=d) * room * scales.mean() * apart * 0.5, 1.01 * room
        scale = scales[len(centres)]
        known = zip(centres, scales[: len(centres)], strict=True)
        if all(np.linalg.norm(place - other) > apart * (scale + its) / 2 for other, its in known):
            centres.append(place)
    parts = []
    for centre, scale, size in zip(centres, scales, sizes(random, n, m), strict=True):
        stretch = np.exp(random.choice([0, 0.3, 0.6]) * random.normal(size=d))
        parts.append(turned(random, scale * stretch * random.normal(size=(size, d))) + centre)
    return parts


def beside(random, n, m, full=False):
    """Return pieces at random places that leave a gap, or touch."""
    gap, spread, parts = random.choice([0.02, 0.05, 0.1, 0.3]), 1.0, []
    for size in sizes(random, n, m):
        points = turned(random, piece(random, size, full)) * np.exp(random.choice([0, 0.4]) * random.normal())
        while True:
            moved = points + random.uniform(-1, 1, 2) * spread * np.sqrt(m)
            if not parts or nearest(np.vstack(parts), moved).min() > gap:
                break
            spread *= 1.02
        parts.append(moved)
    return parts


def nearest(points, others):
    """Return for each of the others the distance to the nearest point."""
    from scipy.spatial import cKDTree

    return cKDTree(points).query(others)[0]


def in_cloud(random, n, m):
    """Return dense pieces in a sparse cloud."""
    parts, own = [], sizes(random, n, m)
    cloud = [random.uniform(-1, 1, (own[0], 2)), random.normal(0, 0.5, (own[0], 2))][random.integers(2)]
    for size in own[1:]:
        points = turned(random, piece(random, size))
        points /= np.abs(points).max()
        thin = points.std(0).min() < 0.12
        scale = random.uniform(0.3, 0.9) if thin else min(0.9, np.sqrt(size / own[0] / random.uniform(4, 50)))
        parts.append(scale * points + random.uniform(-0.6, 0.6, 2))
    return [cloud, *parts]


def nested(random, n, m):
    """Return rings or shells around one another, spirals, blobs of growing scale, half moons, linked rings or stripes."""
    kind, m, parts = random.integers(6), min(m, 4), []
    width, d = random.uniform(0.02, 0.12), int(random.choice([2, 2, 3]))
    for c, size in enumerate(sizes(random, n, m)):
        t = along(random, size)
        if kind == 0:
            points = random.normal(size=(size, d))
            points = points / np.linalg.norm(points, axis=1)[:, None] * (1 + c) + random.normal(0, width, (size, d))
        elif kind == 1:
            angle = CIRCLE * (c / m + random.uniform(0.9, 1.1) * np.sqrt(t))
            points = np.c_[np.cos(angle), np.sin(angle)] * (0.1 + np.sqrt(t))[:, None]
            points = points + random.normal(0, width / m / 2, (size, 2))
        elif kind == 2:
            points = np.exp(1.5 * c) * (piece(random, size, True) + random.normal(0, 0.3, 2))
        elif kind == 3:
            points = np.c_[np.cos(np.pi * t), np.sin(np.pi * t)] * (1 if c % 2 == 0 else -1) + [c, 0.5 * (c % 2)]
            points = points + random.normal(0, width, (size, 2))
        elif kind == 4:
            ring = np.c_[np.cos(CIRCLE * t), np.sin(CIRCLE * t), np.zeros(size)]
            points = ring[:, [0, 1, 2] if c % 2 == 0 else [0, 2, 1]] + [c, 0, 0] + random.normal(0, width, (size, 3))
        else:
            points = np.c_[3 * t - 1.5, 0.5 * c + 0.3 * np.sin(3 * t)] + random.normal(0, 1, (size, 2)) * [0.02, width]
        parts.append(points)
    return parts


def tiles(random, n, m):
    """Return regions side by side, each of its own density."""
    seeds, points = random.uniform(-1, 1, (m, 2)), random.uniform(-1, 1, (12 * n, 2))
    own = np.linalg.norm(points[:, None] - seeds, axis=2).argmin(1)
    density = np.exp(random.normal(size=m))
    kept = random.random(len(points)) < density[own] / density.max()
    points, own = points[kept][:n], own[kept][:n]
    return [points[own == c] for c in range(m) if (own == c).sum() >= 10]


def grouped(random, n, m):
    """Return blobs in groups of two or three."""
    groups = random.normal(size=(max(2, m // 2), 2)) * random.uniform(5, 10)
    places = groups[np.arange(m) % len(groups)] + random.normal(size=(m, 2)) * random.uniform(1.2, 2.5)
    told = zip(places, sizes(random, n, m), strict=True)
    return [place + random.uniform(0.3, 0.6) * random.normal(size=(size, 2)) for place, size in told]


KINDS = {gaussians: 0.3, beside: 0.26, in_cloud: 0.18, nested: 0.13, tiles: 0.06, grouped: 0.07}


def bridges(random, points, labels):
    """Return thin bridges between some clusters."""
    found = []
    for _ in range(random.integers(1, 4)):
        first, second = (points[labels == c].mean(0) for c in random.choice(labels.max() + 1, 2, replace=False))
        t = random.random(max(3, len(points) // 40))[:, None]
        found.append(first + t * (second - first) + random.normal(0, 0.02 * points.std(), (len(t), points.shape[1])))
    return np.vstack(found)


def uniform_noise(random, points, _labels):
    """Return uniform noise over the box of the points and a margin."""
    low, high = points.min(0), points.max(0)
    n = int(len(points) * random.uniform(0.02, 0.2))
    return random.uniform(low - 0.05 * (high - low), high + 0.05 * (high - low), (n, points.shape[1]))


def outliers(random, points, _labels):
    """Return small groups of points far from the rest."""
    groups = []
    for _ in range(random.integers(1, 4)):
        place = points.mean(0) + random.normal(size=points.shape[1]) * points.std() * random.uniform(2, 5)
        n = random.integers(2, max(4, len(points) // 30))
        groups.append(place + random.normal(size=(n, points.shape[1])) * points.std() * random.uniform(0.02, 0.2))
    return np.vstack(groups)


def scene(seed, most=900):
    """Return the points of a scene, their labels (-1 is noise), and what kind it is."""
    random = np.random.default_rng([11, seed])
    n = int(np.exp(random.uniform(np.log(100), np.log(most))))
    m = int(random.choice([2, 2, 3, 3, 4, 5, 6, 8, 10, 12]))
    kind = random.choice(list(KINDS), p=list(KINDS.values()))
    parts = kind(random, max(n, 20 * m), m)
    points, labels = np.vstack(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    name = kind.__name__
    if kind is not in_cloud and random.random() < 0.12:
        side = (points - points.mean(0)) @ random.normal(size=points.shape[1]) / points.std()
        kept = random.random(len(points)) < np.maximum(1 / (1 + np.exp(-3 * side)), 0.2)
        if np.bincount(labels[kept], minlength=len(parts)).min() >= 8:
            points, labels, name = points[kept], labels[kept], name + ", thinned"
    for change, chance in ((bridges, 0.1), (uniform_noise, 0.15), (outliers, 0.1)):
        if len(parts) > 1 and random.random() < chance:
            added = change(random, points, labels)
            points, labels = np.vstack([points, added]), np.r_[labels, np.full(len(added), -1)]
            name += ", " + change.__name__.replace("_", " ")
    order = random.permutation(len(points))
    points = points[order] - points.mean(0)
    return points / np.sqrt((points**2).mean()), labels[order], name


def by_hdbscan(points):
    """Return HDBSCAN's labels; noise goes to the nearest cluster."""
    from sklearn.cluster import HDBSCAN

    labels = HDBSCAN(copy=True).fit(points).labels_
    known = labels >= 0
    if not known.any():
        return np.zeros(len(points), int)
    from sklearn.neighbors import KNeighborsClassifier

    return np.where(known, labels, KNeighborsClassifier(1).fit(points[known], labels[known]).predict(points))


#: What is left out with --parts: the name, and the options that leave it out.
PARTS = {
    "valleys": ["--valley-weight", "0"],
    "modes as starts": ["--without", "modes"],
    "excess of mass as starts": ["--without", "excess-of-mass"],
    "mixtures as starts": ["--without", "mixtures"],
    "features as starts": ["--without", "features"],
    "random walk": ["--walk-weight", "0"],
    "varying scales": ["--scales", "per-class"],
}


def row(name, drawn, found, given=None):
    """Print one method's row."""
    pairs = list(zip((own for _, own, _ in drawn), found, strict=True))
    right = np.mean([harness.n_classes(labels + 1) == harness.n_classes(own + 1) for own, labels in pairs])

    def mean(answers):
        return np.mean([harness.agreement(own + 1, labels) for (_, own, _), labels in zip(drawn, answers, strict=True)])

    beside = f"{mean(given):12.3f}" if given else ""
    print(f"{name:33}{mean(found):10.3f}{right:10.0%}{beside}", flush=True)


def main():
    """Read the arguments, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--seeds", default="0:200", help="the first seed and the one after the last")
    parser.add_argument("--most", type=int, default=900, help="about the most points of a scene")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    drawn = [scene(seed, arguments.most) for seed in range(first, last)]
    print(f"{last - first} scenes{'':22}{'nothing given':>14}{'right':>6}{'number given':>14}")

    def by_similis(name, options):
        with ThreadPoolExecutor(arguments.jobs) as pool:
            auto = list(pool.map(lambda one: harness.cluster(arguments.similis, one[0], "auto", *options), drawn))
            numbers = [harness.n_classes(labels + 1) for _, labels, _ in drawn]
            told = zip(drawn, numbers, strict=True)
            given = list(pool.map(lambda one: harness.cluster(arguments.similis, one[0][0], one[1], *options), told))
        row(name, drawn, auto, given)

    by_similis("similis", [])
    if not arguments.no_peers:
        row("HDBSCAN", drawn, [by_hdbscan(points) for points, _, _ in drawn])
    for name, options in PARTS.items() if arguments.parts else []:
        by_similis(f"without {name}", options)


if __name__ == "__main__":
    sys.exit(main())
