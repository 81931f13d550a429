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
from structsvm.problems import (
    MMC,
    SDPMMC,
    BayesianMMC,
    MulticlassSVM,
    MultivariateSVM,
    SupervisedKMeans,
)

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()
both = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(autouse=True)
def within_a_second():
    started = time.process_time()
    yield
    assert time.process_time() - started < 1


def solve(solver=OneSlackCuttingPlane, problem=None, X=X, Y=Y, C=1.0, w0=None, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C, w0=w0)


@pytest.mark.parametrize("quality", ["perfect", None, 1, "Exact"])
def test_unknown_oracle_quality(quality):
    problem = Multilabel()
    problem.oracle_quality = quality
    with pytest.raises(ProblemError, match=r"oracle_quality must be one of .*got"):
        solve(problem=problem)


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    "C", [0, -1.0, np.nan, np.inf, "1", True, np.True_, None, [1.0], np.ones(1), 1j], ids=repr
)
def test_C(solver, C):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match="C must be a finite number > 0; got "):
        solve(solver, *data, C=C)


@pytest.mark.parametrize("C", [Fraction(1, 2), 10**400, Decimal(1), np.longdouble("1e400")])
def test_numbers_that_are_no_floats(C):
    with pytest.raises(ValueError, match="C must be a finite number > 0; got "):
        solve(C=C)
    with pytest.raises(ValueError, match="rtol must be a number >= 0 and < 1; got "):
        solve(rtol=C)


def test_a_fraction_is_to_be_converted():
    with pytest.raises(ValueError, match=r"got Fraction\(1, 2\); convert it with float\(\)"):
        solve(C=Fraction(1, 2))


@pytest.mark.parametrize("kind", [int, np.int8, np.float16, np.float32, np.longdouble])
def test_C_of_any_kind_of_number(kind):
    usual = solve(C=2.0)
    found = solve(C=kind(2))
    assert found.primal == usual.primal
    assert type(found.C) is float


def test_C_of_an_estimator():
    with pytest.raises(ValueError, match="C, if not 'cv', must be a finite number > 0; got -1"):
        StructuredSVM(Multilabel(), C=-1).fit(X, Y)


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("rtol", value, "must be a number >= 0 and < 1")
     for value in (-1e-3, 1, np.nan, "x", None, True)]
    + [("atol", value, "must be a finite number >= 0")
       for value in (-1e-3, np.nan, np.inf, "x", None, True)]
    + [("max_iter", value, "must be an integer >= 1") for value in (0, -1, 1.5, "x", None, True)]
    + [("time_limit", value, "must be a finite number > 0") for value in (0, -1, np.nan, "x", True)]
    + [("prune_after", value, "must be an integer >= 0") for value in (-1, 1.5, "x", None, True)],
)  # fmt: skip
def test_parameters_of_solvers(solver, name, value, message):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match=f"^{name} {message}; got "):
        solve(solver, *data, **{name: value})


@both
@pytest.mark.parametrize("rescaling", ["both", None, 1, "Margin"])
def test_unknown_rescaling(solver, rescaling):
    with pytest.raises(ValueError, match="rescaling must be one of 'margin', 'slack'; got"):
        solve(solver, rescaling=rescaling)


@both
def test_slack_rescaling_needs_its_oracle(solver):
    with pytest.raises(ValueError, match=r"rescaling='slack' needs Assignment\.slack_oracle"):
        solve(solver, Assignment(), *assignment_data(), rescaling="slack")


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    "w0",
    [np.ones(4), np.ones((1, 9)), 1.0, [], "text", np.full(9, np.nan), np.full(9, np.inf),
     [None] * 9, object()],
    ids=["short", "2-d", "number", "empty", "text", "nan", "inf", "None", "object"],
)  # fmt: skip
def test_w0(solver, w0):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match=r"^w0 must be finite and of shape \([69],\)"):
        solve(solver, *data, w0=w0)


@both
@pytest.mark.parametrize("callback", ["text", 7, [print, 7]])
def test_callback(solver, callback):
    with pytest.raises((TypeError, ValueError), match="callback must be callable"):
        solver().solve(Multilabel(), X, Y, callback=callback)


