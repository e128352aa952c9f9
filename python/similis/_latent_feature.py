"""Model 1: latent features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from similis._base import Clusterer
from similis._run import Callback

if TYPE_CHECKING:
    from typing_extensions import Self


class LatentFeatureClustering(Clusterer):
    """Spectral clustering, as inference in a model of the similarities, and what lies beyond it.

    Each point has a hidden feature vector drawn from its cluster, and each similarity is the inner product of two features
    plus noise. Features first and clusters afterwards is spectral clustering; `feature_inference="joint"` finds them
    together.

    Parameters
    ----------
    n_clusters : int, (least, most) or "auto", default="auto"
        Number of clusters; auto is by the largest gap between eigenvalues, in graphs by blocks and components.
    metric : str or callable, default="euclidean"
        As of `LatentGraphClustering`. "precomputed_similarity": `X` is the affinity matrix.
    minkowski_p : float, default=3.0
        The exponent of the metric minkowski.
    conversion : {"one_minus", "negative_log", "inverse", "kernel"}, optional
        Turns similarities into distances first; an affinity is then made of them.
    symmetrise : {"error", "mean", "min", "max"}, default="error"
        What to do with an asymmetric matrix of pairs.
    missing : {"error", "unobserved"}, default="error"
        What NaN in a matrix of pairs means.
    normalised : bool, default=False
        Whether `X` is a normalised similarity matrix, to be used as it is.
    variant : {"ng_jordan_weiss", "lemma1", "meila_shi"}, default="ng_jordan_weiss"
        Which features of the eigenvectors are used.
    affinity : {"nearest", "exponential", "gaussian", "local"}, default="nearest"
        How distances become similarities.
    gamma : float or "search", default="search"
        Width of the affinities exponential and gaussian.
    affinity_neighbours : int, default=10
        Number of neighbours that the affinity nearest links, at most half the points.
    n_features : int, "auto" or "n_clusters", default="n_clusters"
        Number of features.
    grouping : {"k_means", "mixture"}, default="k_means"
        How features are grouped.
    covariance : {"full", "diagonal", "spherical"}, default="full"
        The covariance of the features of a cluster.
    feature_inference : {"greedy", "joint"}, default="greedy"
        Features first and clusters afterwards, or both jointly.
    psi_floor : float, default=1e-6
        Lower bound on the variance of a cluster, as a fraction of the features' mean variance.
    n_restarts : int, default=10
        Number of random restarts of the grouping.
    min_size : int, default=1
        Fewest points of a cluster.
    max_size : int, optional
        Most points of a cluster.
    random_state : int, RandomState, Generator or None, default=0
        Random seed: the same number gives the same answer. None: a fresh one, kept in `random_state_`.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores. It does not change the answer.
    memory_limit : int or str, optional
        Maximum size of a dense matrix in bytes, also as "4GB". Default: 80% of the free memory.
    time_limit : float, optional
        Stop after this many seconds with the best answer so far.
    verbose : bool, default=False
        Whether progress is printed.
    callback : callable, optional
        Called with the phase, the part of it that is done and the log joint; returns True to stop with the best answer so
        far.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point, numbered in the order of first appearance.
    n_clusters_ : int
        Number of clusters.
    embedding_ : ndarray of shape (n_samples, t)
        What was grouped.
    eigenvalues_ : ndarray
        The eigenvalues that were found, greatest first.
    n_components_ : int
        Number of components of the affinity graph.
    gamma_ : float or None
        The gamma that was used, if the affinity has one.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Probability of each cluster for each point; only if the grouping gives it (mixture, joint).
    log_joint_ : float
        The log joint of Eq. (1) of the paper.
    score_ : float
        The latent graph's score of the answer, to be compared with partitions into the same number of clusters only;
        computed when asked for. Not available for similarities.
    trace_ : ndarray
        The objective of joint inference, step by step; empty for greedy inference.
    n_iter_ : int
        Number of steps of joint inference; 1 for greedy inference.
    termination_ : str
        Why the work stopped.
    probabilities_ : ndarray of shape (n_samples,)
        Leave-one-out probability of each point's own cluster; computed when asked for. Not available
        for similarities.
    medoids_ : ndarray of shape (n_clusters_,)
        The row of the most typical point of each cluster; computed when asked for.
    children_, linkage_matrix_ : ndarray
        The single-linkage dendrogram of the points, for `scipy.cluster.hierarchy.dendrogram`; computed when asked for.
    random_state_ : int
        The seed that was used.
    notes_ : list of str
        What the command would note of the answer, such as another partition that is nearly as good.
    number_is_provisional_ : bool
        Whether the number of clusters is a quick choice, because the work was cut short before it was searched.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Examples
    --------
    >>> from similis import LatentFeatureClustering, adjusted_rand_index, make_shapes
    >>> X, y = make_shapes("half_moons", 300)
    >>> model = LatentFeatureClustering(n_clusters=2).fit(X)
    >>> adjusted_rand_index(model.labels_, y)
    1.0
    >>> model.embedding_.shape
    (300, 2)
    """

    _model: ClassVar[str] = "latent_feature"

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        known_labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Find the clusters: as `LatentGraphClustering.fit`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix
            Points, or for a precomputed `metric` the pairs.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each point, 0 or more: a weight of w is w equal points.
        known_labels, must_link, cannot_link : array-like, optional
            Side information.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        side = {"known_labels": known_labels, "must_link": must_link, "cannot_link": cannot_link}
        return super().fit(X, y, sample_weight=sample_weight, **side)

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | str = "auto",
        *,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        minkowski_p: float = 3.0,
        conversion: str | None = None,
        symmetrise: str = "error",
        missing: str = "error",
        normalised: bool = False,
        variant: str = "ng_jordan_weiss",
        affinity: str = "nearest",
        gamma: float | str = "search",
        affinity_neighbours: int = 10,
        n_features: int | str = "n_clusters",
        grouping: str = "k_means",
        covariance: str = "full",
        feature_inference: str = "greedy",
        psi_floor: float = 1e-6,
        n_restarts: int = 10,
        min_size: int = 1,
        max_size: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.minkowski_p = minkowski_p
        self.conversion = conversion
        self.symmetrise = symmetrise
        self.missing = missing
        self.normalised = normalised
        self.variant = variant
        self.affinity = affinity
        self.gamma = gamma
        self.affinity_neighbours = affinity_neighbours
        self.n_features = n_features
        self.grouping = grouping
        self.covariance = covariance
        self.feature_inference = feature_inference
        self.psi_floor = psi_floor
        self.n_restarts = n_restarts
        self.min_size = min_size
        self.max_size = max_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback
