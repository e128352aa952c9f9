"""The time of small inputs: `small.py SIMILIS [--before OTHER] [--sizes 500,1000,10000] [--repeat 3] [--shape five-blobs]`.

Printed are processor seconds of `cluster`, one thread, whole processes, the least of --repeat rounds, with the true number of
clusters given and not given, and the ratio of the two. With --before another build of the command is measured in turn with the
first, and the ratios of their seconds are printed as well.
"""

import argparse
import os
import tempfile

import numpy as np

import harness


def commands(similis, data, folder, n_clusters):
    """Return the commands with the number given and not given."""
    options = ["--input", "points", "-o", os.path.join(folder, "labels.csv"), "--quiet", "--threads", "1"]
    return [[similis, "cluster", data, *options, "-k", number] for number in (str(n_clusters), "auto")]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--before", help="another build of the command")
    parser.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=[500, 1000, 10000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--shape", default="five-blobs", help="one that `similis generate` has")
    arguments = parser.parse_args()
    head = ["points", "given s", "auto s", "auto / given"]
    head += ["given before s", "auto before s", "given / before", "auto / before"] if arguments.before else []
    print("| " + " | ".join(head) + " |\n|" + "---:|" * len(head))
    with tempfile.TemporaryDirectory() as folder:
        for n_points in arguments.sizes:
            drawn = harness.drawn_shape(arguments.similis, arguments.shape, 0, n_points)
            data = os.path.join(folder, f"{n_points}.npy")
            np.save(data, drawn.points)
            builds = [arguments.similis, *([arguments.before] if arguments.before else [])]
            n_clusters = harness.n_classes(drawn.labels)
            wanted = [command for build in builds for command in commands(build, data, folder, n_clusters)]
            given, auto, *before = harness.least_seconds(wanted, arguments.repeat)
            row = [f"{n_points:,}", f"{given:.2f}", f"{auto:.2f}", f"{auto / given:.1f}"]
            row += [f"{seconds:.2f}" for seconds in before]
            row += [f"{given / before[0]:.2f}", f"{auto / before[1]:.2f}"] if before else []
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
