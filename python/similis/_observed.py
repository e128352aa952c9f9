"""What is observed about pairs of points, as arrays that Rust can borrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.utils import check_array

#: Metrics that say what a matrix of pairs holds.
PRECOMPUTED = {"precomputed": "distances", "precomputed_similarity": "similarities"}

#: Names that SciPy and scikit-learn also have for a metric.
ALSO_CALLED = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}

#: Metrics that measure sparse points.
SPARSE_METRICS = ("cosine", "euclidean", "squared_euclidean")

#: Bytes up to which a caller's array is copied: another thread that changes it while Rust reads it then changes nothing.
COPIED_UP_TO = 64 * 2**20


#: Number of pairs of points for which a metric function is computed both ways.
N_COMPARED = 20


@dataclass(frozen=True)
class Observed:
    """Points or pairs, and how they are read; `numbers` is in C order, or the parts of compressed rows."""

    numbers: Any
    input: str
    metric: str = "euclidean"
    minkowski_p: float = 3.0
    conversion: str | None = None
    symmetrise: str = "error"
    missing: str = "error"
    memory_limit: int | str | None = None
    #: Whether these are distances of columns of numbers and categories together.
    mixed: bool = False


def observe(
    X: Any,
    metric: str | Callable[[Any, Any], float] = "euclidean",
    check: Callable[..., Any] = check_array,
    **settings: Any,
) -> Observed:
    """Return what `X` holds under `metric`; large float64 (and, for pairs, float32) in C order is not copied."""
    if np.ma.isMaskedArray(X) and np.ma.is_masked(X):
        raise ValueError("X must have no masked entries: fill them, as X.filled(numpy.nan) does, and set missing")
    settings["memory_limit"] = bytes_of(settings.get("memory_limit"))
    if isinstance(metric, str) and metric in PRECOMPUTED:
        return Observed(own(pairs(X, check), X), PRECOMPUTED[metric], **settings)
    if sparse.issparse(X) and isinstance(metric, str) and ALSO_CALLED.get(metric, metric) in SPARSE_METRICS:
        return Observed(sparse_rows(X, check), "points", ALSO_CALLED.get(metric, metric), **settings)
    refuse_sparse(X, metric)
    refuse_condensed(X)
    points = check(X, dtype=np.float64, order="C", ensure_all_finite=False)
    if callable(metric):
        check_symmetric(points, metric)
        return Observed(pdist(points, metric), "distances", **settings)
    return Observed(own(points, X), "points", ALSO_CALLED.get(str(metric), str(metric)), **settings)


def bytes_of(limit: Any) -> int | str | None:
    """Return a limit on memory; what is wrong with a size such as "4GB", Rust says."""
    if limit is None or isinstance(limit, str):
        return limit
    if not (isinstance(limit, Real) and 0 < float(limit) < float("inf")):
        raise ValueError(f'memory_limit must be a size above 0, in bytes or as "4GB", got {limit!r}')
    return int(float(limit))


def check_symmetric(points: Any, metric: Callable[[Any, Any], float]) -> None:
    """Raise an error if a function of two points is not the same for both orders of some of them."""
    for other in range(1, min(len(points), N_COMPARED + 1)):
        one, two = metric(points[0], points[other]), metric(points[other], points[0])
        if not np.isclose(one, two, rtol=1e-6, equal_nan=True):
            raise ValueError(
                f"metric must be symmetric, but of rows 0 and {other} it is {one} one way, {two} the other: use their mean"
            )


def own(numbers: Any, given: Any) -> Any:
    """Return an array of our own, unless that takes much memory."""
    shared = isinstance(numbers, np.ndarray) and np.may_share_memory(numbers, given)
    return numbers.copy() if shared and numbers.nbytes <= COPIED_UP_TO else numbers


def pairs(X: Any, check: Callable[..., Any]) -> Any:
    """Return a matrix of pairs: square, condensed or compressed rows. What is wrong with its numbers, Rust says."""
    if not sparse.issparse(X) and np.ndim(X) == 1:
        return check_array(X, dtype=[np.float64, np.float32], order="C", ensure_2d=False, ensure_all_finite=False)
    matrix = check(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False)
    return compressed(matrix) if sparse.issparse(matrix) else matrix


def refuse_sparse(X: Any, metric: Any) -> None:
    """Raise an error for sparse points that the metric does not measure."""
    if sparse.issparse(X):
        raise ValueError(
            f"sparse points are measured by {', '.join(SPARSE_METRICS)}, got metric={metric!r}: use one of these, or dense "
            "points, X.toarray(); a sparse matrix of pairs needs metric='precomputed'"
        )


def refuse_condensed(X: Any) -> None:
    """Raise an error for an array that may be SciPy's condensed distances, where points are expected."""
    if isinstance(X, np.ndarray) and X.ndim == 1 and len(X) >= 3:
        n = round((2 * len(X) + 0.25) ** 0.5 + 0.5)
        if n * (n - 1) == 2 * len(X):
            raise ValueError(
                f"X must have a row for each point, got {len(X)} numbers, as many as {n} items have pairs: for SciPy's "
                "condensed distances give metric='precomputed', for points of one column X.reshape(-1, 1)"
            )


def sparse_rows(X: Any, check: Callable[..., Any] = check_array, **settings: Any) -> Any:
    """Return sparse points as compressed rows; entries that are listed twice are added up, as SciPy does."""
    if X.ndim == 2 and X.shape[1] >= 2**32:
        raise ValueError(f"sparse points must have fewer than 2**32 columns, got {X.shape[1]}")
    given = X
    X = check(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, **settings)
    if not X.has_canonical_format:
        X = X.copy() if X is given or np.may_share_memory(X.data, getattr(given, "data", X.data)) else X
        X.sum_duplicates()
    return compressed(X)


def compressed(matrix: Any) -> Any:
    """Return the parts of compressed rows, and the number of columns."""
    rows = (matrix.indptr.astype(np.uintp), matrix.indices.astype(np.uint32), matrix.data.astype(np.float64))
    return (*rows, matrix.shape[1])


def matrix_of(rows: Any) -> Any:
    """Return the sparse matrix of compressed rows."""
    offsets, columns, values, n_columns = rows
    return sparse.csr_matrix((values, columns.astype(np.int64), offsets.astype(np.int64)), (len(offsets) - 1, n_columns))
