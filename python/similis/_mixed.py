"""Tables of numbers and categories, for the metric gower."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from similis import _lib

#: Numbers, NaN where one is missing; or categories, None where one is missing.
Column = NDArray[np.float64] | list[str | None]


class Mixed:
    """The columns that were fitted, and how they are measured; a copy measures them again."""

    def __init__(self, X: Any) -> None:
        self.columns = columns_of(X)
        self.names = [str(name) for name in getattr(X, "columns", range(len(self.columns)))]
        self.coordinates = self.measure().coordinates(self.columns)

    def measure(self) -> _lib.Gower:
        """Return the measure of these columns."""
        return _lib.Gower(self.columns)

    def coordinate_names(self) -> list[str]:
        """Return the names of the coordinates: age, city=Rome, .."""
        return self.measure().names(self.names)

    def of_new(self, X: Any) -> NDArray[np.float64]:
        """Return the coordinates of new rows; the kind of each column is that of the fit."""
        rows = columns_of(X)
        if len(rows) != len(self.columns):
            raise ValueError(f"X must have the {len(self.columns)} columns of the fit, got {len(rows)}")
        same = [as_kind(column, own) for column, own in zip(rows, self.columns, strict=True)]
        return self.measure().coordinates(same)


def columns_of(X: Any) -> list[Column]:
    """Return the columns of a data frame or of a table of anything."""
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        return [column_of(X[name]) for name in X.columns]
    table = np.asarray(X, dtype=None if isinstance(X, np.ndarray) else object)
    if table.ndim != 2:
        raise ValueError(f"X must be a table, with two dimensions, got {table.ndim}")
    return [column_of(table[:, at]) for at in range(table.shape[1])]


def column_of(values: Any) -> Column:
    """Return a column as numbers if all of it are, otherwise as categories; text and truth values are categories."""
    array = np.asarray(values)
    if array.dtype.kind in "iuf":
        return np.ascontiguousarray(array, dtype=np.float64)
    listed = [None if is_missing(value) else value for value in array.tolist()]
    if all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in listed):
        return np.array([np.nan if value is None else float(value) for value in listed])
    return [None if value is None else str(value) for value in listed]


def as_kind(column: Column, fitted: Column) -> Column:
    """Return new values as the kind of column that was fitted: new numbers of a column of categories are categories."""
    if isinstance(fitted, list) and not isinstance(column, list):
        return [None if np.isnan(value) else number_name(value) for value in column]
    return column


def number_name(value: float) -> str:
    """Return a number as text, whole numbers without a point."""
    return str(int(value)) if value == int(value) else str(value)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or pandas' NA."""
    if value is None:
        return True
    same = value == value
    return same is not True and not bool(same) if isinstance(same, (bool, np.bool_)) else True
