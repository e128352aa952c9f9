"""What the estimators promise beyond scikit-learn's checks."""

import inspect
import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import dendrogram, fcluster, linkage
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import similis
from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, _lib, adjusted_rand_index, make_shapes

X, Y = make_shapes("dense_letter", 150)
ALL = [AutoClustering, LatentGraphClustering, LatentFeatureClustering]
#: Settings of scikit-learn's world, and what stands for the library's defaults there.
OF_PYTHON = {
    "n_jobs": None,
    "verbose": False,
    "callback": None,
    "conversion": None,
    "memory_limit": None,
    "time_limit": None,
}


def defaults(function):
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize(
    ("estimator", "model", "more"),
    [(LatentGraphClustering, "latent_graph", {"preset": None}), (LatentFeatureClustering, "latent_feature", {})],
)
def test_arguments_and_defaults_are_those_of_the_table_of_settings(estimator, model, more):
    table = _lib.settings()
    expected = {row["python"]: row["default"] for row in table[model]}
    assert defaults(estimator) == OF_PYTHON | table["input"] | expected | more


@pytest.mark.parametrize(
    ("estimator", "model"), [(LatentGraphClustering, "latent_graph"), (LatentFeatureClustering, "latent_feature")]
)
def test_docstrings_name_every_value_of_a_setting(estimator, model):
    for row in _lib.settings()[model]:
        parameter = re.search(rf"^    {row['python']} : (.*)$", estimator.__doc__, re.MULTILINE)
        assert parameter is not None, row["name"]
        assert all(f'"{value}"' in parameter[1] for value in row["values"]), row["name"]


def test_defaults_of_the_score_are_those_of_the_table_of_settings():
    rows = {row["name"]: row["default"] for row in _lib.settings()["latent_graph"]}
    for name in ("score", "scales", "step", "shape", "size_prior", "walk_weight"):
        assert defaults(similis.score)[name] == rows[name], name


def test_auto_takes_few_arguments_and_two_estimators_that_it_never_changes():
    assert len(defaults(AutoClustering)) <= 14
    graph = LatentGraphClustering(5, inference="paper", n_restarts=2, random_state=3)
    feature = LatentFeatureClustering(7, affinity="local")
    before = graph.get_params(), feature.get_params()
    auto = AutoClustering(2, latent_graph=graph, latent_feature=feature).fit(X)
    alone = LatentGraphClustering(2, inference="paper", n_restarts=2).fit(X)
    assert auto.model_ == "latent_graph"
    assert (auto.labels_ == alone.labels_).all()
    assert (graph.get_params(), feature.get_params()) == before
    assert auto.latent_graph is graph
    assert not hasattr(graph, "labels_")
    assert auto.get_params()["latent_graph__n_restarts"] == 2
    assert AutoClustering(2, latent_feature=feature).fit(X).model_ == "latent_feature"
    assert AutoClustering(2, model="latent_feature").fit(X).model_ == "latent_feature"
    assert clone(auto).latent_graph is not graph
    with pytest.raises(TypeError, match="latent_graph must be a LatentGraphClustering"):
        AutoClustering(latent_graph=feature).fit(X)
    with pytest.raises(ValueError, match="model must be auto"):
        AutoClustering(model="best").fit(X)


def test_auto_passes_on_noise_and_how_pairs_are_read():
    auto = AutoClustering(2, noise="background").fit(X)
    assert (auto.labels_ == LatentGraphClustering(2, noise="background").fit(X).labels_).all()
    asked = AutoClustering(2, latent_graph=LatentGraphClustering(noise="background")).fit(X)
    assert (asked.labels_ == auto.labels_).all()
    assert auto.predict_proba(X[:3]).shape == (3, 3)
    lopsided = pairwise_distances(X[:40])
    lopsided[0, 1] += 0.1
    feature = LatentFeatureClustering(symmetrise="mean")
    model = AutoClustering(2, metric="precomputed", latent_feature=feature).fit(lopsided)
    assert model.model_ == "latent_graph"


