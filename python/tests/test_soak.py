"""Many fits in one process, predictions in threads, forked and spawned processes: no growth, same bits.

`benchmarks/soak.py` does the same for longer.
"""

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from similis import LatentGraphClustering, make_shapes

X, _ = make_shapes("five_blobs", 60)
NEW = X + 0.01
# Bytes by which a process may grow over 200 fits: an array of the points is far smaller, and 200 of them are not.
MOST_GROWTH = 8_000_000


def resident():
    """Return the bytes of memory that the process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def answer(seed):
    """Return the bytes of a fit: labels, scores, memberships of new points."""
    model = LatentGraphClustering(5, random_state=seed, n_jobs=1).fit(X)
    return model.labels_.tobytes() + np.float64(model.score_).tobytes() + model.predict_proba(NEW).tobytes()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells the memory")
def test_many_fits_take_no_more_memory_than_few():
    first = answer(0)
    for _ in range(50):
        assert answer(0) == first
    before = resident()
    for _ in range(200):
        assert answer(0) == first
    assert resident() - before < MOST_GROWTH


def test_predictions_in_threads_are_those_alone():
    model = LatentGraphClustering(5).fit(X)
    alone = model.predict_proba(NEW).tobytes()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.predict_proba(NEW).tobytes(), range(200)))
    assert set(found) == {alone}


@pytest.mark.parametrize("how", ["fork", "spawn"])
# Python warns of any fork while threads run: that it works is what is tested.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_other_processes_give_the_same_bits(how):
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {how} here")
    expected = [answer(seed) for seed in range(4)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
        assert list(pool.map(answer, range(4))) == expected
