"""Pairs with a probability."""

import numpy as np
import pytest

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering, make_shapes

X, Y = make_shapes("two_rings", 200)


@pytest.mark.parametrize("kind", ["must_link", "cannot_link"])
def test_certain_pairs_are_hard_and_even_ones_say_nothing(kind: str) -> None:
    rows = np.array([[0, 1], [2, 30], [5, 17]])
    model = LatentGraphClustering(2)
    free = model.fit(X).labels_.copy()
    even = model.fit(X, **{kind: np.column_stack([rows, np.full(3, 0.5)])})
    assert (even.labels_ == free).all()
    hard = model.fit(X, **{kind: rows}).labels_.copy()
    certain = model.fit(X, **{kind: np.column_stack([rows, np.ones(3)])})
    assert (certain.labels_ == hard).all()


def test_the_score_counts_pairs_that_are_broken() -> None:
    free = LatentGraphClustering(2).fit(X)
    first = 0
    second = int(np.flatnonzero(free.labels_ != free.labels_[0])[0])
    model = LatentGraphClustering(2).fit(X, must_link=[(first, second, 0.6)], cannot_link=[(first, second, 0.9)])
    assert (model.labels_ == free.labels_).all()
    assert np.isclose(model.candidates_[0]["side"], -np.log(0.6 / 0.4))
    auto = AutoClustering().fit(X, cannot_link=[(first, second, 0.9)])
    assert all(row["side"] <= 0 for row in auto.numbers_)


def test_what_is_no_probability_is_told() -> None:
    for pairs, words in [
        ([(0, 1, 1.5)], "probabilities from 0 to 1 in its third column, got 1.5"),
        ([(0, 1, float("nan"))], "got nan"),
        ([(0.5, 1, 0.5)], "must be pairs of rows, whole numbers"),
        ([(0, 1, 0.5, 2)], r"got float64 of shape \(1, 4\)"),
        ([(0, 200, 0.5)], "200"),
    ]:
        with pytest.raises(ValueError, match=words):
            LatentGraphClustering(2).fit(X, must_link=pairs)
    for model in (LatentFeatureClustering(2), LatentGraphClustering(2, inference="paper")):
        with pytest.raises(ValueError, match="pairs that are probable"):
            model.fit(X, must_link=[(0, 1, 0.7)])
