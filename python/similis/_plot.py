"""Pictures of clusters, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from similis import _lib
from similis._latent_feature import LatentFeatureClustering


def plot(estimator: Any, X: Any, *, ax: Any = None, links: bool = True) -> Any:
    """Draw the clusters of a fitted estimator.

    Points of more than two features are drawn in the plane of their first two principal components; pairs by features of
    the latent feature model.

    Parameters
    ----------
    estimator : fitted AutoClustering, LatentGraphClustering or LatentFeatureClustering
        Whose `labels_`, and `graph_` if it has one, are drawn.
    X : array-like
        What it was fitted to.
    ax : matplotlib Axes, optional
        Where to draw; without it, in a new figure.
    links : bool, default=True
        Whether the links of the latent graph are drawn.

    Returns
    -------
    ax : matplotlib Axes
        Where it was drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from similis import AutoClustering, make_shapes, plot
    >>> X, y = make_shapes("two_rings", 100)
    >>> ax = plot(AutoClustering(n_clusters=2).fit(X), X)
    >>> ax.get_title()
    '2 clusters'
    """
    try:
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from error
    check_is_fitted(estimator)
    rows, what = drawn(estimator, X)
    x, y, shown = _lib.plane(rows)
    if ax is None:
        ax = plt.figure(layout="constrained").add_subplot()
    if links and hasattr(estimator, "graph_"):
        ends = estimator.graph_.tocoo()
        once = ends.row < ends.col
        places = np.column_stack([x, y])
        lines = np.stack([places[end[once]] for end in (ends.row, ends.col)], axis=1)
        ax.add_collection(LineCollection(list(lines), colors="0.6", linewidths=0.6, zorder=1))
    colours = plt.get_cmap("tab10" if estimator.n_clusters_ <= 10 else "turbo")
    steps = 10 if estimator.n_clusters_ <= 10 else estimator.n_clusters_
    own = estimator.labels_ >= 0
    ax.scatter(x[own], y[own], c=colours(estimator.labels_[own] % steps / steps), s=12, linewidths=0, zorder=2)
    if not own.all():
        ax.scatter(x[~own], y[~own], c="0.6", marker="x", s=10, linewidths=0.8, zorder=2)
    ax.set_title("1 cluster" if estimator.n_clusters_ == 1 else f"{estimator.n_clusters_} clusters")
    ax.set_aspect("equal", adjustable="datalim")
    if rows.shape[1] > 2:
        ax.set_xlabel(f"the plane shows {shown:.0%} of the variance of the {rows.shape[1]} {what}")
    return ax


def drawn(estimator: Any, X: Any) -> tuple[NDArray[np.float64], str]:
    """Return what is drawn of each point: its coordinates, or features made of the pairs."""
    observed = estimator._observed
    if observed.input == "points":
        return np.ascontiguousarray(X, dtype=np.float64), "columns"
    if hasattr(estimator, "embedding_"):
        return estimator.embedding_, "features"
    settings = {
        "metric": estimator.metric,
        **{name: estimator._input()[name] for name in ("conversion", "symmetrise", "missing")},
    }
    settings |= {"random_state": estimator.random_state_, "n_jobs": estimator.n_jobs}
    model = LatentFeatureClustering(max(2, estimator.n_clusters_), **settings)
    return np.asarray(model.fit(X).embedding_), "features"
