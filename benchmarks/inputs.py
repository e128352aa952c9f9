"""The inputs of the speed comparison, drawn with fixed seeds and kept in the user's cache folder."""

import os
from pathlib import Path

import numpy as np

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "similis" / "benchmarks" / "inputs"
N_CLASSES = 10


def mixture(n_points, n_dimensions):
    """Return points of ten Gaussians whose scales differ 1:30, and the class of each."""
    random = np.random.default_rng(7 + 1000 * n_dimensions)
    centres = random.uniform(-10, 10, (N_CLASSES, n_dimensions))
    scale = np.geomspace(0.1, 3.0, N_CLASSES)
    classes = random.integers(0, N_CLASSES, n_points)
    return centres[classes] + random.standard_normal((n_points, n_dimensions)) * scale[classes, None], classes


def kept(name, make, save=np.save):
    """Return the path of an input, made on first use."""
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        # Not under its own name until it is whole.
        part = path.with_name(f"part-{path.name}")
        save(part, make())
        part.rename(path)
    return path


def points(n_points, n_dimensions):
    """Return the path of points of the mixture."""
    return kept(f"points-{n_points}x{n_dimensions}.npy", lambda: mixture(n_points, n_dimensions)[0])


def distances(n_points, single=False):
    """Return the path of the distances between points in 5 dimensions, in double or single precision."""
    from scipy.spatial.distance import pdist, squareform

    def make():
        matrix = squareform(pdist(mixture(n_points, 5)[0]))
        return matrix.astype(np.float32) if single else matrix

    return kept(f"distances-{n_points}{'-single' if single else ''}.npy", make)


def affinity(n_points):
    """Return the path of a normalised dense Gaussian affinity, twice the median distance of the 10th neighbour its scale."""

    def make():
        matrix = np.load(distances(n_points))
        scale = 2 * np.median(np.partition(matrix, 10, axis=1)[:, 10])
        similar = np.exp(-(matrix**2) / (2 * scale * scale))
        weight = 1 / np.sqrt(similar.sum(axis=1))
        return similar * weight[:, None] * weight

    return kept(f"affinity-{n_points}.npy", make)


def graph(n_points, n_neighbours=15):
    """Return the path of the normalised graph of neighbours of points in 5 dimensions, a sparse matrix."""
    from scipy import sparse
    from sklearn.neighbors import kneighbors_graph

    def make():
        links = kneighbors_graph(mixture(n_points, 5)[0], n_neighbours, mode="connectivity", include_self=False)
        links = (0.5 * (links + links.T)).tocsr()
        weight = sparse.diags(1 / np.sqrt(np.asarray(links.sum(axis=1)).ravel()))
        return (weight @ links @ weight).tocsr()

    return kept(f"graph-{n_points}.npz", make, sparse.save_npz)