def test_a_preset_is_the_paper_s_and_single_settings_stay():
    points = X[:40]
    paper = LatentGraphClustering(2, preset="paper", n_restarts=3).fit(points)
    flat = LatentGraphClustering(
        2,
        likelihood="gaussian",
        support="complete",
        scale_prior="none",
        size_prior="constant",
        inference="paper",
        n_restarts=3,
    ).fit(points)
    assert (paper.labels_ == flat.labels_).all()
    assert paper.log_joint_ == flat.log_joint_
    with pytest.raises(ValueError, match="preset must be paper or None"):
        LatentGraphClustering(preset="book").fit(points)


def test_step_shape_and_walk_weight_change_the_score():
    usual = LatentGraphClustering(2).fit(X)
    for setting in ({"step": 0.1}, {"shape": 1.0}, {"walk_weight": 0.5}):
        assert LatentGraphClustering(2, **setting).fit(X).score_partition(Y) != usual.score_partition(Y), setting


def test_a_latent_graph_has_all_its_attributes():
    model = LatentGraphClustering(2).fit(X)
    assert model.labels_.dtype == np.int64
    assert set(model.labels_) == {0, 1}
    assert model.n_clusters_ == 2
    assert model.scales_.shape == model.spreads_.shape == (2,)
    assert model.background_scale_ > model.scales_.max()
    assert model.termination_ == "converged"
    assert model.random_state_ == 0
    assert np.isfinite(model.log_joint_)
    assert model.trace_[-1] == pytest.approx(model.log_joint_)
    assert model.n_iter_ == 1
    assert not hasattr(model, "embedding_")
    best, *others = model.candidates_
    assert best["score"] == model.score_ == pytest.approx(best["prior"] + best["evidence"] + best["walk"] + best["side"])
    assert np.array_equal(best["labels"], model.labels_)
    assert all(other["score"] <= best["score"] for other in others)


def test_the_graph_joins_points_of_one_cluster_by_trees():
    model = LatentGraphClustering(2).fit(X)
    links = model.graph_.tocoo()
    assert model.graph_.nnz == 2 * (len(X) - 2)
    assert (model.labels_[links.row] == model.labels_[links.col]).all()
    assert np.allclose(links.data, np.linalg.norm(X[links.row] - X[links.col], axis=1))
    assert abs(model.graph_ - model.graph_.T).max() == 0


def test_latent_features_have_all_their_attributes():
    model = LatentFeatureClustering(2, grouping="mixture").fit(X)
    assert model.embedding_.shape == model.memberships_.shape == (len(X), 2)
    assert np.allclose(model.memberships_.sum(axis=1), 1)
    assert model.eigenvalues_[0] == pytest.approx(1)
    assert model.gamma_ is None
    assert LatentFeatureClustering(2, affinity="gaussian", gamma=0.5).fit(X).gamma_ == 0.5
    assert np.isfinite(model.score_)


def test_joint_inference_leaves_a_trace():
    with pytest.warns(ConvergenceWarning, match="the fit stopped at the iteration limit"):
        model = LatentFeatureClustering(2, feature_inference="joint").fit(X)
    assert model.n_iter_ == len(model.trace_) > 1


def test_a_refit_by_the_other_model_leaves_nothing_of_the_first():
    model = AutoClustering(2).fit(X)
    assert model.model_ == "latent_graph"
    model.set_params(latent_feature=LatentFeatureClustering(affinity="local")).fit(X)
    assert model.model_ == "latent_feature"
    assert not hasattr(model, "graph_")
    assert not hasattr(model, "candidates_")
    assert model.score_ == pytest.approx(model.score_partition(model.labels_))


def test_the_score_of_a_partition_does_not_depend_on_its_names():
    model = LatentGraphClustering(2).fit(X)
    assert model.score_partition(model.labels_) == pytest.approx(model.score_)
    assert model.score_partition(np.where(model.labels_ == 0, "b", "a")) == pytest.approx(model.score_)
    assert model.score_partition(np.arange(len(X)) % 2) < model.score_
    with pytest.raises(ValueError, match="must be of the same points"):
        model.score_partition([0, 1])


