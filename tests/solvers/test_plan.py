"""Plans: which solvers make passes, what they take over, and which lists are refused."""

import numpy as np
import pytest
from cases.solvers import blobs
from sklearn.base import clone
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    Multilabel,
    assignment_data,
    multilabel_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    DualCoordinateAscent,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
    StructuredSVM,
)
from structsvm.problems import Multiclass
from structsvm.solvers import frank_wolfe
from structsvm.solvers.cached_planes import algorithm as cached_planes
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.one_slack import OneSlack

X, Y = multilabel_data()
#: A C and a tolerance at which these stall.
LARGE, RTOL = 1e6, 1e-5
STALLING = [BlockCoordinateFrankWolfe, SmoothedLBFGS]


def made(result):
    """The solvers that made passes, with the numbers of their passes and their ends."""
    stages = [stage.split(", ") for stage in result.solver.split("; ")]
    return [(solver, int(passes.split()[0]), end) for solver, passes, end in stages]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", STALLING)
def test_after_a_stall_the_next_goes_on_as_after_a_solver_given_alone(kind):
    data = Multilabel(), X, Y, LARGE
    result = Plan([kind(), OneSlackCuttingPlane()], rtol=RTOL).solve(*data)
    (first, before, end), (second, after, last) = made(result)
    assert (first, end) == (kind.__name__, "stalled")
    assert (second, last) == ("OneSlackCuttingPlane", "converged")
    assert before + after == result.iterations
    assert result.verify(Multilabel(), X, Y).matches
    alone = kind(rtol=RTOL).solve(*data)
    np.testing.assert_array_equal(alone.w, result.w)
    assert alone.solver == result.solver
    # A plan of one solver ends where that stalls.
    short = Plan([kind()], rtol=RTOL).solve(*data)
    assert short.status in (Status.STALLED, Status.NUMERICAL)
    assert [solver for solver, *_ in made(short)] == [first]
    assert short.verify(Multilabel(), X, Y).matches


def test_first_steps_are_passed_over_where_the_data_are_few():
    X, y = blobs(n=300, d=30, k=4)
    result = Plan([DualCoordinateAscent(), SmoothedLBFGS()]).solve(Multiclass(), X, y, 30.0)
    assert [solver for solver, *_ in made(result)] == ["SmoothedLBFGS"]
    alone = Plan([DualCoordinateAscent()]).solve(Multiclass(), X, y, 30.0)
    assert [solver for solver, *_ in made(alone)] == ["DualCoordinateAscent"]


def test_limits_and_early_stopping_are_those_of_the_plan():
    plan = Plan([SmoothedLBFGS(), OneSlackCuttingPlane()], max_iter=4)
    assert plan.solve(Multilabel(), X, Y, LARGE).iterations == 4
    rule = EarlyStopping(X[:2], Y[:2], n_iter_no_change=1)
    result = Plan([SmoothedLBFGS()], rtol=1e-9).solve(Multilabel(), X, Y, 1e3, early_stopping=rule)
    assert result.status in (Status.EARLY_STOPPED, Status.CONVERGED)


def test_estimators_take_plans_and_copies_of_them():
    plan = Plan([SmoothedLBFGS(), OneSlackCuttingPlane(prune_after=20)], rtol=1e-4)
    svm = clone(StructuredSVM(Multilabel(), C=5.0, solver=plan)).fit(X, Y)
    assert svm.result_.solver.startswith("SmoothedLBFGS, ")
    assert clone(plan).solvers[1].prune_after == 20
    assert str(plan) == "SmoothedLBFGS -> OneSlackCuttingPlane"
    with pytest.raises(ValueError, match=r"write solver=Plan\(\[...\], rtol=0.1\)"):
        StructuredSVM(Multilabel(), solver=plan, rtol=0.1).fit(X, Y)


@pytest.mark.parametrize(
    ("solvers", "error", "message"),
    [
        ([], TypeError, "solvers must be a list of at least one solver object; got"),
        (SmoothedLBFGS(), TypeError, "a list of at least one solver object; got Smoothed"),
        ([SmoothedLBFGS], TypeError, "other than plans; got the class Smoo"),
        ([Plan([SmoothedLBFGS()])], TypeError, "other than plans; got Plan"),
        ([SmoothedLBFGS(rtol=1e-4)], ValueError, r"write Plan\(\[...\], rtol=0.0001\)"),
        ([CCCP(), OneSlackCuttingPlane()], ValueError, "must all need Y, or all impute outputs"),
        ([NSlackCuttingPlane(), CCCP()], ValueError, "share one slack.* NSlackCuttingPlane has "),
    ],
)
def test_lists_that_are_no_plan(solvers, error, message):
    with pytest.raises(error, match=message):
        Plan(solvers).solve(Multilabel(), X, Y)


def test_a_problem_must_suit_all_solvers():
    for problem, message in (
        (Assignment(), "SmoothedLBFGS needs soft_oracle, which Assignment does not"),
        (ConstrainedMultilabel("floor"), "SmoothedLBFGS cannot keep to the constr"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            Plan([OneSlackCuttingPlane(), SmoothedLBFGS()]).solve(problem, X, Y)


# ---------------------------------------------------------------------- planes handed over


class Impatient:
    """A stall that is reached after the first note."""

    is_reached = False

    def __init__(self, patience=0):
        pass

    def note(self, gap):
        self.is_reached = True


@pytest.mark.parametrize(
    ("module", "solver"),
    [(cached_planes, SmoothedCuttingPlane()), (frank_wolfe, BlockCoordinateFrankWolfe())],
)
@pytest.mark.parametrize(
    ("problem", "data", "C", "saved"),
    # Of six examples one slack alone needs about as many passes.
    [(Multiclass, blobs(n=120, d=6, k=4), 300.0, 1), (Assignment, assignment_data(), 10.0, -1)],
)
def test_cutting_planes_continue_with_planes(module, solver, problem, data, C, saved, monkeypatch):
    monkeypatch.setattr(module, "Stall", Impatient)
    seen = []

    def step(self, bounds, original=CuttingPlanes.step):
        if self.cuts is None:  # its first
            seen.append((self.planes.solution.dual, bounds.dual.value))
        return original(self, bounds)

    monkeypatch.setattr(CuttingPlanes, "step", step)
    result = solver.solve(problem(), *data, C)
    ((seeded, reached),) = seen
    assert 0.9 * reached <= seeded <= result.primal
    assert result.status is Status.CONVERGED and result.verify(problem(), *data).matches
    monkeypatch.setattr(OneSlack, "_add_start", lambda *arguments: None)
    unaided = solver.solve(problem(), *data, C)
    assert result.iterations <= unaided.iterations - saved
