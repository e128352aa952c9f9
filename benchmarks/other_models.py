"""The paper's algorithm beside the search under other likelihoods and graphs: other_models.py SIMILIS [--joints].

Printed is the mean adjusted Rand index on our shapes, 200 points each, the true number of clusters given, for Gaussian lengths
(Eq. 7), K neighbours (Eq. 9), both, and connected graphs (Eq. 10), by `--inference paper` and `--inference search`. With `--joints`
also, for each set, by how many nats the log joint of each answer exceeds that of the true labels, at their best graph and scales:
above 0 the model prefers the answer, below 0 the algorithm missed the truth; inf where the true labels are impossible. `--draws 1`,
`--shapes a,b` and `--models a,b` do less, `--flags="--size-prior dirichlet"` are settings for all models.
"""

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path
from statistics import mean

SHAPES = (
    "two-rings half-moons dense-blob dense-ring dense-line crossing-lines dense-spiral dense-letter "
    "overlapping-squares unlike-spirals nested-scales thinned five-blobs"
).split()
GAUSSIAN, NEIGHBOURS = ["--likelihood", "gaussian"], ["--graph-prior", "k-neighbours"]
MODELS = {
    "gaussian": GAUSSIAN,
    "k-neighbours": NEIGHBOURS,
    "gaussian k-neighbours": GAUSSIAN + NEIGHBOURS,
    "connected": ["--graph-prior", "connected"],
}


def fit(similis, path, flags):
    """Return the adjusted Rand index and the log joint of a fit."""
    n_clusters = len({line.rsplit(",", 1)[1] for line in path.read_text().split()[1:]})
    out = path.with_suffix(".json")
    command = [similis, "cluster", path, "--label-column", "label", "-k", str(n_clusters), "-q", "-o", out]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    answer = json.loads(out.read_text())
    joint = answer["log_joint"]
    return answer["agreement"]["adjusted_rand_index"], -math.inf if joint is None else joint


def joint_of_truth(similis, path, flags):
    """Return the log joint of the true labels: of a fit to which all are known."""
    known = path.with_suffix(".txt")
    known.write_text("".join(line.rsplit(",", 1)[1] + "\n" for line in path.read_text().split()[1:]))
    return fit(similis, path, [*flags, "--inference", "paper", "--known-labels", known])[1]


def main():
    """Print the means of every model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--flags", default="")
    parser.add_argument("--joints", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for shape in args.shapes.split(","):
            for seed in range(args.draws):
                paths.append(Path(folder) / f"{shape}-{seed}.csv")
                draw = [args.similis, "generate", shape, "--n-points", "200", "--seed", str(seed)]
                subprocess.run([*draw, "--output", paths[-1], "--quiet"], check=True)
        print(f"{'':24}{'paper':>8}{'search':>8}")
        for name in args.models.split(","):
            flags = MODELS[name] + args.flags.split()
            found = {
                inference: [fit(args.similis, path, ["--inference", inference, *flags]) for path in paths]
                for inference in ("paper", "search")
            }
            print(f"{name:24}" + "".join(f"{mean([index for index, _ in one]):8.2f}" for one in found.values()))
            for at, path in enumerate(paths if args.joints else []):
                truth = joint_of_truth(args.similis, path, flags)
                each = [f"{one[at][0]:8.2f} ({one[at][1] - truth:+.1f})" for one in found.values()]
                print(f"  {path.stem:22}" + "".join(each))


if __name__ == "__main__":
    main()
