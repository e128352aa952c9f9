"""Entity resolution: a list of edges that falls into very many small components, as the scores of a matching program do.

    components.py SIMILIS [--components 1000000] [--options OPTIONS OF similis cluster]

Components have 2 to 20 nodes, all sizes as often: a path, and one more edge for every second node. Distances are -log of a
probability from 0.85 to 0.99; in one component of ten the middle link has 0.5. Prints nodes, edges, clusters, the part of
the components that are one cluster, seconds (wall and processor, reading included) and memory.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time

import numpy as np


def planted(n_components, seed=7):
    """Return edges, their distances, and the component of each node."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 21, n_components)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    component = np.repeat(np.arange(n_components), sizes)
    node = np.arange(starts[-1])
    is_first = node == starts[component]
    path = np.column_stack([node[~is_first] - 1, node[~is_first]])
    place = node - starts[component]
    chord = node[(place >= 2) & (place % 2 == 0)]
    edges = np.concatenate([path, np.column_stack([chord - 2, chord])])
    distances = -np.log(random.uniform(0.85, 0.99, len(edges)))
    # Of every tenth component that is large enough, the middle link is doubtful.
    doubtful = (component[path[:, 1]] % 10 == 0) & (place[path[:, 1]] == sizes[component[path[:, 1]]] // 2)
    distances[: len(path)][doubtful & (sizes[component[path[:, 1]]] >= 6)] = -np.log(0.5)
    return edges, distances, component


def main():
    """Print one row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--components", type=int, default=1_000_000)
    parser.add_argument("--options", default="", help="options of similis cluster")
    given = parser.parse_args()
    edges, distances, component = planted(given.components)
    with tempfile.TemporaryDirectory() as folder:
        path, labels = os.path.join(folder, "pairs.csv"), os.path.join(folder, "labels.txt")
        with open(path, "w", encoding="ascii") as file:
            for at in range(0, len(edges), 1_000_000):
                some = slice(at, at + 1_000_000)
                rows = zip(edges[some, 0], edges[some, 1], distances[some], strict=True)
                file.write("".join(f"{i},{j},{length:.5f}\n" for i, j, length in rows))
        command = [given.similis, "cluster", path, "--input", "edges", "--edge-values", "distances", "--quiet"]
        began = time.perf_counter()
        subprocess.run([*command, "--output", labels, *given.options.split()], check=True)
        wall = time.perf_counter() - began
        found = np.loadtxt(labels, dtype=np.int64)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    together = np.ones(given.components, dtype=bool)
    together[component[1:][(found[1:] != found[:-1]) & (component[1:] == component[:-1])]] = False
    print(f"{len(component):,} nodes, {len(edges):,} edges, {given.components:,} components")
    print(f"{found.max() + 1:,} clusters; {together.mean():.3f} of the components are one cluster")
    print(f"{wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor time, {used.ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
