"""A bad parameter ends in an error that names it, and says what was expected, at once."""

import time

import numpy as np
import pytest
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
)

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()
both = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(autouse=True)
def within_a_second():
    started = time.perf_counter()
    yield
    assert time.perf_counter() - started < 1


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


def test_C_of_an_estimator():
    with pytest.raises(ValueError, match="C must be a finite number > 0; got -1"):
        StructuredSVM(Multilabel(), C=-1).fit(X, Y)


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [(name, value, "must be a finite number >= 0") for name in ("rtol", "atol")
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
    with pytest.raises(ValueError, match="rescaling must be 'margin' or 'slack'; got"):
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
@pytest.mark.parametrize("callback", ["text", 7, [print]])
def test_callback(solver, callback):
    with pytest.raises((TypeError, ValueError), match="callback must be callable"):
        solver().solve(Multilabel(), X, Y, callback=callback)


@pytest.mark.parametrize("random_state", ["text", -1, 1.5])
def test_random_state(random_state):
    with pytest.raises((TypeError, ValueError), match="random_state"):
        CCCP(random_state=random_state).solve(LatentTopics(), topics_data())


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_unusable_n_jobs(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer"):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y, n_jobs=n_jobs)


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