def test_settings_of_the_score_count():
    one = LatentGraphClustering(2, scales="per_class").fit(X)
    other = LatentGraphClustering(2, tree_score="all_trees").fit(X)
    assert one.score_partition(Y) != other.score_partition(Y)
    assert one.score_partition(Y) == pytest.approx(similis.score(X, Y, scales="per_class")["score"])


def test_linkage_is_scipy_s_single_linkage():
    model = LatentGraphClustering(2).fit(X)
    theirs = linkage(X, "single")
    assert np.allclose(model.linkage_matrix_[:, 2:], theirs[:, 2:])
    assert np.array_equal(model.children_, model.linkage_matrix_[:, :2])
    cut = fcluster(model.linkage_matrix_, 3, "maxclust")
    assert adjusted_rand_index(cut, fcluster(theirs, 3, "maxclust")) == 1
    assert len(dendrogram(model.linkage_matrix_, no_plot=True)["leaves"]) == len(X)


def test_medoids_are_points_of_their_clusters_in_the_middle():
    model = LatentGraphClustering(2).fit(X)
    assert model.medoids_.shape == (2,)
    assert model.labels_[model.medoids_].tolist() == [0, 1]
    members = X[model.labels_ == 0]
    totals = np.linalg.norm(members[:, None] - members[None], axis=2).sum(axis=1)
    assert np.array_equal(members[totals.argmin()], X[model.medoids_[0]])


def test_known_labels_are_kept():
    known = np.full(len(X), -1)
    known[:10] = Y[:10] + 3
    for model in (
        LatentGraphClustering(2),
        LatentFeatureClustering(2),
        AutoClustering(2, latent_feature=LatentFeatureClustering(affinity="local")),
    ):
        labels = model.fit(X, known_labels=known).labels_
        assert adjusted_rand_index(labels[:10], Y[:10]) == 1
    with pytest.raises(ValueError, match="a known label is a whole number, or -1 where it is not known, got -2"):
        LatentGraphClustering(2).fit(X, known_labels=known - 1)
    with pytest.raises(ValueError, match="known_labels must be a whole number for each point"):
        LatentGraphClustering(2).fit(X, known_labels=known / 2)
    with pytest.raises(ValueError, match="known_labels must hold one entry for each of the 150 points, got 3"):
        LatentGraphClustering(2).fit(X, known_labels=[0, 1, 1])


def test_pairs_are_kept_and_contradictions_named():
    tied, parted = [[0, 1], [1, 2]], [[2, 3]]
    for model in (LatentGraphClustering(2), LatentFeatureClustering(2), AutoClustering(2)):
        labels = model.fit(X, must_link=tied, cannot_link=parted).labels_
        assert labels[0] == labels[1] == labels[2] != labels[3]
        with pytest.raises(ValueError, match=r"cannot_link parts the rows 2 and 0, but must_link .* ties 2 - 1 - 0"):
            model.fit(X, must_link=tied, cannot_link=[[5, 9], [2, 0]])
    known = np.full(len(X), -1)
    known[[0, 2]] = 4, 7
    with pytest.raises(ValueError, match=r"must_link ties the rows 0 - 1 - 2, but known_labels gives .* 4 .* 7"):
        LatentGraphClustering(2).fit(X, known_labels=known, must_link=tied)


def test_fit_predict_takes_known_labels():
    assert np.array_equal(LatentGraphClustering(2).fit_predict(X, known_labels=Y), Y)


def test_chance_comes_from_random_state_alone():
    settings = {"inference": "paper", "n_restarts": 1}
    one = LatentGraphClustering(3, random_state=1, **settings).fit(X)
    assert np.array_equal(one.labels_, LatentGraphClustering(3, random_state=1, **settings).fit_predict(X))
    fresh = [LatentGraphClustering(3, random_state=None, **settings).fit(X) for _ in range(3)]
    assert len({model.random_state_ for model in fresh}) == 3
    again = LatentGraphClustering(3, random_state=fresh[0].random_state_, **settings).fit(X)
    assert np.array_equal(again.labels_, fresh[0].labels_)
    for source in (np.random.RandomState, np.random.default_rng):
        seeds = [LatentGraphClustering(2, random_state=source(7)).fit(X).random_state_ for _ in range(2)]
        assert seeds[0] == seeds[1] != 7


