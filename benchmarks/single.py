"""Writes a .npy matrix in single precision: single.py MATRIX SINGLE."""

import sys

import numpy as np

np.save(sys.argv[2], np.load(sys.argv[1], mmap_mode="r").astype(np.float32))
