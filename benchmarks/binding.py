"""What calling similis from Python costs: time beside the library's own, and memory beside the input.

python benchmarks/binding.py, in an environment that has similis.
"""

import resource
import subprocess
import sys
import time

import numpy as np

from similis import LatentFeatureClustering, LatentGraphClustering, make_shapes, spanning_tree

N = 5000


def overhead(model, X, n_times):
    """Return the median seconds of a call, and of what is not the library's own work."""
    calls = []
    for _ in range(n_times):
        started = time.perf_counter()
        model.fit(X)
        whole = time.perf_counter() - started
        calls.append((whole, whole - model._seconds))
    whole, extra = np.median(calls, axis=0)
    return whole, extra


def times():
    """Print the overhead of fits of points and of distances."""
    X, _ = make_shapes("five_blobs", N)
    small = X[:50]
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    cases = [
        ("LatentFeatureClustering, 50 points", LatentFeatureClustering(5), small, 50),
        ("LatentFeatureClustering, 5,000 points", LatentFeatureClustering(5), X, 9),
        ("LatentFeatureClustering, 5,000 x 5,000", LatentFeatureClustering(5, metric="precomputed"), distances, 5),
        ("LatentGraphClustering, 5,000 points", LatentGraphClustering(5), X, 1),
    ]
    print(f"\n{'call':44}{'ms':>12}{'overhead ms':>14}{'allowed ms':>12}")
    for name, model, given, n_times in cases:
        whole, extra = overhead(model, given, n_times)
        allowed = 1 + 50 * (whole - extra)
        print(f"{name:44}{1e3 * whole:12.2f}{1e3 * extra:14.2f}{allowed:12.2f}")


def peak():
    """Return the most memory that this process has had, in MB."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def growth(order, what):
    """Print by how many MB the memory grows over a call with a matrix of 200 MB in this order of entries."""
    places = np.sort(np.random.default_rng(0).normal(size=N))
    distances = np.empty((N, N), order=order)
    for at in range(N):
        distances[:, at] = np.abs(places - places[at])
    before = peak()
    if what == "tree":
        spanning_tree(distances, metric="precomputed")
    else:
        LatentFeatureClustering(5, metric="precomputed").fit(distances)
    print(f"{peak() - before:.0f}")


def memory():
    """Print the growth for a matrix that can be borrowed, and for one that cannot."""
    print(f"{'memory beside a matrix of 200 MB':44}{'C order':>12}{'Fortran order':>14}")
    for what in ("tree", "fit"):
        grown = [
            subprocess.run([sys.executable, __file__, order, what], capture_output=True, text=True, check=True).stdout
            for order in "CF"
        ]
        print(f"{what:44}{grown[0].strip() + ' MB':>12}{grown[1].strip() + ' MB':>14}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        growth(*sys.argv[1:])
    else:
        # First: a child's greatest memory begins with its parent's.
        memory()
        times()
