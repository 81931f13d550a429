"""Assignment: its joint feature and outputs, unmatched items, scales, bad data."""

import numpy as np
import pytest
from cases.problems import csr, initialized, two_sets
from refusals import refused
from scipy import sparse

from structsvm import StructuredSVM
from structsvm.problems import Assignment, Bipartite
from structsvm.problems.matching.data import UNMATCHED


def score(x, y, w, unmatched):
    """<w, Psi>, written out."""
    pairs = x.pairs.toarray() if sparse.issparse(x.pairs) else x.pairs
    right = x.right.toarray() if sparse.issparse(x.right) else x.right
    pairs = pairs.reshape(len(x.left), len(right), -1)
    total = 0.0
    for i, j in enumerate(y):
        if j != UNMATCHED:
            ones = [1.0] if unmatched else []
            total += np.concatenate([pairs[i, j], x.left[i], right[j], ones]) @ w
    return total / len(y)


@pytest.mark.parametrize(
    "m, n, unmatched, number",
    [(3, 3, False, 6), (2, 4, False, 12), (4, 2, False, 12), (2, 2, True, 7), (3, 2, True, 13)],
)
def test_outputs_are_all_matchings_once(m, n, unmatched, number):
    x, y = np.zeros((m, n, 1)), np.r_[: min(m, n), [UNMATCHED] * (m - n)].astype(int)
    problem = initialized(Assignment(unmatched), [x], [y])
    outputs = {tuple(y.tolist()) for y in problem.outputs(x)}
    assert len(list(problem.outputs(x))) == len(outputs) == number
    for y in outputs:
        columns = [j for j in y if j != UNMATCHED]
        assert len(set(columns)) == len(columns)
        assert unmatched or len(columns) == min(m, n)


ITEMS = np.ones((3, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[:, :, 0], r"must be an array of shape \(m, n, d\), .* of shape \(3, 3\)"),
        (lambda x: sparse.csr_matrix(x[:, :, 0]), "an input must be .* got csr_matrix"),
        (lambda x: x * np.nan, "X contains NaN"),
        (lambda x: x[:, :, :1], r"has 1 features of a pair, but X\[0\] has 2"),
        (lambda x: x[:0], "both sets must have items; got 0 and 3"),
        (lambda x: Bipartite(x, [1, 2, 3], ITEMS), "left must be a matrix .*; got list"),
        (lambda x: Bipartite(x, ITEMS, ITEMS[:2]), "must have 3 and 3 rows, .*; got 3 and 2"),
        (
            lambda x: Bipartite(sparse.csr_matrix(x.reshape(9, 2)), ITEMS, ITEMS[:2]),
            "sparse features of pairs of 3 and 2 items must have 6 rows; got 9",
        ),
    ],
)
def test_bad_inputs_are_named(change, message):
    X = [np.ones((3, 3, 2)), change(np.ones((3, 3, 2)))]
    with pytest.raises(ValueError, match=rf"X\[1\].*{message}"):
        StructuredSVM(Assignment()).fit(X, [np.arange(3)] * 2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], r"must be an array of 3 integers, .* got shape \(2,\)"),
        ([0.0, 1.0, 2.0], "must be an array of 3 integers, .* float64"),
        ([0, 1, 4], "must hold columns from 0 to 3, or -1 for none; got 4"),
        ([0, 1, -2], "must hold columns from 0 to 3, or -1 for none; got -2"),
        ([1, 0, 1], "matches column 1 to 2 rows"),
        ([1, -1, 0], "leaves 1 of 3 rows without a partner, .*: with unmatched=True"),
    ],
)
def test_bad_matchings_are_named(y, message):
    X = [np.ones((3, 4, 2)), np.eye(3, 4)[:, :, None] * np.ones(2)]
    svm = StructuredSVM(Assignment()).fit(X, [np.arange(3)] * 2)
    for call in (svm.score, StructuredSVM(Assignment()).fit):
        with pytest.raises(ValueError, match=rf"y\[1\] {message}"):
            call(X, [np.arange(3), np.array(y)])


def test_other_features_in_prediction_are_named():
    svm = StructuredSVM(Assignment()).fit([np.eye(2)[:, :, None] * np.ones(3)], [np.arange(2)])
    with pytest.raises(ValueError, match=r"X\[0\] has 2 features of a pair; expected 3"):
        svm.predict([np.ones((2, 2, 2))])
    with pytest.raises(ValueError, match="unmatched must be True or False"):
        StructuredSVM(Assignment("yes")).fit([np.ones((2, 2, 3))], [np.arange(2)])


@pytest.mark.parametrize("convert", [np.asarray, csr])
@pytest.mark.parametrize("unmatched", [False, True])
def test_the_joint_feature_is_the_mean_over_rows(unmatched, convert):
    X, Y = two_sets(0, convert, unmatched, items=True)
    X = [x._replace(right=convert(x.right)) for x in X]
    problem = initialized(Assignment(unmatched), X, Y)
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    for x, y in zip(X, Y, strict=True):
        found = problem.joint_feature(x, y) @ w
        assert float(np.squeeze(found)) == pytest.approx(score(x, y, w, unmatched))
        assert problem.loss(y, y[::-1]) == np.mean(y != y[::-1])


@pytest.mark.parametrize("convert", [np.asarray, csr])
@pytest.mark.parametrize("unmatched", [False, True])
def test_scales_are_a_change_of_coordinates(unmatched, convert):
    X, Y = two_sets(0, convert, unmatched, items=True)
    X = [x._replace(right=convert(x.right)) for x in X]
    scale = np.arange(1.0, 7.0 + unmatched)
    plain, scaled = Assignment(unmatched), Assignment(unmatched, scale)
    for problem in (plain, scaled):
        problem.initialize(X, Y)
    w = np.random.default_rng(0).normal(size=len(scale))
    weights = scaled.weights(w)
    np.testing.assert_allclose(scaled.w_of(weights), w)
    for x, y in zip(X, Y, strict=True):
        assert scaled.joint_feature(x, y) @ w == pytest.approx(plain.joint_feature(x, y) @ weights)
        assert np.array_equal(scaled.decode(x, w), plain.decode(x, weights))
        y_hat = scaled.separation_oracle(x, y, w)
        assert np.array_equal(y_hat, plain.separation_oracle(x, y, weights))


@pytest.mark.parametrize("unmatched", [False, True])
def test_weights_of_sums_are_hardly_penalised(unmatched):
    X, Y = two_sets(0, unmatched=unmatched, items=True)  # three features of pairs, and of items
    scale = np.arange(1.0, 7.0 + unmatched)
    problem = initialized(Assignment(unmatched, scale), X, Y)
    sums = [1 / np.array([1, 2, 3, *[np.inf] * 4])]
    sums += [np.eye(7)[6]] * unmatched
    for weights in sums:
        weights = np.array(weights, dtype=float)[: len(scale)]
        size = np.linalg.norm(weights * scale)
        assert np.linalg.norm(problem.w_of(weights)) < 0.2 * size
    alone = np.eye(len(scale))[3]  # of an item
    assert np.linalg.norm(problem.w_of(alone)) == pytest.approx(scale[3])


test_an_unusable_scale = refused(
    lambda scale: Assignment(scale=scale).initialize(*two_sets(0, items=True)),
    *((scale, "scale") for scale in (np.ones(5), np.arange(6.0), np.array([1.0] * 5 + [np.nan]))),
)
