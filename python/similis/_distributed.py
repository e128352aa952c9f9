"""Points that one machine does not hold: what the estimators have on every engine.

An engine runs functions on workers (`Engine`). Everything between the points and their labels lies in a work folder that all
workers and the driver can read and write.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import time
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

import similis
from similis import _lib
from similis._base import settings_of
from similis._jobs import predicted, probable, rows_of
from similis._predict import Lazy
from similis._run import run_of, seed_of

if TYPE_CHECKING:
    from typing_extensions import Self

#: How often a job may die with its worker before the fit fails.
RETRIES = 5

#: Endings of shards that are read as they are; others are turned into arrays by the workers.
READ_AS_THEY_ARE = (".csv", ".tsv", ".txt", ".npy", ".npz", ".gz")

#: Settings of the run, which the local estimators do not have.
OWN = ("client", "work_folder", "n_cells")


class Temporary(str):
    """The path of a folder that goes when nothing refers to this any more."""


class Engine(Protocol):
    """What runs jobs on workers."""

    def n_hosts(self) -> int:
        """Return the number of machines that workers are on."""

    def parts(self, X: Any) -> list[Any]:
        """Return the chunks of rows of an input."""

    def keep(self, parts: list[Any], files: list[str]) -> None:
        """Write each part into its file, by `similis._jobs.keep`."""

    def run(self, work: str, names: list[str]) -> None:
        """Run jobs of a work folder, by `similis._jobs.run`; cancel all where one fails."""


class Distributed(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator whose points lie in chunks or files."""

    _local: ClassVar[type[Any]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like, what the engine has for arrays in chunks, or path
            Points, (n_samples, n_features); or a folder of .csv, .npy or .parquet files, each with the same columns, that
            all workers can read.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        started = time.perf_counter()
        plain = self._plain()
        seed = seed_of(self.random_state)
        engine = self._engine()
        folder = self._folder(engine)
        self.random_state_, self.work_folder_ = seed, folder
        work = os.path.join(folder, "work")
        if not os.path.exists(os.path.join(work, "plan.json")):
            shards = shards_of(X, engine, folder)
            _lib.shard_plan([shards, "--work", work, "--output", os.path.join(folder, "labels"), *self._flags(plain, seed)])
        driver = _lib.ShardDriver(work)
        while driver.step != "done":
            names = driver.pending()
            if self.verbose:
                print(f"[similis] {driver.step}: {len(names)} jobs")
            engine.run(work, names)
            driver.merge(run_of(None, self.verbose))
        self._take(driver, work)
        self._seconds = time.perf_counter() - started
        return self

    def _take(self, driver: _lib.ShardDriver, work: str) -> None:
        """Set the attributes."""
        answer = json.loads(pathlib.Path(work, "answer.json").read_text())
        self.n_clusters_ = answer["n_clusters"]
        self.scales_, self.spreads_ = np.array(answer["scales"]), np.array(answer["spreads"])
        self.sizes_ = np.array(answer["sizes"])
        self.log_joint_, self.score_, self.numbers_ = answer["log_joint"], answer["score"], answer["numbers"]
        self.termination_, self.model_ = answer["ended"], "latent_graph"
        self.labels_ = self._labels([str(path) for path in driver.labels()])
        self.n_features_in_, self.proven_ = answer["n_features"], answer["proven"]

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Return the clusters of the points: `labels_`.

        Parameters
        ----------
        X : array-like, what the engine has for arrays in chunks, or path
            As of `fit`.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        labels : array of shape (n_samples,)
            The cluster of each point.
        """
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Any:
        """Return the most probable cluster of each new item, block by block where the engine has arrays in chunks.

        Parameters
        ----------
        X : array of shape (n_items, n_features)
            New points.

        Returns
        -------
        labels : array of shape (n_items,)
            The labels, numbered as `labels_` are.
        """
        return self._by_blocks(X, predicted, None, np.int64)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each cluster for each new item, block by block where the engine has arrays in chunks.

        Parameters
        ----------
        X : array of shape (n_items, n_features)
            New points.

        Returns
        -------
        probabilities : array of shape (n_items, n_clusters_)
            Rows add up to 1.
        """
        return self._by_blocks(X, probable, self.n_clusters_, np.float64)

    def _by_blocks(self, X: Any, found: Any, n_columns: int | None, dtype: Any) -> Any:
        """Return what a function finds for new items; its rows have this number of columns."""
        check_is_fitted(self)
        return found(np.asarray(X, dtype=np.float64), self._saved())

    def _engine(self) -> Engine:
        """Return the engine."""
        raise NotImplementedError

    def _labels(self, files: list[str]) -> Any:
        """Return the labels that lie in files."""
        return np.concatenate([np.load(path) for path in files])

    def _saved(self) -> str:
        """Return the file of the model that predicts, which is made on first use."""
        path = os.path.join(self.work_folder_, "model.similis")
        if not os.path.exists(path):
            self.to_local().save(path)
        return path

    def to_local(self) -> Any:
        """Return the plain estimator: points and labels are brought to this machine, which must have room for them.

        It predicts, scores, draws and saves as one that was fitted here; what only a search in one place knows (`graph_`,
        `candidates_`) it does not have.

        Returns
        -------
        model : similis.AutoClustering or similis.LatentGraphClustering
            The estimator.
        """
        check_is_fitted(self)
        rows = np.concatenate([rows_of(path) for path in self._shard_files()])
        plain = self._plain()
        plain._observed = plain._observe(rows)
        plain._side, plain._lazy, plain._item_names = (None, None, None, None, None), Lazy(), []
        plain._score, plain._linkage, plain._medoids = self.score_, None, None
        plain._seconds, plain._column_notes = self._seconds, []
        plain.random_state_, plain.labels_ = self.random_state_, np.asarray(self.labels_)
        for name in ("n_clusters_", "scales_", "spreads_", "log_joint_", "termination_", "model_", "numbers_"):
            setattr(plain, name, getattr(self, name))
        return plain

    def _shard_files(self) -> list[str]:
        plan = json.loads(pathlib.Path(self.work_folder_, "work", "plan.json").read_text())
        return [str(path) for path in plan["shards"]]

    def _plain(self) -> Any:
        """Return the local estimator with the same settings."""
        own = {name: value for name, value in self.get_params(deep=False).items() if name not in OWN}
        return self._local(**own)

    def _flags(self, plain: Any, seed: int) -> list[str]:
        """Return the settings as flags of `similis shard plan`."""
        graph = plain._graph() if isinstance(plain, similis.AutoClustering) else plain
        others = graph is not plain and (plain.model == "latent_feature" or plain.noise not in (None, "none"))
        if others:
            words = "points in parts are clustered by the latent graph model without noise; leave model and noise out"
            raise ValueError(words)
        usual = settings_of(type(graph)())
        given = {name: value for name, value in settings_of(graph).items() if value != usual.get(name)}
        given.pop("n_clusters", None)
        flags = ["--n-clusters", _number(self.n_clusters), "--seed", str(seed), "--metric", self.metric.replace("_", "-")]
        for name, value in given.items():
            flags += ["--" + name.replace("_", "-"), str(value).replace("_", "-") if isinstance(value, str) else str(value)]
        for name, value in (("--n-cells", self.n_cells), ("--memory-limit", self.memory_limit)):
            flags += [] if value is None else [name, str(value)]
        return [*flags, "--output-format", "npy"]

    def _folder(self, engine: Engine) -> str:
        """Return the folder that driver and workers share."""
        if self.work_folder is not None:
            path = os.path.abspath(os.fspath(self.work_folder))
            os.makedirs(path, exist_ok=True)
            return path
        if engine.n_hosts() > 1:
            raise ValueError("workers are on several machines: give work_folder=, a folder that they and this one share")
        path = Temporary(tempfile.mkdtemp(prefix="similis-"))
        weakref.finalize(path, shutil.rmtree, str(path), ignore_errors=True)
        return path


def shards_of(X: Any, engine: Engine, folder: str) -> str:
    """Return the folder of shards: the one that was given, or one that the workers fill."""
    if isinstance(X, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(X))
        names = sorted(os.listdir(path)) if os.path.isdir(path) else [os.path.basename(path)]
        shown = [name for name in names if not name.startswith((".", "_"))]
        if all(name.lower().endswith(READ_AS_THEY_ARE) for name in shown):
            return path
        parent = path if os.path.isdir(path) else os.path.dirname(path)
        parts: list[Any] = [os.path.join(parent, name) for name in shown]
    else:
        parts = engine.parts(X)
    shards = os.path.join(folder, "shards")
    os.makedirs(shards, exist_ok=True)
    engine.keep(parts, [os.path.join(shards, f"{number:06d}.npy") for number in range(len(parts))])
    return shards


def _number(n_clusters: Any) -> str:
    """Return a number of clusters as the flag has it."""
    return "-".join(str(number) for number in n_clusters) if isinstance(n_clusters, (tuple, list)) else str(n_clusters)
