"""What needs no estimator: trees, neighbours, affinities, scores, draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch

from similis import _lib
from similis._base import graph, partition
from similis._observed import observe
from similis._run import run_of, seed_of


def spanning_tree(
    X: Any, *, metric: Any = "euclidean", n_jobs: int | None = None, **settings: Any
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the links of the minimum spanning tree, shortest first.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Points or pairs, as of `LatentGraphClustering.fit`. Of similarities the most similar come first.
    metric : str or callable, default="euclidean"
        As of `LatentGraphClustering`.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores.
    **settings
        minkowski_p, conversion, symmetrise, missing, memory_limit, as of `LatentGraphClustering`.

    Returns
    -------
    links : ndarray of shape (n_links, 2)
        The ends of each link; one link fewer than points, or a tree for each part of pairs that do not join all points.
    lengths : ndarray of shape (n_links,)
        The length of each link.

    Examples
    --------
    >>> from similis import spanning_tree
    >>> links, lengths = spanning_tree([[0.0], [1.0], [3.0]])
    >>> links.tolist(), lengths.tolist()
    ([[0, 1], [1, 2]], [1.0, 2.0])
    """
    return _lib.spanning_tree(observe(X, metric, **settings), run_of(n_jobs))


def neighbours(
    X: Any,
    n_neighbours: int,
    *,
    metric: Any = "euclidean",
    exact: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **settings: Any,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the nearest neighbours of every point, nearest first; no point is its own neighbour.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Points or pairs, as of `LatentGraphClustering.fit`. Of similarities the most similar are nearest.
    n_neighbours : int
        How many neighbours of each point are listed.
    metric : str or callable, default="euclidean"
        As of `LatentGraphClustering`.
    exact : bool, default=False
        Whether no neighbour may be missed. A few may be of many points in more than 15 dimensions; distances are exact.
    random_state : int, RandomState, Generator or None, default=0
        Which are missed.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores.
    **settings
        minkowski_p, conversion, symmetrise, missing, memory_limit, as of `LatentGraphClustering`.

    Returns
    -------
    distances : ndarray of shape (n_samples, n_neighbours)
        Infinite where fewer pairs were observed.
    indices : ndarray of shape (n_samples, n_neighbours)
        The neighbours; -1 where fewer pairs were observed.

    Examples
    --------
    >>> from similis import neighbours
    >>> distances, indices = neighbours([[0.0], [1.0], [3.0]], 1)
    >>> distances.ravel().tolist(), indices.ravel().tolist()
    ([1.0, 1.0, 2.0], [1, 0, 1])
    """
    if n_neighbours < 1:
        raise ValueError(f"n_neighbours must be at least 1, got {n_neighbours}")
    search = (bool(exact), seed_of(random_state))
    return _lib.neighbours(observe(X, metric, **settings), n_neighbours, search, run_of(n_jobs))


def affinity(
    X: Any,
    kind: str = "nearest",
    *,
    gamma: float | None = None,
    n_neighbours: int = 10,
    metric: Any = "euclidean",
    n_jobs: int | None = None,
    **settings: Any,
) -> Any:
    """Return the affinity of every pair of points.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Points or distances, as of `LatentGraphClustering.fit`.
    kind : {"nearest", "exponential", "gaussian", "local"}, default="nearest"
        exponential: exp(-d / gamma^2); gaussian: exp(-d^2 / 2 gamma^2); local: exp(-d^2 / s_i s_j) with the distance of
        each point's seventh neighbour; nearest: 1 where two points are among each other's nearest, 1/2 where one is.
    gamma : float, optional
        The scale of exponential and gaussian, which need it.
    n_neighbours : int, default=10
        How many neighbours nearest links.
    metric : str or callable, default="euclidean"
        As of `LatentGraphClustering`.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores.
    **settings
        minkowski_p, conversion, symmetrise, missing, memory_limit, as of `LatentGraphClustering`.

    Returns
    -------
    matrix : ndarray or csr_array of shape (n_samples, n_samples)
        Sparse for nearest and for sparse input.

    Examples
    --------
    >>> from similis import affinity
    >>> affinity([[0.0], [1.0]], "gaussian", gamma=1.0).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """
    if gamma is None and kind in ("exponential", "gaussian"):
        raise ValueError(f"gamma must be given for the affinity {kind}: a number above 0")
    numbers = (None if gamma is None else float(gamma), n_neighbours)
    return matrix(_lib.affinity(observe(X, metric, **settings), kind, numbers, run_of(n_jobs)))


def normalise(L: Any, normalisation: str = "symmetric", *, n_jobs: int | None = None, **settings: Any) -> Any:
    """Return an affinity matrix divided by its row sums.

    Parameters
    ----------
    L : array-like or sparse matrix of shape (n_samples, n_samples)
        Similarities, none of them negative.
    normalisation : {"symmetric", "random_walk"}, default="symmetric"
        S^-1/2 L S^-1/2, or S^-1 L, where S holds the row sums.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores.
    **settings
        symmetrise, missing, memory_limit, as of `LatentGraphClustering`.

    Returns
    -------
    matrix : ndarray or csr_array of shape (n_samples, n_samples)
        Sparse for sparse input. A row of zeros stays one.

    Examples
    --------
    >>> from similis import normalise
    >>> normalise([[3.0, 1.0], [1.0, 0.0]], "random_walk").tolist()
    [[0.75, 0.25], [1.0, 0.0]]
    """
    observed = observe(L, "precomputed_similarity", **settings)
    return matrix(_lib.normalise(observed, normalisation, run_of(n_jobs)))


def score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    score: str = "best_tree",
    scales: str = "varying",
    step: float | None = None,
    shape: float = 2.0,
    size_prior: str | None = None,
    walk_weight: float = 1.0,
    valley_weight: float = 1.0,
    n_jobs: int | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the score and the log joint of a given partition.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Points or distances, as of `LatentGraphClustering.fit`.
    labels : array-like of shape (n_samples,)
        A label for each point.
    metric : str or callable, default="euclidean"
        As of `LatentGraphClustering`.
    score : {"best_tree", "all_trees"}, default="best_tree"
        How the trees of a class are weighed.
    scales : {"varying", "per_class"}, default="varying"
        Whether the scale may vary within a class.
    step : float, optional
        Standard deviation of the log scale between neighbours; without it, averaged over several values.
    shape : float, default=2.0
        The shape of link lengths: 1 is exponential.
    size_prior : {"dirichlet", "constant"}, optional
        How probable the sizes of classes are. Without it: dirichlet.
    walk_weight : float, default=1.0
        How much the random walk counts.
    valley_weight : float, default=1.0
        How much valleys of the density inside clusters count.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores.
    **settings
        minkowski_p, conversion, symmetrise, missing, memory_limit, as of `LatentGraphClustering`.

    Returns
    -------
    parts : dict
        score (the higher the better) and its parts prior, evidence, walk; the likeliest step; log_joint;
        staying_probability of a random walk by inverse distances; classes, a dict for each: size, the scale that
        log_joint is at, mean_link, prior, evidence, stay.

    Examples
    --------
    >>> from similis import make_shapes, score
    >>> X, y = make_shapes("half_moons", 100)
    >>> score(X, y)["score"] > score(X, X[:, 0] > 0.5)["score"]
    True
    """
    weighed = {"score": score, "scales": scales, "step": step, "shape": shape}
    weighed |= {"size_prior": size_prior, "walk_weight": walk_weight, "valley_weight": valley_weight}
    return _lib.score(observe(X, metric, **settings), partition(labels), weighed, run_of(n_jobs))


def adjusted_rand_index(first: Any, second: Any) -> float:
    """Return how well two labellings agree: 1 for the same partition, about 0 for chance.

    Parameters
    ----------
    first, second : array-like of shape (n_samples,)
        Labels of the same points.

    Returns
    -------
    index : float
        The adjusted Rand index.

    Examples
    --------
    >>> from similis import adjusted_rand_index
    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return _lib.adjusted_rand_index(partition(first), partition(second))


def make_shapes(
    shape: str = "dense_letter", n_samples: int = 400, *, random_state: Any = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return points in the spirit of the paper's figures.

    Parameters
    ----------
    shape : str, default="dense_letter"
        two_rings, half_moons, dense_blob, dense_ring, dense_line, crossing_lines, dense_spiral, dense_letter,
        overlapping_squares, unlike_spirals, nested_scales, thinned, five_blobs.
    n_samples : int, default=400
        Number of points.
    random_state : int, RandomState, Generator or None, default=0
        Where the points lie.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        The class of each.

    Examples
    --------
    >>> from similis import make_shapes
    >>> X, y = make_shapes("five_blobs", 100)
    >>> X.shape, int(y.max())
    ((100, 2), 4)
    """
    return _lib.make_shapes(shape, n_samples, seed_of(random_state))


@dataclass(frozen=True)
class GraphModel:
    """What a latent graph is drawn by."""

    scales: NDArray[np.float64]
    spreads: NDArray[np.float64] | None
    background: float
    background_spread: float | None
    graph_prior: str
    prior_neighbours: int


def sample_latent_graph(
    n_samples: int,
    scales: Any,
    background: float,
    *,
    spreads: Any = None,
    background_spread: float | None = None,
    graph_prior: str = "tree",
    prior_neighbours: int = 5,
    random_state: Any = 0,
) -> Bunch:
    """Draw labels, a graph and all lengths from the latent graph model.

    Parameters
    ----------
    n_samples : int
        Number of points.
    scales : array-like of shape (n_clusters,)
        The typical link length of each cluster.
    background : float
        The typical length of all other pairs.
    spreads : array-like of shape (n_clusters,), optional
        The spread of each cluster's lengths: they are Gaussian then, exponential without.
    background_spread : float, optional
        The same for all other pairs.
    graph_prior : {"tree", "k_neighbours"}, default="tree"
        Which graphs are drawn.
    prior_neighbours : int, default=5
        How many neighbours every point has in them, for k_neighbours.
    random_state : int, RandomState, Generator or None, default=0
        Random seed.

    Returns
    -------
    sample : Bunch
        labels; graph, a csr_array of link lengths; distances, condensed as SciPy's `pdist` returns them.

    Examples
    --------
    >>> from similis import sample_latent_graph
    >>> sample = sample_latent_graph(50, [0.1, 1.0], 10.0)
    >>> len(sample.distances), sample.graph.shape
    (1225, (50, 50))
    """
    wide = None if spreads is None else np.ascontiguousarray(spreads, dtype=np.float64)
    narrow = np.ascontiguousarray(scales, dtype=np.float64)
    model = GraphModel(narrow, wide, float(background), background_spread, graph_prior, prior_neighbours)
    drawn = _lib.sample_latent_graph(n_samples, model, seed_of(random_state))
    links = graph(drawn["links"], drawn["link_lengths"], n_samples)
    return Bunch(labels=drawn["labels"], graph=links, distances=drawn["lengths"])


def sample_latent_feature(n_samples: int, means: Any, covariances: Any, noise: float, *, random_state: Any = 0) -> Bunch:
    """Draw labels, features and similarities from the latent feature model.

    Parameters
    ----------
    n_samples : int
        Number of points.
    means : array-like of shape (n_clusters, n_features)
        The mean feature of each cluster.
    covariances : array-like of shape (n_clusters, n_features, n_features)
        The covariance of each cluster's features.
    noise : float
        The variance of a similarity about the inner product of two features.
    random_state : int, RandomState, Generator or None, default=0
        Random seed.

    Returns
    -------
    sample : Bunch
        labels; features (n_samples, n_features); similarities (n_samples, n_samples).

    Examples
    --------
    >>> import numpy as np
    >>> from similis import sample_latent_feature
    >>> sample = sample_latent_feature(20, np.eye(2), [0.01 * np.eye(2)] * 2, 0.01)
    >>> sample.features.shape, sample.similarities.shape
    ((20, 2), (20, 20))
    """
    classes = (np.ascontiguousarray(means, dtype=np.float64), np.ascontiguousarray(covariances, dtype=np.float64))
    return Bunch(**_lib.sample_latent_feature(n_samples, classes, float(noise), seed_of(random_state)))


def matrix(found: Any) -> Any:
    """Return a dense array as it is, compressed rows as a csr_array."""
    if isinstance(found, np.ndarray):
        return found
    offsets, columns, values = found
    n_points = len(offsets) - 1
    return sparse.csr_array((values, columns, offsets), shape=(n_points, n_points))
