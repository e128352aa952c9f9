"""Points in many files: shards.py SIMILIS [--sizes 1000000,20000000] [--dask 1000000] [--workers 5000000] [--work FOLDER].

The mixture of ten Gaussians of speed.py, in files of a million points. For each of --sizes: processor seconds, peak memory
and bytes a point of `similis shard cluster` with two jobs at a time, and growth from one size to the next; up to --local
points (default 1,000,000) beside `similis cluster` on one file, and whether the labels are the same. With --dask N: processor
seconds of a fit through Dask (two workers), all processes together, beside the plain estimator's. With --workers N: seconds
of one worker and of two. Dask needs a Python that has similis[dask]: run this with it.
"""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

SHARD = 1_000_000


def draw(folder, n):
    """Write the mixture in files of a million points; return them in one array as long as they fit."""
    random = np.random.default_rng(n)
    centres, spreads = random.normal(size=(10, 2)) * 6, random.uniform(0.3, 1.5, 10)
    folder.mkdir()
    for number, first in enumerate(range(0, n, SHARD)):
        own = random.integers(0, 10, min(SHARD, n - first))
        rows = centres[own] + random.normal(size=(len(own), 2)) * spreads[own, None]
        np.save(folder / f"{number:04d}.npy", rows)


def measured(command):
    """Run a command; return processor seconds, seconds and peak memory in bytes."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # Of each child alone: a fresh process asks for its own.
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"
    )
    peak = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True).stdout
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, seconds, int(peak.split()[-1])


def labels_of(folder):
    """Return the labels of all shards."""
    return np.concatenate([np.load(path) for path in sorted(folder.glob("*.npy"))])


def by_size(args, work):
    """Print time and memory for each size."""
    earlier = None
    for n in args.sizes:
        points, output = work / f"points-{n}", work / f"labels-{n}"
        draw(points, n)
        command = [args.similis, "shard", "cluster", str(points), "--output", str(output), "--n-clusters", "10", "--quiet"]
        used, seconds, peak = measured([*command, "--threads", "2"])
        line = (
            f"{n:>12} points: {used:8.1f} processor s, {seconds:8.1f} s, "
            f"peak {peak / 1e9:.2f} GB, {peak / n:.0f} bytes a point"
        )
        if earlier:
            power = np.log(used / earlier[1]) / np.log(n / earlier[0])
            line += f", growth n^{power:.2f}"
        print(line, flush=True)
        earlier = (n, used)
        if n <= args.local:
            np.save(work / "all.npy", np.concatenate([np.load(path) for path in sorted(points.glob("*.npy"))]))
            command = [args.similis, "cluster", str(work / "all.npy"), "--input", "points", "--n-clusters", "10", "--quiet"]
            one, _, peak = measured([*command, "--threads", "2", "--output", str(work / "all-labels.npy")])
            same = bool((np.load(work / "all-labels.npy") == labels_of(output)).all())
            print(
                f"{'one file':>19}: {one:8.1f} processor s, peak {peak / 1e9:.2f} GB; {used / one:.2f} times; same labels: {same}"
            )
        shutil.rmtree(points)
        shutil.rmtree(output)


FIT = """
import json, sys, time, numpy as np
if __name__ == "__main__":
    how, path, n_workers = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def fitted(fit, used):
        started, before = time.perf_counter(), used()
        fit()
        print(json.dumps({"seconds": time.perf_counter() - started, "processor_seconds": used() - before}))

    if how == "local":
        import similis, glob
        X = np.concatenate([np.load(name) for name in sorted(glob.glob(path + "/*.npy"))])
        fitted(lambda: similis.AutoClustering(n_clusters=10).fit(X), time.process_time)
    else:
        from distributed import Client, LocalCluster
        from similis.dask import AutoClustering
        settings = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**settings) as cluster, Client(cluster) as client:
            client.run(__import__, "similis")
            used = lambda: time.process_time() + sum(client.run(time.process_time).values())
            fitted(lambda: AutoClustering(n_clusters=10, client=client).fit(path), used)
"""


def through_dask(work, n, hows):
    """Print processor seconds and seconds of fits, all processes of a cluster together, and of the whole program."""
    points = work / f"points-{n}"
    draw(points, n)
    script = work / "fit.py"
    script.write_text(FIT)
    found = {}
    for how, n_workers in hows:
        command = [sys.executable, str(script), how, str(points), str(n_workers)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        fit = found[how, n_workers] = json.loads(out.splitlines()[-1])
        name = "plain estimator" if how == "local" else f"Dask, {n_workers} worker{'s' if n_workers > 1 else ''}"
        print(
            f"{n:>12} points, {name}: fit {fit['processor_seconds']:.1f} processor s, {fit['seconds']:.1f} s; "
            f"whole program {whole:.1f} processor s",
            flush=True,
        )
    shutil.rmtree(points)
    return found


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("similis")
    parser.add_argument("--sizes", default="1000000,20000000", type=lambda text: [int(n) for n in text.split(",") if n])
    parser.add_argument("--local", default=1_000_000, type=int)
    parser.add_argument("--dask", type=int)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--work")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        work = pathlib.Path(folder)
        by_size(args, work)
        if args.dask:
            found = through_dask(work, args.dask, [("local", 0), ("dask", 2)])
            ratio = found["dask", 2]["processor_seconds"] / found["local", 0]["processor_seconds"]
            print(f"processor time of the fit through Dask: {ratio:.2f} times")
        if args.workers:
            found = through_dask(work, args.workers, [("dask", 1), ("dask", 2)])
            ratio = found["dask", 1]["seconds"] / found["dask", 2]["seconds"]
            print(f"two workers: {ratio:.2f} times as fast as one")


if __name__ == "__main__":
    main()
