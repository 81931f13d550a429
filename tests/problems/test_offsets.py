"""Single precision with a large common part: the bounds hold, and training reaches its tolerance.

The differences between the features are as small as the rounding errors of products with them.
"""

import numpy as np
import pytest
from cases.forms import changed
from cases.problems import PROBLEMS

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Status

C = 10.0
CASES = (
    "multiclass", "f1", "roc-area", "top-k", "ndcg", "average-precision", "precision-at-2",
    "ranked-pairs", "assignment", "assignment-items", "graphs-relaxed-3", "graphs-trees",
    "graphs-flow", "programs", "tree",
)  # fmt: skip


def data(name, dtype):
    """The problem with a large common part of its features, whose differences have three digits."""
    problem, X, Y = PROBLEMS[name](0)
    return problem, changed(X, lambda x: (1e4 + x).astype(np.float32).astype(dtype)), Y


@pytest.mark.sampled(17)
@pytest.mark.parametrize("solver", [OneSlackCuttingPlane(), NSlackCuttingPlane()])
@pytest.mark.parametrize("name", CASES)
def test_bounds_agree_with_those_of_double_precision(name, solver):
    single, double = data(name, np.float32), data(name, np.float64)
    result, other = solver.solve(*single, C), solver.solve(*double, C)
    assert result.status is Status.CONVERGED and other.status is Status.CONVERGED
    assert result.verify(*single).matches
    assert result.verify(*double).matches
    assert result.dual <= other.primal and other.dual <= result.primal
    assert abs(result.primal - other.primal) <= result.tolerance + other.tolerance


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", CASES)
def test_rounding_errors_are_stated(name):
    single, double = data(name, np.float32), data(name, np.float64)
    rough, exact = (OneSlackCuttingPlane(max_iter=2).solve(*each, C) for each in (single, double))
    assert rough.rounding > 100 * exact.rounding
    assert rough.verify(*single).matches
