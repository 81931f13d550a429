"""Single precision with a large common part: the bounds hold, and training reaches its tolerance.

The differences between the features are as small as the rounding errors of products with them.
"""

import numpy as np
import pytest

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Status
from structsvm.problems import (
    Assignment,
    AttractiveGraphLabelling,
    Bipartite,
    DependencyTree,
    GraphLabelling,
    IntegerProgram,
    RankingProblem,
    TreeLabelling,
)
from structsvm.problems.multivariate import LabellingProblem, RocAreaProblem, TopKProblem

OFFSET, C = 1e4, 10.0


def single(array):
    """Numbers with a large common part, whose differences have three digits."""
    return (OFFSET + np.asarray(array)).astype(np.float32)


def rankings(problem):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3))
    labels = rows[:, 0] + rng.normal(size=40) > 0
    return problem, [(single(rows), labels)], [np.zeros(40)]


def labelling(measure):
    problem, [(rows, labels)], _ = rankings(LabellingProblem(measure))
    return problem, [rows], [labels]


def queries(measure):
    X, Y = RankingProblem.example_data()
    grades = 1 if measure in ("average_precision", "precision_at_k") else 2
    return RankingProblem(measure), [(single(x), np.minimum(y, grades)) for x, y in X], Y


def pairs():
    X, Y = Assignment.example_data()
    return Assignment(), [single(x) for x in X], Y


def bipartite():
    rng = np.random.default_rng(0)
    Y = [rng.permutation(4)[:3] for _ in range(6)]
    near = [np.eye(4)[y][:, :, None] + 0.3 * rng.normal(size=(3, 4, 2)) for y in Y]
    of_items = [(rng.normal(size=(3, 1)), rng.normal(size=(4, 1))) for _ in Y]
    X = [Bipartite(single(x), *map(single, items)) for x, items in zip(near, of_items, strict=True)]
    return Assignment(), X, Y


def graphs(problem):
    X, Y = problem.example_data()
    return problem, [x._replace(features=single(x.features)) for x in X], Y


def trees():
    X, Y = DependencyTree.example_data()
    return DependencyTree(), [single(x) for x in X], Y


CASES = {
    "roc_area": lambda: rankings(RocAreaProblem()),
    "precision_at_k": lambda: rankings(TopKProblem(15)),
    "f1": lambda: labelling("f1"),
    "error": lambda: labelling("error"),
    **{
        f"queries, {measure}": lambda measure=measure: queries(measure)
        for measure in ("average_precision", "ndcg", "precision_at_k", "roc_area")
    },
    "pairs": pairs,
    "bipartite": bipartite,
    "graphs": lambda: graphs(GraphLabelling()),
    "tree-shaped graphs": lambda: graphs(TreeLabelling()),
    "programs": lambda: graphs(IntegerProgram()),
    "dependency trees": trees,
}


def double(data):
    if isinstance(data, np.ndarray):
        return data.astype(np.float64) if data.dtype == np.float32 else data
    if hasattr(data, "_fields"):
        return data._make(map(double, data))
    return type(data)(map(double, data)) if isinstance(data, (list, tuple)) else data


@pytest.mark.sampled(17)
@pytest.mark.parametrize("solver", [OneSlackCuttingPlane(), NSlackCuttingPlane()])
@pytest.mark.parametrize("case", CASES)
def test_bounds_agree_with_those_of_double_precision(case, solver):
    problem, X, Y = CASES[case]()
    result, other = solver.solve(problem, X, Y, C), solver.solve(problem, double(X), Y, C)
    assert result.status is Status.CONVERGED and other.status is Status.CONVERGED
    assert result.verify(problem, X, Y).matches
    assert result.verify(problem, double(X), Y).matches
    assert result.dual <= other.primal and other.dual <= result.primal
    assert abs(result.primal - other.primal) <= result.tolerance + other.tolerance


@pytest.mark.parametrize("solver", [NSlackCuttingPlane(), OneSlackCuttingPlane()])
def test_graphs_whose_neighbours_agree(solver):
    problem, X, Y = graphs(AttractiveGraphLabelling())
    result = solver.solve(problem, X, Y, C)
    assert result.status is Status.CONVERGED and result.verify(problem, X, Y).matches


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES)
def test_rounding_errors_are_stated(case):
    problem, X, Y = CASES[case]()
    rough = OneSlackCuttingPlane(max_iter=2).solve(problem, X, Y, C)
    exact = OneSlackCuttingPlane(max_iter=2).solve(problem, double(X), Y, C)
    assert rough.rounding > 100 * exact.rounding
    assert rough.verify(problem, X, Y).matches
