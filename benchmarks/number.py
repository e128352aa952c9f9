"""How many clusters: number.py SIMILIS DATA [--sets mk1,z2] [--no-peers] [--nulls 25] [--touching 20] [--jobs 2].

DATA is the folder of labelled sets (see README.md); label 0 is noise and no cluster. A number is right if one of a set's
labellings has it. Beside `similis cluster` with the number of clusters left to it: HDBSCAN as it comes, the largest gap
among the first eigenvalues of the normalised 10-nearest-neighbour graph, and the least BIC of Gaussian mixtures of 1 to 20
classes.

With --nulls this number of draws each of points without structure (square, cube, ring, line, Gaussians in 2, 5 and 20
dimensions), of the sizes of --sizes (100,300,3000), is clustered instead: one cluster is right. With --touching as many draws
of four Gaussians of standard deviation 1 at a spacing of 4, 1,000 points in sizes of 1:1 to 1:8, and of fifteen at a spacing of
about 3.5, 1,500 points. No DATA is needed then.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import harness

MOST = 20


def by_similis(similis, points):
    """Return the command's number of clusters."""
    return len(np.unique(harness.cluster(similis, points)))


def by_hdbscan(points):
    """Return the number of clusters of HDBSCAN as it comes."""
    from sklearn.cluster import HDBSCAN

    labels = HDBSCAN(copy=True).fit(points).labels_
    return len(np.unique(labels[labels >= 0]))


def by_eigengap(points):
    """Return the place of the largest gap between eigenvalues."""
    from scipy.sparse import csgraph
    from scipy.sparse.linalg import eigsh
    from sklearn.neighbors import kneighbors_graph

    links = kneighbors_graph(points, min(10, len(points) - 1))
    laplacian = csgraph.laplacian(0.5 * (links + links.T), normed=True).tocsc()
    start = np.random.default_rng(0).normal(size=len(points))
    values = np.sort(eigsh(laplacian, k=MOST + 1, sigma=-0.01, v0=start, return_eigenvectors=False))
    return int(np.argmax(np.diff(values))) + 1


def by_mixture(points):
    """Return the number of classes of the Gaussian mixture with the least BIC."""
    from sklearn.mixture import GaussianMixture

    most = min(MOST, len(points) - 1)
    bic = [GaussianMixture(k, random_state=0).fit(points).bic(points) for k in range(1, most + 1)]
    return int(np.argmin(bic)) + 1


NULLS = ("square", "cube", "ring", "line", "gaussian2", "gaussian5", "gaussian20")


def null(shape, n_points, number):
    """Return points that are one cluster."""
    random = np.random.default_rng([number, n_points])
    if shape == "square":
        return random.uniform(size=(n_points, 2))
    if shape == "cube":
        return random.uniform(size=(n_points, 3))
    if shape == "line":
        return np.column_stack([random.uniform(size=n_points), 0.01 * random.normal(size=n_points)])
    if shape == "ring":
        angle = random.uniform(0, 2 * np.pi, n_points)
        radius = 1 + 0.05 * random.normal(size=n_points)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return random.normal(size=(n_points, int(shape.removeprefix("gaussian"))))


def nulls(arguments):
    """Print how often one cluster is found where there is one."""
    for n_points in arguments.sizes:
        for shape in NULLS:
            draws = range(arguments.nulls)
            with ThreadPoolExecutor(arguments.jobs) as pool:
                points = [null(shape, n_points, draw) for draw in draws]
                found = list(pool.map(lambda each: by_similis(arguments.similis, each), points))
            others = sorted(number for number in found if number != 1)
            print(f"{shape:10} n {n_points:5} one cluster {found.count(1)} of {len(found)}; others {others}", flush=True)


def four(number):
    """Return four Gaussians on a square of side 4, sizes from 1:1 to 1:8, and their classes."""
    random = np.random.default_rng([5, number])
    ratio = 1 + number % 8
    weights = ratio ** -np.linspace(0, 1, 4)
    sizes = np.round(1000 * weights / weights.sum()).astype(int)
    centres = random.permutation([[0, 0], [4, 0], [0, 4], [4, 4]])
    classes = np.repeat(np.arange(4), sizes)
    return centres[classes] + random.normal(size=(len(classes), 2)), classes


def fifteen(number):
    """Return fifteen Gaussians on a jittered grid, and their classes."""
    random = np.random.default_rng([6, number])
    grid = np.array([[x, y] for x in range(5) for y in range(3)])
    centres = 3.5 * grid + random.uniform(-0.3, 0.3, size=grid.shape)
    classes = np.repeat(np.arange(15), 100)
    return centres[classes] + random.normal(size=(len(classes), 2)), classes


def touching(arguments):
    """Print number and agreement on Gaussians that touch."""
    for draw in (four, fifteen):
        sets = [draw(number) for number in range(arguments.touching)]
        with ThreadPoolExecutor(arguments.jobs) as pool:
            found = list(pool.map(lambda each: harness.cluster(arguments.similis, each[0]), sets))
        numbers = [len(np.unique(labels)) for labels in found]
        right = sum(number == len(np.unique(each[1])) for number, each in zip(numbers, sets, strict=True))
        ari = np.mean([harness.agreement(each[1] + 1, labels) for each, labels in zip(sets, found, strict=True)])
        print(f"{draw.__name__:8} right {right} of {len(sets)}, mean ARI {ari:.3f}, numbers {numbers}", flush=True)


def table(arguments):
    """Print the number of clusters of each set, true and by each method."""
    methods = {"similis": lambda points: by_similis(arguments.similis, points)}
    if not arguments.no_peers:
        methods |= {"hdbscan": by_hdbscan, "eigengap": by_eigengap, "gmm_bic": by_mixture}
    sets = list(harness.labelled_sets(arguments.data, arguments.sets))
    print(f"{'set':18} {'true':>8}" + "".join(f"{name:>10}" for name in methods), flush=True)
    right = dict.fromkeys(methods, 0)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda each: {name: method(each.points) for name, method in methods.items()}, sets)
        for labelled, given in zip(sets, found, strict=True):
            true = sorted({harness.n_classes(labels) for labels in labelled.labellings.values()})
            for name, number in given.items():
                right[name] += number in true
            marks = "".join(f"{number:>9}{' ' if number in true else '!'}" for number in given.values())
            print(f"{labelled.name:18} {'/'.join(map(str, true)):>8}{marks}", flush=True)
    print(f"{'right':18} {len(sets):>8}" + "".join(f"{right[name] / len(sets):>9.1%} " for name in methods))


def main():
    """Read the arguments, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    harness.add_data(parser)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--nulls", type=int, default=0)
    parser.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=[100, 300, 3000])
    parser.add_argument("--touching", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.nulls:
        nulls(arguments)
    if arguments.touching:
        touching(arguments)
    if not arguments.nulls and not arguments.touching:
        table(arguments)


if __name__ == "__main__":
    main()
