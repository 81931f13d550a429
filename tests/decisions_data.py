"""Costs for tests of optimizers, and comparisons of their decisions with all there are."""

import copy
import pickle

import numpy as np
import pytest


def drawn_costs(seed, n, m):
    """Costs with negative, zero and tied entries, and of different sizes."""
    rng = np.random.default_rng(seed)
    small = rng.integers(-2, 3, size=(n, m)).astype(float)
    small[n // 3 : 2 * n // 3] = rng.normal(size=small[n // 3 : 2 * n // 3].shape)
    small[-1] = 0.0
    return small * 10.0 ** rng.integers(-3, 4, size=(n, 1))


def spo_plus(y, predicted, decisions, sign=1):
    """The SPO+ loss over all decisions, by its definition, and its gradient.

    For minimisation it is max over z of (c - 2 c_hat) z, + 2 c_hat z* - c z*.
    """
    surplus = sign * (decisions @ (y.costs - 2 * predicted))
    known = sign * (2 * predicted - y.costs) @ y.decision
    return surplus.max() + known, 2 * sign * (y.decision - decisions[surplus.argmax()])


def assert_best(optimizer, costs, decisions):
    """Each answer is one of the decisions and as good as the best; all forms agree."""
    decisions = np.array(decisions, dtype=float)
    best = decisions @ costs.T
    best = best.min(axis=0) if optimizer.sense == "min" else best.max(axis=0)
    for same in (optimizer, copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        found = same.batch(costs)
        assert found.dtype == np.float64 and found.shape == costs.shape
        scale = np.abs(costs).max(axis=1, initial=1e-300)
        np.testing.assert_allclose((found * costs).sum(axis=1) / scale, best / scale, atol=1e-9)
        for z in found:
            assert (decisions == z).all(axis=1).any()
            optimizer.require_feasible(z)
    single = np.array([optimizer(c) for c in costs])
    np.testing.assert_allclose((single * costs).sum(axis=1) / scale, best / scale, atol=1e-9)
    assert (single[:, None] == decisions).all(axis=2).any(axis=1).all()


def assert_lists(optimizer, decisions):
    """``decisions()`` are these, each once, where there are few costs."""
    if optimizer.n_costs and optimizer.n_costs > 16:
        with pytest.raises(NotImplementedError, match="decisions of at most 16 costs are listed"):
            optimizer.decisions()
        return
    listed = [tuple(z) for z in optimizer.decisions()]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {tuple(z) for z in decisions}
