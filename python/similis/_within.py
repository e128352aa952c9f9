"""Some of the items of a fit, to be clustered again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.utils import _safe_indexing

from similis._observed import PRECOMPUTED


def rows_within(within: Any, n_items: int) -> NDArray[np.int64]:
    """Return the rows that a mask, or their numbers, name."""
    given = np.asarray(within)
    if given.dtype == bool and given.shape == (n_items,):
        kept = np.flatnonzero(given)
    elif given.ndim == 1 and np.issubdtype(given.dtype, np.integer) and ((given >= 0) & (given < n_items)).all():
        kept = np.unique(given)
    else:
        got = f"{given.dtype} of shape {given.shape}"
        raise ValueError(f"within must be a mask of the {n_items} items of the fit, or the numbers of some, got {got}")
    if len(kept) == 0:
        raise ValueError("within must name at least one item: the mask is False everywhere")
    return kept


def part_of(X: Any, kept: NDArray[np.int64], metric: Any) -> Any:
    """Return what `X` holds of some items: rows of points, rows and columns of pairs."""
    if not (isinstance(metric, str) and metric in PRECOMPUTED):
        return _safe_indexing(X, kept)
    if sparse.issparse(X):
        return X.tocsr()[kept][:, kept]
    pairs = np.asarray(X)
    square = squareform(pairs, checks=False) if pairs.ndim == 1 else pairs
    return square[np.ix_(kept, kept)]
