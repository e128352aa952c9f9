"""The better of both models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from similis._base import INPUT, Clusterer, number, settings_of
from similis._latent_feature import LatentFeatureClustering
from similis._latent_graph import LatentGraphClustering
from similis._run import Callback

T = TypeVar("T")


class AutoClustering(Clusterer):
    """The better model for what was observed: the command's `--model auto`.

    For distances that is the latent graph model, whose search starts from both models. Similarities go to the latent feature
    model. A setting of `latent_graph` or `latent_feature` that is not the default names its model, latent graphs first.

    Parameters
    ----------
    n_clusters : int, (least, most) or "auto", default="auto"
        Number of clusters; of a range, or of all numbers, that with the best score.
    metric : str or callable, default="euclidean"
        What `X` is, as of `LatentGraphClustering`.
    noise : {"none", "background"}, optional
        Whether points may belong to no cluster; their label is then -1. Without it: as of `latent_graph`.
    min_size : int, default=1
        Fewest points of a cluster.
    max_size : int, optional
        Most points of a cluster.
    latent_graph : LatentGraphClustering, optional
        The settings of the latent graph model: those that this estimator does not have itself are taken from it.
    latent_feature : LatentFeatureClustering, optional
        The settings of the latent feature model, likewise. How pairs are read (minkowski_p, conversion, symmetrise, missing)
        is as of `latent_graph`, or where that has the default as of `latent_feature`.
    model : {"auto", "latent_graph", "latent_feature"}, default="auto"
        Which model is fitted.
    random_state : int, RandomState, Generator or None, default=0
        Random seed: the same number gives the same answer.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores. It does not change the answer.
    memory_limit : int or str, optional
        Maximum memory of input and work together, in bytes, also as "4GB".
    time_limit : float, optional
        Stop after this many seconds with the best answer so far.
    verbose : bool, default=False
        Whether progress is printed.
    callback : callable, optional
        Called with the phase, the part of it that is done and the log joint; returns True to stop.

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
        Number of connected components of the model's graph of neighbours.
    log_joint_ : float
        The log joint of the model; those of two models are not to be compared.
    score_ : float
        The score of the answer, to be compared with partitions into the same number of clusters only: `numbers_` compares
        numbers. Not available for similarities.
    trace_, n_iter_, termination_
        How the work went.
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
        noise: str | None = None,
        min_size: int = 1,
        max_size: int | None = None,
        latent_graph: LatentGraphClustering | None = None,
        latent_feature: LatentFeatureClustering | None = None,
        model: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.noise = noise
        self.min_size = min_size
        self.max_size = max_size
        self.latent_graph = latent_graph
        self.latent_feature = latent_feature
        self.model = model
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback

    def _graph(self) -> LatentGraphClustering:
        """Return the estimator whose settings the latent graph model has; it is only read."""
        return given(self.latent_graph, LatentGraphClustering, "latent_graph")

    def _feature(self) -> LatentFeatureClustering:
        """Return the estimator whose settings the latent feature model has; it is only read."""
        return given(self.latent_feature, LatentFeatureClustering, "latent_feature")

    def _input(self) -> dict[str, Any]:
        usual, graph, feature = LatentGraphClustering(), self._graph(), self._feature()
        settings = {}
        for name in INPUT:
            of_graph = getattr(graph, name)
            settings[name] = of_graph if of_graph != getattr(usual, name) else getattr(feature, name)
        return {**settings, "memory_limit": self.memory_limit}

    def _settings(self, seed: int) -> dict[str, Any]:
        if self.model not in MODELS:
            raise ValueError(f"model must be auto, latent_graph or latent_feature, got {self.model!r}")
        sizes = {name: getattr(self, name) for name, usual in SIZES.items() if getattr(self, name) != usual}
        own = {"n_clusters": number(self.n_clusters), "seed": seed, **sizes}
        noise = {} if self.noise is None else {"noise": self.noise}
        return {
            "model": self.model,
            "latent_graph": {**settings_of(self._graph()), **own, **noise},
            "latent_feature": {**settings_of(self._feature()), **own},
        }

    def _score_settings(self) -> dict[str, Any]:
        return super()._score_settings() if self.model_ == "latent_graph" else {}


#: Bounds on the sizes of clusters, and their defaults, for which those of a model's own estimator count.
SIZES = {"min_size": 1, "max_size": None}

#: What `model` may be.
MODELS = ("auto", "latent_graph", "latent_feature")


def given(estimator: Any, kind: type[T], name: str) -> T:
    """Return an estimator that was given for a model, or one with the defaults."""
    if estimator is None:
        return kind()
    if not isinstance(estimator, kind):
        raise TypeError(f"{name} must be a {kind.__name__} or None, got {type(estimator).__name__}")
    return estimator
