"""The mini-batches of a block: their soft sums, their examples, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

from structsvm import ProblemError
from structsvm.oracle.block import Block
from structsvm.task.call import Tally
from structsvm.oracle.minibatches import minibatches_of
from structsvm.oracle.soft_outputs import soft_curvature, soft_outputs
from structsvm.problems import Chain
from structsvm.problems.sequences.chain import task as chain


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(chain, "POSITIONS", 10)


def sentences(convert=sparse.csr_matrix, n=40, d=30):
    """Rows with two of d features each, the second of them rare."""
    rng = np.random.default_rng(0)
    Y = [rng.integers(3, size=length) for length in rng.integers(1, 7, size=n)]
    X = []
    for y in Y:
        x = np.zeros((len(y), d))
        x[np.arange(len(y)), y] = 1.5
        x[np.arange(len(y)), rng.integers(3, d, size=len(y))] = 1
        X.append(convert(x))
    return X, Y


def block_of(X, Y, kind=Chain):
    problem = kind()
    problem.initialize(X, Y)
    return Block(problem, X, Y, np.arange(100, 100 + len(Y)))


@pytest.mark.parametrize("convert", [sparse.csr_matrix, np.asarray])
def test_soft_sums_and_curvatures_add_up(convert):
    block = block_of(*sentences(convert))
    w, mu = np.random.default_rng(1).normal(size=block.size), 0.3
    whole, minibatches = soft_outputs(block, w, mu), minibatches_of(block, block.tally)
    total, curvature, values, loss = np.zeros(block.size), np.zeros(block.size), np.zeros(40), 0.0
    for places, columns, own in minibatches:
        np.testing.assert_array_equal(own.index, 100 + places)
        soft = soft_outputs(own, columns.of(w), mu)
        values[places] = soft.values
        columns.add(total, soft.joint_feature_difference)
        columns.add(curvature, soft_curvature(own, columns.of(w), mu))
        loss += soft.loss
    assert len(minibatches) > 5
    np.testing.assert_allclose(values, whole.values, atol=1e-12)
    np.testing.assert_allclose(total, whole.joint_feature_difference, atol=1e-12)
    # Of pairs of labels the curvature is an estimate from their sums.
    np.testing.assert_allclose(curvature[:-9], soft_curvature(block, w, mu)[:-9], atol=1e-12)
    np.testing.assert_allclose(curvature[-9:], soft_curvature(block, w, mu)[-9:], rtol=0.2)
    assert loss == pytest.approx(whole.loss)


def test_sparse_ones_use_few_entries_of_w():
    block = block_of(*sentences())
    assert (
        max(minibatch.columns.m for minibatch in minibatches_of(block, block.tally))
        < 0.7 * block.size
    )


class Given(Chain):
    """A chain with mini-batches that a function changes."""

    @staticmethod
    def change(batches):
        return batches

    def minibatches(self, X, Y):
        return type(self).change(super().minibatches(X, Y))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda batches: batches[1:], "each of 40 examples in one mini-batch"),
        (lambda batches: [*batches, batches[0]], "each of 40 examples in one mini-batch"),
        (lambda batches: [], "it returned 0 places"),
        (lambda batches: [b._replace(columns=b.columns + 1) for b in batches], "rising integers"),
        (lambda batches: [b._replace(columns=b.columns[:0]) for b in batches], "rising integers"),
        (lambda batches: [b._replace(columns=b.columns[::-1]) for b in batches], "rising integers"),
        (lambda batches: [b._replace(columns=b.columns + 0.0) for b in batches], "rising integers"),
        (lambda batches: 1 / 0, "Given.minibatches raised ZeroDivisionError"),
    ],
)
def test_what_is_no_division_is_refused(monkeypatch, change, message):
    monkeypatch.setattr(Given, "change", staticmethod(change))
    with pytest.raises(ProblemError, match=message):
        minibatches_of(block_of(*sentences(), kind=Given), Tally())


def test_no_columns_stand_for_all(monkeypatch):
    whole = block_of(*sentences(np.asarray), kind=Given)
    monkeypatch.setattr(
        Given, "change", staticmethod(lambda found: [b._replace(columns=None) for b in found])
    )
    w = np.random.default_rng(1).normal(size=whole.size)
    for minibatch in minibatches_of(whole, whole.tally):
        np.testing.assert_array_equal(minibatch.columns.of(w), w)


def test_a_difference_of_the_length_of_w_is_refused():
    class Whole(Chain):
        def sum_soft_oracle(self, X, Y, w, mu, weights):
            soft = super().sum_soft_oracle(X, Y, w, mu, weights)
            return soft._replace(joint_feature_difference=np.zeros(self.size_joint_feature))

    _, columns, own = minibatches_of(block_of(*sentences(), kind=Whole), Tally())[0]
    with pytest.raises(ProblemError, match=f"shape \\({columns.m},\\)"):
        soft_outputs(own, np.zeros(columns.m), 1.0)
