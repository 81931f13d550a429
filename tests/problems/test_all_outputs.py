"""Searches and soft sums of classes, sequences, segments and trees are those of all outputs."""

import numpy as np
import pytest
from cases.problems import PROBLEMS
from enumeration import assert_oracles_are_those_of_all_outputs, drawn_w

FAMILIES = ("multiclass", "taxonomy", "chain", "segments", "tree")
#: Rows of the table whose labels are not imputed.
NAMES = [name for name in PROBLEMS if name.startswith(FAMILIES) and "partly" not in name]


@pytest.mark.parametrize("name", NAMES)
def test_oracles_are_those_of_all_outputs(name):
    problem, X, Y = PROBLEMS[name](0)
    problem.initialize(X, Y)
    tolerance = 1e-5 if X[0].dtype == np.float32 else 1e-9
    w = drawn_w(problem, 3.0)
    assert_oracles_are_those_of_all_outputs(problem, X, Y, w, tolerance=tolerance)
