"""Writes the sparse matrix in STEM.indptr.npy, STEM.indices.npy, STEM.data.npy as a CSV of edges: edges.py STEM CSV."""

import sys

import numpy as np

stem, path = sys.argv[1:]
offsets, columns, values = (np.load(f"{stem}.{part}.npy") for part in ("indptr", "indices", "data"))
rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
upper = rows <= columns
with open(path, "w") as file:
    for i, j, value in zip(rows[upper].tolist(), columns[upper].tolist(), values[upper].tolist()):
        file.write(f"{i},{j},{value!r}\n")
