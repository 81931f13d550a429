"""SmoothedCCCP: the same certificates as CCCP, by soft oracles."""

from itertools import pairwise

import numpy as np
import pytest
from toy_problems import LatentTopics, full_objective, topics_data

from structsvm import (
    CCCP,
    LatentSVM,
    OneSlackCuttingPlane,
    SmoothedCCCP,
    SmoothedLBFGS,
    Status,
    choose_solver,
)
from structsvm.problems import Chain, Multiclass, MulticlassSVM, PartialChain
from structsvm.problems.sequences.chain.partial import PartialTask

searches = pytest.mark.parametrize("search", [True, False])


def half_known():
    X, Y = Chain.example_data()
    rng = np.random.default_rng(0)
    return X[:10], [[label if rng.random() < 0.5 else None for label in y] for y in Y[:10]]


@searches
@pytest.mark.parametrize("seed", range(2))
def test_the_result_is_the_objective_of_its_labels_and_verifies(seed, search):
    X, problem = topics_data(seed), LatentTopics()
    result = SmoothedCCCP(random_state=seed, search=search).solve(problem, X, C=20.0)
    assert result.status is Status.CONVERGED and result.gap <= 1e-3 * result.primal
    expected = full_objective(problem, X, result.labels, result.w, 20.0)
    assert result.primal == pytest.approx(expected, rel=1e-9)
    assert result.verify(problem, X).matches


@searches
def test_w_is_optimal_for_the_labels_held_and_the_objective_never_rises(search):
    X, Y = half_known()
    problem = PartialChain(unknown_weight=float(search))
    result = SmoothedCCCP(rtol=1e-5, search=search).solve(problem, X, Y, 50.0)
    known = OneSlackCuttingPlane(rtol=1e-5).solve(Chain(), X, list(result.labels), 50.0)
    assert result.primal == pytest.approx(known.primal, rel=3e-5)
    values = [step.best_primal for step in result.history]
    # The soft slacks are upper bounds, and the objective is known to its rounding.
    assert all(after <= before * (1 + 1e-9) for before, after in pairwise(values))


@pytest.mark.slow
def test_it_ends_as_low_as_cccp():
    X, Y = half_known()
    ours, theirs = (
        min(kind(random_state=seed).solve(PartialChain(), X, Y, 50.0).primal for seed in range(2))
        for kind in (SmoothedCCCP, CCCP)
    )
    assert ours <= theirs * 1.02


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


@pytest.mark.parametrize("call", [4, 11, 40, 90])
def test_ctrl_c_keeps_a_certificate(call):
    X, Y = half_known()
    calls = iter(range(10**6))

    class Counted(PartialTask):
        def _count(self):
            if next(calls) == call:
                raise KeyboardInterrupt

        def impute(self, *arguments):
            self._count()
            return super().impute(*arguments)

        def soft(self, *arguments):
            self._count()
            return super().soft(*arguments)

        def search(self, *arguments):
            self._count()
            return super().search(*arguments)

    class Interrupted(PartialChain):
        kind_of_task = Counted

    result = SmoothedCCCP(rtol=1e-5).solve(Interrupted(), X, Y, 50.0)
    assert result.status is Status.INTERRUPTED
    assert result.verify(PartialChain(), X, Y).matches
