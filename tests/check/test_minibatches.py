"""Bugs planted in mini-batches and in the curvature."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught
from scipy import sparse

from structsvm import check_problem
from structsvm.problems import Chain, Multiclass
from structsvm.problems.classification.multiclass import task as multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask
from structsvm.problems.sequences.chain.problem import ChainTask

MUTANTS = Mutants()
mutant = MUTANTS.register_task


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(multiclass, "ROWS", 3)
    monkeypatch.setattr(multiclass, "FEWEST_ROWS", 3)


def texts(seed=0):
    """Rows with two of many features each."""
    rng = np.random.default_rng(seed)
    X, y = np.zeros((12, 40)), np.arange(12) % 3
    X[np.arange(12), y] = 1.5
    X[np.arange(12), rng.integers(3, 40, size=12)] = 1
    return sparse.csr_matrix(X), y


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


@mutant(Multiclass, texts, "minibatches")
class ColumnsFall(MulticlassTask):
    def minibatches(self):
        return [batch._replace(columns=batch.columns[::-1]) for batch in super().minibatches()]


@mutant(Multiclass, texts, "minibatches")
class NoBatchAtAll(MulticlassTask):
    def minibatches(self):
        return []


@mutant(Multiclass, texts, "minibatches")
class AnExampleTwice(MulticlassTask):
    def minibatches(self):
        batches = super().minibatches()
        return [*batches, batches[0]]


@mutant(Multiclass, texts, "minibatches")
class LabelsOfOtherExamples(MulticlassTask):
    def minibatches(self):
        batches = super().minibatches()
        return [batch._replace(examples=batch.examples[::-1]) for batch in batches]


@mutant(Multiclass, texts, "minibatches")
class ColumnsMissing(MulticlassTask):
    def minibatches(self):
        batches = super().minibatches()
        return [batch._replace(columns=batch.columns[1:]) for batch in batches]


@mutant(Chain, sparse_chain, "curvature")
class CurvatureOfTheFirstExample(ChainTask):
    def curvature(self, w, mu, weights):
        return self.part(slice(1)).curvature(w, mu, weights[:1])


@mutant(Chain, sparse_chain, "curvature")
class CurvatureIsInfiniteAtLargeW(ChainTask):
    def curvature(self, w, mu, weights):
        large = abs(w).max() > 50 * mu
        return super().curvature(w, mu, weights) + (np.inf if large else 0)


@mutant(Chain, sparse_chain, "curvature")
class CurvatureOverMu(ChainTask):
    def curvature(self, w, mu, weights):
        return super().curvature(w, mu, weights) / (100 * mu)


@mutant(Chain, sparse_chain, "curvature")
class CurvatureNegative(ChainTask):
    def curvature(self, w, mu, weights):
        return -super().curvature(w, mu, weights)


@mutant(Chain, sparse_chain, "curvature")
class CurvatureOfTheLabelsAlone(ChainTask):
    def curvature(self, w, mu, weights):
        return super().curvature(w, mu, weights)[:-9]


@mutant(Chain, sparse_chain, "curvature")
class CurvatureChangesW(ChainTask):
    def curvature(self, w, mu, weights):
        w *= 2
        return super().curvature(w, mu, weights)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_planted_bugs_are_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_correct_ones_pass():
    for problem, data in ((Multiclass(), texts()), (Chain(), sparse_chain())):
        checks = set(check_problem(problem, *data).checks)
        assert ("minibatches_agree" in checks) == isinstance(problem, Multiclass)
        assert "curvature_is_that_of_the_soft_sums" in checks
