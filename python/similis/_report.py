"""The report: one HTML file; and what it and pictures say beside the answer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similis import _lib
from similis._observed import observe
from similis._predict import column_names


@dataclass(frozen=True)
class Words:
    """What is said beside the answer."""

    name: str
    read: str
    seconds: float
    ended: str
    column_names: list[str]
    item_names: list[str]
    notes: list[str]
    title: str | None = None


def report(estimator: Any, X: Any = None, path: str | os.PathLike[str] | None = None, *, name: str = "X") -> None:
    """Write all that was found to one HTML file: pictures, clusters, runners-up, settings.

    The file needs nothing else and asks nothing of the network. It appears whole or not at all.

    Parameters
    ----------
    estimator : fitted AutoClustering, LatentGraphClustering or LatentFeatureClustering
        What the report is about.
    X : array-like, data frame or sparse matrix, optional
        What it was fitted to; without it, what the estimator keeps. Columns have the names of a data frame's, rows those of
        its index.
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
    if path is None:
        raise ValueError("path must be given: where to write the report, such as report.html")
    observed = estimator._observed if X is None else observe(X, estimator.metric, **estimator._input())
    names = estimator._item_names if X is None else item_names(X)
    words = words_of(estimator, name=name, names=names)
    repeated = clone(estimator).set_params(random_state=estimator.random_state_)
    answered = (observed, estimator._fit_of_rust(), words)
    _lib.report(answered, os.fspath(path), f"{repeated!r}.fit(X)", estimator._run())


def words_of(estimator: Any, *, name: str = "X", names: list[str] | None = None, title: str | None = None) -> Words:
    """Return what is said beside the answer of a fitted estimator."""
    columns = column_names(estimator)
    return Words(
        name=name,
        read=read(estimator, columns),
        seconds=estimator._seconds,
        ended=estimator.termination_,
        column_names=columns,
        item_names=estimator._item_names if names is None else names,
        notes=estimator._column_notes,
        title=title,
    )


#: How many names of columns are listed.
MOST_NAMES = 8


def read(estimator: Any, columns: list[str]) -> str:
    """Return what was fitted, in words."""
    n = len(estimator.labels_)
    if estimator._observed.input != "points":
        return f"{n} items, {estimator._observed.input}"
    numbers = estimator._observed.numbers
    n_columns = int(numbers[3] if isinstance(numbers, tuple) else np.shape(numbers)[1])
    listed = ", ".join(columns[:MOST_NAMES]) + (", .." if len(columns) > MOST_NAMES else "")
    what = f"{n} point{'' if n == 1 else 's'} in {n_columns} column{'' if n_columns == 1 else 's'}"
    return f"{what}: {listed}" if columns else what


def item_names(X: Any) -> list[str]:
    """Return the names of a data frame's rows; none where they are only counted."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return []
    return [str(name) for name in index]
