"""The page of `similis serve` inside a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similis import _lib
from similis._auto import AutoClustering
from similis._base import Clusterer, columns_named, is_unknown, told
from similis._predict import column_names
from similis._report import item_names
from similis._run import seed_of

if TYPE_CHECKING:
    from similis._widget import Explorer


def explore(
    X: Any,
    *,
    known_labels: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    classes: Any = None,
    name: str = "X",
    height: int = 560,
    **settings: Any,
) -> Explorer:
    """Show the clusters in a notebook, where they can be corrected: the page of `similis serve`, fitted in the kernel.

    It needs anywidget: `pip install similis[explore]`. Where a notebook runs no widgets, the picture of the clusters stands
    in its place.

    Parameters
    ----------
    X : array-like, data frame, sparse matrix, or fitted estimator
        What is clustered, or an estimator that was fitted to it.
    known_labels, must_link, cannot_link : array-like, optional
        What is known, as `AutoClustering.fit` takes it; of a fitted estimator what it was fitted with.
    classes : array-like of shape (n_samples,), optional
        Classes to colour the map by. They change nothing else.
    name : str, default="X"
        What the data are called.
    height : int, default=560
        Height of the page in pixels.
    **settings
        Settings that the page begins with: those of `AutoClustering`, or of the estimator that is given.

    Returns
    -------
    explorer : Explorer
        The widget: its `selection`, `known_labels`, `must_link` and `cannot_link` are read and set, `labels_` and `model_`
        are what it shows.

    Examples
    --------
    >>> from similis import explore, make_shapes
    >>> X, y = make_shapes("two_rings", 200)
    >>> page = explore(X, n_clusters=2)
    >>> page.wait()
    >>> bool((page.model_.labels_ == y).all())
    True
    >>> page.must_link = [(0, 199)]
    >>> page.wait()
    >>> bool(page.labels_[0] == page.labels_[199])
    True
    >>> page.close()
    """
    try:
        from similis._widget import Explorer, Names, Start
    except ImportError as error:
        raise ImportError("explore needs anywidget: pip install similis[explore], or pip install anywidget") from error
    if isinstance(X, Clusterer):
        estimator, observed, side, items = opened(X, settings)
    else:
        estimator = AutoClustering(**settings)
        check_metric(estimator)
        with columns_named(X, estimator.metric):
            observed = estimator._observe(X)
        side, items = (None, None, None, None, None), item_names(X)
    *given, probable = told(must_link, cannot_link)
    check_certain(probable)
    side = (side[0], *(new if new is not None else old for new, old in zip(given, side[1:3], strict=True)), *side[3:])
    known = listed(side[0]) if known_labels is None else listed(known_labels)
    names = Names(
        name=name,
        columns=column_names(estimator) or None if observed.input == "points" else None,
        items=items or None,
        classes=None if classes is None else [str(label) for label in classes],
        known_labels=known,
        flags=run_flags(estimator),
    )
    check_classes(names.classes, count(observed))
    estimator.random_state = seed = seed_of(estimator.random_state)
    page = _lib.Page(observed, estimator._settings(seed), (None, *side[1:]), names)
    return Explorer(Start(estimator, observed, names, page), height=height)


def opened(fitted: Clusterer, settings: dict[str, Any]) -> tuple[Clusterer, Any, Any, list[str]]:
    """Return an estimator with the settings of a fitted one, and what that was fitted to."""
    check_is_fitted(fitted)
    check_metric(fitted)
    if "metric" in settings:
        raise ValueError("metric must be that of the fitted estimator; choose another on the page, or give X")
    check_certain(fitted._side[4])
    estimator = clone(fitted).set_params(random_state=fitted.random_state_, **settings)
    for attribute in ("n_features_in_", "feature_names_in_", "_points"):
        if hasattr(fitted, attribute):
            setattr(estimator, attribute, getattr(fitted, attribute))
    return estimator, fitted._observed, fitted._side, fitted._item_names


def check_certain(probable: Any) -> None:
    """Raise for pairs with probabilities: on the page every pair is certain."""
    if probable is not None:
        raise ValueError("explore takes must-links and cannot-links that are certain, not pairs with probabilities")


def check_metric(estimator: Clusterer) -> None:
    """Raise for mixed columns: their distances are measured by Python, which the page does not ask."""
    if isinstance(estimator.metric, str) and estimator.metric == "gower":
        raise ValueError("explore takes points, distances or similarities, not metric='gower'; similis serve does")


def check_classes(classes: list[str] | None, n_items: int) -> None:
    """Raise unless there is a class for each item."""
    if classes is not None and len(classes) != n_items:
        raise ValueError(f"classes must have one for each of the {n_items} items, got {len(classes)}")


def count(observed: Any) -> int:
    """Return the number of items."""
    numbers = observed.numbers
    if isinstance(numbers, tuple):
        return int(numbers[3])
    return round((1 + (1 + 8 * len(numbers)) ** 0.5) / 2) if numbers.ndim == 1 else len(numbers)


def listed(known_labels: Any) -> list[tuple[int, str]]:
    """Return the items whose label is known, and their labels as text."""
    if known_labels is None:
        return []
    return [(item, str(label)) for item, label in enumerate(known_labels) if not is_unknown(label)]


def run_flags(estimator: Any) -> list[str]:
    """Return what an estimator says of the run, as flags of the command."""
    run = estimator._run()
    flags = [f"--threads={run.threads}"]
    if run.time_limit is not None:
        flags.append(f"--time-limit={float(run.time_limit)!r}")
    memory = estimator._input()["memory_limit"]
    if memory is not None:
        flags.append(f"--memory-limit={memory if isinstance(memory, str) else int(memory)}")
    return flags


def number_of(text: str) -> Any:
    """Return a number of clusters as estimators take it, given how the page writes it."""
    if text.isdigit():
        return int(text)
    least, dash, most = text.partition("-")
    return (int(least), int(most)) if dash else text


def rows_of(observed: Any, kept: Any) -> Any:
    """Return the numbers of what was observed of some items alone."""
    from scipy import sparse
    from scipy.spatial.distance import squareform

    numbers = observed.numbers
    if observed.input == "points":
        return np.ascontiguousarray(numbers[kept])
    if isinstance(numbers, tuple):
        offsets, columns, values, n_columns = numbers
        matrix = sparse.csr_array((values, columns.astype(np.int64), offsets.astype(np.int64)), shape=(n_columns, n_columns))
        some = sparse.csr_array(matrix[kept][:, kept])
        some.sort_indices()
        return (some.indptr.astype(np.uintp), some.indices.astype(np.uint32), some.data, len(kept))
    square = squareform(numbers, checks=False) if numbers.ndim == 1 else numbers
    return np.ascontiguousarray(square[np.ix_(kept, kept)])
