"""The peers whose clusters are compared: functions of points, number of clusters and seed.

Those of METHODS return labels, or nothing where they are not run. Those of SCANS try several settings and return candidates:
the first by `criterion` is the method's answer, chosen without the truth; the best by the truth is an upper bound.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

# Dense eigenproblems are solved up to this number of points.
MOST_DENSE = 3000
# The values of HDBSCAN's min_cluster_size that are tried; the first is its default.
MIN_CLUSTER_SIZES = (5, 10, 20, 50)
# The values of Genie's gini_threshold that are tried; the first is its default.
GINI_THRESHOLDS = (0.3, 0.1, 0.5, 0.7)


@dataclass(frozen=True)
class Candidate:
    """An answer of a method, its setting, and what chooses between such answers: the least is best."""

    setting: str
    labels: np.ndarray
    criterion: object


def fitted_kmeans(points, n_clusters, seed):
    """Return k-means, the best of ten starts."""
    return KMeans(n_clusters, n_init=10, random_state=seed).fit(points)


def kmeans(points, n_clusters, seed):
    """Return the clusters of k-means."""
    return fitted_kmeans(points, n_clusters, seed).labels_


def mixture(n_starts, starts):
    """Return a Gaussian mixture with full covariances as a method."""

    def method(points, n_clusters, seed):
        model = GaussianMixture(n_clusters, n_init=n_starts, max_iter=200, init_params=starts, random_state=seed)
        return model.fit_predict(points)

    return method


def linkage(name):
    """Return a linkage of scikit-learn as a method."""

    def method(points, n_clusters, seed):
        return AgglomerativeClustering(n_clusters, linkage=name).fit_predict(points)

    return method


def spectral_knn(points, n_clusters, seed):
    """Return scikit-learn's spectral clustering of the graph of 10 neighbours."""
    model = SpectralClustering(n_clusters, affinity="nearest_neighbors", n_neighbors=10, random_state=seed)
    return model.fit_predict(points)


def embedding(affinity, n_features):
    """Return the first eigenvectors of the normalised affinity, rows of length 1 (Ng, Jordan and Weiss)."""
    degrees = affinity.sum(axis=1)
    scale = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1e-300)), 0)
    normalised = affinity * scale[:, None]
    normalised *= scale
    n = len(affinity)
    vectors = eigh(normalised, subset_by_index=[n - n_features, n - 1], check_finite=False)[1]
    if vectors.shape[1] != n_features:
        # The default driver may fail on eigenvalues that are alike.
        vectors = eigh(normalised, check_finite=False, driver="evd")[1][:, n - n_features :]
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / np.where(lengths == 0, 1, lengths)[:, None]


def njw(points, n_clusters, seed):
    """Return spectral clusterings with a Gaussian affinity at 15 scales; the criterion is the distortion of k-means."""
    n = len(points)
    if n > MOST_DENSE:
        return [Candidate("10 neighbours", spectral_knn(points, n_clusters, seed), 0.0)]
    squares = squareform(pdist(points, "sqeuclidean"))
    distances = np.sqrt(squares[np.triu_indices(n, 1)])
    candidates = []
    for sigma in np.quantile(distances[distances > 0], np.geomspace(1 / n, 0.5, 15)):
        affinity = np.exp(squares / (-2 * sigma * sigma))
        np.fill_diagonal(affinity, 0)
        groups = fitted_kmeans(embedding(affinity, n_clusters), n_clusters, seed)
        candidates.append(Candidate(f"sigma={sigma:.4g}", groups.labels_, groups.inertia_))
    return candidates


def self_tuning(points, n_clusters, seed):
    """Return spectral clusters with local scales, the distances to the 7th neighbour (Zelnik-Manor and Perona)."""
    if len(points) > MOST_DENSE:
        return None
    squares = squareform(pdist(points, "sqeuclidean"))
    scale = np.maximum(np.sqrt(np.partition(squares, 7, axis=1)[:, 7]), 1e-12)
    affinity = np.exp(-squares / (scale[:, None] * scale))
    np.fill_diagonal(affinity, 0)
    return kmeans(embedding(affinity, n_clusters), n_clusters, seed)


