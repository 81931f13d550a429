"""Block: single and batch forms, counting, timing, and errors that name the example."""

import re
import time

import numpy as np
import pytest
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, SmoothedLBFGS
from structsvm.objective.surrogate import Surrogate
from structsvm.oracle import slices
from structsvm.oracle.block import Block
from structsvm.oracle.setup import initialize
from structsvm.problems import Multiclass

X, Y = multilabel_data(n=700)
W = np.random.default_rng(0).normal(size=9)


def bind(problem, X=X, Y=Y, **options):
    initialize(problem, X, Y)
    return Block(problem, X, Y, np.arange(len(X)), **options)


class Batched(Multilabel):
    """Batch forms by looping, counted."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.used = []

    def batch_separation_oracle(self, X, Y, w):
        self.used.append("batch_separation_oracle")
        return [self.separation_oracle(x, y, w) for x, y in zip(X, Y, strict=True)]

    def batch_slack_oracle(self, X, Y, w):
        self.used.append("batch_slack_oracle")
        return [self.slack_oracle(x, y, w) for x, y in zip(X, Y, strict=True)]

    def batch_decode(self, X, w):
        self.used.append("batch_decode")
        return [self.decode(x, w) for x in X]

    def batch_loss(self, Y, Y_hat):
        self.used.append("batch_loss")
        return np.array([self.loss(y, z) for y, z in zip(Y, Y_hat, strict=True)])

    def batch_joint_feature_difference(self, X, Y, Y_hat):
        self.used.append("batch_joint_feature_difference")
        triples = zip(X, Y, Y_hat, strict=True)
        return np.array([self.joint_feature_difference(*triple) for triple in triples])

    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        self.used.append("sum_joint_feature_difference")
        triples = zip(X, Y, Y_hat, strict=True)
        rows = [self.joint_feature_difference(*triple) for triple in triples]
        return weights @ np.array(rows)


def test_batch_forms_are_used_and_agree_with_single_ones(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_NUMBERS", 512 * 9)
    single, batch = bind(Multilabel()), bind(Batched())
    slack = bind(Batched(), surrogate=Surrogate("slack"))
    outputs = single.separate(W)
    assert batch.separate(W) == outputs
    assert (
        slack.separate(W) == bind(Multilabel(), surrogate=Surrogate("slack")).separate(W) != outputs
    )
    assert batch.decode(W) == single.decode(W)
    np.testing.assert_array_equal(batch.losses(outputs), single.losses(outputs))
    weights = np.random.default_rng(0).random(len(X))
    by_sum = batch.sum_difference(outputs, weights)
    np.testing.assert_allclose(by_sum, single.sum_difference(outputs, weights))
    rows = []
    for ours, theirs in zip(batch.differences(outputs), single.differences(outputs), strict=True):
        assert ours[0] == theirs[0]
        np.testing.assert_array_equal(ours[1], theirs[1])
        rows.append(ours[1])
    assert len(rows) == 2, "700 examples are two slices"
    np.testing.assert_allclose(weights @ np.concatenate(rows), by_sum)
    assert slack.problem.used == ["batch_slack_oracle"]
    assert batch.problem.used == [
        "batch_separation_oracle", "batch_decode", "batch_loss", "sum_joint_feature_difference",
        "batch_joint_feature_difference", "batch_joint_feature_difference",
    ]  # fmt: skip


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_a_run_with_batch_forms_is_the_same(solver):
    few = slice(0, 30)
    single = solver(rtol=1e-6).solve(Multilabel(), X[few], Y[few], 10.0)
    batch = solver(rtol=1e-6).solve(Batched(), X[few], Y[few], 10.0)
    np.testing.assert_allclose(batch.w, single.w, atol=1e-9)
    assert batch.iterations == single.iterations


def test_each_example_may_have_its_own_weights():
    block, weights = bind(Batched()), np.random.default_rng(1).normal(size=(len(X), 9))
    found, decoded = block.separate(weights), block.decode(weights)
    for i in (0, 1, 699):
        assert found[i] == block.problem.separation_oracle(X[i], Y[i], weights[i])
        assert decoded[i] == block.problem.decode(X[i], weights[i])
    assert not block.problem.used, "batch forms take one w"
    with pytest.raises(ValueError, match="zip"):
        block.separate(weights[:-1])


def test_a_search_that_is_named_is_blamed_for_its_outputs():
    with pytest.raises(ProblemError, match=r"joint_feature.* example 2.*batch_decode returned"):
        next(bind(Multilabel()).differences([(0, 1, 0)] * 2 + ["lost"] * 698, "batch_decode"))


def test_examples_of_weight_zero_are_left_out():
    class Partial(Multilabel):
        def joint_feature(self, x, y):
            if x is data[2]:
                raise AssertionError("weight 0")
            return super().joint_feature(x, y)

    data = list(X[:5])
    bound = bind(Partial(), data, Y[:5])
    weights = np.array([1.0, 1, 0, 1, 1])
    outputs = [(0, 0, 0)] * 5
    expected = bind(Multilabel(), data, Y[:5]).sum_difference(outputs, weights)
    np.testing.assert_allclose(bound.sum_difference(outputs, weights), expected)


def test_calls_are_counted_and_timed():
    class Slow(Multilabel):
        def separation_oracle(self, x, y, w):
            time.sleep(0.01)
            return y

        def joint_feature(self, x, y):
            time.sleep(0.002)
            return super().joint_feature(x, y)

    bound = bind(Slow(), X[:4], Y[:4])
    assert bound.tally.calls == 0
    outputs = bound.separate(W)
    assert bound.tally.calls == 4
    assert 0.04 <= bound.tally.seconds["oracle"] < 5
    bound.sum_difference(outputs, np.ones(4))
    assert bound.tally.calls == 4
    assert 0.016 <= bound.tally.seconds["joint_feature"] < 5


@pytest.mark.parametrize("examples", [[2, 4], [2, 4, 4]])
@pytest.mark.parametrize("convert", [list, np.asarray])
def test_a_subset_names_examples_by_their_number_among_all(examples, convert):
    class Broken(Multilabel):
        def loss(self, y, y_hat):
            return -1.0 if y is Y[2] else super().loss(y, y_hat)

    part = bind(Broken(), convert(X[:5]), Y[:5]).subset(np.array(examples))
    assert part.n == len(examples)
    np.testing.assert_array_equal(part.X[0], X[2])
    with pytest.raises(ProblemError, match=r"^loss must be >= 0; it is -1.0 for example 2$"):
        part.losses([(0, 0, 0)] * part.n)


# ---------------------------------------------------------------------- what batch forms return


def fail(answer):
    raise ArithmeticError("out of luck")


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("batch_separation_oracle", lambda a: a[:-1], "must return 6 outputs; it returned 5"),
        ("batch_separation_oracle", lambda a: None, "must return 6 outputs; it returned None"),
        ("batch_separation_oracle", lambda a: 3, "must return 6 outputs; it returned"),
        ("batch_separation_oracle", iter, "must return 6 outputs; it returned"),
        ("batch_separation_oracle", fail, "raised ArithmeticError: out of luck"),
        ("batch_loss", lambda a: a[:-1], r"shape \(6,\); got shape \(5,\)"),
        ("batch_loss", lambda a: np.where(np.arange(6) == 3, np.nan, a), "NaN.* example 3"),
        ("batch_loss", lambda a: np.where(np.arange(6) == 3, -2, a), "loss.*-2.* example 3"),
        ("batch_loss", lambda a: None, "returned None"),
        ("batch_loss", fail, "raised ArithmeticError: out of luck"),
    ],
)
@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_what_batch_forms_return_is_checked(solver, method, answer, message):
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2]

    def wrong(self, *arguments):
        return answer(getattr(Multiclass, method)(self, *arguments))

    problem = type("Wrong", (Multiclass,), {method: wrong})()
    with pytest.raises(ProblemError, match=message) as caught:
        solver().solve(problem, data, labels)
    assert method in str(caught.value) or "loss must be >= 0" in str(caught.value)


@pytest.mark.parametrize(
    ("solver", "method"),
    [
        (OneSlackCuttingPlane, "sum_joint_feature_difference"),
        (NSlackCuttingPlane, "batch_joint_feature_difference"),
    ],
)
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda a: a[..., :-1], r"got shape \((6, )?5,?\)"),
        (lambda a: a * np.nan, "NaN or infinity"),
        (fail, "raised ArithmeticError: out of luck"),
    ],
)
def test_what_batch_joint_features_return_is_checked(solver, method, answer, message):
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2]

    def wrong(self, *arguments):
        return answer(getattr(Multiclass, method)(self, *arguments))

    problem = type("Wrong", (Multiclass,), {method: wrong})()
    with pytest.raises(ProblemError, match=f"{method}.*{message}"):
        solver().solve(problem, data, labels)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda soft: soft._replace(values=soft.values[1:]), r"must return shape \(60,\)"),
        (lambda soft: soft._replace(values=np.r_[np.nan, soft.values[1:]]), "NaN.* example 0"),
        (lambda soft: soft._replace(loss=None), "returned None"),
        (lambda soft: soft._replace(slacks=soft.slacks[:5]), "must return shape"),
        (lambda soft: soft.values, "sum_soft_oracle"),
    ],
)
def test_what_a_soft_oracle_returns_is_checked(broken, message):
    class Broken(Multiclass):
        def sum_soft_oracle(self, X, Y, w, mu, weights):
            return broken(super().sum_soft_oracle(X, Y, w, mu, weights))

    rng = np.random.default_rng(0)
    with pytest.raises(ProblemError, match=message):
        SmoothedLBFGS().solve(Broken(), rng.normal(size=(60, 2)), rng.integers(3, size=60))


@pytest.mark.parametrize("mixed", [False, True])
def test_sparse_rows_stay_sparse(mixed):
    class Sparse(Multilabel):
        def joint_feature_difference(self, x, y, y_hat):
            row = super().joint_feature_difference(x, y, y_hat)
            return row if mixed and y[0] else sparse.csr_matrix(row)

    dense, rows = bind(Multilabel(), X[:30], Y[:30]), bind(Sparse(), X[:30], Y[:30])
    outputs, weights = dense.separate(W), np.arange(30.0)
    np.testing.assert_allclose(
        rows.sum_difference(outputs, weights), dense.sum_difference(outputs, weights), rtol=1e-12
    )
    ((_, ours),), ((_, theirs),) = rows.differences(outputs), dense.differences(outputs)
    assert sparse.issparse(ours) != mixed
    np.testing.assert_array_equal(ours if mixed else ours.toarray(), theirs)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda X, Y: X, r"prepare must return a pair \(X, Y\); it returned"),
        (lambda X, Y: None, r"prepare must return a pair \(X, Y\); it returned None"),
        (lambda X, Y: (X[1:], Y), "prepare must return the 30 examples .* its X has 29"),
        (lambda X, Y: (X, Y[:-2]), "prepare must return the 30 examples .* its Y has 28"),
        (lambda X, Y: (iter(X), Y), "prepare's X is an iterator .*; pass list"),
    ],
)
def test_a_prepare_that_does_not_return_the_examples_is_named(prepare, message):
    X, Y = multilabel_data(n=30)
    problem = type("Prepared", (Multilabel,), {"prepare": lambda self, X, Y: prepare(X, Y)})()
    problem.block_size = 30
    with pytest.raises(ValueError, match=message):
        OneSlackCuttingPlane().solve(problem, X, Y)


MUST_ACCEPT = ", which every method of one example must accept"


@pytest.mark.parametrize(
    ("prepare", "made"),
    [
        (lambda X, Y: ([{"row": x} for x in X], Y), "X[i]"),
        (lambda X, Y: (X, [str(y) for y in Y]), "Y[i]"),
        (lambda X, Y: ([[x] for x in X], [[y] for y in Y]), "X[i] and Y[i]"),
    ],
)
def test_a_prepare_that_makes_no_inputs_is_named(prepare, made):
    problem = type("Prepared", (Multilabel,), {"prepare": lambda self, X, Y: prepare(X, Y)})()
    message = re.escape(f"prepare made {made}{MUST_ACCEPT}")
    with pytest.raises(ProblemError, match=rf"oracle raised \w+ for example 0: .*{message}"):
        OneSlackCuttingPlane().solve(problem, X, Y)


def test_a_prepare_is_named_where_decoding_fails():
    class Prepared(Multilabel):
        def prepare(self, X, Y):
            return [str(x) for x in X], Y

    with pytest.raises(ProblemError, match=rf"decode raised .*prepare made X\[i\]{MUST_ACCEPT}"):
        bind(Prepared()).decode(W)


def test_a_prepare_that_keeps_the_form_of_inputs_is_not_named():
    def fail(self, x, y, w):
        raise LookupError("lost")

    methods = {"prepare": lambda self, X, Y: (list(X), Y), "separation_oracle": fail}
    problem = type("Prepared", (Multilabel,), methods)()
    with pytest.raises(ProblemError, match=r"lost$"):
        OneSlackCuttingPlane().solve(problem, X, Y)
