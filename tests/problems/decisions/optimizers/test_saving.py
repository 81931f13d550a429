"""Optimizers in files of models."""

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import structsvm
from structsvm.problems import IntegerProgram
from structsvm.problems.decisions import optimizers
from structsvm.problems.decisions.optimizers import (
    Assignments,
    CallableOptimizer,
    GraphPaths,
    GridPaths,
    Knapsack,
    MixedIntegerProgram,
    SpanningTrees,
    Tours,
)

ALL = [
    Assignments(2, 3),
    CallableOptimizer(GridPaths(2, 2)),
    GraphPaths(nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")]), "a", "c"),
    GridPaths(2, 3),
    Knapsack(np.array([[1.0, 2.0, 2.0]]), [3.0]),
    MixedIntegerProgram({}, n_costs=4, sense="max"),
    SpanningTrees(nx.cycle_graph(4)),
    Tours(4),
]


def test_every_optimizer_is_here():
    made = {type(optimizer).__name__ for optimizer in ALL}
    assert made == set(optimizers.__all__) - {"Optimizer", "as_optimizer"}


def test_a_loaded_program_has_its_constraints(tmp_path):
    constraints = {"size": ([[1, 1, 1]], 2), "order": LinearConstraint([[1, -1, 0]], 0, 1)}
    program = MixedIntegerProgram(constraints, sense="max")
    structsvm.save(IntegerProgram(solver=program), tmp_path / "problem")
    loaded = structsvm.load(tmp_path / "problem").solver
    assert list(map(tuple, loaded.decisions())) == list(map(tuple, program.decisions()))
    with pytest.raises(ValueError, match="'order'"):
        loaded.require_feasible([0, 1, 0])


@pytest.mark.parametrize("optimizer", ALL, ids=lambda optimizer: type(optimizer).__name__)
def test_a_loaded_optimizer_decides_the_same(optimizer, tmp_path):
    costs = np.random.default_rng(0).normal(size=(5, optimizer.n_costs or 4))
    structsvm.save(IntegerProgram(solver=optimizer), tmp_path / "problem")
    loaded = structsvm.load(tmp_path / "problem").solver
    assert repr(loaded) == repr(optimizer)
    np.testing.assert_array_equal(loaded.batch(costs), optimizer.batch(costs))