def density_classes(points, n_clusters, seed, n_neighbours=10):
    """Return classes of density alone: a mixture of Poisson intensities by neighbours (Byers and Raftery, 1998)."""
    distances = cKDTree(points).query(points, n_neighbours + 1)[0][:, -1]
    log_volume = points.shape[1] * np.log(np.maximum(distances, 1e-12))
    log_volume -= np.median(log_volume)
    volume = np.exp(log_volume)
    # The first memberships are ranges of density with equal numbers of points.
    memberships = np.eye(n_clusters)[np.argsort(np.argsort(log_volume)) * n_clusters // len(points)]
    for _ in range(500):
        weight = memberships.sum(axis=0)
        rate = n_neighbours * weight / np.maximum(memberships.T @ volume, 1e-300)
        log_joint = np.log(np.maximum(weight / len(points), 1e-300)) + n_neighbours * np.log(rate + 1e-300)
        log_joint = log_joint + (n_neighbours - 1) * log_volume[:, None] - volume[:, None] * rate
        joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        before, memberships = memberships, joint / joint.sum(axis=1, keepdims=True)
        if np.abs(memberships - before).max() < 1e-8:
            break
    return memberships.argmax(axis=1)


def hdbscan_noise(points, n_clusters, seed):
    """Return the answers of HDBSCAN, its noise kept as one more cluster; it does not use the number of clusters."""
    from hdbscan import HDBSCAN

    return [
        Candidate(f"min_cluster_size={size}", HDBSCAN(min_cluster_size=size, core_dist_n_jobs=1).fit_predict(points), rank)
        for rank, size in enumerate(MIN_CLUSTER_SIZES)
        if size < len(points)
    ]


def hdbscan(points, n_clusters, seed):
    """Return the answers of HDBSCAN, its noise given to the nearest cluster."""
    candidates = hdbscan_noise(points, n_clusters, seed)
    return [Candidate(each.setting, without_noise(points, each.labels), each.criterion) for each in candidates]


def without_noise(points, labels):
    """Return labels in which a point without one (-1) has that of the nearest point with one."""
    noise = labels < 0
    if noise.all():
        return np.zeros(len(labels), int)
    nearest = cKDTree(points[~noise]).query(points)[1]
    return np.where(noise, labels[~noise][nearest], labels)


def dbscan_noise(points, n_clusters, seed, n_radii=40):
    """Return the answers of DBSCAN, its noise kept as one more cluster.

    The number of groups at the radius is nearest to the number of clusters: the middle of the longest run of such radii.
    """
    near = np.sort(cKDTree(points).query(points, 5)[0][:, -1])
    near = near[near > 0]
    radii = np.geomspace(np.quantile(near, 0.02), near[-1], n_radii)
    labels = [DBSCAN(eps=radius).fit_predict(points) for radius in radii]
    off = np.array([abs(len(np.unique(each)) - n_clusters) for each in labels])
    candidates = []
    for run in np.split(np.arange(n_radii), np.flatnonzero(np.diff(off)) + 1):
        for at in run:
            criterion = (off[at], -len(run), abs(2 * at - run[0] - run[-1]))
            candidates.append(Candidate(f"eps={radii[at]:.4g}", labels[at], criterion))
    return candidates


def genie(points, n_clusters, seed):
    """Return the answers of Genie."""
    from genieclust import Genie

    return [
        Candidate(f"gini_threshold={gini}", Genie(n_clusters, gini_threshold=gini).fit_predict(points), rank)
        for rank, gini in enumerate(GINI_THRESHOLDS)
    ]


def genie_information(points, n_clusters, seed):
    """Return the clusters of genieclust's GIc, which maximises an information criterion over Genie's trees."""
    from genieclust import GIc

    return GIc(n_clusters).fit_predict(points)


METHODS = {
    "kmeans": kmeans,
    "gmm": mixture(5, "kmeans"),
    "gmm_random": mixture(20, "random_from_data"),
    "density": density_classes,
    "single": linkage("single"),
    "average": linkage("average"),
    "ward": linkage("ward"),
    "spectral_knn": spectral_knn,
    "selftuning": self_tuning,
    "gic": genie_information,
}
SCANS = {
    "njw": njw,
    "hdbscan": hdbscan,
    "genie": genie,
    "hdbscan_noise": hdbscan_noise,
    "dbscan_noise": dbscan_noise,
}
