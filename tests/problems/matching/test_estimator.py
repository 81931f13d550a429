"""AssignmentSVM: the problem with StructuredSVM's options."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from benchmarks.matching import _frames, house
from structsvm import StructuredSVM
from structsvm.problems import Assignment, AssignmentSVM


def test_it_is_structured_svm_with_the_problem():
    X, Y = Assignment.example_data()
    one, other = AssignmentSVM(C=10.0).fit(X, Y), StructuredSVM(Assignment(), C=10.0).fit(X, Y)
    np.testing.assert_array_equal(one.w_, other.w_)
    assert one.score(X, Y) == other.score(X, Y) > 0.8
    assert one.verify(X, Y).matches
    assert clone(one.set_params(unmatched=True)).unmatched
    assert AssignmentSVM(unmatched=True, early_stopping=True).fit(X, Y).w_.shape == (4,)


def test_c_by_cross_validation():
    X, Y = Assignment.example_data()
    search = GridSearchCV(AssignmentSVM(), {"C": [1.0, 100.0], "unmatched": [False, True]}, cv=2)
    assert search.fit(X, Y).best_score_ > 0.5


def test_the_landmarks_of_a_house():
    try:
        train, _, test = (
            _frames.pairs(starts, 80, graph=True) for starts in _frames.split(80, backwards=False)
        )
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert house.unlearned(_frames.split(80, backwards=False), 80, graph=True) > 0.15
    assert AssignmentSVM().fit(*train).score(*test) > 0.93


def test_quadratic_assignment_finds_a_graph_again():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((8, 8)) < 0.5, 1).astype(float)
    A, y = A + A.T, rng.permutation(8)
    B = A[np.ix_(np.argsort(y), np.argsort(y))]
    hint = np.zeros((8, 8))
    hint[np.arange(3), y[:3]] = 1.0
    found = house.frank_wolfe(hint, A, B)
    assert np.array_equal(A, B[np.ix_(found, found)])
