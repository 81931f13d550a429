"""Weights of classes and of sequences, and their routing; all else is a law of all estimators."""

import numpy as np
import pytest
import sklearn
from cases.problems import sequences
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate

from structsvm.problems import ChainSVM, MulticlassSVM


def iris():
    X, y = load_iris(return_X_y=True)
    return X[::5], np.array(["a", "b", "c"])[y[::5]]


def test_class_weights_multiply_those_of_the_rows():
    X, y = iris()
    weights = np.random.default_rng(0).uniform(size=len(y))
    of_classes = {"a": 2.0, "b": 0.5}
    found = MulticlassSVM(class_weight=of_classes).fit(X, y, sample_weight=weights)
    both = weights * np.array([of_classes.get(label, 1.0) for label in y])
    np.testing.assert_array_equal(found.coef_, MulticlassSVM().fit(X, y, sample_weight=both).coef_)


@pytest.mark.parametrize("class_weight", ["even", {"a": -1.0}, {"a": np.nan}, 3, np.ones(3)])
def test_unusable_class_weights(class_weight):
    with pytest.raises(ValueError, match="class_weight"):
        MulticlassSVM(class_weight=class_weight).fit(*iris())


def test_equal_weights_of_positions_change_nothing_and_those_of_sequences_do():
    X, y = sequences(0)
    plain = ChainSVM(C=9.0).fit(X, y)
    ones = [np.ones(len(labels)) for labels in y]
    np.testing.assert_array_equal(plain.w_, ChainSVM(C=9.0).fit(X, y, sample_weight=ones).w_)
    weighted = ChainSVM(C=9.0).fit(X, y, sample_weight=np.arange(1.0, len(y) + 1))
    assert not np.allclose(plain.w_, weighted.w_, atol=1e-3)


def test_weights_are_routed():
    X, y = iris()
    weights = np.random.default_rng(0).uniform(size=len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        svm = MulticlassSVM().set_fit_request(sample_weight=True)
        svm = svm.set_score_request(sample_weight=True)
        scores = cross_validate(svm, X, y, cv=3, params={"sample_weight": weights})
    assert scores["test_score"].min() > 0.5
