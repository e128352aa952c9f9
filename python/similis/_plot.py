"""Pictures of clusters, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similis import _lib
from similis._report import words_of

#: The colours of Okabe and Ito and the symbols of the command's pictures.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#464646", "#f0e442")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")

#: Clusters up to which there is a legend.
MOST_NAMED = 20


def plot(estimator: Any, X: Any = None, *, ax: Any = None, links: bool = True) -> Any:
    """Draw the clusters of a fitted estimator by matplotlib; `estimator.plot()` gives the command's pictures.

    Points of more than two features are drawn in the plane of their first two principal components; distances by classical
    scaling; similarities and graphs by eigenvectors.

    Parameters
    ----------
    estimator : fitted AutoClustering, LatentGraphClustering or LatentFeatureClustering
        Whose `labels_`, and `graph_` if it has one, are drawn.
    X : array-like, optional
        What it was fitted to; the estimator keeps it, so that it need not be given.
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
    >>> ax = plot(AutoClustering(n_clusters=2).fit(X))
    >>> ax.get_title()
    '2 clusters'
    """
    try:
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install matplotlib; estimator.plot() does not") from error
    check_is_fitted(estimator)
    check_given(estimator, X)
    answered = (estimator._observed, estimator._fit_of_rust(), words_of(estimator))
    x, y, names = _lib.places(answered, estimator._run())
    if ax is None:
        ax = plt.figure(layout="constrained").add_subplot()
    if links and hasattr(estimator, "graph_"):
        ends = estimator.graph_.tocoo()
        once = ends.row < ends.col
        places = np.column_stack([x, y])
        lines = np.stack([places[end[once]] for end in (ends.row, ends.col)], axis=1)
        ax.add_collection(LineCollection(list(lines), colors="0.6", linewidths=0.6, zorder=1))
    for label in range(estimator.n_clusters_):
        own = estimator.labels_ == label
        turn = label // len(COLOURS)
        marker = MARKERS[(label + turn) % len(MARKERS)]
        look = {"color": COLOURS[label % len(COLOURS)], "marker": marker, "s": 16, "linewidths": 0, "zorder": 2}
        ax.scatter(x[own], y[own], label=f"{label} ({own.sum()})", **look)
    noise = estimator.labels_ < 0
    if noise.any():
        look = {"color": "0.6", "marker": "x", "s": 10, "linewidths": 0.8, "zorder": 2}
        ax.scatter(x[noise], y[noise], label=f"noise ({noise.sum()})", **look)
    if estimator.n_clusters_ <= MOST_NAMED:
        ax.legend(title="cluster", fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    ax.set_title("1 cluster" if estimator.n_clusters_ == 1 else f"{estimator.n_clusters_} clusters")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    return ax


def check_given(estimator: Any, X: Any) -> None:
    """Raise unless what is given, if anything, is of as many items as were fitted."""
    if X is None:
        return
    given = X.shape if hasattr(X, "shape") else np.shape(X)
    n = len(estimator.labels_)
    fits = given[0] == n or (len(given) == 1 and given[0] == n * (n - 1) // 2)
    if not fits:
        raise ValueError(
            f"X must be what was fitted, {n} items, but it has {given[0]}; leave it out to draw what was fitted"
        )
