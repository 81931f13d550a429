"""Examples: their division into blocks, what each block is given, and what is counted."""

from itertools import chain

import numpy as np
import pytest
from engine_parts import examples_of
from joblib import parallel_config
from scipy import sparse
from toy_problems import Multilabel, Tasked, multilabel_data

from structsvm import OneSlackCuttingPlane, ProblemError, StructuredSVM
from structsvm.oracle import examples
from structsvm.oracle.cuts import one_slack_cut
from structsvm.problems import Chain, Multiclass, MulticlassSVM

X, Y = multilabel_data(n=100)
W = np.random.default_rng(0).normal(size=9)


def divided(problem, X, Y, size):
    problem.block_size = size
    return examples_of(problem, X, Y)


def initialized(problem, X, Y):
    problem.initialize(X, Y)
    return problem


def sizes(bound):
    return [*chain.from_iterable(bound.map(sizes_of_blocks, None))]


def sizes_of_blocks(task):
    """The sizes of the blocks of a task: several where examples are asked one by one."""
    assert task.ends[-1] == task.n == len(task.Y)
    return np.diff(task.ends, prepend=0).tolist()


def indices(block, add, numbers):
    np.testing.assert_array_equal(block.index, numbers)
    return block.index + add


# ---------------------------------------------------------------------- the division


@pytest.mark.parametrize("kind", [Tasked, Multilabel])
@pytest.mark.parametrize(
    ("n", "size", "expected"), [(100, 30, [33, 33, 34]), (100, 1000, [100]), (3, 1, [1, 1, 1])]
)
def test_blocks_are_as_even_as_can_be(kind, n, size, expected):
    assert sizes(divided(kind(), X[:n], Y[:n], size)) == expected


@pytest.mark.parametrize(
    ("n", "count"), [(5, 5), (100, 32), (3200, 32), (3300, 33), (10**5, 1000), (2 * 10**5, 1024)]
)
def test_an_expensive_oracle_has_32_blocks_and_more_of_100_examples(n, count):
    found = examples._block_ends(initialized(Multilabel(), X, Y), n, None)
    assert len(found) == count and found[-1] == n


@pytest.mark.parametrize(("n", "count"), [(100, 32), (256, 32), (800, 100), (10_000, 1024)])
def test_a_block_size_may_make_more_blocks_of_fewer_examples(n, count):
    found = examples._block_ends(initialized(Multilabel(), X, Y), n, 1)
    assert len(found) == count


def test_sums_of_all_blocks_fit_into_memory():
    problem = initialized(Multilabel(), X, Y)
    problem.size_joint_feature = 10**6
    assert len(examples._block_ends(problem, 10**5, None)) == examples.ENTRIES // 10**6
    problem.size_joint_feature = 10**8
    assert len(examples._block_ends(problem, 10**5, None)) == 32


class Cheap(Multilabel):
    oracle_cost = "cheap"


@pytest.mark.parametrize(
    ("n", "expected"), [(799, [799]), (900, [450, 450]), (1600, [400] * 4), (16000, [500] * 32)]
)
def test_cheap_oracles_that_take_one_example_at_a_time_have_larger_blocks(n, expected):
    data = np.zeros((n, 2)), [(0, 1, 0)] * n
    assert sizes(examples_of(Cheap(), *data)) == expected


def test_blocks_of_arrays_have_work_enough(monkeypatch):
    data = np.zeros((1000, 8)), np.arange(1000) % 4  # 32 multiplications an example
    assert sizes(examples_of(Multiclass(), *data)) == [1000]
    monkeypatch.setattr(examples, "LEAST_WORK", 32 * 100)
    assert sizes(examples_of(Multiclass(), *data)) == [100] * 10
    monkeypatch.setattr(examples, "LEAST_WORK", 1)
    monkeypatch.setattr(examples, "WORK_PER_WEIGHT", 1)
    assert len(sizes(examples_of(Multiclass(), *data))) == 125
    monkeypatch.setattr(examples, "MORE", 25)
    assert sizes(examples_of(Multiclass(), *data)) == [25] * 40
    monkeypatch.setattr(examples, "MOST_BLOCKS", 35)
    assert len(sizes(examples_of(Multiclass(), *data))) == 35


