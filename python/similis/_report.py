"""The report: one HTML file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similis import _lib
from similis._observed import observe


@dataclass(frozen=True)
class Words:
    """What a report says beside the answer."""

    path: str
    name: str
    command: str
    column_names: list[str]
    item_names: list[str]
    remarks: list[str]


def report(estimator: Any, X: Any, path: str | os.PathLike[str], *, name: str = "X") -> None:
    """Write all that was found to one HTML file: pictures, clusters, runners-up, settings.

    The file needs nothing else and asks nothing of the network. It appears whole or not at all.

    Parameters
    ----------
    estimator : fitted AutoClustering, LatentGraphClustering or LatentFeatureClustering
        What the report is about.
    X : array-like, data frame or sparse matrix
        What it was fitted to. Columns have the names of a data frame's, rows those of its index.
    path : str or path
        Where to write: .html.
    name : str, default="X"
        What the data are called.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from similis import AutoClustering, make_shapes, report
    >>> X, y = make_shapes("two_rings", 100)
    >>> model = AutoClustering(n_clusters=2).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(model, X, pathlib.Path(folder) / "rings.html", name="rings")
    ...     "rings: 2 clusters" in (pathlib.Path(folder) / "rings.html").read_text()
    True
    """
    check_is_fitted(estimator)
    observed = observe(X, estimator.metric, **estimator._input())
    repeated = clone(estimator).set_params(random_state=estimator.random_state_)
    words = Words(
        path=os.fspath(path),
        name=name,
        command=f"{repeated!r}.fit(X)",
        column_names=[str(name) for name in getattr(estimator, "feature_names_in_", [])],
        item_names=item_names(X),
        remarks=[BY_GAP] if by_gap(estimator) else [],
    )
    _lib.report(observed, estimator._fit_of_rust(), words, estimator._run())


BY_GAP = "the number of clusters is that of the largest gap between eigenvalues"


def by_gap(estimator: Any) -> bool:
    """Return whether the number of clusters was chosen by eigenvalues: latent graphs choose it by score."""
    fixed = isinstance(estimator.n_clusters, Integral) or str(estimator.n_clusters).isdigit()
    return not fixed and hasattr(estimator, "eigenvalues_")


def item_names(X: Any) -> list[str]:
    """Return the names of a data frame's rows; none where they are only counted."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return []
    return [str(name) for name in index]
