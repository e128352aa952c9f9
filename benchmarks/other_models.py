"""The paper's algorithm beside the search under other likelihoods and graphs: other_models.py SIMILIS [--draws 3] [--shapes a,b].

Printed is the mean adjusted Rand index on our shapes, 200 points each, the true number of clusters given, for Gaussian lengths
(Eq. 7), K neighbours (Eq. 9), both, and connected graphs (Eq. 10), by `--inference paper` and `--inference search`.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SHAPES = (
    "two-rings half-moons dense-blob dense-ring dense-line crossing-lines dense-spiral dense-letter "
    "overlapping-squares unlike-spirals nested-scales thinned five-blobs"
).split()
GAUSSIAN, NEIGHBOURS = ["--likelihood", "gaussian"], ["--graph-prior", "k-neighbours"]
MODELS = {
    "gaussian": GAUSSIAN,
    "k-neighbours": NEIGHBOURS,
    "gaussian, k-neighbours": GAUSSIAN + NEIGHBOURS,
    "connected": ["--graph-prior", "connected"],
}


def agreement(similis, path, flags, inference):
    """Return the adjusted Rand index of a fit."""
    n_clusters = len({line.rsplit(",", 1)[1] for line in path.read_text().split()[1:]})
    out = path.with_suffix(".json")
    command = [similis, "cluster", path, "--label-column", "label", "-k", str(n_clusters), "-q", "-o", out]
    subprocess.run([*command, "--inference", inference, *flags], check=True, capture_output=True)
    return json.loads(out.read_text())["agreement"]["adjusted_rand_index"]


def main():
    """Print the means of every model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for shape in args.shapes.split(","):
            for seed in range(args.draws):
                paths.append(Path(folder) / f"{shape}-{seed}.csv")
                draw = [args.similis, "generate", shape, "--n-points", "200", "--seed", str(seed)]
                subprocess.run([*draw, "--output", paths[-1], "--quiet"], check=True)
        print(f"{'':24}{'paper':>8}{'search':>8}")
        for name, flags in MODELS.items():
            means = [
                np.mean([agreement(args.similis, path, flags, inference) for path in paths])
                for inference in ("paper", "search")
            ]
            print(f"{name:24}" + "".join(f"{mean:8.2f}" for mean in means))


if __name__ == "__main__":
    main()
