"""What the benchmarks share: reading labelled sets, running the command, measuring a process.

`harness.py [DATA]` says whether DATA holds the labelled sets, and where to get them if it does not (exit status 1).
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

# No other battery of the suite is read, so that the rest of it stays unseen data.
BATTERIES = ("fcps", "graves", "wut")
MISSING = (
    'the labelled sets are missing: they are the batteries wut, graves and fcps of "A framework for benchmarking clustering '
    'algorithms" v1.1.0 (M. Gagolewski and others, DOI 10.5281/zenodo.7088171), to be given as the folder that holds them '
    "as BATTERY/NAME.data.gz and BATTERY/NAME.labels0.gz, as in make quality DATA=FOLDER"
)
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "NUMBA", "MKL")}


@dataclass(frozen=True)
class LabelledSet:
    """Points and their reference labellings, in which classes count from 1 and 0 is noise, which no score counts."""

    battery: str
    name: str
    points: np.ndarray
    labellings: dict[str, np.ndarray]

    @property
    def labels(self):
        """The first labelling."""
        return self.labellings["labels0"]


def add_data(parser):
    """Add the arguments that name labelled sets."""
    parser.add_argument("data", nargs="?", type=Path, help="the folder of the batteries wut, graves and fcps")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these sets: NAME,NAME")


def has_batteries(data):
    """Return whether a folder holds the three batteries."""
    return data is not None and all(any((data / battery).glob("*.data.gz")) for battery in BATTERIES)


def labelled_sets(data, wanted=None):
    """Yield the labelled sets of the three batteries; leave the program with a message if they are missing."""
    if not has_batteries(data):
        sys.exit(MISSING)
    for battery in BATTERIES:
        for path in sorted((data / battery).glob("*.data.gz")):
            name = path.name.removesuffix(".data.gz")
            if not wanted or name in wanted:
                yield LabelledSet(battery, name, np.loadtxt(path, ndmin=2), labellings(path))


def labellings(path):
    """Return the reference labellings of the set whose points are in a file."""
    name = path.name.removesuffix(".data.gz")
    files = sorted(path.parent.glob(f"{name}.labels*.gz"))
    return {file.name[len(name) + 1 : -len(".gz")]: np.loadtxt(file).astype(int).ravel() for file in files}


def csv_sets(folder, wanted=None):
    """Yield the sets of a folder of CSV files: coordinates, then the class."""
    for path in sorted(folder.glob("*.csv")):
        if not wanted or path.stem in wanted:
            table = np.loadtxt(path, delimiter=",", ndmin=2)
            yield LabelledSet(folder.name, path.stem, table[:, :-1], {"labels0": table[:, -1].astype(int)})


def shapes(similis):
    """Return the names of the shapes that `similis generate` has."""
    text = subprocess.run([similis, "generate", "--help"], capture_output=True, text=True, check=True).stdout
    return [name.strip() for name in re.search(r"possible values: ([^]]*)]", text).group(1).split(",")]


def drawn_shape(similis, shape, seed, n_points=400):
    """Return a set that `similis generate` draws."""
    command = [similis, "generate", shape, "-n", str(n_points), "--seed", str(seed)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    table = np.loadtxt(lines[1:], delimiter=",")
    return LabelledSet("shapes", f"{shape}-s{seed:02}", table[:, :-1], {"labels0": table[:, -1].astype(int) + 1})


def n_classes(labels):
    """Return the number of classes of a labelling, noise not counted."""
    return len(np.unique(labels[labels > 0]))


def agreement(labels, found):
    """Return the adjusted Rand index of the points that are no noise in the labelling."""
    counted = labels > 0
    return adjusted_rand_score(labels[counted], found[counted])


def fit(similis, points, *options, side=None):
    """Return the JSON answer of `similis cluster`; `side` has the contents of files, by the option that names the file."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.npy"), os.path.join(folder, "fit.json")
        np.save(data, points)
        command = [similis, "cluster", data, "--input", "points", "-o", out, "--quiet", "--threads", "1", *options]
        for option, content in (side or {}).items():
            if len(content) == 0:
                continue
            path = os.path.join(folder, option[2:] + ".csv")
            np.savetxt(path, content, fmt="%d", delimiter=",")
            command += [option, path]
        subprocess.run(command, check=True)
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def cluster(similis, points, n_clusters="auto", *options, side=None):
    """Return the labels that `similis cluster` finds; -1 is noise."""
    return np.array(fit(similis, points, "--n-clusters", str(n_clusters), *options, side=side)["labels"])


@dataclass(frozen=True)
class Spent:
    """What a process took."""

    seconds: float
    processor_seconds: float
    peak_bytes: int
    output: str


def measure(command):
    """Run a command on one thread, and return what its whole process took; leave the program if it fails.

    A child's greatest memory begins with that of the process that starts it, so a small one (`measure.py`) is between.
    """
    with tempfile.TemporaryDirectory() as folder:
        figures = os.path.join(folder, "figures.json")
        measured = [sys.executable, "-IS", str(Path(__file__).with_name("measure.py")), figures, *map(str, command)]
        done = subprocess.run(measured, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
        with open(figures, encoding="utf-8") as file:
            return Spent(**json.load(file), output=done.stdout)


def least_seconds(commands, n_rounds):
    """Return the least processor seconds of each command, the rounds in turn."""
    return np.min([[measure(command).processor_seconds for command in commands] for _ in range(n_rounds)], axis=0)


def main():
    """Say where to get the labelled sets, if they are not there."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] else None
    if not has_batteries(data):
        sys.exit(MISSING)


if __name__ == "__main__":
    main()
