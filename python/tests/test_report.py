"""The report, which is the command's."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, affinity, make_shapes, report

X, Y = make_shapes("five_blobs", 100)
PATH = "report.html"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(model, given, **words):
    report(model.fit(given), given, PATH, **words)
    with open(PATH, encoding="utf-8") as file:
        return file.read()


def test_a_report_has_pictures_clusters_and_how_to_repeat_it():
    text = written(LatentGraphClustering(5, scales="per_class"), X, name="blobs")
    assert "blobs: 5 clusters" in text
    assert "LatentGraphClustering(n_clusters=5, scales=&#39;per_class&#39;).fit(X)" in text.replace("'", "&#39;")
    assert text.count("<svg") > 3
    assert "largest gap" not in text


def test_names_are_those_of_the_frame():
    names = [f"item {at}" for at in range(len(X))]
    frame = pd.DataFrame(X, columns=["east", "north"], index=names)
    model = AutoClustering()
    text = written(model, frame)
    assert "east" in text
    assert names[model.medoids_[0]] in text


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (LatentGraphClustering(5, metric="precomputed"), pdist(X)),
        (AutoClustering(5, metric="precomputed"), squareform(pdist(X))),
        (LatentFeatureClustering(5, metric="precomputed_similarity"), affinity(X)),
        (LatentGraphClustering(2, metric="cosine"), np.abs(X) + 1),
    ],
)
def test_every_input_has_a_report(model, given):
    assert "<svg" in written(model, given)


def test_a_pickled_estimator_has_the_same_report():
    model = LatentGraphClustering(5).fit(X, known_labels=np.where(np.arange(len(X)) < 9, Y, -1))
    report(model, X, "one.html")
    report(pickle.loads(pickle.dumps(model)), X, "other.html")
    with open("one.html", encoding="utf-8") as one, open("other.html", encoding="utf-8") as other:
        assert one.read() == other.read()


def test_what_cannot_be_written_is_said():
    model = LatentGraphClustering(5).fit(X)
    with pytest.raises(ValueError, match="html"):
        report(model, X, "report.txt")
    with pytest.raises(ValueError, match="must be of the same points"):
        report(model, X[:50], PATH)
