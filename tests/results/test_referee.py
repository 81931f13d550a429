"""Result.verify with cvxopt as a referee of the restricted program, on working sets of runs."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    Multilabel,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.problems import CPM3C, CPM3CProblem, MMCProblem, Multiclass

DATA = multilabel_data()
ROWS = np.random.default_rng(0).normal(size=(40, 3)) + 4 * np.eye(3)[np.arange(40) % 3] + 1
CLASSES = np.arange(40) % 3
RUNS = {
    "one slack": (OneSlackCuttingPlane(), Multiclass(), ROWS, CLASSES),
    "n slacks": (NSlackCuttingPlane(), Multiclass(), ROWS, CLASSES),
    "slack rescaling": (NSlackCuttingPlane(rescaling="slack"), Multilabel(), *DATA),
    "bounds": (OneSlackCuttingPlane(), ConstrainedMultilabel("nonnegative"), *DATA),
    "floor": (OneSlackCuttingPlane(), ConstrainedMultilabel("floor"), *DATA),
    "equality": (NSlackCuttingPlane(), ConstrainedMultilabel("equality"), *DATA),
    "latent": (CCCP(), LatentTopics(), topics_data(), None),
    "balance": (CCCP(), CPM3CProblem(3, 0.05, 0.2), [ROWS], None),
    "balance, not centred": (CCCP(), CPM3CProblem(3, 0.0, 0.2, center=False), [ROWS], None),
    "signs": (CCCP(), MMCProblem(0.05), [ROWS], None),
}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    """A result and what it came from."""
    solver, problem, X, Y = RUNS[request.param]
    return solver.solve(problem, X, Y, C=10.0), problem, X, Y


def test_cvxopt_agrees(run):
    result, problem, X, Y = run
    found = result.verify(problem, X, Y, qp="cvxopt")
    assert found.matches
    assert found.qp_dual == pytest.approx(found.dual, rel=1e-6)
    assert found.qp_primal == pytest.approx(found.dual, rel=1e-6)
    assert "by cvxopt, with these planes: " in str(found)
    assert result.verify(problem, X, Y).qp_dual is None


def test_a_dual_that_is_not_the_best_is_found(run):
    result, problem, X, Y = run
    smaller = tuple(plane._replace(alpha=0.9 * plane.alpha) for plane in result.support)
    worse = replace(result, support=smaller)
    worse = replace(worse, dual=worse.verify(problem, X, Y).dual)
    assert worse.verify(problem, X, Y).matches  # its bound is true, but not the best
    found = worse.verify(problem, X, Y, qp="cvxopt")
    assert not found.matches
    assert found.qp_dual == pytest.approx(result.dual, rel=1e-6)
    assert "is not the best of these planes" in str(found)


def test_the_class_balance_acts():
    """Else nothing here would see whether the referee has it."""
    assert (CCCP().solve(CPM3CProblem(3, 0.05, 0.2), [ROWS], C=10.0).multipliers > 0).any()


@pytest.mark.parametrize("kernel", ["linear", "diffusion"])
def test_a_clusterer_is_refereed_in_its_features(kernel):
    cpm3c = CPM3C(3, kernel=kernel, center=False, balance=0.1, n_init=2, random_state=0)
    found = cpm3c.fit(ROWS).verify(ROWS, qp="cvxopt")
    assert found.matches and found.qp_dual == pytest.approx(found.dual, rel=1e-6)


def test_a_solver_of_another_program_is_no_mistake_of_its_bound():
    solver = BlockCoordinateFrankWolfe(max_iter=3, random_state=0)
    result = solver.solve(Multiclass(), ROWS, CLASSES, C=10.0)
    assert result.verify(Multiclass(), ROWS, CLASSES).matches
    found = result.verify(Multiclass(), ROWS, CLASSES, qp="cvxopt")
    assert found.qp_dual > found.dual


def test_what_cannot_be_refereed(monkeypatch):
    soft = SmoothedLBFGS().solve(Multiclass(), ROWS, CLASSES, C=10.0)
    with pytest.raises(ValueError, match=r"planes of oracle outputs.* a result of SmoothedLBFGS"):
        soft.verify(Multiclass(), ROWS, CLASSES, qp="cvxopt")
    result = OneSlackCuttingPlane().solve(Multiclass(), ROWS, CLASSES, C=10.0)
    with pytest.raises(ValueError, match="qp, if not None, must be one of 'cvxopt'; got 'osqp'"):
        result.verify(Multiclass(), ROWS, CLASSES, qp="osqp")
    monkeypatch.setitem(sys.modules, "cvxopt", None)
    with pytest.raises(ImportError, match=r"GPL-3: pip install 'structured-svm\[cvxopt\]'"):
        result.verify(Multiclass(), ROWS, CLASSES, qp="cvxopt")
