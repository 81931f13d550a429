"""Oracles of a problem's task against sums over all outputs, one by one."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

from structsvm.contract.capabilities import defines


def drawn_w(problem, scale=1.0, seed=0):
    return scale * np.random.default_rng(seed).normal(size=problem.size_joint_feature)


def enumerated(problem, x, y, *others):
    """All outputs and these others, their joint-feature differences as rows, and their losses."""
    outputs = [*problem.outputs(x), *others]
    rows = [problem.joint_feature_difference(x, y, z) for z in outputs]
    rows = sparse.vstack(rows).toarray() if sparse.issparse(rows[0]) else np.array(rows)
    return outputs, rows.astype(np.float64), np.array([problem.loss(y, z) for z in outputs])


def assert_oracles_are_those_of_all_outputs(
    problem, X, Y, w, mu=0.3, others=None, *, tolerance=1e-9
):
    """The searches and soft sums of an initialised problem are exact, or on the side declared.

    ``others`` has for an example the outputs that training takes into account besides those that
    the problem lists.
    """
    above, below = (
        problem.oracle_quality != side for side in ("undergenerating", "overgenerating")
    )
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    weights, task = np.linspace(0.5, 2, n), problem.task(X, Y)
    separated, decoded = task.search(w), problem.task(X).decode(w)
    soft = task.soft(w, mu, weights) if defines(problem, "soft_oracle") else None
    rescaled = task.search_rescaled(w) if defines(problem, "slack_oracle") else None
    difference = loss = size = 0.0
    for i, (x, y) in enumerate(zip((X[i] for i in range(n)), Y, strict=True)):
        _, rows, losses = enumerated(problem, x, y, *(others or {}).get(i, ()))
        scores = losses - rows @ w
        near = tolerance * (1 + np.abs(scores).max())

        def score(z, x=x, y=y):
            own = problem.joint_feature_difference(x, y, z)
            return -float(np.squeeze(own @ w[:, None]))

        found = problem.loss(y, separated[i]) + score(separated[i])
        assert found >= scores.max() - near or not above
        assert found <= scores.max() + near or not below
        if above and below and not others:
            assert score(decoded[i]) == pytest.approx((-rows @ w).max(), abs=near)
        if rescaled is not None:
            found = problem.loss(y, rescaled[i]) * (1 + score(rescaled[i]))
            assert found == pytest.approx((losses * (1 - rows @ w)).max(), abs=near * losses.max())
        if soft is None:
            continue
        value = mu * logsumexp(scores / mu)
        p = np.exp((scores - value) / mu)
        assert soft.values[i] == pytest.approx(value, abs=near)
        difference = difference + weights[i] * p @ rows
        loss += weights[i] * p @ losses
        size = max(size, near / mu * (1 + np.abs(rows).max() + losses.max()))
    if soft is not None:
        np.testing.assert_allclose(soft.joint_feature_difference, difference, atol=n * size)
        assert soft.loss == pytest.approx(loss, abs=n * size)
