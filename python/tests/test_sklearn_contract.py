"""scikit-learn's own checks, none skipped; the paper's algorithm refuses weights."""

import os

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering


def test_array_api_checks_are_not_skipped():
    # Set in conftest.py, before scikit-learn is imported: without it that check is skipped for every estimator.
    assert os.environ["SCIPY_ARRAY_API"] == "1"


#: Of what takes sparse input and predicts probabilities these checks ask the tags of a classifier.
OF_CLASSIFIERS = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")


def keeps(estimator, check):
    """Run a check; one of classifiers passes up to the point where it asks for the tags of one."""
    if check.func.__name__ not in OF_CLASSIFIERS:
        check(estimator)
        return
    with pytest.raises(AssertionError) as failed:
        check(estimator)
    assert str(failed.value.__cause__) == "'NoneType' object has no attribute 'multi_class'"


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_array, sparse.lil_array])
@pytest.mark.parametrize("model", [AutoClustering(), LatentFeatureClustering(), LatentGraphClustering()])
def test_sparse_input_of_every_form_is_taken(model, form):
    # What those two checks would ask after that point.
    X = np.random.RandomState(0).uniform(size=(40, 3))
    X[X < 0.6] = 0
    fitted = clone(model).fit(form(X))
    assert fitted.predict(form(X)).shape == (40,)
    assert fitted.predict_proba(form(X)).shape == (40, fitted.n_clusters_)
    assert (fitted.labels_ == clone(model).fit(X).labels_).all()


@parametrize_with_checks([AutoClustering(), LatentFeatureClustering(), LatentGraphClustering()])
def test_estimators_keep_the_contract(estimator, check):
    keeps(estimator, check)


@parametrize_with_checks([LatentGraphClustering(inference="paper"), LatentFeatureClustering(grouping="mixture")])
def test_other_settings_keep_it_too(estimator, check):
    # The paper's algorithm refuses weights: what is checked of them fails with that message.
    if getattr(estimator, "inference", None) == "paper" and "sample_weight" in check.func.__name__:
        with pytest.raises((ValueError, AssertionError), match="weight"):
            check(estimator)
        return
    keeps(estimator, check)
