"""An example of weight 2 is two examples, one of weight 0 is none: for every solver and problem."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from toy_problems import (
    Assignment,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    StructuredSVM,
)
from structsvm.problems import Multiclass

#: Times that each example is taken, in turn.
TIMES = 1, 3, 0, 2


def multiclass(convert=np.asarray):
    X, y = load_iris(return_X_y=True)
    return Multiclass(), convert(X[::3] - X.mean(axis=0)), y[::3]


SLACK = OneSlackCuttingPlane(1e-6, rescaling="slack"), NSlackCuttingPlane(1e-6, rescaling="slack")
#: Solvers for problems of other kinds; of those with estimators: tests/laws/test_estimators.py.
RUNS = [
    *((solver, Multilabel(), multilabel_data()) for solver in SLACK),
    (SmoothedCuttingPlane(1e-6), Multilabel(), multilabel_data()),
    (OneSlackCuttingPlane(1e-6), Assignment(), assignment_data()),
    (NSlackCuttingPlane(1e-6), Assignment(), assignment_data()),
    (OneSlackCuttingPlane(1e-6), LocalSearchMultilabel(), multilabel_data()),
    (NSlackCuttingPlane(1e-6), LocalSearchMultilabel(), multilabel_data()),
]


def taken(data, places):
    """Some examples, in a container of the same kind."""
    return [data[i] for i in places] if isinstance(data, list) else data[places]


def times(n):
    return np.resize(TIMES, n)


@pytest.mark.parametrize(("solver", "problem", "data"), RUNS)
def test_a_weight_is_a_number_of_copies(solver, problem, data):
    X, Y = data
    weights = times(len(Y))
    copies = np.repeat(np.arange(len(Y)), weights)
    expected = solver.solve(problem, taken(X, copies), taken(Y, copies), C=7.0)
    found = solver.solve(problem, X, Y, C=7.0, sample_weight=5.5 * weights)
    assert expected.status.name == found.status.name == "CONVERGED"
    assert found.primal == pytest.approx(expected.primal, rel=3e-5)
    # The certificate is one for the copies, too.
    assert found.dual == pytest.approx(expected.dual, rel=3e-5)
    assert found.verify(problem, X, Y, sample_weight=weights).matches
    assert not found.verify(problem, X, Y).matches


@pytest.mark.parametrize("search", [True, False])
def test_latent_variables(search):
    X, annotations = topics_data(n=8), [(i % 3, None) for i in range(8)]
    weights, solver = times(8), CCCP(rtol=1e-6, search=search)
    copies = np.repeat(np.arange(8), weights)
    w0 = np.random.default_rng(3).normal(size=6)
    problem = LatentTopics()
    start = {"C": 9.0, "w0": w0}
    expected = solver.solve(problem, taken(X, copies), taken(annotations, copies), **start)
    found = solver.solve(problem, X, annotations, sample_weight=weights, **start)
    assert found.primal == pytest.approx(expected.primal, rel=1e-5)
    assert found.verify(problem, X, annotations, sample_weight=weights).matches


def test_large_and_small_weights():
    problem, X, Y = multiclass()
    weights = times(len(Y)).astype(float)
    plain = OneSlackCuttingPlane(1e-6).solve(problem, X, Y, sample_weight=weights)
    for factor in (1e-300, 1e300):
        found = OneSlackCuttingPlane(1e-6).solve(problem, X, Y, sample_weight=factor * weights)
        assert found.primal == pytest.approx(plain.primal, rel=1e-5)


def test_weights_that_are_none_are_named_in_a_verification():
    """In a training: tests/laws/test_solvers.py."""
    problem, X, Y = multiclass()
    result = OneSlackCuttingPlane().solve(problem, X, Y)
    for weights in ([1, 1], 3.0, [1] * 49 + [-1]):
        with pytest.raises(ValueError, match=r"sample_weight.*>= 0 for each of 50 examples"):
            result.verify(problem, X, Y, sample_weight=weights)


def test_the_score_is_a_weighted_mean():
    problem, X, Y = multiclass()
    svm = StructuredSVM(problem, C=0.1).fit(X, Y)
    weights = times(len(Y)).astype(float)
    right = svm.predict(X) == Y
    assert 0 < right.sum() < len(Y)
    assert svm.score(X, Y, weights) == pytest.approx(np.average(right, weights=weights))


def test_held_out_examples_keep_their_weights():
    problem, X, Y = multiclass()
    weights = np.random.default_rng(0).uniform(size=len(Y))
    svm = StructuredSVM(problem, early_stopping=True, validation_fraction=0.4)
    svm.fit(X, Y, sample_weight=weights)
    held_out = svm.validation_indices_
    expected = svm.score(X[held_out], Y[held_out], weights[held_out])
    assert max(svm.validation_scores_) == pytest.approx(expected)
    assert svm.verify(X, Y, sample_weight=weights).matches
    rest = np.delete(np.arange(len(Y)), held_out)
    rule = EarlyStopping(X[held_out], Y[held_out], sample_weight=weights[held_out])
    result = SmoothedLBFGS().solve(
        problem, X[rest], Y[rest], 100.0, sample_weight=weights[rest], early_stopping=rule
    )
    assert result.primal == pytest.approx(svm.result_.primal, rel=2e-3)
