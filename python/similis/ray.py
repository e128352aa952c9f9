"""Points that one machine does not hold: the estimators on Ray.

The names are those of the package; the answer is that of the local estimators, as on Dask (`similis.dask`), whose jobs these
are. Install it with `pip install similis[ray]`. Ray is started by `ray.init()`, here or on a cluster; otherwise by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import similis
from similis._distributed import RETRIES, Distributed
from similis._jobs import keep, run

try:
    import ray
except ImportError as missing:
    raise ImportError("similis.ray needs Ray: pip install similis[ray]") from missing

__all__ = ["AutoClustering", "LatentGraphClustering"]


class _Ray:
    """The workers of the Ray cluster that this process is connected to."""

    def __init__(self) -> None:
        if not ray.is_initialized():
            ray.init()
        # A job that dies with its worker is run again; a mistake is told at once.
        remote = ray.remote(num_cpus=1, max_retries=RETRIES)
        self._keep, self._run = remote(keep), remote(run)

    def n_hosts(self) -> int:
        return len({node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]})

    def parts(self, X: Any) -> list[Any]:
        if isinstance(X, (list, tuple)) and X and all(isinstance(part, ray.ObjectRef) for part in X):
            return list(X)
        if hasattr(X, "to_pandas_refs"):
            return list(X.to_pandas_refs())
        return [np.asarray(X, dtype=np.float64)]

    def keep(self, parts: list[Any], files: list[str]) -> None:
        _wait([self._keep.remote(part, path) for part, path in zip(parts, files, strict=True)])

    def run(self, work: str, names: list[str]) -> None:
        _wait([self._run.remote(work, name) for name in names])


def _wait(futures: list[Any]) -> None:
    """Wait until all are done; cancel those that are left where one fails."""
    left = futures
    try:
        while left:
            done, left = ray.wait(left)
            ray.get(done)
    except BaseException:
        for future in left:
            ray.cancel(future)
        raise


class _OnRay(Distributed):
    """An estimator on Ray: labels and predictions are plain arrays."""

    def _engine(self) -> _Ray:
        return _Ray()


class AutoClustering(_OnRay):
    """Clusters of points in blocks or files: `similis.AutoClustering` on Ray.

    Points are an array, a list of object references to arrays, a `ray.data.Dataset` of columns of numbers, or a folder of
    files that all workers can read.

    Parameters
    ----------
    n_clusters, metric, latent_graph, random_state, memory_limit, verbose, work_folder, n_cells
        As of `similis.dask.AutoClustering`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point.
    n_clusters_, sizes_, scales_, spreads_, log_joint_, score_, numbers_, termination_, proven_, work_folder_
        As of `similis.dask.AutoClustering`.
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
        work_folder: Any = None,
        n_cells: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.latent_graph = latent_graph
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.work_folder = work_folder
        self.n_cells = n_cells


class LatentGraphClustering(_OnRay):
    """Clusters of points in blocks or files: `similis.LatentGraphClustering` on Ray.

    Parameters
    ----------
    n_clusters, metric, random_state, memory_limit, verbose, work_folder, n_cells
        As of `similis.ray.AutoClustering`.
    scales, step, shape, size_prior, walk_weight, valley_weight
        The score, as of `similis.LatentGraphClustering`.

    Attributes
    ----------
    labels_, n_clusters_, sizes_, scales_, spreads_, log_joint_, score_, numbers_, termination_, proven_, work_folder_
        As of `similis.ray.AutoClustering`.
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
        work_folder: Any = None,
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
        self.work_folder = work_folder
        self.n_cells = n_cells
