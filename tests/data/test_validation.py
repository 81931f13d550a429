"""A bad parameter ends in an error that names it, and says what was expected, at once."""

import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from toy_problems import (
    Assignment,
    LatentTopics,
    Multilabel,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
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


def solve(solver=OneSlackCuttingPlane, problem=None, C=1.0, w0=None, n_jobs=None, **parameters):
    data = (topics_data(), None) if solver is CCCP else (X, Y)
    problem = problem or (LatentTopics() if solver is CCCP else Multilabel())
    return solver(**parameters).solve(problem, *data, C, w0=w0, n_jobs=n_jobs)


#: Arguments and parameters of solvers, what the message says, and values that are refused.
REFUSED = {
    "C": (
        "C must be a finite number > 0; got ",
        (0, -1.0, np.nan, np.inf, "1", True, np.True_, None, [1.0], np.ones(1), 1j,
         10**400, Decimal(1), np.longdouble("1e400")),
    ),
    "rtol": (
        "rtol must be a number >= 0 and < 1; got ",
        (-1e-3, 1, np.nan, "x", None, True, 10**400, Decimal(1), Fraction(1, 2)),
    ),
    "atol": ("atol must be a finite number >= 0; got ", (-1e-3, np.nan, np.inf, "x", None, True)),
    "max_iter": ("max_iter must be an integer >= 1; got ", (0, -1, 1.5, "x", None, True)),
    "time_limit": ("time_limit must be a finite number > 0; got ", (0, -1, np.nan, "x", True)),
    "prune_after": ("prune_after must be an integer >= 0; got ", (-1, 1.5, "x", None, True)),
    "w0": (
        r"w0 must be finite and of shape \([69],\)",
        (np.ones(4), np.ones((1, 9)), 1.0, [], "text", np.full(9, np.nan), np.full(9, np.inf),
         [None] * 9, object()),
    ),
    "n_jobs": (
        "n_jobs must be None, the number of jobs, from 1 to 10000",
        (0, 1.5, "all", True, 10**30, -(10**30), 1_000_000),
    ),
}  # fmt: skip


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane, CCCP])
@pytest.mark.parametrize("name", REFUSED)
def test_arguments_of_solvers(solver, name):
    message, values = REFUSED[name]
    for value in values:
        with pytest.raises(ValueError, match=f"^{message}"):
            solve(solver, **{name: value})


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_rescaling(solver):
    for rescaling in ("both", None, 1, "Margin"):
        with pytest.raises(ValueError, match="rescaling must be one of 'margin', 'slack'; got"):
            solve(solver, rescaling=rescaling)
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
    [("oracle_quality", "perfect"), ("oracle_quality", None), ("parallelism", "fibres")],
)
def test_declarations_of_problems(attribute, value):
    problem = Multilabel()
    setattr(problem, attribute, value)
    with pytest.raises(ProblemError, match=rf"{attribute} must be one of .*got {value!r}"):
        solve(problem=problem)


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
        with pytest.raises((TypeError, ValueError), match="random_state"):
            solve(CCCP, random_state=state)
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
