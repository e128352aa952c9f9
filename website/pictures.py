"""Draws the ten pictures of docs/how/told-with-pictures.md from testdata/two-scales.csv.

    python website/pictures.py FOLDER

Needs similis and matplotlib (`make pictures` has them). The same versions of both draw the same files.
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection
from scipy.cluster.hierarchy import fcluster

from similis import AutoClustering, neighbours, spanning_tree

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
# Okabe and Ito's colours, which colour-blind people can tell apart: first and second cluster, everything else.
COLOURS, GREY = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"], "#8a8a8a"
STYLE = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}


def panels(n, height=4.2, width=4.6):
    """As many empty panels side by side, each a plane without axes."""
    figure, axes = plt.subplots(1, n, figsize=(width * n, height), squeeze=False, layout="constrained")
    for ax in axes[0]:
        ax.set_aspect("equal")
        ax.axis("off")
    return figure, list(axes[0])


def dots(ax, X, labels=None, size=7):
    """Points, grey or in the colours of their clusters."""
    colours = GREY if labels is None else [COLOURS[label % len(COLOURS)] for label in labels]
    ax.scatter(*X.T, s=size, c=colours, linewidths=0, zorder=2)


def lines(ax, X, pairs, colour=GREY, width=0.7):
    """Links as lines."""
    ax.add_collection(LineCollection(X[np.asarray(pairs)], colors=colour, linewidths=width, zorder=1))


def data(X):
    figure, (ax,) = panels(1)
    dots(ax, X)
    return figure


def one_radius(X):
    figure, axes = panels(2)
    i, j = np.triu_indices(len(X), 1)
    lengths = np.linalg.norm(X[i] - X[j], axis=1)
    for ax, radius in zip(axes, (0.15, 0.7), strict=True):
        near = lengths < radius
        lines(ax, X, np.column_stack([i[near], j[near]]), COLOURS[0], 0.4)
        dots(ax, X)
        ax.set_title(f"joined if closer than {radius}")
    return figure


def nearest(X):
    figure, (ax,) = panels(1)
    _, index = neighbours(X, 5)
    lines(ax, X, [(i, j) for i, row in enumerate(index) for j in row], COLOURS[0], 0.5)
    dots(ax, X)
    return figure


def tree(X):
    figure, (ax,) = panels(1)
    links, _ = spanning_tree(X)
    lines(ax, X, links, COLOURS[0], 0.9)
    dots(ax, X)
    return figure


def lengths_of_links(X):
    _, lengths = spanning_tree(X)
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.hist(lengths, bins=np.geomspace(lengths.min(), lengths.max(), 40), color=COLOURS[0])
    ax.set_xscale("log")
    ax.set_xlabel("length of a link")
    ax.set_ylabel("links")
    return figure


def longest_cut(X, model):
    figure, (ax,) = panels(1)
    labels = fcluster(model.linkage_matrix_, 2, "maxclust")
    small = np.argmin(np.bincount(labels)[1:]) + 1
    dots(ax, X, np.where(labels == small, 1, 0))
    at = X[labels == small][0]
    ax.annotate("the second cluster", at, at + [-1.9, -0.7], arrowprops={"arrowstyle": "->"}, fontsize=11)
    return figure


def starts(X, model):
    kept = model.candidates_
    chosen = [kept[0], kept[len(kept) // 3], kept[2 * len(kept) // 3], kept[-1]]
    figure, axes = panels(4, height=3.9, width=3.4)
    for ax, candidate in zip(axes, chosen, strict=True):
        dots(ax, X, candidate["labels"], 6)
        ax.set_title(f"score {candidate['score']:.0f}")
    return figure


def own_scales(X, model):
    figure, (ax,) = panels(1)
    graph = model.graph_.tocoo()
    for cluster, colour in zip(range(2), COLOURS, strict=False):
        own = (model.labels_[graph.row] == cluster) & (graph.row < graph.col)
        lines(ax, X, np.column_stack([graph.row[own], graph.col[own]]), colour, 0.9)
    dots(ax, X, model.labels_)
    left, low = X[:, 0].min(), X[:, 1].min() - 0.6
    for at, scale in enumerate(model.scales_):
        ax.plot([left, left + scale], [low - 0.35 * at] * 2, color=COLOURS[at], linewidth=4, solid_capstyle="butt")
        ax.text(left + 0.6, low - 0.35 * at, f"scale {scale:.3f}", va="center")
    return figure


def numbers(X):
    rows = AutoClustering().fit(X).numbers_[:8]
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    counts, scores = [row["n_clusters"] for row in rows], [row["score"] for row in rows]
    best = int(np.argmax(scores))
    ax.plot(counts, scores, "o-", color=COLOURS[0])
    ax.plot(counts[best], scores[best], "o", color=COLOURS[1], markersize=11)
    ax.annotate(f"{counts[best]} clusters", (counts[best], scores[best]), (14, 0), textcoords="offset points", va="center")
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("score of the number")
    return figure


def answer(X, model):
    figure, (ax,) = panels(1)
    dots(ax, X, model.labels_, 9)
    unsure = model.probabilities_ < 0.8
    ax.scatter(*X[unsure].T, s=70, facecolors="none", edgecolors="black", linewidths=1.2, zorder=3)
    ax.set_title(f"{unsure.sum()} of {len(X)} points are in doubt (ringed)")
    return figure


def main(folder):
    X = np.loadtxt(ROOT / "testdata/two-scales.csv", delimiter=",", skiprows=1)
    model = AutoClustering(2).fit(X)
    drawn = {
        "01-data": data(X),
        "02-one-radius": one_radius(X),
        "03-neighbours": nearest(X),
        "04-tree": tree(X),
        "05-lengths": lengths_of_links(X),
        "06-longest-cut": longest_cut(X, model),
        "07-starts": starts(X, model),
        "08-own-scales": own_scales(X, model),
        "09-numbers": numbers(X),
        "10-answer": answer(X, model),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        figure.savefig(folder / f"{name}.png", dpi=120, metadata={"Software": None})


if __name__ == "__main__":
    with plt.rc_context(STYLE):
        main(Path(sys.argv[1]))
