"""A part is clustered again; the rest keeps its labels."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import NotFittedError

from similis import AutoClustering, LatentGraphClustering, make_shapes

X, Y = make_shapes("five_blobs", 250)


@pytest.mark.parametrize("seed", range(8))
def test_items_outside_never_change_and_the_part_is_a_fit_of_its_own(seed: int) -> None:
    generator = np.random.default_rng(seed)
    model = LatentGraphClustering(int(generator.integers(1, 4))).fit(X)
    before = model.labels_.copy()
    mask = before == generator.integers(0, model.n_clusters_) if seed % 2 else generator.random(250) < 0.4
    model.set_params(n_clusters=int(generator.integers(1, 5))).fit(X, within=mask)
    assert (model.labels_[~mask] == before[~mask]).all()
    alone = LatentGraphClustering(model.n_clusters).fit(X[mask])
    pairs = set(zip(model.labels_[mask], alone.labels_, strict=True))
    assert len(pairs) == alone.n_clusters_ == len(set(model.labels_[mask]))
    assert not set(model.labels_[mask]) & set(before[~mask])
    assert model.n_clusters_ == len(set(model.labels_))
    assert (model.part_.labels_ == alone.labels_).all() and (model.part_.scales_ == alone.scales_).all()


def test_every_kind_of_input_and_numbers_of_rows() -> None:
    model = LatentGraphClustering(2).fit(X)
    mask = model.labels_ == 0
    expected = model.set_params(n_clusters=3).fit(X, within=mask).labels_
    again = LatentGraphClustering(2).fit(X).set_params(n_clusters=3)
    assert (again.fit(X, within=np.flatnonzero(mask)).labels_ == expected).all()
    distances = pdist(X)
    for given in (distances, squareform(distances), sparse.csr_array(squareform(distances))):
        pairs = LatentGraphClustering(2, metric="precomputed").fit(given)
        assert (pairs.labels_ == LatentGraphClustering(2).fit(X).labels_).all()
        assert (pairs.set_params(n_clusters=3).fit(given, within=mask).labels_ == expected).all()


def test_what_follows_knows_the_new_labels() -> None:
    model = LatentGraphClustering(4).fit(X)
    # Two clusters become one: their higher number is no longer used.
    joined = np.isin(model.labels_, (1, 2))
    model.set_params(n_clusters=1).fit(X, within=joined)
    assert set(model.labels_) == {0, 1, 3} and model.n_clusters_ == 3
    assert set(model.predict(X)) == {0, 1, 3}
    assert model.predict_proba(X).shape == (250, 3)
    assert (model.probabilities_ > 0.3).mean() > 0.9
    with pytest.raises(ValueError, match="see part_"):
        model.plot()
    assert not hasattr(model, "scales_") and not hasattr(model, "graph_")
    model.set_params(n_clusters="auto").update(X[:10] + 0.01)
    assert (model.labels_[250:] == model.labels_[:10]).all() and set(model.labels_) == {0, 1, 3}
    model.fit(X)
    assert not hasattr(model, "part_") and hasattr(model, "scales_")


def test_mistakes_are_told() -> None:
    mask = np.ones(250, dtype=bool)
    with pytest.raises(NotFittedError):
        AutoClustering().fit(X, within=mask)
    model = AutoClustering().fit(X)
    for within, words in [
        (mask[:100], "a mask of the 250 items"),
        ([250], "a mask of the 250 items"),
        (~mask, "at least one item"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(X, within=within)
    with pytest.raises(ValueError, match="250 rows, got 100"):
        model.fit(X[:100], within=mask)
    with pytest.raises(ValueError, match="no known labels or pairs"):
        model.fit(X, within=mask, must_link=[(0, 1)])
