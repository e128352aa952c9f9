"""What a noise class and a report cost beside the fit: `extras.py SIMILIS [--repeat 3] [--shape five-blobs]`.

Printed are the processor seconds of `cluster` with 5,000 points and of the same with `--noise background`, and of `cluster`
with 10,000 points and of the same with `--report`; then each ratio and the greatest that is meant to be. One thread, whole
processes, the least of --repeat rounds, the true number of clusters given.
"""

import argparse
import os
import tempfile

import numpy as np

import harness

# Name, number of points, options, and the greatest ratio that is meant to be.
EXTRAS = (
    ("a noise class", 5_000, ("--noise", "background"), 3.0),
    ("a report", 10_000, ("--report", "{folder}/report.html"), 2.0),
)


def cost(arguments, n_points, options, folder):
    """Return the seconds of a fit without and with the options."""
    drawn = harness.drawn_shape(arguments.similis, arguments.shape, 0, n_points)
    data = os.path.join(folder, f"{n_points}.npy")
    np.save(data, drawn.points)
    command = [arguments.similis, "cluster", data, "--input", "points", "-k", str(harness.n_classes(drawn.labels))]
    command += ["-o", os.path.join(folder, "labels.csv"), "--quiet", "--threads", "1"]
    more = [option.format(folder=folder) for option in options]
    return harness.least_seconds([command, command + more], arguments.repeat)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--shape", default="five-blobs", help="one that `similis generate` has")
    arguments = parser.parse_args()
    print("| extra | points | fit s | with it s | ratio | at most |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, n_points, options, most in EXTRAS:
            fit, both = cost(arguments, n_points, options, folder)
            print(f"| {name} | {n_points:,} | {fit:.2f} | {both:.2f} | {both / fit:.2f} | {most:.0f} |", flush=True)


if __name__ == "__main__":
    main()
