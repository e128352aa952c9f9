"""What a new user meets first: messages that name columns, labels that are text, warnings, pictures, words."""

import pickle
import warnings
from email.message import Message

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_html_repr

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, Picture, load, make_shapes, report
from similis._address import documentation

X, Y = make_shapes("half_moons", 60)


def frame():
    return pd.DataFrame(X, columns=["bill_length", "bill_depth"])


def test_columns_of_text_and_missing_values_are_named():
    mixed = frame().assign(id=[f"P{i}" for i in range(60)], island=pd.Categorical(["a", "b"] * 30))
    with pytest.raises(ValueError, match=r"these columns do not: id, island; .* X.select_dtypes\('number'\)"):
        AutoClustering(2).fit(mixed)
    gaps = frame()
    gaps.loc[3:4, "bill_length"] = np.nan
    with pytest.raises(ValueError, match=r"bill_length \(2 missing\); metric=.gower. .* X.dropna\(\)"):
        AutoClustering(2).fit(gaps)
    assert AutoClustering(2).fit(gaps.dropna()).n_clusters_ == 2


def test_condensed_distances_are_not_taken_for_points():
    with pytest.raises(ValueError, match=r"1770 numbers, as many as 60 items have pairs: .* metric='precomputed'"):
        AutoClustering(2).fit(pdist(X))
    with pytest.raises(ValueError, match="Reshape your data"):
        AutoClustering(2).fit(pdist(X)[:-1])


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


def test_a_graph_in_parts_has_a_cluster_for_each_and_the_summary_says_so():
    pairs = sparse.block_diag([np.ones((5, 5)) - np.eye(5)] * 3, format="csr")
    model = AutoClustering(metric="precomputed_similarity").fit(pairs)
    assert "3 clusters; the number of clusters is that of the components of the graph" in model.summary()
    assert "number of clusters is" not in AutoClustering(3, metric="precomputed_similarity").fit(pairs).summary()