def test_blocks_are_no_smaller_than_the_sums_over_them(monkeypatch):
    monkeypatch.setattr(examples, "LEAST_WORK", 1)
    Y = np.arange(1000) % 4
    dense, text = np.ones((1000, 640)), sparse.random(1000, 640, 0.01, "csr", random_state=0)
    assert len(sizes(examples_of(Multiclass(), dense, Y))) == 1000 * 2560 // (64 * 2560)
    assert sizes(examples_of(Multiclass(), text, Y)) == [1000]
    sentences = [text[i : i + 4] for i in range(0, 1000, 4)]
    assert sizes(examples_of(Chain(), sentences, Y.reshape(-1, 4).tolist())) == [250]


@pytest.mark.parametrize("rows", [[99], [3, 24, 25, 80], [3, 3, 26, 26], range(100)])
def test_a_subset_is_in_the_blocks_of_the_whole(rows):
    rows = np.array(rows)
    bound = divided(Tasked(), X, Y, 25)
    part = bound.subset(rows)
    assert part.n == len(rows)
    found = [*part.map(indices, None, 0, divided=(rows,))]
    np.testing.assert_array_equal(np.concatenate([*found]), rows)
    assert [len(np.unique(places // 25)) for places in found] == [1] * len(np.unique(rows // 25))
    np.testing.assert_array_equal(np.concatenate([*part.map(own_labels, None)]), np.array(Y)[rows])
    labels = [tuple(1 - bit for bit in y) for y in Y]
    other = [*part.map(own_labels, [labels[i] for i in rows])]
    np.testing.assert_array_equal(np.concatenate(other), np.array(labels)[rows])
    again = part.subset(np.array([len(rows) - 1]))
    np.testing.assert_array_equal(again.index, rows[-1:])
    np.testing.assert_array_equal(next(again.map(own_labels, None))[0], Y[rows[-1]])


def own_labels(block):
    return block.Y


def test_errors_name_the_number_among_all_examples():
    class Broken(Tasked):
        def loss(self, y, y_hat):
            return -1.0 if y is Y[62] else super().loss(y, y_hat)

    bound = divided(Broken(), X, Y, 10)
    for part in (bound, bound.subset(np.array([3, 60, 62]))):
        with pytest.raises(ProblemError, match=r"^loss must be >= 0; it is -1.0 for example 62$"):
            part.evaluation_losses([(0, 0, 0)] * part.n)


def test_calls_of_blocks_and_subsets_are_counted_together():
    bound = divided(Tasked(), X, Y, 25)
    one_slack_cut(bound, None, W)
    assert bound.tally.calls == 100 and bound.tally.seconds["oracle"] > 0
    one_slack_cut(bound.subset(np.array([1, 2, 99])), None, W)
    assert bound.tally.calls == 103
    bound.evaluation_losses(Y)
    assert bound.tally.calls == 103


# ---------------------------------------------------------------------- several jobs


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize(("n_jobs", "warns"), [(2, True), (None, False), (1, False)])
def test_jobs_that_have_no_effect_are_warned_of_once(n_jobs, warns, recwarn):
    svm = StructuredSVM(Tasked(), n_jobs=n_jobs, solver=OneSlackCuttingPlane(max_iter=2))
    svm.fit(X, Y).score(X, Y)
    messages = [str(w.message) for w in recwarn if "jobs" in str(w.message)]
    assert len(messages) == warns
    assert all("2 jobs have no effect: Tasked has a task or" in message for message in messages)
    assert all("set the attribute block_size of Tasked" in message for message in messages)
    with parallel_config(n_jobs=2), pytest.warns(UserWarning, match="2 jobs have no effect"):
        OneSlackCuttingPlane(max_iter=2).solve(Tasked(), X, Y)


def test_users_of_estimators_are_not_told_of_block_size():
    with pytest.warns(UserWarning, match=r"one block\. Leave n_jobs out: one job is as fast$"):
        MulticlassSVM(n_jobs=2).fit(*Multiclass.example_data())
