"""How fast Ctrl-C ends work in Python: `python benchmarks/ctrl_c.py`, in an environment that has similis.

Prints the seconds from the signal to the `KeyboardInterrupt`, for several kinds of work and moments. At most half a second is
meant to be.
"""

import signal
import threading
import time

import numpy as np

from similis import LatentFeatureClustering, LatentGraphClustering, neighbours, spanning_tree

LONG = np.random.default_rng(0).normal(size=(20_000, 20))
WORK = {
    "graph": lambda: LatentGraphClustering(3).fit(LONG),
    "paper": lambda: LatentGraphClustering(3, inference="paper").fit(LONG[:5000]),
    "feature": lambda: LatentFeatureClustering(3, affinity="gaussian").fit(LONG[:4000]),
    "tree": lambda: spanning_tree(LONG.repeat(3, axis=0)),
    "neighbours": lambda: neighbours(LONG, 15, exact=True),
}


def waited(work, delay):
    """Return the seconds from the signal to the exception."""
    sent = []

    def press():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(delay, press)
    timer.start()
    try:
        work()
        timer.join()
        # The work was done before; the signal comes here.
        time.sleep(1)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.join()
    return float("nan")


def main():
    """Print the table."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("| work | after s | waited s |\n|---|---:|---:|")
    for name, work in WORK.items():
        for delay in (0.15, 0.8, 3.0):
            print(f"| {name} | {delay} | {waited(work, delay):.3f} |", flush=True)


if __name__ == "__main__":
    main()
