"""What is done with many points, done with few, beside the whole search: large_path.py SIMILIS DATA [--sets x1,dense-ring].

DATA holds folders of labelled sets (NAME.data.gz, NAME.labels0.gz; label 0 is noise and does not count); those of up to 2,000
points are taken, and two draws of 1,000 points of every shape that `similis generate` has. The true number of clusters is given.
A row has the score of the whole search, by how much that of the large path is behind (in percent), both adjusted Rand indices
and both times; the last row has the means.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import tempfile
import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

MOST = 2_000


def labelled(folder):
    """Yield the name, the points and the labels of every set that is small enough."""
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.data.gz"))):
        points = np.loadtxt(path, ndmin=2)
        if len(points) <= MOST:
            labels = np.loadtxt(path.replace(".data.gz", ".labels0.gz")).astype(int).ravel()
            yield os.path.basename(path).removesuffix(".data.gz"), points, labels


def drawn(similis):
    """Yield the name, the points and the labels of two draws of each shape."""
    text = subprocess.run([similis, "generate", "--help"], capture_output=True, text=True, check=True).stdout
    for shape in re.search(r"possible values: ([^]]*)]", text).group(1).split(","):
        for seed in ("1", "2"):
            command = [similis, "generate", shape.strip(), "-n", "1000", "--seed", seed]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
            table = np.array([line.split(",") for line in lines[1:]], dtype=float)
            yield f"{shape.strip()}-{seed}", table[:, :-1], table[:, -1].astype(int) + 1


def fit(similis, points, n_clusters, more):
    """Return the score, the labels and the seconds of a fit."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.npy"), os.path.join(folder, "fit.json")
        np.save(data, points)
        command = [similis, "cluster", data, "--input", "points", "-k", str(n_clusters), "-o", out, "--quiet"]
        began = time.perf_counter()
        subprocess.run([*command, "--threads", "1", *more], check=True)
        with open(out, encoding="utf-8") as file:
            answer = json.load(file)
        return answer["score"]["total"], np.array(answer["labels"]), time.perf_counter() - began


def main():
    """Print a row for each set, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("data")
    parser.add_argument("--sets", type=lambda text: text.split(","))
    arguments = parser.parse_args()
    print("| set | score | behind % | ARI whole | ARI large | s whole | s large |\n|---|---:|---:|---:|---:|---:|---:|")
    rows = []
    for name, points, truth in (*labelled(arguments.data), *drawn(arguments.similis)):
        if arguments.sets and name not in arguments.sets:
            continue
        told = truth > 0
        n_clusters = len(np.unique(truth[told]))
        score, labels, seconds = fit(arguments.similis, points, n_clusters, [])
        own, found, taken = fit(arguments.similis, points, n_clusters, ["--without", "whole-search"])
        index = [adjusted_rand_score(truth[told], answer[told]) for answer in (labels, found)]
        rows.append((100 * (score - own) / abs(score), *index, seconds, taken))
        print(f"| {name} | {score:.1f} | " + " | ".join(f"{value:.3f}" for value in rows[-1]) + " |", flush=True)
    means = np.mean(rows, axis=0)
    print(f"| mean of {len(rows)} | | " + " | ".join(f"{value:.4f}" for value in means) + " |")


if __name__ == "__main__":
    main()
