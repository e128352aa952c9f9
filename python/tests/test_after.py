"""Levels, outliers, weights, sizes, mixed columns, and going on with new items."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, is_valid_linkage
from sklearn.metrics import adjusted_rand_score

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, make_shapes

BLOBS, TRUE = make_shapes("five_blobs", 250, random_state=1)


def test_levels_are_nested_and_hold_the_answer() -> None:
    model = AutoClustering().fit(BLOBS)
    levels = [model.labels_at(n) for n in range(1, 13)]
    assert [len(np.unique(level)) for level in levels] == list(range(1, 13))
    for coarse, fine in pairwise(levels):
        assert all(len(np.unique(coarse[fine == cluster])) == 1 for cluster in np.unique(fine))
    assert (levels[model.n_clusters_ - 1] == model.labels_).all()
    assert adjusted_rand_score(model.labels_at(5), TRUE) > 0.95
    assert is_valid_linkage(model.hierarchy_)
    assert len(dendrogram(model.hierarchy_, no_plot=True)["leaves"]) == len(model.hierarchy_) + 1
    assert model.level_scores_.argmax() + 1 == model.n_clusters_ == 5
    with pytest.raises(ValueError, match="levels of 1 to"):
        model.labels_at(251)
    with pytest.raises(ValueError, match="levels of 1 to"):
        model.labels_at(0)


def test_levels_of_noise_matrices_and_pickles() -> None:
    far = np.vstack([BLOBS, [[1e3, 1e3], [-1e3, 1e3]]])
    model = LatentGraphClustering(5, noise="background").fit(far)
    assert (model.labels_[-2:] == -1).all()
    for n in (1, 3, 8):
        level = model.labels_at(n)
        assert ((level == -1) == (model.labels_ == -1)).all()
        assert len(np.unique(level[level >= 0])) == n
    distances = np.sqrt(((BLOBS[:, None] - BLOBS[None]) ** 2).sum(-1))
    of_matrix = LatentGraphClustering(5, metric="precomputed").fit(distances)
    of_points = LatentGraphClustering(5).fit(BLOBS)
    assert (of_matrix.labels_at(2) == of_points.labels_at(2)).all()
    again = pickle.loads(pickle.dumps(of_points))
    assert (again.labels_at(9) == of_points.labels_at(9)).all()


def test_new_items_have_the_labels_of_a_level() -> None:
    model = AutoClustering().fit(BLOBS)
    for n in (1, 2, 5, 9):
        level = model.labels_at(n)
        found = model.predict_at(BLOBS + 1e-9, n)
        assert (found == level).mean() > 0.97
    features = LatentFeatureClustering(5).fit(BLOBS)
    assert len(np.unique(features.labels_at(3))) == 3


def test_outlier_scores_rank_what_is_far_above_what_is_near() -> None:
    model = AutoClustering().fit(BLOBS)
    own = model.outlier_scores_
    assert own.shape == (250,) and own.min() >= 0 and own.max() <= 1
    assert (own == 0).mean() > 0.4
    spread = np.ptp(BLOBS, axis=0).max()
    new = model.outlier_scores([BLOBS[0] + 1e-6, BLOBS[0] + 3 * spread])
    assert new[1] > 0.999 > new[0]
    similar = LatentFeatureClustering(2, metric="precomputed_similarity").fit(np.eye(6) + 0.1)
    assert not hasattr(similar, "outlier_scores_")


def test_weights_are_copies() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, (60, 2)).astype(float)
    w = rng.integers(1, 5, 60)
    for noise in ("none", "background"):
        by_weight = LatentGraphClustering(noise=noise).fit(X, sample_weight=w)
        by_copies = LatentGraphClustering(noise=noise).fit(np.repeat(X, w, axis=0))
        assert (np.repeat(by_weight.labels_, w) == by_copies.labels_).all()
        assert (by_weight.scales_ == by_copies.scales_).all()
    three = AutoClustering().fit(np.repeat(BLOBS, 3, axis=0))
    assert (three.labels_[::3] == AutoClustering().fit(BLOBS).labels_).all()
    with pytest.raises(ValueError, match="row 2"):
        LatentGraphClustering(2).fit(BLOBS[:4], sample_weight=[1, 1, -1, 1])
    with pytest.raises(ValueError, match="one for each of the 4 points, got 3"):
        LatentGraphClustering(2).fit(BLOBS[:4], sample_weight=[1, 1, 1])
    with pytest.raises(ValueError, match="latent graph model with inference = search"):
        LatentGraphClustering(2, inference="paper").fit(BLOBS, sample_weight=np.ones(250))
    for options in ({}, {"grouping": "mixture"}, {"variant": "lemma1"}):
        features = LatentFeatureClustering(3, **options)
        by_weight, by_copies = features.fit(X, sample_weight=w).labels_, features.fit(np.repeat(X, w, axis=0)).labels_
        assert (np.repeat(by_weight, w) == by_copies).all()
    with pytest.raises(ValueError, match="feature_inference"):
        LatentFeatureClustering(2, feature_inference="joint").fit(BLOBS, sample_weight=np.ones(250))


def test_weights_are_routed() -> None:
    import sklearn
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    with sklearn.config_context(enable_metadata_routing=True):
        model = AutoClustering(n_clusters=5).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(BLOBS, sample_weight=np.arange(250) % 2)
    # Points of weight 0 have the labels of their neighbours.
    assert adjusted_rand_score(pipeline[-1].labels_, TRUE) > 0.9


@pytest.mark.parametrize("kind", [LatentGraphClustering, LatentFeatureClustering, AutoClustering])
def test_sizes_are_never_broken(kind: type) -> None:
    for n_clusters, least, most in [("auto", 60, None), (4, 40, 80), ("auto", 5, 30), ((2, 6), 30, 100)]:
        sizes = np.bincount(kind(n_clusters=n_clusters, min_size=least, max_size=most).fit(BLOBS).labels_)
        assert sizes.min() >= least and sizes.max() <= (most or 250), (n_clusters, least, most, sizes)
    with pytest.raises(ValueError, match="min_size 9 and max_size 3"):
        kind(min_size=9, max_size=3).fit(BLOBS)
    with pytest.raises(ValueError, match="1 to 2 clusters, but n_clusters is 3"):
        kind(n_clusters=3, min_size=100).fit(BLOBS)


def test_mixed_columns_are_measured_by_gower() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "age": np.r_[rng.normal(30, 3, 50), rng.normal(60, 4, 50)],
            "city": pandas.Categorical(["Rome"] * 50 + ["Oslo"] * 50),
            "member": [True] * 50 + [False] * 50,
            "note": ["x", None] * 50,
        }
    )
    true = np.arange(100) // 50
    whole = LatentGraphClustering(2, metric="gower").fit(frame.drop(columns="note"))
    assert (whole.labels_ == true).all()
    assert list(whole.predict(frame.drop(columns="note")[48:52])) == [0, 0, 1, 1]
    assert "city=Rome" in {row["column"] for row in whole.profiles()}
    frame.loc[[3, 70], "age"] = np.nan
    gaps = LatentGraphClustering(2, metric="gower").fit(frame)
    assert (gaps.labels_ == true).all()
    assert list(gaps.predict(frame[48:52])) == [0, 0, 1, 1]
    again = pickle.loads(pickle.dumps(gaps))
    assert (again.predict(frame[:5]) == 0).all()
    with pytest.raises(ValueError, match="metric='gower'"):
        LatentGraphClustering(2).fit(frame)
    with pytest.raises(ValueError, match="the 4 columns of the fit, got 3"):
        gaps.predict(frame.drop(columns="note"))


def test_update_keeps_every_old_label() -> None:
    model = AutoClustering().fit(BLOBS)
    before = model.labels_.copy()
    far = BLOBS[TRUE == 0] + [500.0, 0.0]
    near = BLOBS[:20] + 0.01
    model.update(np.vstack([near, far]))
    assert (model.labels_[:250] == before).all()
    assert (model.labels_[250:270] == before[:20]).all()
    assert set(model.labels_[270:]) == {before.max() + 1}
    assert model.labels_.shape == (250 + 20 + len(far),)
    assert model.predict([far[0]])[0] == before.max() + 1
    with pytest.raises(ValueError, match="columns of the fit"):
        model.update([[1.0, 2.0, 3.0]])


def test_update_keeps_noise() -> None:
    rings, _ = make_shapes("two_rings", 200)
    far = [[300.0, 300.0], [-250.0, 310.0]]
    model = LatentGraphClustering(2, noise="background").fit(np.vstack([far, rings]))
    before = model.labels_.copy()
    assert (before[:2] == -1).all()
    model.update(rings[:10] + 0.001)
    assert (model.labels_[:202] == before).all()
    assert (model.labels_[202:] == before[2:12]).all()
