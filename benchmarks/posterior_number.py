"""The posterior of the number of clusters: posterior_number.py SIMILIS [--sizes 100,300] [--support nearest].

Blobs, rings, a dense blob in a cloud, and draws with one cluster, sampled with `--inference sample -k 1-10`. Printed are the
probabilities of the numbers, and R-hat.
"""

import argparse
import json
import os
import subprocess
import tempfile

import numpy as np


def blobs(random, n, gap):
    """Return three Gaussians of standard deviation 1."""
    return np.concatenate([random.normal(at, 1, (n // 3, 2)) for at in [(0, 0), (gap, 0), (0, gap)]])


def rings(random, n, gap):
    """Return two rings of width 0.05 around one centre, a third of the points on the inner one."""
    angle = random.uniform(0, 2 * np.pi, n)
    radius = np.where(np.arange(n) < n // 3, 1, 1 + gap) + random.normal(0, 0.05, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def blob_in_cloud(random, n, _):
    """Return a Gaussian in a uniform square forty times as wide, half of the points in each."""
    return np.concatenate([random.normal(0, 0.05, (n // 2, 2)), random.uniform(-1, 1, (n // 2, 2))])


KINDS = {
    **{f"three blobs, {gap} standard deviations apart": (blobs, gap) for gap in (6, 10, 20)},
    **{f"two rings, {gap} apart": (rings, gap) for gap in (0.5, 1, 3)},
    "a dense blob in a cloud": (blob_in_cloud, None),
    "one Gaussian": (lambda random, n, _: random.normal(0, 1, (n, 2)), None),
    "a uniform square": (lambda random, n, _: random.uniform(0, 1, (n, 2)), None),
}


def posterior(similis, points, options, folder):
    """Return the posterior of the number."""
    data, out = os.path.join(folder, "points.npy"), os.path.join(folder, "answer.json")
    np.save(data, points)
    fit = ["cluster", data, "--input", "points", "-k", "1-10", "--inference", "sample", "-q", "-o", out]
    subprocess.run([similis, *fit, *options], check=True)
    with open(out, encoding="utf-8") as answer:
        return json.load(answer)["posterior"]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=[100, 300])
    parser.add_argument("--support")
    arguments = parser.parse_args()
    options = ["--support", arguments.support] if arguments.support else []
    print("| points | what | probabilities of the numbers | R-hat |\n|---:|---|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for n in arguments.sizes:
            for name, (draw, gap) in KINDS.items():
                found = posterior(arguments.similis, draw(np.random.default_rng(1), n, gap), options, folder)
                numbers = ", ".join(f"{m}: {p:.2f}" for m, p in found["numbers"] if p >= 0.02)
                print(f"| {n} | {name} | {numbers} | {found['r_hat']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
