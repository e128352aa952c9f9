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
    links, *clusters = ax.collections
    for label, points in enumerate(clusters):
        assert np.array_equal(points.get_offsets(), X[model.labels_ == label])
    assert len(links.get_segments()) == 95
    assert len({tuple(points.get_facecolors()[0]) for points in clusters}) == 5
    assert len(plot(model, links=False).collections) == 5
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"{label} (20)" for label in range(5)]


def test_many_columns_are_drawn_in_a_plane():
    wide = np.hstack([X, 0.1 * X])
    ax = plot(AutoClustering(5).fit(wide), wide)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("principal component 1", "principal component 2")


def test_distances_lie_as_far_apart_as_they_are():
    given = pdist(X)
    _, *clusters = plot(LatentGraphClustering(5, metric="precomputed").fit(given)).collections
    drawn = np.concatenate([np.asarray(points.get_offsets()) for points in clusters])
    assert np.allclose(np.sort(pdist(drawn)), np.sort(given))


def test_similarities_are_drawn_by_eigenvectors():
    given = affinity(X)
    (*_, points) = plot(LatentFeatureClustering(5, metric="precomputed_similarity").fit(given), given).collections
    assert np.isfinite(points.get_offsets()).all()


def test_other_points_than_those_that_were_fitted_are_refused():
    with pytest.raises(ValueError, match="X must be what was fitted, 100 items, but it has 60; leave it out"):
        plot(LatentGraphClustering(5).fit(X), X[:60])


def test_a_given_place_is_drawn_in():
    ax = matplotlib.figure.Figure().add_subplot()
    assert plot(LatentGraphClustering(1).fit(X), X, ax=ax) is ax
    assert ax.get_title() == "1 cluster"
