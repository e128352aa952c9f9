"""What neighbours and the spanning tree cost: first_costs.py SIMILIS.

Nothing can be searched before these are known, so `--time-limit` is compared with an estimate of them
(crates/similis/src/plan/cost.rs). A row has the processor seconds of `similis neighbours -k 10` and `similis tree` on one
thread for rows in twelve Gaussian clusters, and what they come to for each unit of work: a point and log2 n by a kd-tree,
a pair and column where all pairs are looked at, a point and column in descent.

Needs nothing but Python.
"""

import argparse
import array
import math
import os
import random
import subprocess
import sys
import tempfile

TREE, PAIRS, DESCENT = "kd-tree", "pairs", "descent"
SIZES = {
    TREE: [(n, d) for d in (2, 3, 5, 8, 10, 12, 15) for n in (20_000, 80_000, 320_000) if n * d < 3_000_000],
    PAIRS: [(n, d) for d in (20, 40, 80) for n in (5_000, 10_000)],
    DESCENT: [(40_000, 20), (40_000, 80)],
}


def write_rows(path, n, d):
    """Write rows in twelve Gaussian clusters as a `.npy` array."""
    draw = random.Random(n + d)
    centres = [[draw.uniform(-9, 9) for _ in range(d)] for _ in range(12)]
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {d}), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        file.write(array.array("d", (draw.gauss(centres[i % 12][k], 1) for i in range(n) for k in range(d))).tobytes())


def seconds(command):
    """Return the processor seconds of a command."""
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def unit(way, n, d):
    """Return what the costs are a multiple of."""
    return {TREE: n * math.log2(n), PAIRS: n * n * d, DESCENT: n * d}[way]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    similis = parser.parse_args().similis
    print("| way | points | columns | neighbours, s | a unit, ns | tree, s | a unit, ns |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.npy")
        for way, sizes in SIZES.items():
            for n, d in sizes:
                write_rows(path, n, d)
                common = [path, "--input", "points", "--threads", "1", "--json"]
                cells = []
                for command in (["neighbours", "-k", "10"], ["tree"]):
                    if command == ["tree"] and way == DESCENT:
                        cells += ["-", "-"]
                        continue
                    taken = seconds([similis, *command, *common])
                    cells += [f"{taken:.2f}", f"{1e9 * taken / unit(way, n, d):.3g}"]
                print(f"| {way} | {n} | {d} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
