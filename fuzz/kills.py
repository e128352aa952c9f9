"""Kills the command at random moments: kills.py SIMILIS [--kills 200] [--seed 0].

Every command that writes files runs over old ones and is killed (SIGKILL) at a moment drawn from the time that it takes. Then
every file must be the old one or a new one, whole; new ones are compared with those of a run that was left alone, apart from
the seconds in them. Temporary files may be left: a day later the next run removes them. Prints how many runs were killed
before, while and after they wrote; the exit status is 1 if a file was half. Needs nothing but Python, and signals.
"""

import argparse
import collections
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# OUT is the folder; the outputs of each are what appears there.
COMMANDS = (
    "convert IN/points.csv OUT/matrix.csv --to matrix -q",
    "convert IN/points.csv OUT/matrix.csv.gz --to matrix -q",
    "convert IN/points.csv OUT/matrix.npy --to matrix -q",
    "convert IN/points.csv OUT/matrix.mtx --to matrix -q",
    "cluster IN/few.csv -k 2 -q -o OUT/l.json --plot OUT/p.png --report OUT/r.html --save-model OUT/m.similis",
    "cluster IN/few.csv -k 2 -q -o OUT/l.npy --model latent-feature --plot OUT/p.svg",
    "compare IN/few.csv -k 2 -q --report OUT/r.html",
    "embed IN/points.csv -q -o OUT/o.csv",
    "neighbours IN/points.csv -k 50 -q -o OUT/o.csv",
    "tree IN/points.csv -q -o OUT/o.csv",
    "generate five-blobs -n 200000 -o OUT/o.csv",
    "sample latent-graph -n 800 -o OUT/o.npy --labels OUT/l.txt",
)
OLD = b"old"


def start(similis, line, folders):
    """Start a command."""
    words = [word.replace("IN/", f"{folders['IN']}/").replace("OUT/", f"{folders['OUT']}/") for word in line.split()]
    return subprocess.Popen([similis, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def contents(folder):
    """Return the files of a folder, without the seconds of a report; temporary ones left out."""
    found = {}
    for path in folder.iterdir():
        if not path.name.startswith(".similis-"):
            data = path.read_bytes()
            found[path.name] = re.sub(rb"[0-9.e-]+", b"", data) if path.suffix in (".html", ".json") else data
    return found


def clear(folder):
    """Remove the files of a folder."""
    for path in folder.iterdir():
        path.unlink()


def main():
    """Print how the runs ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    similis, draw = arguments.similis.resolve(), random.Random(arguments.seed)
    ends, n_halves, known = collections.Counter(), 0, {}
    with tempfile.TemporaryDirectory() as name:
        folders = {"IN": Path(name) / "in", "OUT": Path(name) / "out"}
        for folder in folders.values():
            folder.mkdir()
        rows = [f"{draw.gauss(5 * (i % 2), 1)},{draw.gauss(0, 1)}\n" for i in range(1_000)]
        (folders["IN"] / "points.csv").write_text("".join(rows))
        (folders["IN"] / "few.csv").write_text("".join(rows[:100]))
        for kill in range(arguments.kills):
            line = COMMANDS[kill % len(COMMANDS)]
            clear(folders["OUT"])
            if line not in known:
                began = time.perf_counter()
                if start(similis, line, folders).wait():
                    sys.exit(f"{line}: exit code above 0")
                known[line] = time.perf_counter() - began, contents(folders["OUT"])
                clear(folders["OUT"])
            seconds, new = known[line]
            for output in new:
                (folders["OUT"] / output).write_bytes(OLD)
            run = start(similis, line, folders)
            time.sleep(draw.uniform(0, 1.1) * seconds)
            run.kill()
            run.wait()
            found = contents(folders["OUT"])
            halves = [output for output in found if found[output] not in (OLD, new.get(output))]
            n_new = sum(found.get(output) != OLD for output in new)
            left = any(path.name.startswith(".similis-") for path in folders["OUT"].iterdir())
            ends["all new" if n_new == len(new) else "some new" if n_new else "old, while written" if left else "old"] += 1
            if halves or found.keys() != new.keys():
                n_halves += 1
                print(f"kill {kill}: {line}: {halves or sorted(found)}", flush=True)
    print(f"{arguments.kills} kills, {n_halves} with a file that is neither old nor new; {dict(ends)}")
    sys.exit(n_halves > 0)


if __name__ == "__main__":
    main()
