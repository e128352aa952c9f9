"""Tables of numbers and categories: mixed_tables.py [--tables 40].

Draws tables of 1 to 4 columns of numbers and 1 to 3 of categories, 100 to 400 rows in 2 to 5 classes, half of them with missing
fields. Printed are the mean adjusted Rand index by Gower's distance, of latent graphs, latent features, and average linkage
of the same distances, the number of clusters given and not given. Run it in an environment with the wheel.
"""

import argparse

import numpy as np
import pandas
from scipy.cluster.hierarchy import average, fcluster

from similis import LatentFeatureClustering, LatentGraphClustering, adjusted_rand_index


def table(seed):
    """Return a table and the classes of its rows."""
    random = np.random.default_rng(seed)
    n_classes, n = int(random.integers(2, 6)), int(random.integers(100, 400))
    classes, columns = random.integers(0, n_classes, n), {}
    for number in range(int(random.integers(1, 5))):
        centres = random.normal(size=n_classes) * random.uniform(1, 4)
        columns[f"number {number}"] = centres[classes] + random.normal(size=n)
    for number in range(int(random.integers(1, 4))):
        n_values = int(random.integers(2, 6))
        usual, by_class = random.integers(0, n_values, n_classes), random.random(n) < random.uniform(0.6, 1)
        values = np.where(by_class, usual[classes], random.integers(0, n_values, n))
        columns[f"category {number}"] = pandas.Categorical([f"value {value}" for value in values])
    frame = pandas.DataFrame(columns)
    if random.random() < 0.5:
        for name in frame.columns:
            frame[name] = frame[name].where(random.random(n) > 0.05)
    return frame, classes


def gower(frame):
    """Return the condensed distances of the rows."""
    sums, counts = 0.0, 0.0
    for name in frame.columns:
        numbers = frame[name].dtype.kind == "f"
        values = frame[name].to_numpy() if numbers else frame[name].cat.codes.to_numpy()
        known = ~np.isnan(values) if numbers else values >= 0
        both = known[:, None] & known
        if numbers:
            apart = np.abs(values[:, None] - values) / (np.nanmax(values) - np.nanmin(values))
        else:
            apart = values[:, None] != values
        sums, counts = sums + np.where(both, apart, 0.0), counts + both
    return (sums / np.maximum(counts, 1))[np.triu_indices(len(frame), 1)]


def main():
    """Read the arguments, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    found = {}
    for seed in range(parser.parse_args().tables):
        frame, classes = table(seed)
        n_classes = len(np.unique(classes))
        linkage = fcluster(average(gower(frame)), n_classes, "maxclust")
        found.setdefault("average linkage, number given", []).append(adjusted_rand_index(linkage, classes))
        for estimator in (LatentGraphClustering, LatentFeatureClustering):
            for n_clusters, words in ((n_classes, "number given"), ("auto", "nothing given")):
                labels = estimator(n_clusters, metric="gower").fit(frame).labels_
                found.setdefault(f"{estimator.__name__}, {words}", []).append(adjusted_rand_index(labels, classes))
    for name, values in found.items():
        print(f"{name:40} {np.mean(values):.3f}")


if __name__ == "__main__":
    main()
