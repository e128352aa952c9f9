"""Writes draws of every shape that `similis generate` has: `shapes.py SIMILIS FOLDER [--seeds 10]`.

Each is a CSV file SHAPE-sSEED.csv without a header: x, y and the class, counted from 1.
"""

import argparse
from pathlib import Path

import numpy as np

import harness


def main():
    """Write the draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for shape in harness.shapes(arguments.similis):
        for seed in range(arguments.seeds):
            drawn = harness.drawn_shape(arguments.similis, shape, seed)
            table = np.c_[drawn.points, drawn.labels]
            np.savetxt(arguments.folder / f"{drawn.name}.csv", table, delimiter=",", fmt=["%.17g", "%.17g", "%d"])


if __name__ == "__main__":
    main()
