"""Many fits in one process: `python benchmarks/soak.py [--fits 10000]`, in an environment that has similis.

Prints the memory of the process, its open files and threads after each tenth of the fits; then 1,000 predictions in threads
and 8 fits each in forked and in spawned processes. Every answer is compared bit by bit with the first; the exit status is 1 if
one differs.
"""

import argparse
import multiprocessing
import os
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np

from similis import LatentGraphClustering, make_shapes

X, _ = make_shapes("five_blobs", 60)
NEW = X + 0.01


def answer(_=0):
    """Return the bytes of a fit and of predictions from it."""
    model = LatentGraphClustering(5, n_jobs=1).fit(X)
    return model.labels_.tobytes() + np.float64(model.score_).tobytes() + model.predict_proba(NEW).tobytes()


def state():
    """Return megabytes, open files and threads of this process (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return f"{resident:8.1f} MB {len(os.listdir('/proc/self/fd')):4} files {threading.active_count():4} threads"


def main():
    """Print what the process takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=10_000)
    arguments = parser.parse_args()
    first, n_other = answer(), 0
    for fit in range(1, arguments.fits + 1):
        n_other += answer() != first
        if fit % max(1, arguments.fits // 10) == 0:
            print(f"{fit:8} fits {state()}", flush=True)
    model = LatentGraphClustering(5).fit(X)
    alone = model.predict_proba(NEW).tobytes()
    with ThreadPoolExecutor(8) as pool:
        n_other += sum(found != alone for found in pool.map(lambda _: model.predict_proba(NEW).tobytes(), range(1_000)))
    print(f"{1_000:8} predictions in 8 threads {state()}")
    for how in ("fork", "spawn"):
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
            n_other += sum(found != first for found in pool.map(answer, range(8)))
    print(f"{n_other} answers with other bits")
    sys.exit(n_other > 0)


if __name__ == "__main__":
    main()
