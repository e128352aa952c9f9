"""Points that one machine does not hold: the estimators on Dask.

The names are those of the package, with a `client`; the answer is that of the local estimators, bit for bit, for any number
of workers, threads and chunks. Install it with `pip install similis[dask]`.

Everything between the points and their labels lies in a work folder that all workers and the driver can read and write: a
job that is lost is run again, and a fit that was interrupted goes on where it was (`work_folder`).
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

import similis
from similis import _lib
from similis._base import settings_of
from similis._jobs import keep, of_columns, predicted, probable, rows_of
from similis._jobs import run as _run
from similis._predict import Lazy
from similis._run import run_of, seed_of

try:
    import dask
    import dask.array as da
    from distributed import Client, as_completed, get_client
except ImportError as missing:
    raise ImportError("similis.dask needs Dask: pip install similis[dask]") from missing

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["AutoClustering", "LatentGraphClustering"]

#: How often a job may die with its worker before the fit fails.
RETRIES = 5

#: Endings of shards that are read as they are; others are turned into arrays by the workers.
READ_AS_THEY_ARE = (".csv", ".tsv", ".txt", ".npy", ".npz", ".gz")


class _Distributed(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator whose points lie in chunks or files."""

    _local: ClassVar[type[Any]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : dask array, dask data frame, array-like, or path
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
        client = self._client()
        folder = self._folder(client)
        self.client_, self.random_state_, self.work_folder_ = client, seed, folder
        work = os.path.join(folder, "work")
        if not os.path.exists(os.path.join(work, "plan.json")):
            shards = self._shards(X, client, folder)
            _lib.shard_plan([shards, "--work", work, "--output", os.path.join(folder, "labels"), *self._flags(plain, seed)])
        driver = _lib.ShardDriver(work)
        _drive(driver, work, client, run_of(None, self.verbose), self.verbose)
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
        files = [str(path) for path in driver.labels()]
        sizes = [len(np.load(path, mmap_mode="r")) for path in files]
        blocks = [
            da.from_delayed(dask.delayed(np.load)(path), shape=(size,), dtype=np.int64)
            for path, size in zip(files, sizes, strict=True)
        ]
        self.labels_ = da.concatenate(blocks)
        self.n_features_in_, self.proven_ = answer["n_features"], answer["proven"]

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Return the clusters of the points: `labels_`, a dask array with the chunks of the input.

        Parameters
        ----------
        X : dask array, dask data frame, array-like, or path
            As of `fit`.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        labels : dask array of shape (n_samples,)
            The cluster of each point.
        """
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Any:
        """Return the most probable cluster of each new item, block by block.

        Parameters
        ----------
        X : dask array or array-like of shape (n_items, n_features)
            New points.

        Returns
        -------
        labels : dask array, or ndarray where X is none
            The labels, numbered as `labels_` are.
        """
        return self._by_blocks(X, predicted, None, np.int64)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each cluster for each new item, block by block.

        Parameters
        ----------
        X : dask array or array-like of shape (n_items, n_features)
            New points.

        Returns
        -------
        probabilities : dask array, or ndarray where X is none, of shape (n_items, n_clusters_)
            Rows add up to 1.
        """
        return self._by_blocks(X, probable, self.n_clusters_, np.float64)

    def _by_blocks(self, X: Any, found: Any, n_columns: int | None, dtype: Any) -> Any:
        check_is_fitted(self)
        path = self._saved()
        if not isinstance(X, da.Array):
            return found(np.asarray(X, dtype=np.float64), path)
        rows = X.rechunk({1: -1})
        if n_columns is None:
            return rows.map_blocks(found, path, dtype=dtype, drop_axis=1)
        return rows.map_blocks(found, path, dtype=dtype, chunks=(rows.chunks[0], (n_columns,)))

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
        plain.random_state_, plain.labels_ = self.random_state_, self.labels_.compute()
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

    def _client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            return get_client()
        except ValueError:
            words = "similis.dask needs a client: start one (from distributed import Client; Client()), or give client="
            raise ValueError(words) from None

    def _folder(self, client: Client) -> str:
        """Return the folder that driver and workers share."""
        if self.work_folder is not None:
            path = os.path.abspath(os.fspath(self.work_folder))
            os.makedirs(path, exist_ok=True)
            return path
        hosts = {worker["host"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()}
        if len(hosts) > 1:
            raise ValueError("workers are on several machines: give work_folder=, a folder that they and this one share")
        path = tempfile.mkdtemp(prefix="similis-")
        weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        return path

    def _shards(self, X: Any, client: Client, folder: str) -> str:
        """Return the folder of shards: the one that was given, or one that the workers fill."""
        if isinstance(X, (str, os.PathLike)):
            path = os.path.abspath(os.fspath(X))
            names = sorted(os.listdir(path)) if os.path.isdir(path) else [os.path.basename(path)]
            shown = [name for name in names if not name.startswith((".", "_"))]
            if all(name.lower().endswith(READ_AS_THEY_ARE) for name in shown):
                return path
            parent = path if os.path.isdir(path) else os.path.dirname(path)
            parts = [dask.delayed(of_columns)(os.path.join(parent, name)) for name in shown]
        else:
            parts = list(_parts(X))
        shards = os.path.join(folder, "shards")
        os.makedirs(shards, exist_ok=True)
        files = [os.path.join(shards, f"{number:06d}.npy") for number in range(len(parts))]
        kept = [dask.delayed(keep)(part, path) for part, path in zip(parts, files, strict=True)]
        client.gather(client.compute(kept, retries=RETRIES))
        return shards


def _drive(driver: _lib.ShardDriver, work: str, client: Client, run: Any, verbose: bool) -> None:
    """Run the jobs of one step after the other on the workers, and merge in between."""
    while driver.step != "done":
        names = driver.pending()
        if verbose:
            print(f"[similis] {driver.step}: {len(names)} jobs")
        futures = [
            client.submit(_run, work, name, retries=RETRIES, pure=False, key=f"similis-{name}-{os.urandom(4).hex()}")
            for name in names
        ]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            client.cancel(futures)
            raise
        driver.merge(run)


def _parts(X: Any) -> Iterator[Any]:
    """Yield the chunks of rows of an array or a frame."""
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have rows and columns, got {X.ndim} dimensions")
        yield from X.rechunk({1: -1}).to_delayed().ravel()
    elif hasattr(X, "to_delayed"):
        yield from X.to_delayed()
    else:
        yield np.asarray(X, dtype=np.float64)


def _number(n_clusters: Any) -> str:
    """Return a number of clusters as the flag has it."""
    return "-".join(str(number) for number in n_clusters) if isinstance(n_clusters, (tuple, list)) else str(n_clusters)


#: Settings of the run on Dask, which the local estimators do not have.
OWN = ("client", "work_folder", "n_cells")


class AutoClustering(_Distributed):
    """Clusters of points in chunks or files: `similis.AutoClustering` on Dask.

    Of points the model is the latent graph model. The labels are those of the local estimator, bit for bit; of more than 15 columns
    and 250,000 points they depend on the number of groups within which neighbours are looked for. The metric is euclidean,
    squared_euclidean, manhattan, chebyshev, cosine, correlation or haversine.

    Parameters
    ----------
    n_clusters : int, (least, most) or "auto", default="auto"
        Number of clusters; of a range, or of all numbers, that with the best score.
    metric : str, default="euclidean"
        How the distance between points is measured.
    latent_graph : similis.LatentGraphClustering, optional
        The settings of the latent graph model: those that this estimator does not have itself are taken from it.
    random_state : int, RandomState, Generator or None, default=0
        Random seed: the same number gives the same answer.
    memory_limit : int or str, optional
        Maximum memory of one job and of the search, in bytes, also as "4GB".
    verbose : bool, default=False
        Whether progress is printed.
    client : distributed.Client, optional
        The client; without it the current one.
    work_folder : path, optional
        A folder that driver and workers share, where everything lies between points and labels. A fit that was interrupted
        goes on there if it is given the same folder. Without it a temporary one, which lives as long as the estimator.
    n_cells : int, optional
        Number of cells that the points are sorted into; it does not change the answer. Of more than 15 columns it is also the
        number of overlapping groups within which neighbours are looked for.

    Attributes
    ----------
    labels_ : dask array of shape (n_samples,)
        The cluster of each point, in the chunks of the input.
    n_clusters_ : int
        Number of clusters.
    sizes_, scales_, spreads_ : ndarray of shape (n_clusters_,)
        How many points each cluster has; the typical neighbour distance of each, and its standard deviation.
    log_joint_, score_, numbers_, termination_, model_
        As of the local estimators; score and numbers are those of the sample that was searched.
    proven_ : float or None
        The share of listed neighbours that are proven to be the nearest: 1 in up to 15 columns; of more, that of 500 points. `None`
        where so few points are clustered in one place.
    client_, work_folder_, random_state_, n_features_in_
        What was used.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from similis import make_shapes
    >>> from similis.dask import AutoClustering
    >>> X, _ = make_shapes("five_blobs", 400)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = AutoClustering(n_clusters=5, client=client).fit(da.from_array(X, chunks=(100, 2)))
    ...     labels = model.labels_.compute()
    >>> labels.shape, model.labels_.chunks, model.n_clusters_
    ((400,), ((100, 100, 100, 100),), 5)
    """

    _local = similis.AutoClustering

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | str = "auto",
        *,
        metric: str = "euclidean",
        latent_graph: similis.LatentGraphClustering | None = None,
        random_state: Any = 0,
        memory_limit: int | str | None = None,
        verbose: bool = False,
        client: Client | None = None,
        work_folder: str | os.PathLike[str] | None = None,
        n_cells: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.latent_graph = latent_graph
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.client = client
        self.work_folder = work_folder
        self.n_cells = n_cells


class LatentGraphClustering(_Distributed):
    """Clusters of points in chunks or files: `similis.LatentGraphClustering` on Dask.

    Parameters
    ----------
    n_clusters, metric, random_state, memory_limit, verbose, client, work_folder, n_cells
        As of `similis.dask.AutoClustering`.
    scales, step, shape, size_prior, walk_weight, valley_weight
        The score, as of `similis.LatentGraphClustering`.

    Attributes
    ----------
    labels_, n_clusters_, sizes_, scales_, spreads_, log_joint_, score_, numbers_, termination_, proven_, client_, work_folder_
        As of `similis.dask.AutoClustering`.
    """

    _local = similis.LatentGraphClustering

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | str = "auto",
        *,
        metric: str = "euclidean",
        scales: str = "varying",
        step: float | None = None,
        shape: float = 2.0,
        size_prior: str = "dirichlet",
        walk_weight: float = 1.0,
        valley_weight: float = 1.0,
        random_state: Any = 0,
        memory_limit: int | str | None = None,
        verbose: bool = False,
        client: Client | None = None,
        work_folder: str | os.PathLike[str] | None = None,
        n_cells: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.scales = scales
        self.step = step
        self.shape = shape
        self.size_prior = size_prior
        self.walk_weight = walk_weight
        self.valley_weight = valley_weight
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.client = client
        self.work_folder = work_folder
        self.n_cells = n_cells
