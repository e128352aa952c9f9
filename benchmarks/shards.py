"""Points in many files: shards.py SIMILIS [--sizes 1000000,20000000] [--dask 1000000] [--workers 5000000] [--work FOLDER].

The mixture of ten Gaussians of speed.py, in files of a million points. For each of --sizes: processor seconds, peak memory
and bytes a point of `similis shard cluster` with two jobs at a time, and growth from one size to the next; up to --local
points (default 1,000,000) beside `similis cluster` on one file, and whether the labels are the same. With --dask N: processor
seconds of a fit through Dask (two workers), all processes together, beside the plain estimator's. With --workers N: seconds
of one worker and of two. With --kills N: whether the labels of N points are the same where one of two workers is killed at
each of 20 random moments. With --dimensions D: as --sizes, of D columns, with each of --cells, and how much the labels
agree with those of one file. Dask needs a Python that has similis[dask]: run this with it.
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


def wide(args, work):
    """Print time, memory and agreement in many columns for each size and number of cells."""
    from sklearn.metrics import adjusted_rand_score

    for n in args.sizes:
        random = np.random.default_rng(n + args.dimensions)
        centres, spreads = random.normal(size=(10, args.dimensions)) * 1.2, random.uniform(0.5, 1.5, 10)
        own = random.integers(0, 10, n)
        rows = centres[own] + random.normal(size=(n, args.dimensions)) * spreads[own, None]
        points = work / "wide"
        points.mkdir()
        for number, part in enumerate(np.array_split(rows, 4)):
            np.save(points / f"{number}.npy", part)
        np.save(work / "all.npy", rows)
        command = [args.similis, "cluster", str(work / "all.npy"), "--input", "points", "--n-clusters", "10", "--quiet"]
        one, _, peak = measured([*command, "--threads", "2", "--output", str(work / "all-labels.npy")])
        whole = np.load(work / "all-labels.npy")
        print(f"{n:>12} points, one file: {one:8.1f} processor s, peak {peak / 1e9:.2f} GB", flush=True)
        for cells in args.cells:
            command = [args.similis, "shard", "cluster", str(points), "--output", str(work / "labels"), "--n-clusters", "10"]
            command += ["--work", str(work / "kept"), "--quiet", "--threads", "2"]
            command += ["--n-cells", str(cells)] if cells else []
            used, seconds, peak = measured(command)
            found, answer = labels_of(work / "labels"), json.loads((work / "kept" / "answer.json").read_text())
            print(
                f"{cells or 'default':>12} cells: {used:8.1f} processor s, {seconds:8.1f} s, peak {peak / 1e9:.2f} GB, "
                f"proven {answer['proven']:.3f}, same labels: {bool((found == whole).all())}, ARI with one file "
                f"{adjusted_rand_score(whole, found):.4f}, with the truth {adjusted_rand_score(own, found):.4f}",
                flush=True,
            )
            shutil.rmtree(work / "labels")
            shutil.rmtree(work / "kept")
        shutil.rmtree(points)


KILLS = """
import os, random, signal, sys, threading, time, numpy as np
if __name__ == "__main__":
    from distributed import Client, LocalCluster, Status
    import similis
    from similis.dask import AutoClustering
    path, n_kills = sys.argv[1], int(sys.argv[2])
    X = np.concatenate([np.load(os.path.join(path, name)) for name in sorted(os.listdir(path))])
    expected = similis.AutoClustering(n_clusters=10).fit(X).labels_
    chance, killed, n_fits = random.Random(1), [], 0
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        def kill():
            while len(killed) < n_kills:
                time.sleep(chance.uniform(2, 12))
                # Dask gives up a worker that dies while it starts: that is not a job's.
                running = [nanny.pid for nanny in cluster.workers.values() if nanny.status == Status.running]
                if running:
                    killed.append(chance.choice(running))
                    os.kill(killed[-1], signal.SIGKILL)
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        same = True
        while killer.is_alive():
            same &= bool((AutoClustering(n_clusters=10, client=client).fit(path).labels_.compute() == expected).all())
            n_fits += 1
        print(f"{len(killed)} workers killed during {n_fits} fits; same labels: {same}")
"""


def with_kills(work, n, n_kills):
    """Print whether labels stay the same while workers are killed."""
    points, script = work / f"points-{n}", work / "kills.py"
    draw(points, n)
    script.write_text(KILLS)
    command = [sys.executable, str(script), str(points), str(n_kills)]
    print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout, end="", flush=True)
    shutil.rmtree(points)


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
    parser.add_argument("--kills", type=int)
    parser.add_argument("--dimensions", default=2, type=int)
    parser.add_argument("--cells", default="0", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--work")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        work = pathlib.Path(folder)
        (by_size if args.dimensions == 2 else wide)(args, work)
        if args.dask:
            found = through_dask(work, args.dask, [("local", 0), ("dask", 2)])
            ratio = found["dask", 2]["processor_seconds"] / found["local", 0]["processor_seconds"]
            print(f"processor time of the fit through Dask: {ratio:.2f} times")
        if args.workers:
            found = through_dask(work, args.workers, [("dask", 1), ("dask", 2)])
            ratio = found["dask", 1]["seconds"] / found["dask", 2]["seconds"]
            print(f"two workers: {ratio:.2f} times as fast as one")
        if args.kills:
            with_kills(work, args.kills, 20)


if __name__ == "__main__":
    main()