@pytest.mark.parametrize("random_state", ["text", -1, 1.5, np.ones(2), np.asmatrix([1.0, 2.0])])
def test_random_state(random_state):
    with pytest.raises((TypeError, ValueError), match="random_state"):
        CCCP(random_state=random_state).solve(LatentTopics(), topics_data())


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True, 10**30, -(10**30), 1_000_000])
def test_unusable_n_jobs(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, the number of jobs"):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y, n_jobs=n_jobs)


def test_more_jobs_than_can_be():
    with pytest.raises(
        ValueError, match="n_jobs must be None, the number of jobs, from 1 to 10000"
    ):
        MulticlassSVM(n_jobs=10**30).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    "estimator", [MMC(n_init=10**30), BayesianMMC(n_init=10**30)], ids=["MMC", "BayesianMMC"]
)
def test_more_starts_than_can_be(estimator):
    with pytest.raises(ValueError, match="n_init must be at most 1000000; got 10"):
        estimator.fit(np.eye(4))


@pytest.mark.parametrize("random_state", [-1, 10**30, 1.5, "a", [[1]]])
@pytest.mark.parametrize(
    "estimator",
    [MMC(), SDPMMC(), BayesianMMC(), Whitening(2), KernelMap(n_components=2)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_random_state_of_an_estimator(estimator, random_state):
    estimator = clone(estimator).set_params(random_state=random_state)
    with pytest.raises(ValueError, match="random_state must be an integer from 0 to"):
        estimator.fit(np.random.default_rng(0).normal(size=(6, 3)))


@pytest.mark.parametrize("random_state", [-1, 1.5, "a"])
def test_random_state_of_a_check(random_state):
    with pytest.raises(ValueError, match="random_state must be an integer >= 0"):
        check_problem(Multilabel(), X, Y, random_state=random_state)


FLAGS = [np.ones(2), "yes", None, 2.0, [True]]


@pytest.mark.parametrize("value", FLAGS, ids=repr)
@pytest.mark.parametrize("flag", ["fit_intercept", "warm_start", "verbose"])
@pytest.mark.parametrize("estimator", [MulticlassSVM, MultivariateSVM])
def test_flags_of_a_classifier(estimator, flag, value):
    with pytest.raises(ValueError, match=f"{flag}.* must be "):
        estimator(**{flag: value}).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("value", FLAGS, ids=repr)
@pytest.mark.parametrize("estimator", [MMC, SDPMMC, BayesianMMC])
def test_verbose_of_a_clusterer(estimator, value):
    with pytest.raises(ValueError, match="verbose, if not True or False, must be an integer"):
        estimator(verbose=value).fit(np.random.default_rng(0).normal(size=(6, 3)))


@pytest.mark.parametrize("value", FLAGS, ids=repr)
@pytest.mark.parametrize("flag", ["warm_start", "nonnegative"])
def test_flags_of_set_clustering(flag, value):
    with pytest.raises(ValueError, match=f"{flag} must be True or False"):
        SupervisedKMeans(**{flag: value}).fit([np.eye(4)], [[0, 1, 0, 1]])


@pytest.mark.parametrize("estimator", [MulticlassSVM(), MultivariateSVM()])
def test_mixed_labels(estimator):
    with pytest.raises(ValueError, match="labels of one kind; it mixes strings with others"):
        estimator.fit(np.eye(4), [1, "1", 1, "1"])


def test_unknown_parallelism():
    problem = Multilabel()
    problem.parallelism = "fibres"
    with pytest.raises(ProblemError, match=r"parallelism must be one of .*got 'fibres'"):
        OneSlackCuttingPlane().solve(problem, X, Y)


@pytest.mark.parametrize("problem", ["multiclass", Multilabel, None, OneSlackCuttingPlane()])
def test_problem_of_the_wrong_kind(problem):
    with pytest.raises(TypeError, match=r"problem must be an instance of structsvm\.Problem"):
        StructuredSVM(problem).fit(X, Y)
    with pytest.raises(TypeError, match=r"problem must be an instance of structsvm\.Problem"):
        OneSlackCuttingPlane().solve(problem, X, Y)
