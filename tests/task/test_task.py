"""Tasks of four methods, one example after another, against loops over the examples."""

import pickle

import numpy as np
import pytest
from changed_tasks import with_task
from scipy import sparse
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import SmoothedLBFGS, Task
from structsvm.oracle.setup import initialize
from structsvm.task import sums
from structsvm.task.sums import sliced, whole

X, Y = multilabel_data(n=30)
W = np.random.default_rng(0).normal(size=9)


def bind(problem, X=X, Y=Y):
    initialize(problem, X, Y)
    return problem.task(X, Y)


class SparseRows(Multilabel):
    def joint_feature(self, x, y):
        return sparse.csr_matrix(super().joint_feature(x, y))

    def soft_oracle(self, x, y, w, mu):
        return Multilabel.soft_oracle(DENSE, x, y, w, mu)

    separation_oracle = decode = slack_oracle = None


DENSE = Multilabel()


class Differing(Multilabel):
    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, y) - self.joint_feature(x, y_hat)


@pytest.mark.parametrize("kind", [Multilabel, Differing, SparseRows])
def test_answers_are_those_of_the_methods_for_one_example(kind, monkeypatch):
    task, places = bind(kind()), range(2, 7)
    if kind is not SparseRows:
        assert task.search(W) == [
            DENSE.separation_oracle(x, y, W) for x, y in zip(X, Y, strict=True)
        ]
        assert task.search_rescaled(W) == [
            DENSE.slack_oracle(x, y, W) for x, y in zip(X, Y, strict=True)
        ]
        assert task.decode(W) == [DENSE.decode(x, W) for x in X]
    outputs = [DENSE.separation_oracle(x, y, W) for x, y in zip(X, Y, strict=True)]
    losses = [DENSE.loss(y, z) for y, z in zip(Y, outputs, strict=True)]
    np.testing.assert_array_equal(task.losses(outputs), losses)
    np.testing.assert_array_equal(task.evaluation_losses(outputs), losses)
    rows = np.array(
        [DENSE.joint_feature_difference(*one) for one in zip(X, Y, outputs, strict=True)]
    )
    found = task.differences(outputs, places)
    assert sparse.issparse(found) == (kind is SparseRows)
    np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, rows[2:7])
    weights = np.random.default_rng(1).random(len(X))
    for numbers in (sums.NUMBERS, 100):
        monkeypatch.setattr(sums, "NUMBERS", numbers)
        plane = task.plane(outputs, weights)
        np.testing.assert_allclose(whole(plane, 9), weights @ rows, rtol=1e-12)
    parts = [rows for _, rows in sliced(task.differences, outputs, task.n, 9)]
    assert len(parts) > 1
    np.testing.assert_array_equal(sparse.vstack(parts).toarray(), rows)


def test_the_soft_sum_is_that_of_the_soft_oracle():
    task, weights = bind(Multilabel()), np.random.default_rng(1).random(len(X))
    soft = [DENSE.soft_oracle(x, y, W, 0.3) for x, y in zip(X, Y, strict=True)]
    found = task.soft(W, 0.3, weights)
    np.testing.assert_array_equal(found.values, [one.value for one in soft])
    rows = [one.joint_feature_difference for one in soft]
    np.testing.assert_allclose(found.joint_feature_difference, weights @ rows)
    assert found.loss == pytest.approx(weights @ [one.loss for one in soft])


@pytest.mark.parametrize("ends", [[5], [2, 5]])
@pytest.mark.parametrize("weights", [[1.0, 1, 0, 1, 1], [0.0] * 5])
def test_examples_of_weight_zero_are_left_out(weights, ends):
    class Partial(Multilabel):
        def joint_feature(self, x, y):
            if x is data[2]:
                raise AssertionError("weight 0")
            return super().joint_feature(x, y)

    data = list(X[:5])
    outputs, task = [(0, 0, 0)] * 5, bind(Partial(), data, Y[:5])
    task.ends = ends
    rows = bind(Multilabel(), data, Y[:5]).differences(outputs, range(5))
    np.testing.assert_allclose(task.plane(outputs, np.array(weights)), weights @ rows)


@pytest.mark.parametrize("convert", [list, np.asarray])
@pytest.mark.parametrize("places", [slice(3, 7), np.array([1, 5])])
def test_a_part_has_some_of_the_examples(convert, places):
    whole = bind(Multilabel(), convert(X), Y)
    part, numbers = whole.part(places), np.arange(len(X))[places]
    assert part.n == len(part.X) == len(part.Y) == len(numbers)
    assert part.search(W) == [whole.search(W)[i] for i in numbers]
    assert whole.n == len(X)
    assert part.problem is whole.problem
    assert Task(Sized(), X).part(places).Y is None
    assert pickle.loads(pickle.dumps(part)).search(W) == part.search(W)
    labels = [(0, 0, 0)] * part.n
    other = part.with_labels(labels)
    assert other.losses(labels).sum() == 0 < part.losses(labels).sum()
    assert other.X is part.X


class Sized:
    size_joint_feature = 9


def test_labels_are_imputed_and_evaluated_by_annotations():
    class Judged(LatentTopics):
        def evaluation_loss(self, y, y_hat):
            return 0.0 if y is None else 2.0

    X, w = topics_data(), np.ones(6)
    Y = [(0, None), *[None] * 5]
    problem = Judged()
    initialize(problem, X, Y)
    for task, annotations in ((problem.task(X, Y), Y), (problem.task(X), [None] * 6)):
        imputed = task.impute(w)
        pairs = zip(X, annotations, strict=True)
        assert imputed == [problem.impute(x, y, w) for x, y in pairs]
        assert not task.with_labels(imputed).losses(imputed).any()
    assert problem.task(X, Y).evaluation_losses(imputed).tolist() == [2.0, *[0.0] * 5]


def test_a_task_of_its_own_has_the_soft_oracle_of_its_problem():
    def search(task, w):
        pairs = zip(task.X, task.Y, strict=True)
        return [task.problem.separation_oracle(x, y, w) for x, y in pairs]

    kinds = with_task(Multilabel, search=search), Multilabel
    own, plain = (SmoothedLBFGS().solve(kind(), X[:6], Y[:6]) for kind in kinds)
    assert own.primal == pytest.approx(plain.primal, rel=1e-3)
