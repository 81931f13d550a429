"""AssignmentSVM: the problem with StructuredSVM's options."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from structsvm import StructuredSVM
from structsvm.datasets import load_file
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
        context = load_file("cmu_house")["shape_context"] / 10.0
    except FileNotFoundError as error:
        pytest.skip(str(error))

    def pairs(frames):
        X = [-((context[t][:, None] - context[t + 60]) ** 2) for t in frames]
        return X, [np.arange(30)] * len(X)

    svm = AssignmentSVM().fit(*pairs([0, 10]))
    equal = [np.full(60, 1.0), svm.w_]
    scores = []
    for w in equal:
        predicted = svm.problem_.batch_decode(pairs(range(20, 50, 5))[0], w)
        scores.append(np.mean([y == np.arange(30) for y in predicted]))
    assert scores[1] > scores[0]
