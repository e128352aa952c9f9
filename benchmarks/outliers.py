"""How well outlier scores rank: outliers.py [--draws 6]. Needs an environment with the wheel.

Two Gaussians of unlike density, two moons, three Gaussians in five dimensions and two rings, each with 5% of points that are
uniform over the box and around it. Printed is the area under the ROC curve of similis' outlier score, with the number of clusters
found by `auto`, beside scikit-learn's LocalOutlierFactor and IsolationForest.
"""

import argparse
import warnings

import numpy as np
from similis import AutoClustering, make_shapes
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

KINDS = ("unlike Gaussians", "half moons", "five dimensions", "two rings")


def points(kind, random, seed):
    """Return the points of a scene without outliers."""
    if kind == "unlike Gaussians":
        return np.vstack([random.normal(0, 0.3, (300, 2)), random.normal(4, 1.2, (150, 2))])
    if kind == "five dimensions":
        parts = [(0, 1, 200), (5, 0.3, 200), (-5, 2, 100)]
        return np.vstack([random.normal(mean, spread, (n, 5)) for mean, spread, n in parts])
    return make_shapes(kind.replace(" ", "_"), 400, random_state=seed)[0]


def scene(kind, seed):
    """Return points, and which of them are outliers."""
    random = np.random.default_rng(seed)
    own = points(kind, random, seed)
    low, high = own.min(0), own.max(0)
    room = 0.3 * (high - low)
    far = random.uniform(low - room, high + room, (len(own) // 20, own.shape[1]))
    return np.vstack([own, far]), np.arange(len(own) + len(far)) >= len(own)


def row(kind, seed):
    """Return the areas under the curves of the three scores."""
    table, is_far = scene(kind, seed)
    # Scores of 0 are ties: what ranks is the log density.
    scores = [
        -np.nan_to_num(AutoClustering().fit(table).score_samples(None), neginf=-1e9),
        -LocalOutlierFactor(20).fit(table).negative_outlier_factor_,
        -IsolationForest(random_state=0).fit(table).score_samples(table),
    ]
    return [roc_auc_score(is_far, score) for score in scores]


def main():
    """Print the mean of every kind, and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=6)
    draws = parser.parse_args().draws
    warnings.simplefilter("ignore")
    print(f"{'':20}{'similis':>10}{'LOF':>10}{'forest':>10}")
    means = []
    for at, kind in enumerate(KINDS):
        means.append(np.mean([row(kind, 4 * draw + at) for draw in range(draws)], axis=0))
        print(f"{kind:20}" + "".join(f"{value:10.3f}" for value in means[-1]))
    print(f"{'mean':20}" + "".join(f"{value:10.3f}" for value in np.mean(means, axis=0)))


if __name__ == "__main__":
    main()
