"""A bad parameter ends in an error that names it, and says what was expected, at once."""

import time
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from toy_problems import Assignment, Multilabel, assignment_data, multilabel_data

from structsvm import (
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    StructuredSVM,
    check_problem,
)
from structsvm.features import KernelMap, Whitening
from structsvm.problems import MMC, SDPMMC, BayesianMMC, MulticlassSVM, SupervisedKMeans

X, Y = multilabel_data()
FLAGS = (np.ones(2), "yes", None, 2.0, [True])


@pytest.fixture(autouse=True)
def within_a_second():
    started = time.process_time()
    yield
    assert time.process_time() - started < 1


def solve(C=1.0):
    return OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)


def test_slack_rescaling_needs_its_oracle():
    for solver in (OneSlackCuttingPlane, NSlackCuttingPlane):
        with pytest.raises(ValueError, match=r"rescaling='slack' needs Assignment\.slack_oracle"):
            solver(rescaling="slack").solve(Assignment(), *assignment_data(), 1.0)


@pytest.mark.parametrize("kind", [int, np.int8, np.float16, np.float32, np.longdouble])
def test_C_of_any_kind_of_number(kind):
    found = solve(C=kind(2))
    assert found.primal == solve(C=2.0).primal
    assert type(found.C) is float


def test_a_fraction_is_to_be_converted():
    with pytest.raises(ValueError, match=r"got Fraction\(1, 2\); convert it with float\(\)"):
        solve(C=Fraction(1, 2))


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        *(("oracle_quality", "perfect"), ("oracle_quality", None), ("parallelism", "fibres")),
        *(("oracle_cost", "low"), ("oracle_cost", 1e-3)),
    ],
)
def test_declarations_of_problems(attribute, value):
    problem = Multilabel()
    setattr(problem, attribute, value)
    with pytest.raises(ProblemError, match=rf"{attribute} must be one of .*got {value!r}"):
        OneSlackCuttingPlane().solve(problem, X, Y)


@pytest.mark.parametrize("problem", ["multiclass", Multilabel, None, OneSlackCuttingPlane()])
def test_problem_of_the_wrong_kind(problem):
    message = r"problem must be an instance of structsvm\.Problem"
    with pytest.raises(TypeError, match=message):
        StructuredSVM(problem).fit(X, Y)
    with pytest.raises(TypeError, match=message):
        OneSlackCuttingPlane().solve(problem, X, Y)


@pytest.mark.parametrize("state", [-1, 1.5, "a", 10**30, [[1]]])
def test_random_state(state):
    rows = np.random.default_rng(0).normal(size=(6, 3))
    for estimator in (MMC(), SDPMMC(), BayesianMMC(), Whitening(2), KernelMap(n_components=2)):
        with pytest.raises(ValueError, match="random_state must be an integer from 0 to"):
            clone(estimator).set_params(random_state=state).fit(rows)
    if state in (-1, 1.5, "a"):
        with pytest.raises(ValueError, match="random_state must be an integer >= 0"):
            check_problem(Multilabel(), X, Y, random_state=state)


@pytest.mark.parametrize("value", FLAGS, ids=repr)
def test_flags(value):
    for flag in ("fit_intercept", "warm_start", "verbose"):
        with pytest.raises(ValueError, match=f"{flag}.* must be "):
            MulticlassSVM(**{flag: value}).fit(np.eye(4), [0, 1, 0, 1])
    for estimator in (MMC, SDPMMC, BayesianMMC):
        with pytest.raises(ValueError, match="verbose, if not True or False, must be an integer"):
            estimator(verbose=value).fit(np.random.default_rng(0).normal(size=(6, 3)))
    with pytest.raises(ValueError, match="nonnegative must be True or False"):
        SupervisedKMeans(nonnegative=value).fit([np.eye(4)], [[0, 1, 0, 1]])


@pytest.mark.parametrize("estimator", [MMC(n_init=10**30), BayesianMMC(n_init=10**30)])
def test_more_starts_than_can_be(estimator):
    with pytest.raises(ValueError, match="n_init must be at most 1000000; got 10"):
        estimator.fit(np.eye(4))


def test_mixed_labels():
    with pytest.raises(ValueError, match="labels of one kind; it mixes strings with others"):
        MulticlassSVM().fit(np.eye(4), [1, "1", 1, "1"])
