"""How work is run: seeds, threads, progress."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

#: Called with the phase, the part of it that is done, and the log joint so far; returns True to stop early.
Callback = Callable[[str, float, "float | None"], Any]


@dataclass(frozen=True)
class Run:
    """Number of threads, 0 for one on each core; the callback for progress; the time limit in seconds."""

    threads: int = 0
    callback: Callback | None = None
    time_limit: float | None = None


def run_of(
    n_jobs: int | None = None,
    verbose: bool | int = False,
    callback: Callback | None = None,
    time_limit: float | None = None,
) -> Run:
    """Return how work is run."""
    given: Any = time_limit
    if given is not None and not (isinstance(given, Real) and 0 < float(given) < float("inf")):
        raise ValueError(f"time_limit must be a number of seconds above 0, got {given!r}")
    printed = Printed() if verbose else None

    def both(phase: str, fraction: float, log_joint: float | None) -> Any:
        if printed:
            printed(phase, fraction, log_joint)
        return callback(phase, fraction, log_joint) if callback else False

    return Run(threads_of(n_jobs), both if callback or printed else None, time_limit)


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads: None and -1 are all cores, -2 all but one."""
    if n_jobs is None:
        return 0
    given: Any = n_jobs
    if not isinstance(given, Integral) or given == 0:
        raise ValueError(f"n_jobs must be a number of threads, or -1 for all cores, got {given!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """Return the seed: the number itself, or one drawn from a generator; None draws a fresh one."""
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise ValueError(f"random_state must be a whole number of at least 0, got {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class Printed:
    """Prints a line for each tenth of each phase; phases that run side by side never go back."""

    def __init__(self) -> None:
        self.greatest: dict[str, int] = {}

    def __call__(self, phase: str, fraction: float, log_joint: float | None) -> None:
        """Print where the work is, unless it was said."""
        tenth = int(10 * fraction)
        if tenth > self.greatest.get(phase, -1):
            self.greatest[phase] = tenth
            joint = "" if log_joint is None else f", log joint {log_joint:.1f}"
            print(f"[similis] {phase} {fraction:.0%}{joint}")
