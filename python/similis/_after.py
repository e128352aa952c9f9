"""What a fitted estimator gives without another search: levels, outliers; and how it goes on with new items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similis import _base, _lib
from similis._observed import matrix_of
from similis._predict import model_of
from similis._within import part_of, rows_within

if TYPE_CHECKING:
    from typing_extensions import Self

#: Number of clusters of the finest level that is found at first: all levels up to it cost about half a fit.
FINEST = 50


class After:
    """Levels, outliers, and going on."""

    if TYPE_CHECKING:
        labels_: NDArray[np.int64]
        n_clusters_: int
        _lazy: Any
        _observed: Any
        _side: Any
        _codes: NDArray[np.int64] | None
        _score: float | None
        _medoids: NDArray[np.int64] | None
        metric: Any

    def labels_at(self, n_clusters: int) -> NDArray[np.int64]:
        """Return the partition into another number of clusters, nested with `labels_`; nothing is searched again.

        Fewer clusters are mergers of those of `labels_`, those first that cost the score the least; more are splits of them.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, 1 or more.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The labels, 0, 1, .. in the order of first appearance; -1 for noise.

        Examples
        --------
        >>> from similis import AutoClustering, make_shapes
        >>> X, _ = make_shapes("five_blobs", 200)
        >>> model = AutoClustering().fit(X)
        >>> [len(set(model.labels_at(n))) for n in (2, 5, 9)]
        [2, 5, 9]
        """
        levels = self._levels(int(n_clusters))
        labels = levels.labels(int(n_clusters))
        labels[self.labels_ < 0] = -1
        return labels

    @property
    def hierarchy_(self) -> NDArray[np.float64]:
        """The tree of the clusters as SciPy's linkage matrix over the clusters of the finest level: 50, or fewer.

        The height of a merger is what mergers have cost so far, in nats of the score; those that gain are free.
        """
        return self._levels(1).linkage()

    @property
    def level_scores_(self) -> NDArray[np.float64]:
        """The score of each level, from one cluster on: the greatest is the number that the data ask for most."""
        return self._levels(1).scores()

    def predict_at(self, X: Any, n_clusters: int) -> NDArray[np.int64]:
        """Return the cluster of each new item in the partition into another number of clusters.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            As of `predict`.
        n_clusters : int
            As of `labels_at`.

        Returns
        -------
        labels : ndarray of shape (n_items,)
            The labels, numbered as those of `labels_at(n_clusters)`; -1 for noise.
        """
        level = self.labels_at(n_clusters)
        if n_clusters > self.n_clusters_:
            model = model_of(self, level)  # type: ignore[arg-type]
            return self._predicted_by(model, X)[0]  # type: ignore[attr-defined, no-any-return]
        # Every cluster lies in one of the level's; noise, the last, stays noise.
        inside = self.labels_ >= 0
        of_cluster = np.full(self.n_clusters_ + 1, -1, dtype=np.int64)
        of_cluster[self.labels_[inside]] = level[inside]
        found: NDArray[np.int64] = of_cluster[self.predict(X)]  # type: ignore[attr-defined]
        return found

    def outlier_scores(self, X: Any) -> NDArray[np.float64]:
        """Return how far out of the ordinary new items are, from 0 to 1.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            As of `predict`.

        Returns
        -------
        scores : ndarray of shape (n_items,)
            0: the item's place is at least as probable as that of a typical item of the fit; 0.99: a hundred times
            less probable.
        """
        log_density = self.score_samples(X)  # type: ignore[attr-defined]
        own = log_density if X is None else self.score_samples(None)  # type: ignore[attr-defined]
        return _lib.outlier_scores(log_density, own)

    @property
    def outlier_scores_(self) -> NDArray[np.float64]:
        """`outlier_scores` of the items that were fitted, each left out of the model; computed when it is asked for."""
        check_is_fitted(self)
        try:
            return self.outlier_scores(None)
        except ValueError as error:
            raise AttributeError(str(error)) from error

    def update(self, X: Any) -> Self:
        """Add new points: the old ones keep their labels, the new ones join their clusters or found new ones.

        Where `n_clusters` is a number, it stays; where it is auto, new clusters are numbered after the old ones. Old
        noise stays noise.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            The new points.

        Returns
        -------
        self : object
            The estimator, fitted to the old points and after them the new ones.

        Examples
        --------
        >>> from similis import AutoClustering, make_shapes
        >>> X, _ = make_shapes("five_blobs", 200)
        >>> model = AutoClustering().fit(X)
        >>> before = model.labels_
        >>> new = X[:40] + [100.0, 0.0]
        >>> bool(model.update(new).n_clusters_ > before.max() + 1)
        True
        >>> bool((model.labels_[:200] == before).all())
        True
        """
        check_is_fitted(self)
        mixed = not isinstance(self.metric, str) or self.metric == "gower"
        if self._observed.input != "points" or mixed:
            raise ValueError("update takes points of numbers: fit all items again, with known_labels for the old ones")
        before = self._observed.numbers
        before = matrix_of(before) if isinstance(before, tuple) else before
        rows = X if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        old = self.labels_
        if rows.ndim != 2 or rows.shape[1] != before.shape[1]:
            expected = f"(n_items, {before.shape[1]})"
            raise ValueError(f"X must have the columns of the fit, shape {expected}, got {rows.shape}")
        some_sparse = sparse.issparse(before) or sparse.issparse(rows)
        together = sparse.vstack([before, rows]).tocsr() if some_sparse else np.concatenate([before, rows])
        known = np.concatenate([old, np.full(rows.shape[0], -1)])
        weights = self._side[3]
        if weights is not None:
            weights = np.concatenate([weights, np.ones(rows.shape[0])])
        found = clone(self).fit(together, known_labels=known, sample_weight=weights)
        labels = _lib.continued(known, found.labels_)
        names = np.zeros(found.n_clusters_, dtype=np.int64)
        inside = found.labels_ >= 0
        names[found.labels_[inside]] = labels[inside]
        self.__dict__.pop("part_", None)
        self.__dict__.update(found.__dict__)
        self._renumber(names, np.flatnonzero(old < 0))
        return self

    def _fit_within(self, X: Any, within: Any, sample_weight: Any, told: tuple[Any, ...]) -> Self:
        """Cluster some of the items again; the others keep their labels."""
        check_is_fitted(self)
        if any(given is not None for given in told):
            raise ValueError("within takes no known labels or pairs, which may name items outside: fit the part alone")
        n = len(self.labels_)
        n_given = X.shape[0] if hasattr(X, "shape") else len(X)
        n_pairs = n * (n - 1) // 2 if np.ndim(X) == 1 else n
        if n_given != n_pairs:
            raise ValueError(f"X must be what was fitted, {n_pairs} rows, got {n_given}")
        kept = rows_within(within, n)
        weights = None if sample_weight is None else np.asarray(sample_weight)[kept]
        part = clone(self).fit(part_of(X, kept, self.metric), sample_weight=weights)
        stay, found = self.labels_.copy(), np.full(n, -1, dtype=np.int64)
        stay[kept], found[kept] = -1, part.labels_
        self.labels_ = _lib.continued(stay, found)
        codes = np.unique(self.labels_[self.labels_ >= 0])
        self.n_clusters_ = len(codes)
        self._codes = codes if len(codes) > 0 and codes[-1] + 1 > len(codes) else None
        for name in (*_base.OF_ONE_MODEL, *_base.OF_ALL, "_answer"):
            self.__dict__.pop(name, None)
        self.part_, self._lazy = part, type(self._lazy)()
        self._score = self._medoids = self._linkage = None
        for name in ("termination_", "notes_", "number_is_provisional_", "n_iter_"):
            setattr(self, name, getattr(part, name))
        return self

    def _renumber(self, names: NDArray[np.int64], noise: NDArray[np.int64]) -> None:
        """Give clusters other numbers, and make some items noise."""
        inside = self.labels_ >= 0
        labels = np.where(inside, names[self.labels_], -1)
        labels[noise] = -1
        self.labels_ = labels
        order = np.argsort(names)
        for name in ("scales_", "spreads_"):
            if hasattr(self, name):
                setattr(self, name, getattr(self, name)[order])
        self._lazy = type(self._lazy)()
        self._score = self._medoids = None

    def _levels(self, n_clusters: int) -> _lib.Levels:
        """Return the levels, fine enough for this number of clusters; found once."""
        check_is_fitted(self)
        levels: _lib.Levels | None = self._lazy.levels
        if levels is None or (levels.n_finest < n_clusters <= len(self.labels_)):
            finest = min(max(FINEST, n_clusters), len(self.labels_))
            settings, fit = self._score_settings(), self._fit_of_rust()  # type: ignore[attr-defined]
            levels = _lib.levels(self._observed, fit, (settings, finest), self._run())  # type: ignore[attr-defined]
            self._lazy.levels = levels
        return levels
