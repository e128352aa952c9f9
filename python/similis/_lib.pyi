"""The compiled part: arrays and settings in, arrays out."""

from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from similis._functions import GraphModel
from similis._observed import Observed
from similis._report import Words
from similis._run import Run

__all__ = [
    "Fit",
    "Model",
    "__version__",
    "adjusted_rand_index",
    "affinity",
    "edge_probabilities",
    "fit",
    "linkage_matrix",
    "load_model",
    "make_shapes",
    "medoids",
    "model",
    "model_of_bytes",
    "neighbours",
    "normalise",
    "plane",
    "report",
    "sample_latent_feature",
    "sample_latent_graph",
    "score",
    "score_partition",
    "settings",
    "spanning_tree",
]

__version__: str

@final
class Fit: ...

def fit(
    observed: Observed,
    settings: dict[str, Any],
    side: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None, NDArray[np.int64] | None],
    run: Run,
) -> dict[str, Any]: ...
def edge_probabilities(
    observed: Observed, fit: Fit, least: float, run: Run
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...

#: Labels, probabilities and log densities of items.
_Found: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

@final
class Model:
    labels: NDArray[np.int64]
    n_columns: int | None
    columns: list[str] | None
    noise: bool
    def predict_points(self, rows: NDArray[np.float64], run: Run) -> _Found: ...
    def predict_distances(self, block: NDArray[np.float64], run: Run) -> _Found: ...
    def memberships(self, observed: Observed, run: Run) -> _Found: ...
    def save(self, path: str) -> None: ...
    def bytes(self) -> bytes: ...

def model(observed: Observed, labels: NDArray[np.int64], settings: dict[str, Any], run: Run) -> Model: ...
def load_model(path: str) -> Model: ...
def model_of_bytes(bytes: bytes) -> Model: ...
def score_partition(observed: Observed, labels: NDArray[np.int64], settings: dict[str, Any], run: Run) -> float: ...
def score(observed: Observed, labels: NDArray[np.int64], settings: dict[str, Any], run: Run) -> dict[str, Any]: ...
def spanning_tree(observed: Observed, run: Run) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def linkage_matrix(observed: Observed, run: Run) -> NDArray[np.float64]: ...
def medoids(observed: Observed, labels: NDArray[np.int64], run: Run) -> NDArray[np.int64]: ...
def neighbours(
    observed: Observed, n_neighbours: int, search: tuple[bool, int], run: Run
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def affinity(observed: Observed, kind: str, numbers: tuple[float | None, int], run: Run) -> Any: ...
def normalise(observed: Observed, normalisation: str, run: Run) -> Any: ...
def adjusted_rand_index(first: NDArray[np.int64], second: NDArray[np.int64]) -> float: ...
def plane(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def make_shapes(shape: str, n_points: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def sample_latent_graph(n_points: int, model: GraphModel, seed: int) -> dict[str, Any]: ...
def sample_latent_feature(
    n_points: int, classes: tuple[NDArray[np.float64], NDArray[np.float64]], noise: float, seed: int
) -> dict[str, Any]: ...
def report(observed: Observed, fit: Fit, words: Words, run: Run) -> None: ...
def settings() -> dict[str, Any]: ...
