"""What the three estimators share: checks of the input, one call of Rust, attributes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist, squareform
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from similis import _lib
from similis._address import documentation
from similis._after import After
from similis._mixed import Mixed
from similis._observed import PRECOMPUTED, SPARSE_METRICS, Observed, observe, refuse_sparse, sparse_rows
from similis._picture import Picture, picture
from similis._predict import Lazy, coded, model_of
from similis._report import item_names, words_of
from similis._run import Run, run_of, seed_of

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

#: Settings of the input and of the run; all others are the model's.
INPUT = ("minkowski_p", "conversion", "symmetrise", "missing", "memory_limit")
RUN = ("n_jobs", "verbose", "callback", "time_limit")

#: What is said of a fit of all items, and of no other.
OF_ALL = ("background_scale_", "n_components_", "log_joint_", "trace_")

#: Attributes that only one of the models has.
OF_ONE_MODEL = (
    "scales_",
    "spreads_",
    "graph_",
    "candidates_",
    "numbers_",
    "modes_",
    "embedding_",
    "eigenvalues_",
    "gamma_",
    "memberships_",
    "posterior_",
)


class Clusterer(After, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A model of the library as a scikit-learn estimator."""

    # The box of an estimator in a notebook links to its page, where the package says where its documentation is.
    _doc_link_module = "similis"

    _model: ClassVar[str]
    _score: float | None
    _linkage: NDArray[np.float64] | None
    _medoids: NDArray[np.int64] | None
    _co_assignment: Any
    _lazy: Lazy
    #: The labels that there are, rising, where some numbers are not used.
    _codes: NDArray[np.int64] | None = None

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        known_labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        within: Any = None,
    ) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix
            Points (n_samples, n_features), or for a precomputed `metric` the pairs: (n_samples, n_samples), condensed as
            SciPy's `pdist` returns them, or a sparse matrix that lists the pairs that were observed. For the metrics cosine,
            euclidean and squared_euclidean a sparse matrix holds points, such as word counts: it is not made dense.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each point, 0 or more: a weight of w is w equal points. A point of weight 0 is left out, and gets
            the label of its nearest neighbour.
        known_labels : array-like of int or str, optional
            The label of each point; -1, None, NaN, "" or "NA" where it is not known. Points with the same label share a
            cluster, points with different ones do not.
        must_link : array-like of shape (n_pairs, 2) or (n_pairs, 3), optional
            Pairs of rows of points that share a cluster; chains of pairs do too. A third number, from 0 to 1, is the
            probability that they do: the score counts the pair by its log odds, and nothing must obey it unless it is 1.
        cannot_link : array-like of shape (n_pairs, 2) or (n_pairs, 3), optional
            Pairs of rows of points that do not share a cluster. A third number is the probability that they do not.
        within : array-like of bool of shape (n_samples,), or of int, optional
            Items of `X`, which this estimator was fitted to before, that are clustered again as if they were alone. All
            others keep their labels; new clusters get numbers that none of these has. `part_` is the fit of the part.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if within is not None:
            return self._fit_within(X, within, sample_weight, (known_labels, must_link, cannot_link))
        with columns_named(X, self.metric):
            observed = self._observe(X)
        self._item_names = item_names(X)
        seed = seed_of(self.random_state)
        known = None if known_labels is None else codes(known_labels, "known_labels")
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64).ravel()
        together, apart, soft = told(must_link, cannot_link)
        side = (known, together, apart, weights, soft)
        with columns_named(X, self.metric):
            self._column_notes = self._suspects(observed)
            found = _lib.fit(observed, self._settings(seed), side, self._run())
        self._take(found)
        self._lazy, self._codes = Lazy(), None
        self.__dict__.pop("part_", None)
        self._observed, self._side, self.random_state_ = observed, side, seed
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the most probable cluster of each new item: its label, -1 for noise.

        A new item joins a cluster by one link to a point of it: see `predict_proba`. The clusters stay as they are.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            New points; for the metric precomputed the distance of each new item to every item that was fitted:
            (n_items, n_samples). None: leave-one-out predictions of the items that were fitted, as in scikit-learn's
            nearest neighbours.

        Returns
        -------
        labels : ndarray of shape (n_items,)
            The labels, numbered as `labels_` are.
        """
        return self._predicted(X)[0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each cluster for each new item.

        It is conditional on the clusters that were found, whichever model found them, and on the scales that their points
        have; it says nothing of how sure the clusters themselves are.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            As of `predict`.

        Returns
        -------
        probabilities : ndarray of shape (n_items, n_clusters_)
            Rows add up to 1; columns are numbered as `labels_` are. Where items may be noise there is one column more, the
            last.

        Examples
        --------
        >>> from similis import AutoClustering, make_shapes
        >>> X, y = make_shapes("half_moons", 200)
        >>> model = AutoClustering(n_clusters=2).fit(X[:150])
        >>> bool((model.predict(X[150:]) == y[150:]).all())
        True
        >>> model.predict_proba(X[150:]).shape
        (50, 2)
        """
        return self._predicted(X)[1]

    @property
    def _doc_link_template(self) -> str:
        return f"{documentation()}reference/python/#similis.{{estimator_name}}"

    def _get_doc_link(self) -> str:
        return str(super()._get_doc_link()) if documentation() else ""

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the log density of each new item: low for what is like no cluster.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            As of `predict`.

        Returns
        -------
        log_density : ndarray of shape (n_items,)
            The log density of the link by which an item joins the clusters; `predict` has an answer for any item, and this
            says how much it is like those of the fit (`score_samples(None)`, each left out).
        """
        return self._predicted(X)[2]

    @property
    def probabilities_(self) -> NDArray[np.float64]:
        """Leave-one-out probability of each point's own cluster; computed when it is asked for."""
        check_is_fitted(self)
        rows = learned(lambda: self._predicted(None)[1])
        return rows[np.arange(len(rows)), coded(self)]

    def plot(self, kind: str = "scatter", *, title: str | None = None) -> Picture:
        """Return one of the command's pictures, which a notebook shows; it needs no matplotlib.

        Parameters
        ----------
        kind : str, default="scatter"
            scatter, matrix, dendrogram, levels, outliers, scales, lengths, numbers, candidates, modes, peaks, edges,
            eigenvalues; where the posterior was sampled also trace, co_assignment, uncertainty.
        title : str, optional
            The heading; without it, what the picture shows.

        Returns
        -------
        picture : Picture
            Its `svg`, and `save(path)` for .svg, .png and .pdf.

        Examples
        --------
        >>> from similis import AutoClustering, make_shapes
        >>> X, y = make_shapes("two_rings", 100)
        >>> AutoClustering(n_clusters=2).fit(X).plot("matrix").svg[:4]
        '<svg'
        """
        check_is_fitted(self)
        return picture(self, kind, title)

    def summary(self) -> str:
        """Return what was found in words: the clusters, the number and the next best ones, warnings.

        Returns
        -------
        text : str
            What the command prints.
        """
        check_is_fitted(self)
        return _lib.summary_text(self._answered(), self._run())

    def profiles(self) -> list[dict[str, Any]]:
        """Return what the points of each cluster are like, column by column; of points only.

        Returns
        -------
        rows : list of dict
            For each cluster and column: cluster, size, column, mean (of zeros and ones the share), standard_deviation,
            overall_mean of all points but noise, and difference: how far the cluster's mean is above that, in standard
            deviations of all points. `pandas.DataFrame(rows)` makes a table of them.

        Examples
        --------
        >>> from similis import AutoClustering
        >>> rows = AutoClustering(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.0]]).profiles()
        >>> [(row["cluster"], row["mean"]) for row in rows]
        [(0, 0.5), (1, 9.5)]
        """
        check_is_fitted(self)
        return _lib.profiles(self._answered(), self._run())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what predictions need to a file that `similis.load` and the command `similis predict` read.

        Parameters
        ----------
        path : str or path
            Where to write; a name such as clusters.similis. The file appears whole or not at all.
        """
        check_is_fitted(self)
        if self.metric == "gower":
            raise ValueError("save keeps columns of numbers; keep an estimator of mixed columns with pickle or joblib")
        model_of(self).save(os.fspath(path))

    def score_partition(self, labels: Any) -> float:
        """Return the score of any partition of the points that were fitted.

        Higher is better, among partitions into the same number of clusters; `numbers_` compares numbers. The search's answer
        has the score `score_`, its candidates theirs.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            A label for each point.

        Returns
        -------
        score : float
            The score: see `similis.score` for its parts.
        """
        check_is_fitted(self)
        return _lib.score_partition(self._observed, partition(labels), self._score_settings(), self._run())

    @property
    def score_(self) -> float:
        """The score of `labels_`, to be compared with partitions into the same number of clusters only.

        `numbers_` compares numbers. Computed when it is asked for, where the fit did not need it.
        """
        check_is_fitted(self)
        if (self.labels_ < 0).any():
            raise AttributeError("the score is of partitions of all points, and some are noise")
        if self._score is None:
            self._score = learned(lambda: self.score_partition(self.labels_))
        return self._score

    @property
    def medoids_(self) -> NDArray[np.int64]:
        """The most typical point of each cluster: its row; computed when it is asked for."""
        check_is_fitted(self)
        if self._medoids is None:
            self._medoids = _lib.medoids(self._observed, self.labels_, self._run())
        return self._medoids

    @property
    def co_assignment_(self) -> Any:
        """How probable it is that two points share a cluster; there where the posterior was sampled.

        A matrix up to 5,000 points, above a sparse one of the pairs that may be links.
        """
        check_is_fitted(self)
        if not hasattr(self, "posterior_"):
            raise AttributeError("co_assignment_ is there where the posterior was sampled: inference='sample'")
        if isinstance(self._co_assignment, tuple):
            links, together = self._co_assignment
            return graph(links, together, len(self.labels_))
        matrix = squareform(self._co_assignment)
        np.fill_diagonal(matrix, 1.0)
        return matrix

    @property
    def edge_probabilities_(self) -> Any:
        """How probable each link is given labels and scales: a symmetric sparse matrix; computed when it is asked for.

        Those of a cluster of n points add up to n - 1; links less probable than 1e-6 are left out. Of trees of the latent
        graph model only.
        """
        check_is_fitted(self)
        found = learned(lambda: _lib.edge_probabilities(self._observed, self._fit_of_rust(), 1e-6, self._run()))
        return graph(*found, len(self.labels_))

    @property
    def linkage_matrix_(self) -> NDArray[np.float64]:
        """The single-linkage dendrogram of what was fitted, as `scipy.cluster.hierarchy.dendrogram` takes it."""
        check_is_fitted(self)
        if self._linkage is None:
            self._linkage = learned(lambda: _lib.linkage_matrix(self._observed, self._run()))
        return self._linkage

    @property
    def children_(self) -> NDArray[np.int64]:
        """The two groups that each merge of `linkage_matrix_` joins, as `AgglomerativeClustering` has them."""
        return self.linkage_matrix_[:, :2].astype(np.int64)

    def _answered(self) -> Any:
        """Return all that the answer's words and pictures need."""
        return (self._observed, self._fit_of_rust(), words_of(self))

    def _repr_html_inner(self) -> str:
        """Show the answer, then the estimator."""
        settings = str(estimator_html_repr(self))
        if not hasattr(self, "labels_") or hasattr(self, "part_"):
            return settings
        return str(_lib.card(self._answered(), self._run())) + settings

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Show the same where a notebook asks for every form at once."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _suspects(self, observed: Observed) -> list[str]:
        """Return what looks like a mistake to cluster on: a column that counts the rows, columns of unlike spreads."""
        if observed.input != "points" or self.metric == "gower":
            return []
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        return _lib.column_notes(observed, names)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what only Rust can read, and what can be made again."""
        return {name: value for name, value in super().__getstate__().items() if name not in ("_answer", "_lazy")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make room again for what is made when it is asked for."""
        super().__setstate__(state)
        self._lazy = Lazy()

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.metric, str) and self.metric in PRECOMPUTED
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = precomputed or (isinstance(self.metric, str) and self.metric in SPARSE_METRICS)
        mixed = isinstance(self.metric, str) and self.metric == "gower"
        tags.input_tags.allow_nan = mixed or (precomputed and self._input()["missing"] == "unobserved")
        tags.input_tags.categorical = tags.input_tags.string = mixed
        return tags

    def _observe(self, X: Any) -> Observed:
        # One point is one cluster; scikit-learn has words for it where more are asked for.
        least = 1 if str(self.n_clusters) in ("auto", "1") else 2
        settings = self._input()
        if self.metric == "gower":
            return self._observe_mixed(X, settings)
        check = partial(validate_data, self, ensure_min_samples=least)
        if callable(self.metric):
            # What is observed is their distances; those of new points need the points.
            refuse_sparse(X, self.metric)
            X = self._points = check(X, dtype=np.float64, order="C", ensure_all_finite=False)
            check = check_array
        observed = observe(X, self.metric, check, **settings)
        if not callable(self.metric) and observed.input != "points" and getattr(observed.numbers, "ndim", 2) == 1:
            # Condensed pairs have no features to count; a square matrix would have as many as points.
            self.n_features_in_ = round((1 + (1 + 8 * len(observed.numbers)) ** 0.5) / 2)
        return observed

    def _observe_mixed(self, X: Any, settings: dict[str, Any]) -> Observed:
        """Return coordinates whose Manhattan distance is Gower's; where fields are missing, the distances of all pairs."""
        validate_data(self, X, skip_check_array=True)
        self._mixed = Mixed(X)
        rows = self._mixed.coordinates
        if not np.isnan(rows).any():
            return observe(rows, "manhattan", **settings, mixed=True)
        block = self._mixed.measure().between(rows, rows, self._run())
        return observe(
            squareform(block, checks=False), "precomputed", **{**settings, "missing": "unobserved", "mixed": True}
        )

    def _input(self) -> dict[str, Any]:
        """Return how what is observed is read."""
        return {name: getattr(self, name) for name in INPUT}

    def _settings(self, seed: int) -> dict[str, Any]:
        """Return the model to fit, and the settings of each model under its name."""
        return {"model": self._model, self._model: {**settings_of(self), "seed": seed}}

    def _score_settings(self) -> dict[str, Any]:
        """Return what the score of a partition depends on: the settings of the latent graph model, where it was fitted."""
        settings = self._settings(self.random_state_)
        return {name: value for name, value in settings.items() if name == "latent_graph"}

    def _predicted(self, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return labels, probabilities and log densities of new items, or of those that were fitted."""
        check_is_fitted(self)
        if X is None and self._lazy.own is not None:
            return self._lazy.own
        labels, probabilities, log_density = self._predicted_by(model_of(self), X)
        if self._codes is not None:
            labels = np.append(self._codes, -1)[labels]
        if X is None:
            self._lazy.own = (labels, probabilities, log_density)
        return labels, probabilities, log_density

    def _predicted_by(self, model: _lib.Model, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return what a model of the items that were fitted says of new ones, or of these."""
        if X is None:
            return model.memberships(self._observed, self._run())
        if self.metric == "gower":
            new = self._mixed.of_new(X)
            if self._observed.input == "points":
                return model.predict_points(new, self._run())
            block = self._mixed.measure().between(new, self._mixed.coordinates, self._run())
            return model.predict_distances(block, self._run())
        if sparse.issparse(X) and self._observed.input == "points":
            return model.predict_sparse(sparse_rows(X, partial(validate_data, self, reset=False)), self._run())
        rows = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        if callable(self.metric):
            return model.predict_distances(cdist(rows, self._points, self.metric), self._run())
        if self._observed.input == "points":
            return model.predict_points(rows, self._run())
        if self._observed.input == "similarities":
            raise ValueError(
                "predict takes distances, but this was fitted to similarities; fit their distances with metric='precomputed'"
            )
        return model.predict_distances(rows, self._run())

    def _run(self) -> Run:
        return run_of(self.n_jobs, self.verbose, self.callback, self.time_limit)

    def _fit_of_rust(self) -> _lib.Fit:
        """Return what Rust found; an estimator that was pickled finds it again, by the same seed."""
        if hasattr(self, "part_"):
            raise ValueError("a part was clustered again, so there is no fit of all items: see part_, or fit without within")
        answer: _lib.Fit | None = getattr(self, "_answer", None)
        if answer is None:
            settings = self._settings(self.random_state_)
            answer = _lib.fit(self._observed, settings, self._side, self._run())["answer"]
        return answer

    def _take(self, found: dict[str, Any]) -> None:
        """Set the attributes."""
        for name in OF_ONE_MODEL:
            self.__dict__.pop(name, None)
        self._score, self._linkage, self._medoids = found.pop("score", None), None, None
        self._seconds, self._answer = found.pop("seconds"), found.pop("answer")
        if "posterior" in found:
            self._co_assignment = found["posterior"].pop("co_assignment")
        if "links" in found:
            found["graph"] = graph(found.pop("links"), found.pop("lengths"), len(found["labels"]))
        for name, value in found.items():
            setattr(self, name + "_", value)
        self._warn(found["number_is_provisional"])

    def _warn(self, provisional: bool) -> None:
        """Warn of what the command notes: an early end, settings without effect, and what makes the answer doubtful."""
        for words in self._column_notes:
            warnings.warn(words, UserWarning, stacklevel=4)
        if provisional:
            words = "the number of clusters was not searched, because the work was cut short"
            advice = f"{self.n_clusters_} is a quick choice; allow more time, or give n_clusters"
            warnings.warn(f"{words}: {advice}", ConvergenceWarning, stacklevel=4)
        elif self.termination_ not in ("converged", "stopped early, best answer so far"):
            warnings.warn(f"the fit {self.termination_}", ConvergenceWarning, stacklevel=4)
        for words in self.__dict__.pop("idle_"):
            name, rest = words.split(" ", 1)
            warnings.warn(f"{PYTHON_NAMES.get(name, name)} {rest}", UserWarning, stacklevel=4)
        for words in self.notes_:
            if words.startswith("warning: ") and not provisional:
                warnings.warn(words.removeprefix("warning: "), UserWarning, stacklevel=4)


#: Settings that have another name in Rust: `score` is a method of scikit-learn's estimators.
RENAMED = {"tree_score": "score"}
PYTHON_NAMES = {rust: python for python, rust in RENAMED.items()}


def settings_of(estimator: Clusterer) -> dict[str, Any]:
    """Return the settings of an estimator's own model, under the names of Rust."""
    aside = {"metric", "random_state", *INPUT, *RUN}
    settings = {name: value for name, value in estimator.get_params(deep=False).items() if name not in aside}
    settings["n_clusters"] = number(estimator.n_clusters)
    return {RENAMED.get(name, name): value for name, value in settings.items()}


def number(n_clusters: Any) -> Any:
    """Return a number of clusters as the library reads it: a pair is a range."""
    if isinstance(n_clusters, range):
        n_clusters = (n_clusters.start, n_clusters.stop - 1) if n_clusters.step == 1 else n_clusters
    if isinstance(n_clusters, (tuple, list)) and len(n_clusters) == 2:
        return f"{n_clusters[0]}-{n_clusters[1]}"
    return n_clusters


def learned(value: Callable[[], T]) -> T:
    """Return `value()`; what cannot be computed for this input is an attribute that is not there."""
    try:
        return value()
    except ValueError as error:
        raise AttributeError(str(error)) from error


def graph(links: NDArray[np.int64], lengths: NDArray[np.float64], n_points: int) -> Any:
    """Return links as a symmetric sparse matrix of their lengths."""
    ends = np.concatenate([links, links[:, ::-1]])
    return sparse.csr_array((np.tile(lengths, 2), (ends[:, 0], ends[:, 1])), shape=(n_points, n_points))


@contextmanager
def columns_named(X: Any, metric: Any) -> Iterator[None]:
    """Say which columns of a data frame are to blame where its values are not taken."""
    try:
        yield
    except (ValueError, TypeError) as error:
        words = None if metric == "gower" else faults(X)
        if words is None:
            raise
        raise ValueError(words) from error


def faults(X: Any) -> str | None:
    """Return which columns of a data frame hold text or missing values; None where it has none, or is no data frame."""
    if not (hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "__getitem__")):
        return None
    text, missing = [], []
    for name in X.columns:
        try:
            values = np.asarray(X[name], dtype=np.float64)
        except (ValueError, TypeError):
            text.append(str(name))
            continue
        if np.isnan(values).any():
            missing.append(f"{name} ({int(np.isnan(values).sum())} missing)")
    if text:
        return (
            f"X must hold numbers, but these columns do not: {', '.join(text)}; metric='gower' takes numbers and "
            "categories, X.select_dtypes('number') the numbers alone"
        )
    if missing:
        return (
            f"X must hold no missing values, but these columns do: {', '.join(missing)}; metric='gower' leaves missing "
            "fields out, X.dropna() drops their rows, sklearn.impute.SimpleImputer fills them in"
        )
    return None


