"""One peer of the speed comparison in a process of its own: `speed_peers.py METHOD INPUT` prints seconds and answer as JSON.

The seconds are of the call alone, without imports, reading, writing and compilation. `speed_peers.py quitefastmst INPUT OUTPUT`
also writes the tree as a CSV file like that of `similis tree`.
"""

import json
import sys
import time

import numpy as np


def timed(call):
    """Return the seconds and the result of a call."""
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


def quitefastmst(path, output=None):
    """Measure the spanning tree of points by quitefastmst; write it where an output is named."""
    from quitefastmst import mst_euclid

    points = np.ascontiguousarray(np.load(path))
    seconds, (lengths, ends) = timed(lambda: mst_euclid(points, 0))
    if output is not None:
        links = zip(ends[:, 0].tolist(), ends[:, 1].tolist(), lengths.tolist(), strict=True)
        with open(output, "w", encoding="ascii") as file:
            file.write("from,to,length\n")
            file.writelines(f"{i},{j},{length}\n" for i, j, length in links)
    return seconds, {"weight": float(np.sum(lengths))}


def fast_hdbscan(path):
    """Measure the spanning tree of points by fast_hdbscan, in single precision as it has it."""
    import numba
    from fast_hdbscan.boruvka import parallel_boruvka
    from fast_hdbscan.numba_kdtree import build_kdtree

    def tree(points):
        found = build_kdtree(points.astype(np.float32))
        return parallel_boruvka(found, numba.get_num_threads(), 1, np.zeros(1, np.float32), False)

    points = np.load(path)
    tree(points[:500].copy())
    seconds, (edges, *_) = timed(lambda: tree(points))
    return seconds, {"weight": float(np.sum(edges[:, 2]))}


def genie(path):
    """Measure single linkage of a matrix of distances by Genie."""
    from genieclust import Genie

    distances = np.load(path)
    model = Genie(n_clusters=10, gini_threshold=1.0, metric="precomputed")
    seconds, _ = timed(lambda: model.fit(distances))
    return seconds, {"weight": float(np.sum(model._tree_d_))}


def scipy_eigsh(path):
    """Measure the ten greatest eigenvalues of a dense or sparse matrix by SciPy's Lanczos iteration."""
    from scipy import sparse
    from scipy.sparse.linalg import eigsh

    matrix = sparse.load_npz(path) if path.endswith(".npz") else np.load(path)
    seconds, (values, _) = timed(lambda: eigsh(matrix, k=10, which="LA", v0=np.ones(matrix.shape[0])))
    values = np.sort(values)[::-1]
    return seconds, {"eig2": float(values[1]), "eig10": float(values[9])}


if __name__ == "__main__":
    elapsed, answer = globals()[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"seconds": elapsed, **answer}))
