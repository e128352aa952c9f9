"""Where new items belong, by a model that was saved."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from similis import _lib
from similis._observed import sparse_rows
from similis._run import run_of

if TYPE_CHECKING:
    from similis._base import Clusterer


class Lazy:
    """Cache of what is computed from a fit on first use; a copy starts empty."""

    def __init__(self) -> None:
        self.model: _lib.Model | None = None
        self.own: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] | None = None
        self.levels: _lib.Levels | None = None


def model_of(estimator: Clusterer, labels: NDArray[np.int64] | None = None) -> _lib.Model:
    """Return the model of a fitted estimator, or of another partition of its items."""
    lazy = estimator._lazy
    if labels is not None or lazy.model is None:
        settings = estimator._score_settings()
        settings["columns"] = column_names(estimator) or None
        own = coded(estimator) if labels is None else labels
        model = _lib.model(estimator._observed, own, settings, estimator._run())
        if labels is not None:
            return model
        lazy.model = model
    return lazy.model


def coded(estimator: Clusterer) -> NDArray[np.int64]:
    """Return the labels of a fitted estimator, numbered without gaps; -1 for noise."""
    labels, codes = estimator.labels_, estimator._codes
    if codes is None:
        return labels
    return np.where(labels < 0, -1, np.searchsorted(codes, labels))


def column_names(estimator: Clusterer) -> list[str]:
    """Return the names of the columns that are clustered on; of mixed columns those of their coordinates."""
    if estimator.metric == "gower":
        return estimator._mixed.coordinate_names()
    return [str(name) for name in getattr(estimator, "feature_names_in_", [])]


class SavedModel:
    """A model that was saved: says where new items belong. `similis.load` makes one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels that the columns of `predict_proba` are of, in this order; the last is -1, noise, if the model knows it.
    labels_ : ndarray of shape (n_samples,)
        The labels of the items that the model was made of.
    n_features_in_ : int
        Number of columns that `X` must have: those of the points, or of distances one for each item of the model.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the points' columns, where they have any.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from similis import AutoClustering, load, make_shapes
    >>> X, _ = make_shapes("two_rings", 200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     AutoClustering(n_clusters=2).fit(X).save(pathlib.Path(folder) / "rings.similis")
    ...     saved = load(pathlib.Path(folder) / "rings.similis")
    >>> saved.classes_.tolist(), saved.n_features_in_
    ([0, 1], 2)
    """

    def __init__(self, model: _lib.Model) -> None:
        self._model = model
        self.labels_ = model.labels
        classes = np.arange(self.labels_.max() + 1)
        self.classes_ = np.append(classes, -1) if model.noise else classes
        self.n_features_in_ = len(self.labels_) if model.n_columns is None else model.n_columns
        if model.columns is not None:
            self.feature_names_in_ = np.array(model.columns, dtype=object)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the most probable class of each new item: a label, -1 for noise.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features_in_)
            New points; or, where the model was made of distances, the distance of each new item to every item of the
            model. A data frame's columns are taken by the names that the model's have.

        Returns
        -------
        labels : ndarray of shape (n_items,)
            The labels, numbered as the model's are.
        """
        return self._found(X)[0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each new item.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features_in_)
            As of `predict`.

        Returns
        -------
        probabilities : ndarray of shape (n_items, len(classes_))
            Rows add up to 1.
        """
        return self._found(X)[1]

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the log density of each new item: low for what is like no cluster.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features_in_)
            As of `predict`.

        Returns
        -------
        log_density : ndarray of shape (n_items,)
            The log density of the link by which an item joins the clusters.
        """
        return self._found(X)[2]

    def __repr__(self) -> str:
        """Return the number of clusters and items."""
        n_clusters = int(self.labels_.max()) + 1
        return f"SavedModel({n_clusters} clusters of {len(self.labels_)} items, {self.n_features_in_} columns)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write; a name such as clusters.similis.
        """
        self._model.save(os.fspath(path))

    def __reduce__(self) -> Any:
        """Pickle the text of the file."""
        return (_of_bytes, (self._model.bytes(),))

    def _found(self, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None and hasattr(X, "columns"):
            missing = [name for name in names if name not in X.columns]
            if missing:
                raise ValueError(f"X must have the columns that the model was made of; {', '.join(missing)} not found")
            X = X[list(names)]
        if sparse.issparse(X) and self._model.n_columns is not None:
            if X.shape[1] != self.n_features_in_:
                raise ValueError(f"X must have {self.n_features_in_} columns, as the model asks, got {X.shape[1]}")
            return self._model.predict_sparse(sparse_rows(X, input_name="X"), run_of())
        rows = check_array(X, dtype=np.float64, order="C", input_name="X")
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns, as the model asks, got {rows.shape[1]}")
        predict = self._model.predict_distances if self._model.n_columns is None else self._model.predict_points
        return predict(rows, run_of())


def _of_bytes(data: bytes) -> SavedModel:
    return SavedModel(_lib.model_of_bytes(data))


def load(path: str | os.PathLike[str]) -> SavedModel:
    """Return a model from a file: one that an estimator's `save` wrote, or the command's `--save-model`.

    It predicts the same bits as the estimator, or the command, does.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model : SavedModel
        Has `predict`, `predict_proba` and `classes_`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from similis import AutoClustering, load, make_shapes
    >>> X, y = make_shapes("two_rings", 200)
    >>> model = AutoClustering(n_clusters=2).fit(X[:150])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "rings.similis")
    ...     loaded = load(pathlib.Path(folder) / "rings.similis")
    >>> bool((loaded.predict(X[150:]) == y[150:]).all())
    True
    >>> bool((loaded.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    return SavedModel(_lib.load_model(os.fspath(path)))
