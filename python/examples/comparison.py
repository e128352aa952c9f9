"""Draw the comparison picture that scikit-learn users know, with our estimators added.

Rows are data sets, columns are methods; the seconds of each fit stand in the corner, the adjusted Rand index in the title
where the set has labels. python comparison.py [PICTURE.png]
"""

import sys
import time
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.preprocessing import StandardScaler

matplotlib.use("Agg")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import matplotlib.pyplot as plt
from toy_sets import comparison_sets, methods

from similis import LatentGraphClustering, adjusted_rand_index, make_shapes

COLOURS = np.array(["#377eb8", "#ff7f00", "#4daf4a", "#f781bf", "#a65628", "#984ea3", "#999999", "#e41a1c", "#dede00"])


def data_sets():
    """Return the page's sets, one without structure, and two in which scales differ."""
    sets = comparison_sets()
    sets.append(("no structure", np.random.RandomState(30).rand(500, 2), None, 3))
    for shape in ("dense_letter", "nested_scales"):
        sets.append((shape.replace("_", " "), *make_shapes(shape, 500), 3))
    return sets


def main(path):
    """Draw the picture."""
    warnings.filterwarnings("ignore", category=UserWarning)
    sets = data_sets()
    figure = None
    for row, (set_name, X, y, n_neighbors) in enumerate(sets):
        X = StandardScaler().fit_transform(X)
        n_clusters = 3 if y is None else len(np.unique(y))
        columns = {"LatentGraphClustering": LatentGraphClustering(n_clusters), **methods(X, n_clusters, n_neighbors)}
        if figure is None:
            figure, axes = plt.subplots(
                len(sets), len(columns), figsize=(2 * len(columns), 2 * len(sets)), layout="constrained"
            )
        for ax, (name, method) in zip(axes[row], columns.items(), strict=True):
            started = time.perf_counter()
            labels = method.fit_predict(X)
            seconds = time.perf_counter() - started
            # Noise is black.
            ax.scatter(*X.T, s=6, c=np.where(labels < 0, "#000000", COLOURS[labels % len(COLOURS)]), linewidths=0)
            agreement = "" if y is None else f"{adjusted_rand_index(labels, y):.2f}"
            ax.set_title(f"{name}\n{agreement}" if row == 0 else agreement, fontsize=9)
            ax.text(0.98, 0.02, f"{seconds:.2f}s".lstrip("0"), transform=ax.transAxes, ha="right", fontsize=9)
            ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), xticks=(), yticks=())
        axes[row, 0].set_ylabel(set_name)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "comparison.png")
