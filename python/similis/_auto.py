"""The better of both models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from similis._base import Clusterer
from similis._run import Callback


class AutoClustering(Clusterer):
    """The better model for what was observed: the command's `--model auto`.

    For distances that is the latent graph model, whose search both models start. Similarities and changed settings of the
    latent feature model go to that one; changed settings of the latent graph model (likelihood, graphs, priors, inference,
    noise) to this one.

    Parameters
    ----------
    n_clusters : int, (least, most) or "auto", default="auto"
        Number of clusters; of a range, or of all numbers, that with the best score.
    metric, minkowski_p, conversion, symmetrise, missing
        What `X` is, as of `LatentGraphClustering`.
    likelihood, graph_prior, prior_neighbours, support, support_neighbours, background, scale_prior, typical_length, \
scale_updates, size_prior, inference, noise, tree_score, scales, n_chains, n_sweeps, burn_in, n_samples, loss
        The latent graph model: see `LatentGraphClustering`.
    normalised, variant, affinity, gamma, affinity_neighbours, n_features, grouping, covariance, feature_inference, psi_floor
        The latent feature model: see `LatentFeatureClustering`.
    n_restarts, random_state, n_jobs, memory_limit, time_limit, verbose, callback
        The run, as of `LatentGraphClustering`.

    Attributes
    ----------
    model_ : {"latent_graph", "latent_feature"}
        The model that was fitted. Its attributes are those of `LatentGraphClustering` or `LatentFeatureClustering`;
        these are there in any case:
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point, numbered in the order of first appearance; -1 is noise.
    n_clusters_ : int
        Number of clusters.
    n_components_ : int
        Number of components that the pairs fall into that the model takes for neighbours.
    log_joint_ : float
        The log joint of the model; those of two models are not to be compared.
    score_ : float
        The score of the answer, by which partitions can be compared; there is none of similarities.
    trace_, n_iter_, termination_
        How the work went.
    probabilities_ : ndarray of shape (n_samples,)
        How probable each point's own cluster is, the point taken out first; computed when asked for. There is none of
        similarities.
    medoids_ : ndarray of shape (n_clusters_,)
        The row of the most typical point of each cluster; computed when asked for.
    children_, linkage_matrix_ : ndarray
        The single-linkage dendrogram of the points, for `scipy.cluster.hierarchy.dendrogram`; computed when asked for.
    random_state_ : int
        The seed that was used.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Examples
    --------
    >>> from similis import AutoClustering, make_shapes
    >>> X, y = make_shapes("two_rings", 200)
    >>> model = AutoClustering(n_clusters=2).fit(X)
    >>> model.model_
    'latent_graph'
    >>> bool((model.labels_ == y).all())
    True
    """

    _model: ClassVar[str] = "auto"

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | str = "auto",
        *,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        minkowski_p: float = 3.0,
        conversion: str | None = None,
        symmetrise: str = "error",
        missing: str = "error",
        likelihood: str = "exponential",
        graph_prior: str = "tree",
        prior_neighbours: int = 5,
        support: str | None = None,
        support_neighbours: int = 15,
        background: str = "fitted",
        scale_prior: str = "weak",
        typical_length: float | None = None,
        scale_updates: str = "hard",
        size_prior: str = "dirichlet",
        inference: str | None = None,
        noise: str = "none",
        tree_score: str = "best_tree",
        scales: str = "varying",
        n_chains: int = 4,
        n_sweeps: int = 1000,
        burn_in: float = 0.5,
        n_samples: int = 1000,
        loss: str = "variation_of_information",
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
        self.likelihood = likelihood
        self.graph_prior = graph_prior
        self.prior_neighbours = prior_neighbours
        self.support = support
        self.support_neighbours = support_neighbours
        self.background = background
        self.scale_prior = scale_prior
        self.typical_length = typical_length
        self.scale_updates = scale_updates
        self.size_prior = size_prior
        self.inference = inference
        self.noise = noise
        self.tree_score = tree_score
        self.scales = scales
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.loss = loss
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback
