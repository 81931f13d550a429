"""AssignmentSVM: the problem with StructuredSVM's options."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from benchmarks.matching import _frames, house
from structsvm.problems import Assignment, AssignmentSVM


def test_coefficients_are_for_the_features_as_given():
    X, Y = Assignment.example_data()
    svm = AssignmentSVM().fit(X, Y)
    for x, found in zip(X, svm.predict(X), strict=True):
        assert np.array_equal(linear_sum_assignment(x @ svm.coef_, maximize=True)[1], found)
    rows = np.vstack([x.reshape(-1, 3) for x in X])
    np.testing.assert_allclose(svm.scale_, 3**0.5 * rows.std(axis=0))
    plain = AssignmentSVM(scale=None).fit(X, Y)
    assert np.array_equal(plain.coef_, plain.w_)
    assert plain.C_ == pytest.approx(svm.C_ / np.square(rows).sum(axis=1).mean())


@pytest.mark.parametrize("scale", [None, "auto"])
def test_the_units_of_the_features_do_not_matter(scale):
    X, Y = Assignment.example_data()
    units = np.array([1e-3, 1.0, 1e4]) if scale else np.full(3, 1e3)
    one, other = (AssignmentSVM(scale=scale).fit(some, Y) for some in (X, [x * units for x in X]))
    np.testing.assert_allclose(other.coef_ * units, one.coef_, rtol=1e-4)


def test_without_errors_features_keep_about_equal_weights():
    rng = np.random.default_rng(0)
    X, Y = [], []
    for _ in range(3):  # the sum of 30 features decides, most of them do not
        y, x = rng.permutation(8), rng.normal(size=(8, 8, 30))
        x[np.arange(8), y] += 1.5
        X.append(x * np.geomspace(1, 10, 30))
        Y.append(y)
    svm, plain = (AssignmentSVM(scale=scale).fit(X, Y) for scale in ("auto", None))
    assert svm.score(X, Y) == plain.score(X, Y) == 1.0
    weights = svm.coef_ * svm.scale_, plain.coef_
    ratios = [each.std() / each.mean() for each in weights]
    assert ratios[0] < 0.1 < 0.5 < ratios[1]


def test_the_landmarks_of_a_house():
    try:
        movie = _frames.house()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    starts = _frames.split(movie, 80, backwards=False)
    task = house.Task(movie, starts, 80)
    equal = house.unlearned(task, graph=True)
    assert house.learned(task, graph=True) < 0.6 * equal > 0.08


def test_quadratic_assignment_finds_a_graph_again():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((8, 8)) < 0.5, 1).astype(float)
    A, y = A + A.T, rng.permutation(8)
    B = A[np.ix_(np.argsort(y), np.argsort(y))]
    hint = np.zeros((8, 8))
    hint[np.arange(3), y[:3]] = 1.0
    found = house.frank_wolfe(hint, A, B)
    assert np.array_equal(A, B[np.ix_(found, found)])
