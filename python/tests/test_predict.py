"""Where new items belong, and models in files."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import similis
from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, make_shapes

X, Y = make_shapes("half_moons", 240)
OLD, NEW = X[:200], X[200:]
ALL = [AutoClustering, LatentGraphClustering, LatentFeatureClustering]


@pytest.mark.parametrize("estimator", ALL)
def test_new_points_join_the_cluster_they_lie_in(estimator):
    model = estimator(2).fit(OLD)
    rows = model.predict_proba(NEW)
    assert rows.shape == (40, 2)
    assert np.abs(rows.sum(axis=1) - 1).max() < 1e-12
    assert np.array_equal(model.predict(NEW), rows.argmax(axis=1))
    assert similis.adjusted_rand_index(model.predict(NEW), Y[200:]) > 0.99


@pytest.mark.parametrize("estimator", ALL)
def test_points_and_distances_give_the_same_probabilities(estimator):
    by_points = estimator(2).fit(OLD)
    by_distances = estimator(2, metric="precomputed").fit(cdist(OLD, OLD))
    assert np.array_equal(by_points.labels_, by_distances.labels_)
    apart = by_points.predict_proba(NEW) - by_distances.predict_proba(cdist(NEW, OLD))
    assert np.abs(apart).max() < 1e-9
    assert np.abs(by_points.probabilities_ - by_distances.probabilities_).max() < 1e-9


def test_fitted_points_are_taken_out_first():
    model = LatentGraphClustering(2).fit(OLD)
    rows = model.predict_proba(None)
    assert rows.shape == (200, 2)
    assert (rows.argmax(axis=1) == model.labels_).mean() >= 0.97
    assert np.array_equal(model.probabilities_, rows[np.arange(200), model.labels_])
    assert np.array_equal(model.predict(None), rows.argmax(axis=1))


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "minkowski"])
def test_other_metrics_and_functions_predict(metric):
    model = LatentGraphClustering(2, metric=metric).fit(OLD + 10)
    assert np.isfinite(model.predict_proba(NEW + 10)).all()
    by_function = LatentGraphClustering(2, metric=lambda a, b: float(np.abs(a - b).sum())).fit(OLD)
    by_name = LatentGraphClustering(2, metric="manhattan").fit(OLD)
    assert np.abs(by_function.predict_proba(NEW) - by_name.predict_proba(NEW)).max() < 1e-9


@pytest.mark.parametrize("estimator", ALL)
def test_a_saved_model_predicts_the_same_bits(estimator, tmp_path):
    model = estimator(2).fit(OLD)
    rows = model.predict_proba(NEW)
    model.save(tmp_path / "moons.similis")
    loaded = similis.load(tmp_path / "moons.similis")
    assert np.array_equal(loaded.predict_proba(NEW), rows)
    assert np.array_equal(loaded.predict(NEW), model.predict(NEW))
    assert np.array_equal(loaded.labels_, model.labels_)
    assert loaded.classes_.tolist() == [0, 1]
    assert loaded.n_features_in_ == 2
    for copied in (pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(loaded))):
        assert np.array_equal(copied.predict_proba(NEW), rows)
    loaded.save(str(tmp_path / "again.similis"))
    assert (tmp_path / "again.similis").read_bytes() == (tmp_path / "moons.similis").read_bytes()


def test_models_of_distances_ask_for_distances(tmp_path):
    model = AutoClustering(2, metric="precomputed").fit(cdist(OLD, OLD))
    model.save(tmp_path / "d.similis")
    loaded = similis.load(tmp_path / "d.similis")
    assert loaded.n_features_in_ == 200
    assert np.array_equal(loaded.predict_proba(cdist(NEW, OLD)), model.predict_proba(cdist(NEW, OLD)))
    with pytest.raises(ValueError, match="X must have 200 columns"):
        loaded.predict(NEW)
    with pytest.raises(ValueError, match="200 features"):
        model.predict(NEW)
    with pytest.raises(ValueError, match=r"row 0, column 0: the distance .* got -1"):
        model.predict(np.full((1, 200), -1.0))


def test_columns_of_data_frames_keep_their_names(tmp_path):
    frame = pd.DataFrame(OLD, columns=["x", "y"])
    model = AutoClustering(2).fit(frame)
    model.save(tmp_path / "named.similis")
    loaded = similis.load(tmp_path / "named.similis")
    assert list(loaded.feature_names_in_) == ["x", "y"]
    new = pd.DataFrame({"y": NEW[:, 1], "other": "a", "x": NEW[:, 0]})
    assert np.array_equal(loaded.predict_proba(new), model.predict_proba(new[["x", "y"]]))
    with pytest.raises(ValueError, match="y not found"):
        loaded.predict(new[["x"]])


def test_unfitted_estimators_bad_files_and_similarities_are_refused(tmp_path):
    with pytest.raises(NotFittedError):
        AutoClustering(2).predict(NEW)
    with pytest.raises(NotFittedError):
        AutoClustering(2).save(tmp_path / "m.similis")
    with pytest.raises(OSError, match="must be an existing file"):
        similis.load(tmp_path / "none.similis")
    (tmp_path / "other.txt").write_text("1,2\n")
    with pytest.raises(ValueError, match="must be a model that similis wrote"):
        similis.load(tmp_path / "other.txt")
    model = AutoClustering(2).fit(OLD)
    model.save(tmp_path / "m.similis")
    text = (tmp_path / "m.similis").read_text()
    (tmp_path / "later.similis").write_text(text.replace('"version": 1', '"version": 9'))
    with pytest.raises(ValueError, match="reads models of version 1"):
        similis.load(tmp_path / "later.similis")
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.similis")
    similar = np.exp(-cdist(OLD, OLD))
    with pytest.raises(ValueError, match="prediction needs distances"):
        LatentFeatureClustering(2, metric="precomputed_similarity").fit(similar).predict(similar)
    converted = LatentGraphClustering(2, metric="precomputed_similarity", conversion="negative_log").fit(similar)
    assert not hasattr(LatentFeatureClustering(2, metric="precomputed_similarity").fit(similar), "probabilities_")
    assert converted.probabilities_.shape == (200,)
    with pytest.raises(ValueError, match="fitted to similarities"):
        converted.predict(similar)


def test_a_pipeline_predicts():
    pipeline = make_pipeline(StandardScaler(), AutoClustering(2)).fit(OLD)
    assert similis.adjusted_rand_index(pipeline.predict(NEW), Y[200:]) > 0.99


def test_the_score_of_new_points_needs_no_scorer():
    search = GridSearchCV(AutoClustering(2), {"metric": ["euclidean", "manhattan"]}, cv=3).fit(OLD)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.score(NEW) > search.best_estimator_.score(NEW + 9)
    model = AutoClustering(5).fit(OLD)
    assert model.score(NEW) == model.score(NEW, Y[200:]) == model.score_samples(NEW).mean()
    assert make_pipeline(StandardScaler(), AutoClustering(2)).fit(OLD).score(NEW) > -np.inf


@pytest.mark.parametrize("noise", ["none", "background"])
def test_a_transformed_item_is_its_memberships(noise):
    model = LatentGraphClustering(2, noise=noise).fit(OLD)
    assert (model.transform(NEW) == model.predict_proba(NEW)).all()
    names = model.get_feature_names_out()
    assert len(names) == 2 + (noise == "background") and names[0] == "latentgraphclustering0"
    frame = LatentGraphClustering(2, noise=noise).set_output(transform="pandas").fit_transform(OLD)
    assert isinstance(frame, pd.DataFrame) and list(frame.columns) == list(names)


def test_a_new_fit_forgets_the_old_model():
    model = AutoClustering(2).fit(OLD)
    before = model.predict_proba(NEW)
    model.fit(OLD[::-1].copy())
    after = model.predict_proba(NEW)
    swapped = after[:, ::-1] if model.labels_[-1] != 0 else after
    assert np.abs(before - swapped).max() < 1e-9