def test_columns_that_look_like_a_mistake_are_warned_of():
    with pytest.warns(UserWarning, match='column "id" counts the rows, and is clustered on; drop it'):
        AutoClustering(2).fit(frame().assign(id=range(60)))
    with pytest.warns(UserWarning, match='column "income" varies .*StandardScaler'):
        AutoClustering(2).fit(frame().assign(income=np.linspace(20_000, 90_000, 60)[::-1] + X[:, 0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AutoClustering(2).fit(frame())


def test_an_answer_that_another_nearly_beats_is_warned_of():
    model = AutoClustering(2).fit(X)
    model.notes_ = ["note: 2 links were not observed"]
    for words in (
        "a different partition: score 0.7 lower",
        "another number is close: 2 clusters, but k = 3 scores only 2.7 lower",
    ):
        model.idle_ = []
        model.notes_.append(f"note: {words}")
        with pytest.warns(UserWarning, match=words.split(": ")[1]) as said:
            model._warn(provisional=False)
        assert not any("observed" in str(one.message) for one in said)


def test_a_time_limit_is_warned_of():
    many, _ = make_shapes("five_blobs", 3000)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        LatentGraphClustering(5, time_limit=1e-6).fit(many)


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        (AutoClustering(), ["scatter", "matrix", "dendrogram", "scales", "lengths", "numbers", "candidates", "edges"]),
        (LatentFeatureClustering(2), ["scatter", "matrix", "dendrogram", "eigenvalues"]),
        (LatentGraphClustering(2, inference="sample", n_sweeps=50), ["trace", "co-assignment", "uncertainty"]),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_commands_pictures_are_shown_and_written(model, kinds, tmp_path):
    fitted = model.fit(frame())
    for kind in kinds:
        picture = fitted.plot(kind, title="A & B")
        assert isinstance(picture, Picture)
        assert picture._repr_svg_().startswith("<svg")
        assert "A &amp; B" in picture.svg
    for name, first in [("p.svg", b"<svg"), ("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")]:
        picture.save(tmp_path / name, width=400)
        assert (tmp_path / name).read_bytes().startswith(first)
    with pytest.raises(ValueError, match=r"\.svg, \.png or \.pdf"):
        picture.save(tmp_path / "p.jpg")


def test_a_picture_that_there_is_not_is_said():
    with pytest.raises(ValueError, match="nothing to show as 'eigenvalues'; take another kind"):
        LatentGraphClustering(2).fit(X).plot("eigenvalues")
    with pytest.raises(ValueError, match="scatter"):
        LatentGraphClustering(2).fit(X).plot("scater")


def test_names_of_rows_are_in_pictures_words_and_after_pickling():
    names = [f"bird {i}" for i in range(60)]
    model = AutoClustering(2).fit(frame().set_index(pd.Index(names)))
    assert ">bird 7</text>" in model.plot().svg or "bird 7: cluster" in model.plot().svg
    again = pickle.loads(pickle.dumps(model))
    assert again.plot("dendrogram").svg == model.plot("dendrogram").svg
    assert names[model.medoids_[0]] in model.summary()


def test_the_summary_is_the_commands():
    text = AutoClustering(2).fit(frame()).summary()
    assert text.startswith("60 points in 2 columns: bill_length, bill_depth; model latent graph\n2 clusters\n")
    assert "  cluster     size      scale     spread  medoid\n" in text
    given = AutoClustering(2, metric="precomputed").fit(pdist(X))
    assert given.summary().startswith("60 items, distances; model latent graph\n")


def test_profiles_are_the_means_of_the_columns():
    model = AutoClustering(2).fit(frame())
    rows = pd.DataFrame(model.profiles())
    for label in range(2):
        own = rows[rows.cluster == label].set_index("column")
        assert np.allclose(own.loc[["bill_length", "bill_depth"], "mean"], X[model.labels_ == label].mean(axis=0))
        assert (own["size"] == (model.labels_ == label).sum()).all()
    assert AutoClustering(2, metric="precomputed").fit(pdist(X)).profiles() == []


def test_a_notebook_shows_the_answer_of_a_fitted_estimator():
    model = AutoClustering()
    before = model._repr_html_()
    model.fit(frame())
    after = model._repr_html_()
    card = after[: after.index("</svg>")]
    assert model._repr_mimebundle_()["text/html"].startswith(card)
    assert "X: 2 clusters" not in before
    assert "X: 2 clusters" in after
    assert "what sets it apart" in after
    assert "AutoClustering" in after


def test_a_report_needs_no_data_twice(tmp_path):
    model = AutoClustering(2).fit(frame())
    report(model, path=tmp_path / "one.html")
    report(model, frame(), tmp_path / "two.html")
    assert (tmp_path / "one.html").read_text() == (tmp_path / "two.html").read_text()
    with pytest.raises(ValueError, match="path must be given"):
        report(model)


@pytest.mark.parametrize(("other", "name"), [("l2", "euclidean"), ("l1", "manhattan"), ("cityblock", "manhattan")])
def test_metrics_have_the_names_of_scipy_too(other, name):
    assert AutoClustering(2, metric=other).fit(X).log_joint_ == AutoClustering(2, metric=name).fit(X).log_joint_


def test_the_box_of_an_estimator_links_to_its_page_where_the_package_says_where_that_is(monkeypatch):
    model = AutoClustering(2)
    monkeypatch.setattr("similis._base.documentation", lambda: "")
    assert model._get_doc_link() == ""
    monkeypatch.setattr("similis._base.documentation", lambda: "https://example.org/similis/")
    link = "https://example.org/similis/reference/python/#similis.AutoClustering"
    assert model._get_doc_link() == link
    assert link in estimator_html_repr(model)


def test_the_address_of_the_documentation_is_that_of_the_package(monkeypatch):
    addresses = Message()
    monkeypatch.setattr("similis._address.metadata", lambda _: addresses)
    documentation.cache_clear()
    assert documentation() == ""
    addresses["Project-URL"] = "Repository, https://example.org/code"
    addresses["Project-URL"] = "Documentation, https://example.org/docs"
    documentation.cache_clear()
    assert documentation() == "https://example.org/docs/"
    documentation.cache_clear()
