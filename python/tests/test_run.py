"""Progress, callbacks, Ctrl-C, and other threads."""

import signal
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, make_shapes, neighbours, spanning_tree
from similis._run import Printed

X, Y = make_shapes("dense_letter", 300)
LONG = np.random.default_rng(0).normal(size=(20_000, 20))


def test_callbacks_are_told_of_progress():
    told = []
    model = LatentGraphClustering(2, callback=lambda *news: told.append(news)).fit(X)
    assert told
    for phase, fraction, log_joint in told:
        assert isinstance(phase, str)
        assert 0 <= fraction <= 1
        assert log_joint is None or np.isfinite(log_joint)
    assert np.array_equal(model.labels_, LatentGraphClustering(2).fit_predict(X))


def test_a_callback_can_stop_the_work_and_keep_the_answer():
    model = LatentGraphClustering(2, callback=lambda *news: True).fit(LONG[:800])
    assert model.termination_ == "stopped early, best answer so far"
    assert model.n_clusters_ == 2


def test_a_time_limit_keeps_the_answer_so_far():
    with pytest.warns(ConvergenceWarning, match="the fit stopped at the time limit"):
        model = LatentGraphClustering(2, time_limit=0.1).fit(LONG[:800])
    assert model.termination_ == "stopped at the time limit, best answer so far"
    assert model.n_clusters_ == 2
    assert LatentGraphClustering(2, time_limit=1000).fit(X[:50]).termination_ == "converged"
    with pytest.raises(ValueError, match="time_limit must be a number of seconds above 0, got 0"):
        LatentGraphClustering(2, time_limit=0).fit(X)


def test_what_a_callback_raises_ends_the_fit():
    def fail(*news):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        AutoClustering(2, callback=fail).fit(X)


def test_verbose_prints_each_phase_and_never_goes_back(capsys):
    AutoClustering(2, verbose=True).fit(X)
    assert "[similis] " in capsys.readouterr().out
    printed = Printed()
    for fraction in (0.51, 0.04, 0.55, 0.08, 0.6):
        printed("search", fraction, None)
    assert capsys.readouterr().out == "[similis] search 51%\n[similis] search 60%\n"


def test_a_number_that_was_not_searched_is_warned_of():
    with pytest.warns(ConvergenceWarning, match="the number of clusters was not searched"):
        model = LatentGraphClustering(time_limit=1e-6).fit(LONG[:3000])
    assert model.number_is_provisional_
    assert not LatentGraphClustering(2).fit(X).number_is_provisional_


WATCHED = {
    "graph": lambda callback: LatentGraphClustering(3, callback=callback).fit(LONG),
    "paper": lambda callback: LatentGraphClustering(3, inference="paper", callback=callback).fit(LONG[:5000]),
    "feature": lambda callback: LatentFeatureClustering(3, affinity="gaussian", callback=callback).fit(LONG[:4000]),
}
UNWATCHED = {
    "tree": lambda: spanning_tree(LONG.repeat(3, axis=0)),
    "neighbours": lambda: neighbours(LONG, 15, exact=True),
}


@pytest.fixture
def ctrl_c():
    """Ctrl-C as it is in a terminal: a shell has it ignored in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("work", WATCHED)
def test_ctrl_c_ends_a_fit_before_its_answer(work):
    phases = []
    press = threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,))

    def callback(phase, fraction, log_joint):
        phases.append(phase)
        if len(phases) == 1:
            press.start()

    with pytest.raises(KeyboardInterrupt):
        WATCHED[work](callback)
    press.join()
    assert phases
    assert "answer" not in phases


# How fast it is, `benchmarks/ctrl_c.py` tells.
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("work", UNWATCHED)
def test_ctrl_c_raises_in_work_that_tells_nothing(work):
    timer = threading.Timer(0.15, signal.raise_signal, args=(signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        UNWATCHED[work]()
        # Where the work was done before, the signal comes here.
        timer.join()
    timer.join()


def test_other_threads_go_on_while_a_fit_runs():
    steps = 0
    done = threading.Event()

    def count():
        nonlocal steps
        while not done.is_set():
            steps += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)

    def callback(*news):
        if not counter.is_alive():
            counter.start()
        return steps > 5

    # With the lock held the counter would stand still, and the fit would come to its end.
    model = LatentGraphClustering(3, n_jobs=1, callback=callback).fit(LONG[:5000])
    done.set()
    counter.join()
    assert model.termination_ == "stopped early, best answer so far"


def test_fits_in_threads_are_those_alone():
    found = {}

    def fit(seed):
        found[seed] = AutoClustering(2, random_state=seed, n_jobs=1).fit_predict(X)

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, labels in found.items():
        assert np.array_equal(labels, AutoClustering(2, random_state=seed).fit_predict(X))
