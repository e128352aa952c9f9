"""Trees, neighbours, affinities, scores, draws."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

import similis
from similis import (
    LatentGraphClustering,
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

X, Y = make_shapes("crossing_lines", 250)


def test_the_spanning_tree_is_scipy_s():
    links, lengths = spanning_tree(X)
    theirs = minimum_spanning_tree(squareform(pdist(X)))
    assert lengths.sum() == pytest.approx(theirs.sum())
    assert (np.diff(lengths) >= 0).all()
    assert np.allclose(np.linalg.norm(X[links[:, 0]] - X[links[:, 1]], axis=1), lengths)


def test_pairs_in_parts_have_a_tree_for_each():
    listed = sparse.csr_array(np.array([[0, 1.0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]]))
    links, lengths = spanning_tree(listed, metric="precomputed")
    assert (links.tolist(), lengths.tolist()) == ([[0, 1], [2, 3]], [1, 2])
    model = LatentGraphClustering(2, metric="precomputed").fit(listed)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    with pytest.raises(AttributeError, match="got 2 components"):
        model.linkage_matrix_  # noqa: B018


def test_neighbours_are_scikit_learn_s():
    distances, indices = neighbours(X, 5)
    theirs, numbers = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()
    assert np.allclose(distances, theirs)
    assert np.array_equal(indices, numbers)


def test_neighbours_that_were_not_observed_are_not_there():
    listed = sparse.csr_array(np.array([[0, 1.0, 0], [1, 0, 2], [0, 2, 0]]))
    distances, indices = neighbours(listed, 2, metric="precomputed")
    assert indices.tolist() == [[1, -1], [0, 2], [1, -1]]
    assert distances.tolist() == [[1, np.inf], [1, 2], [2, np.inf]]
    with pytest.raises(ValueError, match="n_neighbours must be at least 1, got 0"):
        neighbours(X, 0)


def test_affinities_are_their_formulas():
    distances = squareform(pdist(X))
    assert np.allclose(affinity(X, "gaussian", gamma=0.5), np.exp(-(distances**2) / 0.5))
    assert np.allclose(affinity(X, "exponential", gamma=0.5), np.exp(-distances / 0.25))
    assert np.allclose(affinity(distances, "local", metric="precomputed"), affinity(X, "local"))
    nearest = affinity(X, n_neighbours=3)
    assert sparse.issparse(nearest)
    assert set(nearest.data) == {0.5, 1.0}
    with pytest.raises(ValueError, match="gamma must be given for the affinity gaussian"):
        affinity(X, "gaussian")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_of_a_random_walk_add_up_to_one(form):
    similarities = form(affinity(X, "gaussian", gamma=0.5))
    walk = normalise(similarities, "random_walk")
    assert sparse.issparse(walk) == sparse.issparse(similarities)
    assert np.allclose(walk.sum(axis=1), 1)
    symmetric = normalise(similarities)
    assert abs(symmetric - symmetric.T).max() == 0
    with pytest.raises(ValueError, match='normalisation must be random_walk or symmetric, got "rows"'):
        normalise(similarities, "rows")


def test_the_score_has_its_parts():
    parts = score(X, Y)
    assert parts["score"] == pytest.approx(parts["prior"] + parts["evidence"] + parts["walk"])
    assert [part["size"] for part in parts["classes"]] == np.bincount(Y).tolist()
    assert score(X, Y, walk_weight=0.0)["walk"] == 0
    assert score(X, Y, step=0.1)["step"] == 0.1
    with pytest.raises(ValueError, match="walk_weight must be a finite number of at least 0, got -1"):
        score(X, Y, walk_weight=-1)


def test_agreement_is_scikit_learn_s():
    labels = np.random.default_rng(0).integers(4, size=len(Y))
    assert adjusted_rand_index(labels, Y) == pytest.approx(adjusted_rand_score(Y, labels))
    with pytest.raises(ValueError, match="must be of the same points, got 2 and 1 labels"):
        adjusted_rand_index([1, 2], [1])


def test_shapes_come_from_their_seed():
    assert np.array_equal(make_shapes("thinned", 60, random_state=3)[0], make_shapes("thinned", 60, random_state=3)[0])
    assert not np.array_equal(make_shapes("thinned", 60)[0], make_shapes("thinned", 60, random_state=3)[0])
    with pytest.raises(ValueError, match="shape must be two_rings, "):
        make_shapes("square")


def test_links_of_a_drawn_graph_have_their_class_s_lengths():
    sample = sample_latent_graph(400, [0.05, 1.0], 40.0, random_state=1)
    links = sample.graph.tocoo()
    assert sample.graph.nnz == 2 * (400 - 2)
    assert np.array_equal(links.data, squareform(sample.distances)[links.row, links.col])
    classes = sample.labels[links.row]
    assert np.array_equal(classes, sample.labels[links.col])
    means = sorted(links.data[classes == label].mean() for label in (0, 1))
    assert np.allclose(means, [0.05, 1.0], rtol=0.3)
    assert sample.distances.mean() == pytest.approx(40, rel=0.1)
    even = sample_latent_graph(50, [5.0], 40.0, spreads=[0.1], background_spread=1.0)
    assert even.graph.data.std() < 0.2 < even.distances.std()
    with pytest.raises(ValueError, match="scales must be finite numbers above 0"):
        sample_latent_graph(10, [0.0], 1.0)
    with pytest.raises(ValueError, match="scales must be finite numbers above 0"):
        sample_latent_graph(10, [1.0, 2.0], 1.0, spreads=[1.0])


def test_drawn_features_explain_drawn_similarities():
    sample = sample_latent_feature(60, 3 * np.eye(2), [0.01 * np.eye(2)] * 2, 1e-4)
    inner = sample.features @ sample.features.T
    assert np.allclose(sample.similarities, inner, atol=0.1)
    with pytest.raises(ValueError, match="covariances must have the shape"):
        sample_latent_feature(5, np.eye(2), np.eye(2)[None], 0.1)
    with pytest.raises(ValueError, match="the covariance of class 0 must be positive definite"):
        sample_latent_feature(5, np.eye(2), [-np.eye(2)] * 2, 0.1)


def test_everything_public_is_documented_by_an_example():
    public = [getattr(similis, name) for name in similis.__all__ if not name.startswith("_")]
    assert all(">>> " in thing.__doc__ for thing in public)
