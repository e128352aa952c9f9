"""What a new user meets first: messages that name columns, labels that are text, warnings."""

import numpy as np
import pandas as pd
import pytest

from similis import AutoClustering, LatentGraphClustering, load, make_shapes, report

X, Y = make_shapes("half_moons", 60)


def frame():
    return pd.DataFrame(X, columns=["bill_length", "bill_depth"])


def test_columns_of_text_and_missing_values_are_named():
    mixed = frame().assign(id=[f"P{i}" for i in range(60)], island=pd.Categorical(["a", "b"] * 30))
    with pytest.raises(ValueError, match=r"these columns do not: id, island; .* X.select_dtypes\('number'\)"):
        AutoClustering(2).fit(mixed)
    gaps = frame()
    gaps.loc[3:4, "bill_length"] = np.nan
    with pytest.raises(ValueError, match=r"bill_length \(2 missing\); drop the rows with X.dropna\(\)"):
        AutoClustering(2).fit(gaps)
    assert AutoClustering(2).fit(gaps.dropna()).n_clusters_ == 2


def test_known_labels_may_be_text():
    names = np.array(["sparse", "dense"], dtype=object)[Y]
    names[10:] = None
    text = LatentGraphClustering(2).fit(X, known_labels=names).labels_
    numbers = np.where(np.arange(60) < 10, Y, -1)
    assert np.array_equal(text, LatentGraphClustering(2).fit(X, known_labels=numbers).labels_)
    unknown = ["a", "", "NA", float("nan"), "a", *["-1"] * 55]
    assert LatentGraphClustering(2).fit(X, known_labels=unknown).n_clusters_ == 2


def test_a_setting_without_effect_is_warned_of():
    with pytest.warns(UserWarning, match="n_chains has no effect"):
        LatentGraphClustering(2, n_chains=2).fit(X)


def test_items_that_are_like_no_cluster_have_a_low_density(tmp_path):
    model = AutoClustering(2).fit(X)
    own = model.score_samples(None)
    assert model.score_samples([[1e9, 1e9]])[0] < own[np.isfinite(own)].min()
    model.save(tmp_path / "m.similis")
    loaded = load(tmp_path / "m.similis")
    assert np.array_equal(loaded.score_samples(X), model.score_samples(X))
    assert repr(loaded) == "SavedModel(2 clusters of 60 items, 2 columns)"


def test_the_report_of_a_latent_graph_does_not_speak_of_eigenvalues(tmp_path):
    report(AutoClustering().fit(X), X, tmp_path / "r.html")
    assert "largest gap between eigenvalues" not in (tmp_path / "r.html").read_text()
    report(AutoClustering(model="latent_feature").fit(X), X, tmp_path / "f.html")
    assert "largest gap between eigenvalues" in (tmp_path / "f.html").read_text()