def is_unknown(label: Any) -> bool:
    """Return whether a label says that it is not known."""
    return label is None or label != label or str(label).strip().lower() in ("", "na", "nan", "-1", "<na>")


def codes(labels: Any, name: str) -> NDArray[np.int64]:
    """Return whole numbers; text is numbered in the order in which it comes up."""
    listed = list(labels)
    if any(isinstance(label, str) or label is None for label in listed):
        numbers: dict[str, int] = {}
        codes = [-1 if is_unknown(label) else numbers.setdefault(str(label), len(numbers)) for label in listed]
        return np.array(codes, dtype=np.int64)
    given = check_array(labels, dtype=None, ensure_2d=False, ensure_min_samples=0, input_name=name)
    whole = given.astype(np.int64, order="C")
    if given.ndim != 1 or not np.array_equal(whole, given):
        raise ValueError(f"{name} must be a whole number for each point, -1 where it is not known")
    return np.asarray(whole)


def pairs(given: Any, name: str) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
    """Return pairs of whole numbers, a row for each, and the probability of each, where there is a third column."""
    rows = np.asarray([] if given is None else given)
    if rows.size == 0:
        return None, None
    whole = rows[:, :2].astype(np.int64) if rows.ndim == 2 and np.issubdtype(rows.dtype, np.number) else rows
    fits = rows.ndim == 2 and rows.shape[1] in (2, 3) and np.array_equal(whole, rows[:, :2])
    if not fits or (rows.shape[1] == 2 and not np.issubdtype(rows.dtype, np.integer)):
        got = f"{rows.dtype} of shape {rows.shape}"
        raise ValueError(
            f"{name} must be pairs of rows, whole numbers of shape (n_pairs, 2), or with probabilities (n_pairs, 3), "
            f"got {got}"
        )
    probabilities = np.ascontiguousarray(rows[:, 2], dtype=np.float64) if rows.shape[1] == 3 else None
    if probabilities is not None and not ((probabilities >= 0) & (probabilities <= 1)).all():
        wrong = probabilities[~((probabilities >= 0) & (probabilities <= 1))][0]
        raise ValueError(f"{name} must have probabilities from 0 to 1 in its third column, got {wrong}")
    return np.ascontiguousarray(whole), probabilities


def told(must_link: Any, cannot_link: Any) -> tuple[Any, Any, Any]:
    """Return the pairs that are certain, and those that are probable: rows, probabilities, how many are must-links."""
    given = [pairs(must_link, "must_link"), pairs(cannot_link, "cannot_link")]
    certain = [rows if probabilities is None else None for rows, probabilities in given]
    soft = [(rows, probabilities) for rows, probabilities in given if rows is not None and probabilities is not None]
    if not soft:
        return certain[0], certain[1], None
    n_must = 0 if given[0][1] is None else len(given[0][1])
    both = (np.concatenate([rows for rows, _ in soft]), np.concatenate([probabilities for _, probabilities in soft]))
    return certain[0], certain[1], (*both, n_must)


def partition(labels: Any) -> NDArray[np.int64]:
    """Return a whole number for each label, whatever the labels are."""
    given = np.asarray(labels)
    if given.ndim != 1:
        raise ValueError(f"labels must be one for each point, got an array of {given.ndim} dimensions")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)
