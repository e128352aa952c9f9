"""The table of docs/evidence/scale.md: whole processes on one thread, ours beside the peers, in one run.

    at_scale.py SIMILIS [--sizes 10000,100000,1000000] [--dimensions 2]
        [--peers genie,fast_hdbscan,hdbscan,sklearn] [--options OPTIONS OF similis cluster]

Points are a mixture of ten Gaussians in the plane whose scales differ 1:30. Seconds are processor time (user and system) of
the whole process, start and reading included: on a shared machine only these compare. Growth exponents are printed for every
two sizes. The number of clusters is given to similis and Genie; at 100,000 points a row more has it left to similis. Each
command runs once. scikit-learn's HDBSCAN takes time with the square of the points and is left out above 100,000.
"""

import argparse
import itertools
import math
import os
import sys
import tempfile

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness
from inputs import mixture

PEERS = {
    "genie": "import genieclust; y = genieclust.Genie(n_clusters=10).fit_predict(x)",
    "fast_hdbscan": "import fast_hdbscan; y = fast_hdbscan.HDBSCAN(min_cluster_size=25).fit_predict(x)",
    "hdbscan": "import hdbscan; y = hdbscan.HDBSCAN(min_cluster_size=25, core_dist_n_jobs=1).fit_predict(x)",
    "sklearn": "from sklearn.cluster import HDBSCAN; y = HDBSCAN(min_cluster_size=25, copy=False).fit_predict(x)",
}


def rows(arguments, n_points, n_dimensions, folder):
    """Yield a row for each method: its name, what its process took, the agreement."""
    points, truth = mixture(n_points, n_dimensions)
    path, labels = os.path.join(folder, "x.npy"), os.path.join(folder, "labels.csv")
    np.save(path, points)
    ours = [arguments.similis, "cluster", path, "--input", "points", "--threads", "1", "--quiet", "--output", labels]
    ours += arguments.options
    for name, more in (("similis", ["--n-clusters", "10"]), ("similis, auto", [])):
        if not more and n_points != 100_000:
            continue
        spent = harness.measure(ours + more)
        found = np.loadtxt(labels, delimiter=",", skiprows=1, dtype=int)[:, 1]
        yield name, spent, adjusted_rand_score(truth, found)
    for name in arguments.peers:
        if name == "sklearn" and n_points > 100_000:
            continue
        out = os.path.join(folder, "peer.npy")
        program = f"import numpy as np; x = np.load({path!r}); {PEERS[name]}; np.save({out!r}, y)"
        spent = harness.measure([sys.executable, "-c", program])
        yield name, spent, adjusted_rand_score(truth, np.load(out))


def main():
    """Print the table and the growth exponent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--dimensions", type=int, default=2)
    parser.add_argument("--peers", type=lambda text: text.split(",") if text else [], default=[*PEERS])
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[])
    arguments = parser.parse_args()
    print("| points | method | processor s | kB a point | ARI |\n|---:|---|---:|---:|---:|")
    own = []
    with tempfile.TemporaryDirectory() as folder:
        for n_points in arguments.sizes:
            for name, spent, agreement in rows(arguments, n_points, arguments.dimensions, folder):
                seconds, kilobytes = spent.processor_seconds, spent.peak_bytes / n_points / 1000
                print(f"| {n_points:,} | {name} | {seconds:.1f} | {kilobytes:.2f} | {agreement:.3f} |", flush=True)
                if name == "similis":
                    own.append((n_points, seconds))
    for (n_least, least), (n_most, most) in itertools.combinations(own, 2):
        exponent = math.log(most / least) / math.log(n_most / n_least)
        print(f"growth exponent from {n_least:,} to {n_most:,} points: {exponent:.2f}")


if __name__ == "__main__":
    main()
