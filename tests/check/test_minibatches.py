"""Bugs planted in mini-batches and in the curvature."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught
from scipy import sparse

from structsvm import check_problem
from structsvm.problems import Chain

MUTANTS = Mutants()
mutant = MUTANTS.register


def sparse_chain(seed=0):
    """Sequences of rows that use few of many columns."""
    X, Y = Chain.example_data()
    rng = np.random.default_rng(seed)
    wide = []
    for x in X:
        columns = rng.integers(2, 8, size=len(x))
        row = np.zeros((len(x), 8))
        row[:, :2], row[np.arange(len(x)), columns] = x, 1
        wide.append(sparse.csr_matrix(row))
    return wide, Y


@mutant(sparse_chain, "minibatches")
class ColumnsFall(Chain):
    def minibatches(self, X, Y):
        return [batch._replace(columns=batch.columns[::-1]) for batch in super().minibatches(X, Y)]


@mutant(sparse_chain, "minibatches")
class NoBatchAtAll(Chain):
    def minibatches(self, X, Y):
        return []


@mutant(sparse_chain, "minibatches")
class AnExampleTwice(Chain):
    def minibatches(self, X, Y):
        batches = super().minibatches(X, Y)
        return [*batches, batches[0]]


@mutant(sparse_chain, "minibatches")
class LabelsOfOtherExamples(Chain):
    def minibatches(self, X, Y):
        batches = super().minibatches(X, Y)
        return [batch._replace(examples=batch.examples[::-1]) for batch in batches]


@mutant(sparse_chain, "minibatches")
class ColumnsMissing(Chain):
    def minibatches(self, X, Y):
        batches = super().minibatches(X, Y)
        return [batch._replace(columns=batch.columns[1:]) for batch in batches]


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureOfTheFirstExample(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X[:1], Y[:1], w, mu, weights[:1])


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureIsInfiniteAtLargeW(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        large = abs(w).max() > 50 * mu
        return super().sum_soft_curvature(X, Y, w, mu, weights) + (np.inf if large else 0)


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureOverMu(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X, Y, w, mu, weights) / (100 * mu)


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureNegative(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return -super().sum_soft_curvature(X, Y, w, mu, weights)


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureOfTheLabelsAlone(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        return super().sum_soft_curvature(X, Y, w, mu, weights)[:-9]


@mutant(sparse_chain, "sum_soft_curvature")
class CurvatureChangesW(Chain):
    def sum_soft_curvature(self, X, Y, w, mu, weights):
        w *= 2
        return super().sum_soft_curvature(X, Y, w, mu, weights)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_planted_bugs_are_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_correct_ones_pass():
    report = check_problem(Chain(), *sparse_chain())
    assert {"minibatches_agree", "curvature_is_that_of_the_soft_sums"} <= set(report.checks)
