"""Are answers the same bits on another processor? processors.py "SIMILIS" "OTHER".

Each is a command line with whole paths: the program, or an emulator and the program, such as "qemu-x86_64 -cpu Nehalem
PATH/similis" or "qemu-aarch64 -L /usr/aarch64-linux-gnu PATH/similis". Prints for each fit whether all that it learned is
the same, and for each number that is not the greatest relative difference. Needs nothing but Python.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "testdata"

FITS = {
    "graph, search": f"{DATA}/two-scales.csv --include graph,candidates --probabilities",
    "graph, number given": f"{DATA}/two-scales.csv -k 2 --include graph,candidates",
    "graph, noise": f"{DATA}/two-scales.csv -k 2 --noise background",
    "graph, sample": "blobs.csv -k 5 --inference sample --n-sweeps 60",
    "graph, paper": "blobs.csv -k 5 --inference paper --n-restarts 2",
    "graph, gaussian": "blobs.csv -k 5 --likelihood gaussian --n-restarts 2",
    "graph, all trees": "blobs.csv -k 5 --score all-trees",
    "graph, distances": f"{DATA}/rings-distances.csv --input distances",
    "features": f"{DATA}/two-scales.csv -k 2 --model latent-feature",
    "features, mixture": f"{DATA}/two-scales.csv -k 2 --model latent-feature --grouping mixture",
    "features, distances": f"{DATA}/rings-distances.csv --input distances -k 2 --model latent-feature --affinity local",
}


def differences(one, other, name=""):
    """Yield the name of each entry that differs, and by which part of its size."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in (one.keys() | other.keys()) - {"seconds"}:
            yield from differences(one.get(key), other.get(key), f"{name}.{key}" if name else key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for a, b in zip(one, other, strict=True):
            yield from differences(a, b, name)
    elif one != other:
        numbers = isinstance(one, float) and isinstance(other, float)
        yield name, abs(one - other) / max(abs(one), abs(other)) if numbers else 1.0


def main():
    """Run every fit by both."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours, other = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        blobs = "generate five-blobs -n 150 --no-labels --quiet --output blobs.csv"
        subprocess.run([*ours.split(), *blobs.split()], cwd=folder, check=True)
        for name, flags in FITS.items():
            found = []
            for program in (ours, other):
                run = [*program.split(), "cluster", *flags.split(), "--quiet", "--output", "fit.json"]
                subprocess.run(run, cwd=folder, check=True, stderr=subprocess.DEVNULL)
                found.append(json.loads((Path(folder) / "fit.json").read_text()))
            worst = {}
            for entry, part in differences(*found):
                worst[entry] = max(part, worst.get(entry, 0.0))
            print(f"{name}: {worst or 'the same bits'}", flush=True)


if __name__ == "__main__":
    main()
