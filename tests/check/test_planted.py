"""Bugs planted in correct problems: the checker finds each, and blames the right method alone."""

import numpy as np
import pytest

from benchmarks.robustness._planted import BUGS, CORRECT
from benchmarks.robustness._planted.bugs.separation import BY_CHANCE
from benchmarks.robustness.planted import examined, outcome, totals
from structsvm import LatentProblem, Problem, SelfLabelledProblem, Task
from structsvm.networks import NetworkLayers

ENUMERATED = [
    case
    for case in CORRECT
    if case.problem.outputs not in (None, Problem.outputs)
    and case.problem.oracle_quality == "exact"
    and not issubclass(case.problem, SelfLabelledProblem)
    and case.problem().constraints is None
]


@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_the_checker_names_the_faulty_method_alone(bug):
    found = examined(bug)
    chance = found["outcome"] == "missed" and BY_CHANCE in bug.what
    assert chance or found["outcome"] == "named alone", found


@pytest.mark.sampled(15)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", CORRECT, ids=str)
def test_the_checker_is_silent_on_correct_problems(case):
    assert examined(case)["named"] == ""


def dense(psi):
    return psi.toarray().ravel() if hasattr(psi, "toarray") else np.asarray(psi, dtype=float)


def initialized(case):
    problem, (X, Y) = case.problem(), case.data()
    problem.initialize(X, Y)
    return problem, X, Y


@pytest.mark.parametrize("case", ENUMERATED, ids=str)
def test_correct_problems_are_correct_by_enumeration(case):
    problem, X, Y = initialized(case)
    rng = np.random.default_rng(0)
    for i, size in enumerate((0.0, 0.1, 1.0, 10.0)):
        w = size * rng.normal(size=problem.size_joint_feature)
        x, y = X[i % len(Y)], Y[i % len(Y)]
        every = list(problem.outputs(x))
        rows = np.array([dense(problem.joint_feature(x, z)) for z in every])
        margins = (rows - dense(problem.joint_feature(x, y))) @ w
        losses = np.array([problem.loss(y, z) for z in every])
        values = {
            "separation_oracle": losses + margins,
            "slack_oracle": losses * (1 + margins),
            "decode": margins,
        }
        for name, value in values.items():
            if search := getattr(problem, name):
                found = search(x, w) if name == "decode" else search(x, y, w)
                psi, loss = dense(problem.joint_feature(x, found)), problem.loss(y, found)
                same = np.isclose(rows, psi).all(axis=1) & np.isclose(losses, loss)
                tolerance = 1e-5 * max(1e-9, *abs(value))
                assert value[same].max() == pytest.approx(value.max(), abs=tolerance), name
        if problem.soft_oracle:
            s = values["separation_oracle"]
            p = np.exp(s - s.max())
            soft = problem.soft_oracle(x, y, w, 1.0)
            assert soft.value == pytest.approx(s.max() + np.log(p.sum()))
            assert soft.loss == pytest.approx(p @ losses / p.sum())
            expected = dense(problem.joint_feature(x, y)) - p @ rows / p.sum()
            np.testing.assert_allclose(soft.joint_feature_difference, expected, atol=1e-9)


def test_names_that_count_as_right_are_in_the_contract():
    names = {name for bug in BUGS for name in bug.faulty}
    of_tasks = {name for name in names if "." in name}
    attributes = {"size_joint_feature", *dir(LatentProblem), *dir(NetworkLayers)}
    assert names - of_tasks <= attributes
    assert all(hasattr(Task, name.partition(".")[2]) for name in of_tasks)


def test_bugs_have_names_of_their_own():
    names = [str(case) for case in (*BUGS, *CORRECT)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (set(), "missed"),
        ({"decode"}, "wrong method"),
        ({"decode", "loss"}, "named in part"),
        ({"max_loss"}, "named alone"),
    ],
)
def test_an_outcome_says_whether_the_faulty_method_is_named(named, expected):
    assert outcome(named, ("loss", "max_loss")) == expected


def test_totals_count_the_outcomes():
    rows = [{"outcome": name, "CPU s": 1.0} for name in ("missed", "named alone", "missed")]
    found = totals(rows)
    assert (found["number"], found["missed"], found["named alone"]) == (3, 2, 1)
