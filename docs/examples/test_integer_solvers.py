"""The solvers find what scipy's HiGHS finds, where their libraries are installed."""

import integer_solvers
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, milp

from structsvm import StructuredSVM
from structsvm.problems import IntegerProgram

LIBRARIES = {
    "scip": "pyscipopt",
    "or_tools": "ortools",
    "ilpy_solver": "ilpy",
    "gurobi": "gurobipy",
}


@pytest.fixture(params=LIBRARIES)
def solver(request):
    pytest.importorskip(LIBRARIES[request.param])
    return getattr(integer_solvers, request.param)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("started", [False, True])
def test_a_solver_finds_the_optimum(solver, seed, started):
    rng = np.random.default_rng(seed)
    A = sparse.csc_array(rng.integers(-1, 3, size=(8, 20)).astype(float))
    y = rng.integers(2, size=20)
    low, high = A @ y - rng.integers(0, 3, size=8), A @ y + rng.integers(0, 3, size=8)
    low[:3], high[3:5], low[6], high[6] = -np.inf, np.inf, (A @ y)[6], (A @ y)[6]
    constraint, scores = LinearConstraint(A, low, high), rng.normal(size=20)
    found = np.round(solver(scores, constraint, y if started else None))
    assert np.all((A @ found >= low - 1e-6) & (A @ found <= high + 1e-6))
    options = {"mip_rel_gap": 0.0}
    best = milp(-scores, integrality=1, bounds=(0, 1), constraints=constraint, options=options)
    assert scores @ found == pytest.approx(-best.fun)


def test_a_solver_trains(solver):
    X, Y = IntegerProgram.example_data()
    ours, theirs = (
        StructuredSVM(IntegerProgram(solver=with_), C=10.0).fit(X, Y) for with_ in (None, solver)
    )
    assert theirs.result_.primal == pytest.approx(ours.result_.primal, rel=1e-3)
    assert theirs.score(X, Y) == pytest.approx(ours.score(X, Y), abs=0.05)
