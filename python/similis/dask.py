"""Points that one machine does not hold: the estimators on Dask.

The names are those of the package, with a `client`; the answer is that of the local estimators, bit for bit, for any number
of workers, threads and chunks. Install it with `pip install similis[dask]`.

Everything between the points and their labels lies in a work folder that all workers and the driver can read and write: a
job that is lost is run again, and a fit that was interrupted goes on where it was (`work_folder`).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import similis
from similis._distributed import RETRIES, Distributed
from similis._jobs import keep
from similis._jobs import run as _run

try:
    import dask
    import dask.array as da
    from distributed import Client, KilledWorker, as_completed, get_client
except ImportError as missing:
    raise ImportError("similis.dask needs Dask: pip install similis[dask]") from missing

__all__ = ["AutoClustering", "LatentGraphClustering"]


class _Dask:
    """The workers of a client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def n_hosts(self) -> int:
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return len({worker["host"] for worker in workers})

    def parts(self, X: Any) -> list[Any]:
        if isinstance(X, da.Array):
            if X.ndim != 2:
                raise ValueError(f"X must have rows and columns, got {X.ndim} dimensions")
            return list(X.rechunk({1: -1}).to_delayed().ravel())
        if hasattr(X, "to_delayed"):
            return list(X.to_delayed())
        return [np.asarray(X, dtype=np.float64)]

    def keep(self, parts: list[Any], files: list[str]) -> None:
        kept = [dask.delayed(keep)(part, path) for part, path in zip(parts, files, strict=True)]
        self.client.gather(self.client.compute(kept, retries=RETRIES))

    def run(self, work: str, names: list[str]) -> None:
        futures = {self._submit(work, name): name for name in names}
        n_left = dict.fromkeys(names, RETRIES)
        done = as_completed(list(futures))
        try:
            for future in done:
                try:
                    future.result()
                except KilledWorker:
                    # Dask itself gives up a job that was on a few workers when they died, whatever they died of.
                    name = futures[future]
                    n_left[name] -= 1
                    if n_left[name] < 0:
                        raise
                    again = self._submit(work, name)
                    futures[again] = name
                    done.add(again)
        except BaseException:
            self.client.cancel(list(futures))
            raise

    def _submit(self, work: str, name: str) -> Any:
        key = f"similis-{name}-{os.urandom(4).hex()}"
        return self.client.submit(_run, work, name, retries=RETRIES, pure=False, key=key)


def _loaded(path: str, folder: str) -> Any:
    """Return the labels in a file; a temporary folder stays as long as something may ask for them."""
    return np.load(path)


class _OnDask(Distributed):
    """An estimator on Dask: labels and predictions are dask arrays with the chunks of the input."""

    client: Client | None

    def _engine(self) -> _Dask:
        self.client_ = self._client()
        return _Dask(self.client_)

    def _client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            return get_client()
        except ValueError:
            words = "similis.dask needs a client: start one (from distributed import Client; Client()), or give client="
            raise ValueError(words) from None

    def _labels(self, files: list[str]) -> Any:
        sizes = [len(np.load(path, mmap_mode="r")) for path in files]
        blocks = [
            da.from_delayed(dask.delayed(_loaded)(path, self.work_folder_), shape=(size,), dtype=np.int64)
            for path, size in zip(files, sizes, strict=True)
        ]
        return da.concatenate(blocks)

    def _by_blocks(self, X: Any, found: Any, n_columns: int | None, dtype: Any) -> Any:
        if not isinstance(X, da.Array):
            return super()._by_blocks(X, found, n_columns, dtype)
        check_is_fitted(self)
        rows, path = X.rechunk({1: -1}), self._saved()
        if n_columns is None:
            return rows.map_blocks(found, path, dtype=dtype, drop_axis=1)
        return rows.map_blocks(found, path, dtype=dtype, chunks=(rows.chunks[0], (n_columns,)))


class AutoClustering(_OnDask):
    """Clusters of points in chunks or files: `similis.AutoClustering` on Dask.

    Of points the model is the latent graph model. The labels are those of the local estimator, bit for bit; of more than 15
    columns and 250,000 points they depend on the number of groups within which neighbours are looked for. The metric is
    euclidean, squared_euclidean, manhattan, chebyshev, cosine, correlation or haversine.

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
        goes on there if it is given the same folder. Without it a temporary one, which lives as long as the estimator or
        its labels.
    n_cells : int, optional
        Number of cells that the points are sorted into; it does not change the answer. Of more than 15 columns it is also
        the number of overlapping groups within which neighbours are looked for.

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
        The share of listed neighbours that are proven to be the nearest: 1 in up to 15 columns; of more, that of 500 points.
        `None` where points are so few that they are clustered in one place.
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


class LatentGraphClustering(_OnDask):
    """Clusters of points in chunks or files: `similis.LatentGraphClustering` on Dask.

    Parameters
    ----------
    n_clusters, metric, random_state, memory_limit, verbose, client, work_folder, n_cells
        As of `similis.dask.AutoClustering`.
    scales, step, shape, size_prior, walk_weight, valley_weight
        The score, as of `similis.LatentGraphClustering`.

    Attributes
    ----------
    labels_, n_clusters_, sizes_, scales_, spreads_, log_joint_, score_, numbers_, termination_
        As of `similis.dask.AutoClustering`.
    proven_, client_, work_folder_
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
        size_prior: str | None = None,
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
