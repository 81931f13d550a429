"""Searches and soft sums of problems that list their outputs are those of all outputs."""

import numpy as np
import pytest
from cases.problems import PROBLEMS
from enumeration import assert_oracles_are_those_of_all_outputs, drawn_w

from structsvm.contract.constraints import constraints_of
from structsvm.objective.rounding import unit_roundoff

FAMILIES = (
    "multiclass", "taxonomy", "chain", "segments", "tree", "graphs", "label-set", "assignment",
    "programs", "kmeans", "correlation", "average-precision", "ndcg", "precision", "ranked",
    "roc-area", "top-k",
)  # fmt: skip
#: Rows of the table whose labels are not imputed.
NAMES = [name for name in PROBLEMS if name.startswith(FAMILIES) and "partly" not in name]


@pytest.mark.parametrize("name", NAMES)
def test_oracles_are_those_of_all_outputs(name):
    problem, X, Y = PROBLEMS[name](0)
    problem.initialize(X, Y)
    tolerance = max(1e-9, 100 * unit_roundoff(X), 1e3 * (problem.roundoff or 0.0))
    w, lower = drawn_w(problem, 3.0), constraints_of(problem).lower
    w = w if lower is None else np.maximum(w, lower)
    assert_oracles_are_those_of_all_outputs(problem, X, Y, w, tolerance=tolerance)
