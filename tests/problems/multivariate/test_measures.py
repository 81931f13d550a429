"""The score is the measure."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from structsvm.problems import (
    MultivariateSVM,
)


@pytest.mark.parametrize("positive", [False, True])
def test_score_of_a_ranking_needs_both_classes(cancer, positive):
    X, y = cancer
    one_class = np.full(len(y), int(positive))
    for measure in ("precision_at_k", "recall_at_k", "prbep", "roc_area"):
        svm = MultivariateSVM(measure, C=1.0).fit(X, y)
        with pytest.raises(ValueError, match=r"needs some of both; all of these 569 are"):
            svm.score(X, one_class)
    for measure in ("f1", "error"):
        assert 0 <= MultivariateSVM(measure, C=1.0).fit(X, y).score(X, one_class) <= 1


def test_score_is_the_measure(cancer):
    X, y = cancer
    svm = MultivariateSVM(C=1.0).fit(X[:, :3], y)
    X = X[:, :3]
    scores = svm.decision_function(X)
    first = np.argsort(-scores)
    found = np.cumsum(y[first])
    expected = {
        ("f1", None): f1_score(y, scores > 0),
        ("error", None): np.mean(y == (scores > 0)),
        ("roc_area", None): roc_auc_score(y, scores),
        ("prbep", None): found[211] / 212,
        ("precision_at_k", 10): found[9] / 10,
        ("precision_at_k", 300): found[299] / 300,
        ("recall_at_k", 300): found[299] / 212,
        ("recall_at_k", 0.25): found[141] / 212,
    }
    for (measure, k), value in expected.items():
        assert svm.set_params(measure=measure, k=k).score(X, y) == pytest.approx(value)


def test_tied_scores_at_k_count_in_expectation():
    X, y = np.array([[2.0], [0.0], [0.0], [0.0], [-1.0]]), np.array([1, 1, 0, 0, 0])
    svm = MultivariateSVM("precision_at_k", k=2, C=10.0).fit(X, y)
    assert svm.score(X, y) == pytest.approx((1 + 1 / 3) / 2)
    assert svm.score(X[::-1], y[::-1]) == svm.score(X, y)


def test_too_few_rows_for_k_are_named(cancer):
    X, y = cancer
    svm = MultivariateSVM("precision_at_k", k=100).fit(X, y)
    with pytest.raises(ValueError, match="k must be a number of rows from 1 to 50"):
        svm.score(X[:50], y[:50])
