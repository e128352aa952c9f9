"""Sparse points: the answers of the dense ones."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, load, neighbours


def documents(n: int, n_topics: int = 3, n_words: int = 40) -> np.ndarray:
    """Return counts of words: most of a topic's own, some that all share."""
    generator = np.random.default_rng(5)
    counts = np.zeros((n, n_words * (n_topics + 1)))
    for i in range(n):
        own = n_words * (i % n_topics) + generator.integers(0, n_words, size=(8, 2)).min(axis=1)
        shared = n_words * n_topics + generator.integers(0, n_words, size=4)
        np.add.at(counts[i], np.r_[own, shared], 1.0)
    return counts


DENSE = documents(150)


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "squared_euclidean", "l2"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix])
def test_sparse_points_have_the_answers_of_dense_ones(metric: str, form: type) -> None:
    new = documents(160)[150:]
    expected = LatentGraphClustering(3, metric=metric).fit(DENSE)
    model = LatentGraphClustering(3, metric=metric).fit(form(DENSE))
    assert (model.labels_ == expected.labels_).all()
    assert (model.scales_ == expected.scales_).all()
    assert (model.predict_proba(form(new)) == expected.predict_proba(new)).all()
    assert (model.predict_proba(new) == expected.predict_proba(form(new))).all()
    assert (model.probabilities_ == expected.probabilities_).all()
    assert (model.outlier_scores_ == expected.outlier_scores_).all()
    assert (model.labels_at(2) == expected.labels_at(2)).all()


def test_other_models_and_functions_take_them_too() -> None:
    X = sparse.csr_array(DENSE)
    for model in (AutoClustering(3, metric="cosine"), LatentFeatureClustering(3, metric="cosine")):
        assert (model.fit(X).labels_ == model.fit(DENSE).labels_).all()
    assert (neighbours(X, 5, metric="cosine")[1] == neighbours(DENSE, 5, metric="cosine")[1]).all()
    model = AutoClustering(3, metric="cosine").fit(X)
    assert "120 columns" not in model.summary() and "160 columns" in model.summary()
    assert "<svg" in model.plot()._repr_svg_()


def test_a_model_is_saved_pickled_and_updated(tmp_path) -> None:
    X = sparse.csr_array(DENSE)
    model = LatentGraphClustering(3, metric="cosine").fit(X)
    model.save(tmp_path / "words.similis")
    saved = load(tmp_path / "words.similis")
    assert (saved.predict_proba(X) == model.predict_proba(X)).all()
    assert (saved.predict(DENSE) == model.predict(X)).all()
    with pytest.raises(ValueError, match="must have 160 columns"):
        saved.predict(X[:, :100])
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    before = model.labels_.copy()
    model.update(X[:20])
    assert (model.labels_[:150] == before).all() and (model.labels_[150:] == before[:20]).all()


def test_entries_that_are_listed_twice_are_added_up_and_the_matrix_stays_as_it_is() -> None:
    listed = sparse.csr_matrix(DENSE)
    halves = sparse.csr_matrix(
        (np.repeat(listed.data / 2, 2), np.repeat(listed.indices, 2), 2 * listed.indptr), shape=listed.shape
    )
    n_entries = halves.nnz
    model = LatentGraphClustering(3, metric="cosine").fit(halves)
    assert (model.labels_ == LatentGraphClustering(3, metric="cosine").fit(DENSE).labels_).all()
    assert halves.nnz == n_entries


def test_precomputed_matrices_are_pairs_and_other_metrics_are_refused() -> None:
    distances = sparse.csr_array(squareform(pdist(DENSE[:40], "cosine")))
    pairs = LatentGraphClustering(2, metric="precomputed").fit(distances)
    assert pairs.n_features_in_ == 40
    for metric in ("manhattan", lambda a, b: abs(a - b).sum()):
        with pytest.raises(ValueError, match="sparse points are measured by cosine, euclidean"):
            LatentGraphClustering(2, metric=metric).fit(sparse.csr_array(DENSE))
    with pytest.raises(ValueError, match="row 0 has no direction"):
        LatentGraphClustering(2, metric="cosine").fit(sparse.csr_array((9, 20)))


def test_memory_is_not_that_of_the_dense_matrix() -> None:
    # 20,000 x 50,000 numbers would take 8 GB.
    code = """
import resource
import numpy as np
from scipy import sparse
from similis import LatentGraphClustering
generator = np.random.default_rng(0)
n, d, n_topics = 20_000, 50_000, 4
rows = np.repeat(np.arange(n), 50)
own = (rows % n_topics) * 5_000 + (5_000 * generator.random(n * 50) ** 4).astype(int)
shared = generator.integers(20_000, d, n * 50)
columns = np.where(np.tile(np.arange(50) < 35, n), own, shared)
X = sparse.coo_array((np.ones(n * 50), (rows, columns)), shape=(n, d)).tocsr()
model = LatentGraphClustering(4, metric="cosine").fit(X)
assert (model.labels_ == np.arange(n) % n_topics).mean() > 0.99, np.bincount(model.labels_)
assert (model.predict(X[:1000]) == model.labels_[:1000]).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1_000_000, f"{done.stdout} kB"
