"""Every kind of input gives the same answer as the array it stands for, and mistakes are named."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, affinity, make_shapes

X, Y = make_shapes("two_rings", 120)
LABELS = LatentGraphClustering(2).fit_predict(X)


@pytest.mark.parametrize(
    "same",
    [
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        X.tolist(),
        X.astype(">f8"),
        pd.DataFrame(X, columns=["a", "b"]),
        pl.DataFrame(X, schema=["a", "b"]),
    ],
    ids=["fortran", "strided", "list", "big endian", "pandas", "polars"],
)
def test_points_of_any_form_are_the_same_points(same):
    assert np.array_equal(LatentGraphClustering(2).fit_predict(same), LABELS)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint8, bool])
def test_any_numeric_type_is_read_as_its_numbers(dtype):
    given = (100 * X).astype(dtype)
    assert np.array_equal(
        LatentGraphClustering(2).fit_predict(given), LatentGraphClustering(2).fit_predict(given.astype(float))
    )


@pytest.mark.parametrize("pairs", [squareform(pdist(X)), pdist(X), list(pdist(X))], ids=["square", "condensed", "list"])
def test_distances_are_the_points_they_came_from(pairs):
    model = LatentGraphClustering(2, metric="precomputed").fit(pairs)
    assert np.array_equal(model.labels_, LABELS)
    assert model.n_features_in_ == len(X)


def test_single_precision_distances_are_taken_as_they_are():
    distances = squareform(pdist(X)).astype(np.float32)
    assert np.array_equal(LatentGraphClustering(2, metric="precomputed").fit_predict(distances), LABELS)


def test_a_function_can_be_the_metric():
    model = LatentGraphClustering(2, metric=lambda one, other: float(np.linalg.norm(one - other)))
    assert np.array_equal(model.fit_predict(X), LABELS)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix])
def test_a_sparse_matrix_lists_the_pairs_that_were_observed(form):
    model = LatentGraphClustering(2, metric="precomputed").fit(form(squareform(pdist(X))))
    assert np.array_equal(model.labels_, LABELS)


def test_a_pair_of_distance_0_is_observed_if_it_is_listed():
    ends = (np.array([0, 1, 1, 2, 3, 4, 4, 5, 2, 3]), np.array([1, 0, 2, 1, 4, 3, 5, 4, 3, 2]))
    lengths = np.array([0.0, 0, 1, 1, 0, 0, 1, 1, 50, 50])
    listed = sparse.csr_array((lengths, ends), shape=(6, 6))
    model = LatentGraphClustering(2, metric="precomputed").fit(listed)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_graph_in_more_parts_than_clusters_is_joined():
    ends = (np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 0, 5]))
    listed = sparse.coo_array((np.array([1.0, 1, 1, 1, 9]), ends), shape=(8, 8))
    model = LatentGraphClustering(2, metric="precomputed").fit(listed + listed.T)
    assert (model.n_components_, model.n_clusters_) == (4, 2)
    assert np.isfinite(model.log_joint_)
    assert np.isnan(model.graph_.data).sum() == 2 * 2
    assert len(set(model.labels_[:4])) == 1
    assert LatentGraphClustering(2).fit(X).n_components_ == 1


def test_similarities_are_clustered_by_features():
    similarities = affinity(X, "local")
    model = AutoClustering(2, metric="precomputed_similarity").fit(similarities)
    assert model.model_ == "latent_feature"
    assert np.array_equal(model.labels_, LatentFeatureClustering(2, affinity="local").fit_predict(X))
    assert not hasattr(model, "score_")
    assert not hasattr(model, "linkage_matrix_")


def test_a_conversion_makes_distances_of_similarities():
    similarities = np.exp(-squareform(pdist(X)))
    model = LatentGraphClustering(2, metric="precomputed_similarity", conversion="negative_log").fit(similarities)
    assert np.array_equal(model.labels_, LABELS)


def test_missing_pairs_are_allowed_on_request():
    distances = squareform(pdist(X))
    distances[3, 70] = distances[70, 3] = np.nan
    with pytest.raises(ValueError, match="row 3, column 70: the distance is not a number"):
        LatentGraphClustering(2, metric="precomputed").fit(distances)
    model = LatentGraphClustering(2, metric="precomputed", missing="unobserved").fit(distances)
    assert np.array_equal(model.labels_, LABELS)


def test_an_array_that_changes_during_a_fit_does_not_change_the_answer():
    for metric, given in (("euclidean", X.copy()), ("precomputed", squareform(pdist(X)))):
        expected = LatentGraphClustering(2, metric=metric).fit_predict(given.copy())

        def spoil(*news, given=given):
            given[:] = np.nan

        assert np.array_equal(LatentGraphClustering(2, metric=metric, callback=spoil).fit_predict(given), expected)
        assert np.isnan(given).all()


def test_large_float64_in_c_order_is_not_copied(monkeypatch):
    monkeypatch.setattr("similis._observed.COPIED_UP_TO", 0)
    model = LatentGraphClustering(2).fit(X)
    assert np.shares_memory(model._observed.numbers, X)
    distances = squareform(pdist(X))
    model = LatentGraphClustering(2, metric="precomputed").fit(distances)
    assert np.shares_memory(model._observed.numbers, distances)


@pytest.mark.parametrize(
    ("settings", "given", "words"),
    [
        ({"n_clusters": 0}, X, "n_clusters must be between 1 and the number of points, 120, got 0"),
        ({"n_clusters": -1}, X, 'n_clusters must be auto, a number from 1 or a range like 2-8, got "-1"'),
        ({"n_clusters": 2.5}, X, 'n_clusters must be auto, a number from 1 or a range like 2-8, got "2.5"'),
        ({"likelihood": "cauchy"}, X, 'likelihood must be exponential or gaussian, got "cauchy"'),
        ({"likelihood": None}, X, 'likelihood must be exponential or gaussian, got "None"'),
        ({"metric": "precomputed"}, X, "a matrix of pairs must be square, got 120 rows and 2 columns"),
        ({"metric": "precomputed"}, sparse.csr_array(X), "a matrix of pairs must be square, got 120 rows and 2 columns"),
        ({"metric": "precomputed"}, [1.0, 2.0], "condensed distances of n points have n \\(n - 1\\) / 2 entries, got 2"),
        ({"metric": "precomputed"}, [[0.0, -1.0], [-1.0, 0.0]], "row 0, column 1: the distance must not be negative"),
        ({"metric": "precomputed_similarity"}, np.eye(5), "the exponential likelihood needs distances, got similarities"),
        ({"metric": "nearly"}, X, "metric must be euclidean, "),
        ({"prior_neighbours": 0}, X, "prior_neighbours must be at least 1, got 0"),
        ({"prior_neighbours": "many"}, X, 'prior_neighbours must be a whole number, got "many"'),
        ({"n_restarts": 0}, X, "n_restarts must be at least 1, got 0"),
        ({"n_jobs": 0}, X, "n_jobs must be a number of threads"),
        ({"random_state": -1}, X, "random_state must be a whole number"),
        ({"n_jobs": "x"}, X, "n_jobs must be a number of threads, or -1 for all cores, got 'x'"),
        ({"time_limit": "x"}, X, "time_limit must be a number of seconds above 0, got 'x'"),
        ({"memory_limit": "4 parsecs"}, X, "memory_limit must be a size"),
        ({"memory_limit": -1}, X, 'memory_limit must be a size above 0, in bytes or as "4GB", got -1'),
        ({"memory_limit": float("nan")}, X, "memory_limit must be a size above 0, .* got nan"),
        ({"metric": lambda a, b: a[0] - b[0] + 99}, X, "metric must be symmetric, but of rows 0 and 1 it is"),
        ({}, np.ma.masked_greater(X, 0), "X must have no masked entries: fill them"),
        ({}, [[1.0], [np.inf]], "row 1, column 0: coordinates must be finite numbers, got inf"),
    ],
)
def test_mistakes_have_the_command_s_words(settings, given, words):
    with pytest.raises(ValueError, match=words):
        LatentGraphClustering(**settings).fit(given)


def test_what_a_limit_forbids_is_refused():
    distances = squareform(pdist(X))
    distances[0, 1] += 1
    model = LatentGraphClustering(2, metric="precomputed", symmetrise="mean", memory_limit="100kB")
    with pytest.raises(ValueError, match=r"the memory limit is 100\.0 kB"):
        model.fit(distances)
    assert model.set_params(memory_limit=None).fit(distances).n_clusters_ == 2
