"""The graph rows of docs/evidence/graphs-and-trees.md: a planted graph in a Matrix Market file, one whole process on one thread.

    graph_at_scale.py SIMILIS [--graph 100000,1000000,100] [--model latent-graph] [--options OPTIONS OF similis cluster]

The nodes of N_GROUPS equal groups are each linked to N_EDGES / N_NODES others at random: nine in ten of the same group, the
rest anywhere. Lengths have a gamma distribution of shape 4; the means of the groups go from 1 to 3, that between groups is
9. One node in two hundred is isolated, and one in two hundred is one of a pair that nothing else is linked to. ARI is over
all other nodes. Seconds are processor time (user and system), reading included.
"""

import argparse
import json
import os
import tempfile

import numpy as np
from sklearn.metrics import adjusted_rand_score

import harness


def planted(n_nodes, n_edges, n_groups, apart, seed=7):
    """Return the links (i < j, no pair twice), their lengths, and the group of each node; -1 of those apart."""
    random = np.random.default_rng(seed)
    group = random.integers(0, n_groups, n_nodes)
    n_apart = int(n_nodes * apart / 2)
    order = random.permutation(n_nodes)
    group[order[: 2 * n_apart]] = -1
    pairs = order[: n_apart // 2 * 2].reshape(-1, 2)
    inside = np.flatnonzero(group >= 0)
    by_group = inside[np.argsort(group[inside], kind="stable")]
    starts = np.searchsorted(group[by_group], np.arange(n_groups + 1))
    first = random.choice(inside, n_edges)
    own = group[first]
    mate = by_group[starts[own] + (random.random(n_edges) * (starts[own + 1] - starts[own])).astype(np.int64)]
    second = np.where(random.random(n_edges) < 0.9, mate, random.choice(inside, n_edges))
    links = np.vstack([np.column_stack([first, second]), pairs])
    links = np.unique(np.sort(links[links[:, 0] != links[:, 1]], axis=1), axis=0)
    a, b = group[links[:, 0]], group[links[:, 1]]
    mean = np.where((a == b) & (a >= 0), np.geomspace(1, 3, n_groups)[a], 9.0)
    return links, mean * random.gamma(4, 0.25, len(links)), group


def write(path, n_nodes, links, lengths):
    """Write a symmetric Matrix Market file: the lower triangle, nodes counted from 1."""
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n_nodes} {n_nodes} {len(links)}\n")
        for at in range(0, len(links), 1_000_000):
            some = slice(at, at + 1_000_000)
            rows = zip(links[some, 1] + 1, links[some, 0] + 1, lengths[some], strict=True)
            file.write("".join(f"{i} {j} {length:.6g}\n" for i, j, length in rows))


def main():
    """Print one row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--graph", default="100000,1000000,100", help="N_NODES,N_EDGES,N_GROUPS")
    parser.add_argument("--model", default="latent-graph")
    parser.add_argument("--apart", type=float, default=0.01, help="the part of the nodes that are isolated or in pairs")
    parser.add_argument("--keep", help="a folder for the file, made once")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[])
    arguments = parser.parse_args()
    n_nodes, n_edges, n_groups = (int(number) for number in arguments.graph.split(","))
    links, lengths, group = planted(n_nodes, n_edges, n_groups, arguments.apart)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(arguments.keep or folder, f"graph-{n_nodes}-{n_edges}-{n_groups}-{arguments.apart}.mtx")
        if not os.path.exists(path):
            write(path, n_nodes, links, lengths)
        answer = os.path.join(folder, "answer.json")
        command = [arguments.similis, "cluster", path, "--input", "distances", "--model", arguments.model]
        command += ["--n-clusters", str(n_groups), "--threads", "1", "--quiet", "--output", answer]
        spent = harness.measure(command + arguments.options)
        with open(answer, encoding="utf-8") as text:
            learned = json.load(text)
    found, n_components = np.array(learned["labels"]), learned["n_components"]
    inside = group >= 0
    agreement = adjusted_rand_score(group[inside], found[inside])
    print("| nodes | edges | groups | model | processor s | memory | components | ARI |")
    print("|---:|---:|---:|---|---:|---:|---:|---:|")
    graph = f"{n_nodes:,} | {len(links):,} | {n_groups:,} | {arguments.model}"
    took = f"{spent.processor_seconds:.1f} | {spent.peak_bytes / 1e9:.2f} GB"
    print(f"| {graph} | {took} | {n_components:,} | {agreement:.3f} |")


if __name__ == "__main__":
    main()
