"""Clustering from similarities: every cluster learns its own scale.

Two families of models explain a matrix of similarities, after Rosales & Frey, *Learning Generative Models of
Similarity Matrices* (UAI 2003): `LatentGraphClustering`, `LatentFeatureClustering`, and `AutoClustering`, which takes the
one that suits the input. They are scikit-learn estimators; all mathematics is in Rust.
"""

from similis._auto import AutoClustering
from similis._explore import explore
from similis._functions import (
    adjusted_rand_index,
    affinity,
    make_shapes,
    neighbours,
    normalise,
    sample_latent_feature,
    sample_latent_graph,
    score,
    spanning_tree,
)
from similis._latent_feature import LatentFeatureClustering
from similis._latent_graph import LatentGraphClustering
from similis._lib import __version__
from similis._picture import Picture
from similis._plot import plot
from similis._predict import SavedModel, load
from similis._report import report

__all__ = [
    "AutoClustering",
    "LatentFeatureClustering",
    "LatentGraphClustering",
    "Picture",
    "SavedModel",
    "__version__",
    "adjusted_rand_index",
    "affinity",
    "explore",
    "load",
    "make_shapes",
    "neighbours",
    "normalise",
    "plot",
    "report",
    "sample_latent_feature",
    "sample_latent_graph",
    "score",
    "spanning_tree",
]