@pytest.mark.parametrize("estimator", ALL)
def test_threads_change_nothing(estimator):
    one, all_but_one, two = (estimator(3, n_jobs=n_jobs).fit(X) for n_jobs in (1, -2, 2))
    assert np.array_equal(one.labels_, two.labels_)
    assert one.log_joint_ == two.log_joint_ == all_but_one.log_joint_


@pytest.mark.parametrize("estimator", ALL)
def test_fitted_estimators_survive_pickling(estimator):
    model = estimator(2).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.labels_, model.labels_)
    assert again.score_ == model.score_
    assert again.score_partition(Y) == model.score_partition(Y)


def test_clones_are_not_fitted():
    model = clone(LatentGraphClustering(2, scales="per_class").fit(X))
    assert model.get_params()["scales"] == "per_class"
    with pytest.raises(NotFittedError):
        model.score_partition(Y)
    assert not hasattr(model, "score_")


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_runs_many_at_once(backend):
    alone = [AutoClustering(2, random_state=seed).fit_predict(X) for seed in range(3)]
    with joblib.parallel_backend(backend, n_jobs=2):
        fits = (joblib.delayed(AutoClustering(2, random_state=seed).fit_predict)(X) for seed in range(3))
        together = joblib.Parallel()(fits)
    assert all(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))


def test_pipelines_pass_frames_on():
    frame = pd.DataFrame(X, columns=["east", "north"])
    pipeline = make_pipeline(StandardScaler(), LatentGraphClustering(2)).set_output(transform="pandas")
    labels = pipeline.fit_predict(frame)
    assert pipeline[-1].feature_names_in_.tolist() == ["east", "north"]
    assert np.array_equal(labels, LatentGraphClustering(2).fit_predict(StandardScaler().fit_transform(X)))


def test_one_cluster_and_one_point_are_possible():
    assert LatentGraphClustering(1).fit(X).labels_.tolist() == [0] * len(X)
    assert LatentGraphClustering().fit([[1.0, 2.0]]).n_clusters_ == 1


def test_the_number_of_clusters_is_found_by_score():
    blobs = np.concatenate([make_shapes("dense_blob", 150)[0] + [shift, 0] for shift in (0, 200)])
    for n_clusters in ((1, 6), [1, 6], range(1, 7), "1-6"):
        model = LatentGraphClustering(n_clusters).fit(blobs)
        assert [row["n_clusters"] for row in model.numbers_] == [1, 2, 3, 4, 5, 6]
        assert model.n_clusters_ == len(set(model.labels_))
    best = max(model.numbers_, key=lambda row: row["score"])
    parts = sum(best[part] for part in ("prior", "evidence", "walk", "valleys"))
    assert best["score"] == pytest.approx(parts)
    assert LatentGraphClustering(2).fit(blobs).numbers_ == []
    assert LatentGraphClustering((2, 2)).fit(blobs).n_clusters_ == 2
    with pytest.raises(ValueError, match="range"):
        LatentGraphClustering((3, 2)).fit(blobs)
    with pytest.raises(ValueError, match="n_clusters"):
        LatentGraphClustering((1, 2, 3)).fit(blobs)


def test_noise_is_labelled_minus_one():
    rings, _ = make_shapes("two_rings", 200)
    far = [[300.0, 300.0], [-250.0, 310.0]]
    both = np.concatenate([rings, far])
    for estimator in (LatentGraphClustering, AutoClustering):
        model = estimator(2, noise="background").fit(both)
        assert (model.labels_[-2:] == -1).all()
        assert model.n_clusters_ == len(model.scales_) == len(model.medoids_) == 2
        assert (model.labels_[model.medoids_] == [0, 1]).all()
        assert model.predict_proba(both).shape == (202, 3)
        assert model.predict([[1000.0, -1000.0]])[0] == -1
        assert (model.probabilities_ > 0).all()
        assert not hasattr(model, "score_")
    with pytest.raises(ValueError, match="noise"):
        LatentGraphClustering(2, noise="background", inference="paper").fit(both)
