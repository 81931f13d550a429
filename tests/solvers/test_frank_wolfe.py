"""BlockCoordinateFrankWolfe: the steps of the paper, and the dual solution that they keep."""

import numpy as np
import pytest
from cases.solvers import blobs
from engine_parts import run_of
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm import BlockCoordinateFrankWolfe
from structsvm.oracle.setup import initialize
from structsvm.oracle.support import example_planes
from structsvm.problems import Multiclass


def begun(problem, X, Y, C):
    """A run, after the pass that evaluates the objective at 0."""
    run = run_of(BlockCoordinateFrankWolfe(), problem, X, Y, C)
    run.step()
    return run


class SparseMultilabel(Multilabel):
    """Its joint features are sparse, and its searches use the dense ones."""

    def joint_feature(self, x, y):
        return sparse.csr_matrix(super().joint_feature(x, y))

    def separation_oracle(self, *arguments):
        return Multilabel().separation_oracle(*arguments)


def by_the_paper(problem, X, Y, C, order):
    """Algorithm 4 for lambda = 1, with weighted averaging and slacks weighted by C / n."""
    n, size = len(X), problem.size_joint_feature
    w, average, rows, losses = np.zeros(size), np.zeros(size), np.zeros((n, size)), np.zeros(n)
    for k, i in enumerate(order):
        found = problem.separation_oracle(X[i], Y[i], w)
        row = C / n * (problem.joint_feature(X[i], Y[i]) - problem.joint_feature(X[i], found))
        loss = C / n * problem.loss(Y[i], found)
        gap, distance = (rows[i] - row) @ w - losses[i] + loss, np.sum((rows[i] - row) ** 2)
        length = np.clip(gap / distance, 0, 1) if distance else 0.0
        change, losses[i] = length * (row - rows[i]), (1 - length) * losses[i] + length * loss
        rows[i] += change
        w += change
        average = k / (k + 2) * average + 2 / (k + 2) * w
    return w, losses.sum(), average


@pytest.mark.parametrize("kind", [Multilabel, SparseMultilabel])
def test_the_steps_are_those_of_the_paper(kind):
    X, Y = multilabel_data(0)
    run = begun(kind(), X, Y, 7.0)
    run.step(), run.step()
    rng = np.random.default_rng(0)
    order = [i for _ in range(2) for i in rng.permutation(len(X))]
    problem = Multilabel()
    initialize(problem, X, Y)
    w, linear, average = by_the_paper(problem, X, Y, 7.0, order)
    blocks = run.algorithm.planes
    np.testing.assert_allclose(blocks.w, w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(blocks.average, average, rtol=1e-12, atol=1e-12)
    assert blocks.linear == pytest.approx(linear)


@pytest.mark.parametrize("kind", [Multilabel, SparseMultilabel])
def test_the_dual_solution_is_that_of_its_planes(kind):
    X, Y = multilabel_data(0)
    run = begun(kind(), X, Y, 7.0)
    run.step(), run.step(), run.step()
    blocks, examples = run.algorithm.planes, run.program.examples
    before = blocks.w, blocks.linear, blocks.weights
    blocks.renew(example_planes(examples, Y, blocks.support()))
    np.testing.assert_allclose(blocks.w, before[0], rtol=1e-12, atol=1e-12)
    assert blocks.linear == pytest.approx(before[1])
    for weights, others in zip(blocks.weights, before[2], strict=True):
        assert sorted(weights.values()) == pytest.approx(sorted(v for v in others.values() if v))
    outputs = [[tuple(output) for output in own.values()] for own in blocks.outputs]
    assert all(len(set(own)) == len(own) for own in outputs)  # none twice


def test_the_order_depends_on_random_state():
    X, y = blobs(n=20)
    a, b, c = (
        BlockCoordinateFrankWolfe(random_state=seed, max_iter=5).solve(Multiclass(), X, y, 60.0)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(a.w, b.w)
    assert not np.array_equal(a.w, c.w)
