"""How sure: draws from the posterior, and the probability of links."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, make_shapes

X, Y = make_shapes("half_moons", 80)
SAMPLE = {"inference": "sample", "n_chains": 2, "n_sweeps": 200}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model", [LatentGraphClustering(2, **SAMPLE), AutoClustering(2, latent_graph=LatentGraphClustering(**SAMPLE))]
)
def test_draws_say_how_sure_the_labels_are(model):
    model.fit(X)
    found = model.posterior_
    assert np.abs(found["memberships"].sum(axis=1) - 1).max() < 1e-12
    assert found["memberships"].shape == (len(X), model.n_clusters_)
    assert found["n_clusters"] == {2: 1.0}
    assert [len(trace) for trace in found["traces"]] == [200, 200]
    assert found["burn_in"] == 100 and found["r_hat"] > 0.9 and found["effective_sample_size"] > 0
    together = model.co_assignment_
    assert together.shape == (len(X), len(X)) and (together == together.T).all() and (np.diag(together) == 1).all()
    samples = found["samples"]
    assert together[3, 50] == pytest.approx((samples[:, 3] == samples[:, 50]).mean())
    again = pickle.loads(pickle.dumps(model))
    assert (again.co_assignment_ == together).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_number_of_clusters_has_a_posterior_and_so_has_another_loss():
    found = LatentGraphClustering("auto", loss="binder", **SAMPLE).fit(X).posterior_
    assert sum(found["n_clusters"].values()) == pytest.approx(1)
    assert found["loss"] == "binder"


def test_what_was_not_sampled_has_no_posterior():
    model = LatentGraphClustering(2).fit(X)
    assert not hasattr(model, "posterior_") and not hasattr(model, "co_assignment_")


def test_the_probabilities_of_links_add_up():
    for settings in ({}, {"scale_updates": "soft", "inference": "paper"}, {"support": "nearest"}):
        model = LatentGraphClustering(2, **settings).fit(X)
        links = model.edge_probabilities_
        assert sparse.issparse(links) and abs(links - links.T).max() == 0
        assert links.sum() / 2 == pytest.approx(len(X) - 2, abs=1e-2)
        assert links.max() <= 1
    assert not hasattr(LatentFeatureClustering(2).fit(X), "edge_probabilities_")


def test_soft_scales_are_not_those_of_the_best_tree():
    models = (LatentGraphClustering(2, inference="paper", scale_updates=updates) for updates in ("hard", "soft"))
    hard, soft = (model.fit(X, known_labels=Y) for model in models)
    assert (hard.labels_ == soft.labels_).all() and (soft.scales_ > hard.scales_).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_chains": 0}, "n_chains must be at least 1"),
        ({"burn_in": 1.0}, "burn_in must be"),
        ({"loss": "zero_one"}, "loss must be"),
        ({"typical_length": -1.0}, "typical_length must be"),
        ({"scale_prior": "none"}, "scale_prior to weak"),
    ],
)
def test_settings_that_cannot_be_sampled_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        LatentGraphClustering(2, **{**SAMPLE, **settings}).fit(X)
