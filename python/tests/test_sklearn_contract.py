"""scikit-learn's own checks, none skipped; the paper's algorithm refuses weights."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering


def test_array_api_checks_are_not_skipped():
    # Set in conftest.py, before scikit-learn is imported: without it that check is skipped for every estimator.
    assert os.environ["SCIPY_ARRAY_API"] == "1"


@parametrize_with_checks([AutoClustering(), LatentFeatureClustering(), LatentGraphClustering()])
def test_estimators_keep_the_contract(estimator, check):
    check(estimator)


@parametrize_with_checks([LatentGraphClustering(inference="paper"), LatentFeatureClustering(grouping="mixture")])
def test_other_settings_keep_it_too(estimator, check):
    # The paper's algorithm refuses weights: what is checked of them fails with that message.
    if getattr(estimator, "inference", None) == "paper" and "sample_weight" in check.func.__name__:
        with pytest.raises((ValueError, AssertionError), match="weight"):
            check(estimator)
        return
    check(estimator)
