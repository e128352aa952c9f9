"""The widget of `similis.explore`: messages of the front end are answered by the routes of `similis serve`."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import warnings
import weakref
from dataclasses import dataclass
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray
from sklearn.base import clone

from similis import _lib
from similis._auto import AutoClustering
from similis._base import Clusterer
from similis._explore import number_of, rows_of
from similis._observed import Observed
from similis._predict import Lazy

#: Seconds that a notebook waits for the first answer, whose picture stands where widgets cannot run.
PATIENCE = 10.0

#: Seconds between two looks for Ctrl-C while an answer is waited for.
LOOK_EVERY = 0.1

#: What is known, as traits.
KNOWN = ("known_labels", "must_link", "cannot_link")


@dataclass(frozen=True)
class Names:
    """What the page says beside the numbers, and how fits are run."""

    name: str
    columns: list[str] | None
    items: list[str] | None
    classes: list[str] | None
    known_labels: list[tuple[int, str]]
    flags: list[str]


@dataclass(frozen=True)
class Start:
    """What a page begins with."""

    estimator: Clusterer
    observed: Observed
    names: Names
    page: _lib.Page


class Explorer(anywidget.AnyWidget):
    """A page of the clusters in a notebook. `similis.explore` makes one.

    Attributes
    ----------
    selection : list of int
        The items that are selected on the map; set it, and the map shows it.
    known_labels : list
        The label of each item as text, None where it is not known; empty where none is. Set it, and the clusters are found
        again.
    must_link, cannot_link : list of (int, int)
        Pairs of items that share a cluster, and that do not. Set them likewise.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each item under the numbers of the page, which stay with the items; -1 for noise and for what is left
        out. None before the first answer.
    model_ : estimator
        The fitted estimator of what the page shows, without the items that are left out (`kept_`).
    kept_ : ndarray of int
        The items that `model_` was fitted to.
    height : int
        Height of the page in pixels.
    """

    _esm = _lib.page_script()

    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    height = traitlets.Int(560).tag(sync=True)
    known_labels: traitlets.List[Any] = traitlets.List()
    must_link: traitlets.List[Any] = traitlets.List()
    cannot_link: traitlets.List[Any] = traitlets.List()
    labels_ = traitlets.Instance(np.ndarray, allow_none=True, read_only=True)

    def __init__(self, start: Start, **traits: Any) -> None:
        self._start, self._taking, self._lock = start, False, threading.RLock()
        self._page = start.page
        self._began = self._state()["choices"]
        super().__init__(**traits)
        self.on_msg(self._asked)
        self._take_up()
        watched = (self._page, weakref.ref(self), running_loop())
        threading.Thread(target=watch, args=watched, daemon=True, name="similis watch").start()

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self._ask("/api/state?after=0"))
        return state

    def _ask(self, target: str, value: Any = None) -> bytes:
        """Return the answer of the page to a request; what it refuses is a `ValueError`."""
        method, body = ("GET", b"") if value is None else ("POST", json.dumps(value).encode())
        status, _, answer = self._page.answer(method, target, body)
        if status >= 400:
            raise ValueError(answer.decode().strip())
        return answer

    def _asked(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        """Answer the front end: a change at once, a question in a thread, so that the kernel is free."""
        if content["method"] == "POST":
            self._reply(content)
            self._take_up()
        else:
            threading.Thread(target=self._reply, args=(content,), daemon=True, name="similis reply").start()

    def _reply(self, content: dict[str, Any]) -> None:
        status, kind, body = self._page.answer(content["method"], content["target"], content["body"].encode())
        self.send({"asked": content["asked"], "status": status, "kind": kind}, [body])

    def _take_up(self) -> None:
        """Set the traits to what the page says."""
        said, labels = json.loads(self._ask("/api/corrections")), self._page.labels()
        n_items = self._page.n_items
        with self._lock, self.hold_trait_notifications():
            self._taking = True
            try:
                known = dict(said["labels"])
                self.known_labels = [known.get(item) for item in range(n_items)] if known else []
                self.must_link = [tuple(pair) for pair in said["must_link"]]
                self.cannot_link = [tuple(pair) for pair in said["cannot_link"]]
                if labels is not None and not (self.labels_ is not None and np.array_equal(self.labels_, labels)):
                    self.set_trait("labels_", labels)
            finally:
                self._told = {name: list(getattr(self, name)) for name in KNOWN}
                self._taking = False

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        """Return items that exist."""
        chosen: list[int] = proposal["value"]
        wrong = [item for item in chosen if not 0 <= item < self._page.n_items]
        if wrong:
            raise traitlets.TraitError(f"selection must hold items from 0 to {self._page.n_items - 1}, got {wrong[0]}")
        return chosen

    @traitlets.observe(*KNOWN)
    def _set(self, change: Any) -> None:
        """Take up what the program says is known."""
        name, value = change["name"], change["new"]
        if self._taking or list(value) == self._told.get(name):
            return
        part = "labels" if name == "known_labels" else name
        try:
            self._ask("/api/correct", {"kind": "replace", part: self._sent(name, value)})
        finally:
            self._take_up()

    def _sent(self, name: str, value: list[Any]) -> list[Any]:
        from similis._explore import listed

        if name == "known_labels":
            if value and len(value) != self._page.n_items:
                n = self._page.n_items
                raise ValueError(f"known_labels must be empty or have one for each of {n} items, got {len(value)}")
            return listed(value)
        return [[int(i), int(j)] for i, j in value]

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the answer is that to all that is known and chosen.

        Parameters
        ----------
        timeout : float, optional
            Seconds after which a `TimeoutError` is raised; without it, as long as it takes.
        """
        waited = 0.0
        while not self._page.settle(LOOK_EVERY):
            waited += LOOK_EVERY
            if timeout is not None and waited >= timeout:
                raise TimeoutError(f"the fit still runs after {timeout} s; wait again, or give time_limit to explore")
        self._take_up()
        problem = self._state()["problem"]
        if problem is not None:
            raise ValueError(problem["message"])

    @property
    def kept_(self) -> NDArray[np.int64]:
        """The items that `model_` was fitted to."""
        kept: NDArray[np.int64] = self._showing()["kept"]
        return kept

    @property
    def model_(self) -> Clusterer:
        """The fitted estimator of what the page shows."""
        showing = self._showing()
        choices, kept = json.loads(showing["choices"]), showing["kept"]
        model = with_choices(self._start.estimator, self._began, choices)
        observed, items = self._start.observed, self._start.names.items or []
        if choices["metric"] is not None:
            observed = dataclasses.replace(observed, metric=choices["metric"])
        if len(kept) < self._page.n_items:
            observed = dataclasses.replace(observed, numbers=rows_of(observed, kept))
            items = [items[item] for item in kept] if items else []
        carry_over(self._start.estimator, model, kept)
        known = showing["known_labels"] if len(showing["known_labels"]) else None
        pairs = [showing[name] if len(showing[name]) else None for name in ("must_link", "cannot_link")]
        weights = showing["weights"] if len(showing["weights"]) else None
        model._observed, model._side, model.random_state_ = observed, (known, *pairs, weights, None), model.random_state
        model._item_names, model._column_notes, model._lazy = items, [], Lazy()
        with warnings.catch_warnings():
            # The page says them.
            warnings.simplefilter("ignore")
            model._take(showing["found"])
        return model

    def _showing(self) -> dict[str, Any]:
        showing = self._page.showing()
        if showing is None:
            raise AttributeError("there is no answer yet; call wait() first")
        return showing

    def close(self) -> None:
        """End the fit that runs, and the page."""
        self._page.end()
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Show the page, and for readers that run no widgets the picture of the clusters."""
        shown = super()._repr_mimebundle_(**kwargs)
        data, metadata = shown if isinstance(shown, tuple) else (shown or {}, {})
        self._page.settle(PATIENCE)
        status, _, svg = self._page.answer("GET", "/api/picture?kind=scatter", b"")
        return (data | {"image/svg+xml": svg.decode()} if status == 200 else data), metadata

    def __repr__(self) -> str:
        """Say what is shown: the values of all traits would be long."""
        found = "no answer yet" if self.labels_ is None else f"{len(set(self.labels_[self.labels_ >= 0]))} clusters"
        return f"Explorer({self._start.names.name}: {self._page.n_items} items, {found})"


def watch(page: _lib.Page, explorer: weakref.ref[Explorer], loop: asyncio.AbstractEventLoop | None) -> None:
    """Tell a widget of every new answer, until its page ends: in the kernel's own thread, where it has a loop."""
    version, told = 0, None
    while True:
        state = json.loads(page.answer("GET", f"/api/state?after={version}", b"")[2])
        version, now = state["version"], (state["answer"], state["edition"])
        own = explorer()
        if own is None:
            page.end()
        if own is None or state["ended"]:
            return
        if now != told and loop is not None and loop.is_running():
            loop.call_soon_threadsafe(own._take_up)
        elif now != told:
            own._take_up()
        told = now
        del own


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that a notebook's kernel runs its cells in; other programs have none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def with_choices(estimator: Clusterer, began: dict[str, Any], choices: dict[str, Any]) -> Clusterer:
    """Return an estimator with the settings that were changed on the page."""
    changed = {name: value for name, value in choices.items() if value != began[name]}
    if "n_clusters" in changed:
        changed["n_clusters"] = number_of(changed["n_clusters"])
    model: Clusterer = clone(estimator)
    kind = changed.pop("model", None)
    if kind is not None and not isinstance(model, AutoClustering):
        shared = ("n_clusters", "metric", "min_size", "max_size", "random_state", "n_jobs", "memory_limit", "time_limit")
        model = AutoClustering(**{name: getattr(model, name) for name in shared}, **{model._model: model})
    if kind is not None:
        model.set_params(model=kind)
    if "noise" in changed and "noise" not in model.get_params(deep=False):
        del changed["noise"]
    model.set_params(**changed)
    return model


def carry_over(estimator: Clusterer, model: Clusterer, kept: NDArray[np.int64]) -> None:
    """Give a model what an estimator learned of its input."""
    for name in ("feature_names_in_", "n_features_in_"):
        if hasattr(estimator, name):
            setattr(model, name, getattr(estimator, name))
    if callable(estimator.metric):
        model._points = estimator._points[kept]
