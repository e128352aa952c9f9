"""What workers do: jobs on files, without the libraries that a driver needs."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import similis
from similis import _lib
from similis._run import run_of

#: What makes glibc give memory back at once; Dask sets it in its workers.
TRIM = "MALLOC_TRIM_THRESHOLD_"

#: Numbers of glibc's settings, and what they are during a job: what they come to be by themselves where nobody sets them.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 64 << 20

#: The least piece that glibc asks for by itself, as long as nobody sets it.
USUAL = 128 << 10


@contextlib.contextmanager
def kept_memory() -> Iterator[None]:
    """Let glibc keep what is freed for what is asked for next, as outside of Dask; all is given back at the end.

    Otherwise every large array is asked for page by page, which takes a fifth of the processor time of a job.
    """
    if TRIM not in os.environ:
        yield
        return
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallopt"):
        yield
        return
    libc.mallopt(M_MMAP_THRESHOLD, KEPT // 2)
    libc.mallopt(M_TRIM_THRESHOLD, KEPT)
    try:
        yield
    finally:
        libc.mallopt(M_MMAP_THRESHOLD, USUAL)
        libc.mallopt(M_TRIM_THRESHOLD, int(os.environ[TRIM]))
        libc.malloc_trim(0)


def run(work: str, name: str) -> None:
    """Run a job of a work folder."""
    with kept_memory():
        _lib.shard_run(work, name, run_of(1))


def keep(part: Any, path: str) -> None:
    """Write a chunk, or what a file of columns holds, as an array, whole or not at all."""
    if isinstance(part, str):
        part = of_columns(part)
    rows = np.ascontiguousarray(part, dtype=np.float64)
    unfinished = f"{path[:-4]}.{os.getpid()}.part.npy"
    hidden = os.path.join(os.path.dirname(path), "." + os.path.basename(unfinished))
    np.save(hidden, rows)
    os.replace(hidden, path)


def of_columns(path: str) -> Any:
    """Return the numbers of a Parquet or Feather file."""
    import pandas as pd

    frame = pd.read_parquet(path) if path.lower().endswith((".parquet", ".pq")) else pd.read_feather(path)
    return frame.to_numpy(dtype=np.float64)


def rows_of(path: str) -> NDArray[np.float64]:
    """Return the points of a shard."""
    if path.endswith(".npy"):
        return np.asarray(np.load(path), dtype=np.float64)
    import pandas as pd

    separator = "\t" if ".tsv" in path else ","
    return np.asarray(pd.read_csv(path, sep=separator), dtype=np.float64)


@functools.lru_cache(maxsize=1)
def _model(path: str, changed: float) -> similis.SavedModel:
    return similis.load(path)


def predicted(rows: Any, path: str) -> NDArray[np.int64]:
    """Return the labels of new rows by the model in a file."""
    return _model(path, os.path.getmtime(path)).predict(rows)


def probable(rows: Any, path: str) -> NDArray[np.float64]:
    """Return the probabilities of clusters for new rows by the model in a file."""
    return _model(path, os.path.getmtime(path)).predict_proba(rows)
