"""Very unequal clusters that are far apart: agreement with the truth, the number given and not.

    unequal.py SIMILIS [--draws 20] [--times 1]

5 to 12 clusters in the plane, round or Gaussian (cut off at 2.6 standard deviations), whose sizes differ 1:20 and densities 1:100.
With --times every cluster has that many times the points.
"""

import argparse
import os
import tempfile

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness


def draw(seed, times):
    """Return points and the cluster of each."""
    random = np.random.default_rng([42, seed])
    n_clusters = int(random.integers(5, 13))
    least = times * int(random.choice([20, 50, 100]))
    sizes = np.round(least * 20 ** random.uniform(0, 1, n_clusters)).astype(int)
    sizes[:2] = least, 20 * least
    densities = 100 ** random.uniform(0, 1, n_clusters)
    densities[0], densities[-1] = 1, 100
    radii = np.sqrt(sizes / densities)
    radii /= radii.max()
    centres, width = [], 3.0
    while len(centres) < n_clusters:
        here = len(centres)
        centre = random.uniform(-width, width, 2)
        gaps = [np.linalg.norm(centre - centres[j]) - 3.2 * (radii[here] + radii[j]) for j in range(here)]
        if all(gap > 0.35 for gap in gaps):
            centres.append(centre)
        width *= 1.01
    parts = [centre + radius * blob(random, size) for centre, radius, size in zip(centres, radii, sizes, strict=True)]
    return np.vstack(parts), np.repeat(np.arange(n_clusters), [len(part) for part in parts])


def blob(random, size):
    """Return a Gaussian without its tail, or a disc of radius 2."""
    if random.random() < 0.5:
        points = random.standard_normal((size, 2))
        return points[np.linalg.norm(points, axis=1) < 2.6]
    angle = random.uniform(0, 2 * np.pi, size)
    return 2 * np.sqrt(random.random(size))[:, None] * np.c_[np.cos(angle), np.sin(angle)]


def main():
    """Print a row for each draw, and the worst."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--times", type=int, default=1)
    arguments = parser.parse_args()
    worst = {"given": 1.0, "auto": 1.0}
    print("| draw | points | clusters | given | auto | found |\n|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path, labels = os.path.join(folder, "x.npy"), os.path.join(folder, "labels.npy")
        for seed in range(arguments.draws):
            points, truth = draw(seed, arguments.times)
            np.save(path, points)
            cells = []
            for name, number in (("given", str(truth.max() + 1)), ("auto", "auto")):
                command = [arguments.similis, "cluster", path, "--input", "points", "--quiet", "--output", labels]
                harness.measure([*command, "--n-clusters", number])
                found = np.load(labels)
                agreement = adjusted_rand_score(truth, found)
                worst[name] = min(worst[name], agreement)
                cells.append(f"{agreement:.3f}")
            print(f"| {seed} | {len(points):,} | {truth.max() + 1} | {cells[0]} | {cells[1]} | {found.max() + 1} |", flush=True)
    print(f"worst: {worst['given']:.3f} with the number given, {worst['auto']:.3f} without")


if __name__ == "__main__":
    main()
