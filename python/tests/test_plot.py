"""Pictures by matplotlib."""

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import pdist

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, affinity, make_shapes, plot

matplotlib.use("Agg")
X, Y = make_shapes("five_blobs", 100)


def test_points_lie_where_they_are_and_links_join_them():
    model = LatentGraphClustering(5).fit(X)
    ax = plot(model, X)
    links, points = ax.collections
    assert np.array_equal(points.get_offsets(), X)
    assert len(links.get_segments()) == 95
    assert len({tuple(colour) for colour in points.get_facecolors()}) == 5
    assert len(plot(model, X, links=False).collections) == 1


def test_many_columns_are_drawn_in_a_plane():
    wide = np.hstack([X, 0.1 * X])
    ax = plot(AutoClustering(5).fit(wide), wide)
    assert "of the variance of the 4 columns" in ax.get_xlabel()


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (LatentGraphClustering(5, metric="precomputed"), pdist(X)),
        (LatentFeatureClustering(5, metric="precomputed_similarity"), affinity(X)),
    ],
)
def test_pairs_are_drawn_by_features(model, given):
    (*_, points) = plot(model.fit(given), given).collections
    assert np.isfinite(points.get_offsets()).all()


def test_a_given_place_is_drawn_in():
    ax = matplotlib.figure.Figure().add_subplot()
    assert plot(LatentGraphClustering(1).fit(X), X, ax=ax) is ax
    assert ax.get_title() == "1 cluster"
