"""The checks of mini-batches and curvature apply to a problem of the library."""

import numpy as np
import pytest
from scipy import sparse

from structsvm import check_problem
from structsvm.problems import Multiclass
from structsvm.problems.classification.multiclass import task as multiclass


@pytest.mark.slow
def test_small_minibatches_of_words_pass(monkeypatch):
    monkeypatch.setattr(multiclass, "ROWS", 3)
    monkeypatch.setattr(multiclass, "FEWEST_ROWS", 3)
    rng = np.random.default_rng(0)
    X, y = np.zeros((12, 40)), np.arange(12) % 3  # two of many features each
    X[np.arange(12), y] = 1.5
    X[np.arange(12), rng.integers(3, 40, size=12)] = 1
    checks = set(check_problem(Multiclass(), sparse.csr_matrix(X), y).checks)
    assert {"minibatches_agree", "curvature_is_that_of_the_soft_sums"} <= checks
