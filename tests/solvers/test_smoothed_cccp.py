"""SmoothedCCCP: the same certificates as CCCP, by soft oracles."""

from itertools import pairwise

import numpy as np
import pytest
from changed_tasks import with_answer

from structsvm import (
    LatentSVM,
    OneSlackCuttingPlane,
    SmoothedCCCP,
    SmoothedLBFGS,
    Status,
    choose_solver,
)
from structsvm.problems import Chain, Multiclass, MulticlassSVM, PartialChain


def half_known():
    X, Y = Chain.example_data()
    rng = np.random.default_rng(0)
    return X[:10], [[label if rng.random() < 0.5 else None for label in y] for y in Y[:10]]


@pytest.mark.parametrize("search", [True, False])
def test_w_is_optimal_for_the_labels_held_and_the_objective_never_rises(search):
    X, Y = half_known()
    problem = PartialChain(unknown_weight=float(search))
    result = SmoothedCCCP(rtol=1e-5, search=search).solve(problem, X, Y, 50.0)
    assert result.status is Status.CONVERGED and result.verify(problem, X, Y).matches
    known = OneSlackCuttingPlane(rtol=1e-5).solve(Chain(), X, list(result.labels), 50.0)
    assert result.primal == pytest.approx(known.primal, rel=3e-5)
    values = [step.best_primal for step in result.history]
    # The soft slacks are upper bounds, and the objective is known to its rounding.
    assert all(after <= before * (1 + 1e-9) for before, after in pairwise(values))


def test_cccp_goes_on_where_it_stalls(monkeypatch):
    monkeypatch.setattr("structsvm.solvers.lbfgs.algorithm.ROUND", 1)
    monkeypatch.setattr("structsvm.solvers.shared.stall.PROGRESS", 0.0)
    X, Y = half_known()
    result = SmoothedCCCP(rtol=1e-6).solve(PartialChain(), X, Y, 50.0)
    assert result.status is Status.CONVERGED and "; CCCP, " in result.solver
    assert result.verify(PartialChain(), X, Y).matches


def test_auto_chooses_it_where_soft_sums_are_offered():
    X, Y = half_known()
    assert isinstance(choose_solver(PartialChain(), X, Y).solver, SmoothedCCCP)
    svm = LatentSVM(PartialChain(), C=50.0, n_init=2).fit(X, Y)
    assert svm.result_.solver.startswith("SmoothedCCCP")
    assert svm.result_.status is Status.CONVERGED


def test_others_say_that_outputs_are_unknown():
    X, Y = half_known()
    with pytest.raises(TypeError, match="PartialChain is self-labelled: use CCCP or SmoothedCCCP"):
        SmoothedLBFGS().solve(PartialChain(), X, Y)
    with pytest.raises(TypeError, match="SmoothedCCCP needs a SelfLabelledProblem"):
        MulticlassSVM(solver=SmoothedCCCP()).fit(*Multiclass.example_data())


@pytest.mark.parametrize(
    ("method", "call"), [("impute", 2), ("impute", 4), ("soft", 3), ("soft", 40), ("search", 5)]
)
def test_ctrl_c_keeps_a_certificate(method, call):
    calls, (X, Y) = [], half_known()

    def press(answer):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return answer

    interrupted = with_answer(PartialChain, method, press)()
    result = SmoothedCCCP(rtol=1e-5).solve(interrupted, X, Y, 50.0)
    assert result.status is Status.INTERRUPTED
    assert result.verify(PartialChain(), X, Y).matches
