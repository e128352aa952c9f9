"""Mutated files through the command itself: files.py SIMILIS [--files 1000] [--seed 0] [--keep FOLDER].

A file of the corpus is changed at random, and a command is run on it: any format, any command. A run fails if it ends by a
signal or with an exit code other than 0, 2, 3 or 130, takes more than 20 s, prints the text of a panic, or leaves a temporary
file, or an output beside an exit code of 2. Failures are kept with --keep and listed by seed; the exit status is then 1. The
same seed gives the same files. Needs nothing but Python.
"""

import argparse
import collections
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
MOST_SECONDS = 20
CODES = (0, 2, 3, 130)
# FILE is the mutated file, OUT the folder of outputs.
ON_DATA = (
    "cluster FILE -k 2 -o OUT/l.csv",
    "cluster FILE -o OUT/l.json --time-limit 2 --report OUT/r.html",
    "cluster FILE --input distances -k 2 -o OUT/l.txt --plot OUT/p.svg",
    "cluster FILE --input similarities -o OUT/l.txt --time-limit 2",
    "cluster FILE --input points --missing drop --standardise -k 2-3 --noise background -o OUT/l.npy --time-limit 2",
    "cluster FILE --input edges --edge-values distances -k 2 -o OUT/l.txt",
    "cluster FILE --model latent-feature -k 2 -o OUT/l.csv --plot OUT/p.png",
    "cluster FILE -k 2 --save-model OUT/m.similis --probabilities -o OUT/l.csv",
    "convert FILE OUT/o.csv",
    "convert FILE OUT/o.npz --to edges --missing unobserved",
    "convert FILE OUT/o.phy --input distances",
    "embed FILE -o OUT/o.csv",
    "neighbours FILE -k 3 -o OUT/o.csv",
    "tree FILE -o OUT/o.csv",
    "score FILE --labels SIX --json",
)
COMMANDS = {
    "labels": ("cluster POINTS --known-labels FILE -k 2 -o OUT/l.txt", "score POINTS --labels FILE"),
    "pairs": ("cluster POINTS --must-link FILE -k 2 -o OUT/l.txt", "cluster POINTS --cannot-link FILE -k 2 -o OUT/l.txt"),
    "model": ("predict FILE POINTS -o OUT/l.csv", "predict FILE POINTS --probabilities -o OUT/l.csv"),
    "settings": ("cluster POINTS -o OUT/l.txt --time-limit 2 SETTINGS",),
}
ENDINGS = {"gzip": ".csv.gz", "phylip": ".phy", "model": ".similis", "edges": ".csv", "labels": ".csv", "pairs": ".csv"}
TOKENS = [
    b"NaN",
    b"-inf",
    b"1e999",
    b"-1",
    b"18446744073709551616",
    b'"',
    b",",
    b"\t",
    b"\r\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"#",
]


def changed(data, others, draw):
    """Return the bytes with up to four changes."""
    data = bytearray(data)
    for _ in range(draw.choice((0, 1, 1, 2, 4))):
        at = draw.randint(0, len(data))
        end = min(len(data), at + draw.randint(0, 16))
        match draw.randrange(7):
            case 0 if data:
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * draw.choice((1, 2, 50))
            case 3:
                data[at:at] = draw.choice(TOKENS)
            case 4:
                data[at:end] = draw.choice((0, 1, 2**31, 2**63 - 1, 2**64 - 1)).to_bytes(8, "little")
            case 5:
                del data[at:]
            case _:
                other = draw.choice(others)
                begin = draw.randint(0, len(other))
                data[at:end] = other[begin : begin + 16]
    return bytes(data)


def drawn(draw, folder):
    """Write a mutated file to the folder, and return it and the command."""
    target = draw.choice(sorted(path for path in CORPUS.iterdir() if path.is_dir()))
    files = sorted(target.iterdir())
    seed = draw.choice(files)
    data = changed(seed.read_bytes(), [file.read_bytes() for file in files], draw)
    ending = ENDINGS.get(target.name) or "".join(seed.suffixes) or ".txt"
    if target.name not in COMMANDS and draw.random() < 0.05:
        ending = draw.choice((".csv", ".npy", ".npz", ".mtx", ".phy", ".parquet", ".arrow", ".csv.gz", ""))
    file = folder / f"in{ending}"
    file.write_bytes(data)
    words = draw.choice(COMMANDS.get(target.name, ON_DATA)).split()
    names = {"FILE": file, "POINTS": CORPUS / "csv/points.csv", "SIX": CORPUS / "labels/numbers.csv"}
    command = [str(names.get(word, word)).replace("OUT", str(folder / "out")) for word in words]
    if command[-1] == "SETTINGS":
        # Nothing is written elsewhere than to the folder.
        settings = data.decode(errors="replace").replace("\0", "").split()
        command[-1:] = [word for word in settings if "/" not in word and not word.startswith(("-o", "--o", "--r", "--save"))]
    return file, command


def fault(similis, command, out):
    """Run the command, and return what is wrong with how it ended and its exit code."""
    try:
        ended = subprocess.run(
            [similis, *command], capture_output=True, timeout=MOST_SECONDS, stdin=subprocess.DEVNULL, cwd=out
        )
    except subprocess.TimeoutExpired:
        return f"more than {MOST_SECONDS} s", None
    code, said = ended.returncode, ended.stderr.decode(errors="replace")
    if code not in CODES:
        return f"exit code {code}: {said[:300]}", code
    if "panicked" in said:
        return f"panic: {said[:300]}", code
    left = [path.name for path in out.iterdir() if path.name.startswith(".similis-")]
    if left:
        return f"left {left}", code
    if code == 2 and any(out.iterdir()):
        return f"exit code 2 and outputs: {sorted(path.name for path in out.iterdir())}", code
    return None, code


def main():
    """Run the files and print how they ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis", type=Path)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file; the next has the next number")
    parser.add_argument("--keep", type=Path, help="folder for files that fail")
    arguments = parser.parse_args()
    similis = arguments.similis.resolve()
    codes, n_faults = collections.Counter(), 0
    for seed in range(arguments.seed, arguments.seed + arguments.files):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "out").mkdir()
            file, command = drawn(random.Random(seed), folder)
            words, code = fault(similis, command, folder / "out")
            codes[code] += 1
            if words:
                n_faults += 1
                print(f"seed {seed}: similis {' '.join(command)}: {words}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, arguments.keep / f"{seed}-{file.name}")
    print(f"{arguments.files} files, {n_faults} failures; exit codes: {dict(sorted(codes.items(), key=str))}")
    sys.exit(n_faults > 0)


if __name__ == "__main__":
    main()
