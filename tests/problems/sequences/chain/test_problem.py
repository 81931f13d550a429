"""Chain: soft sums against enumeration, labels of any kind, bad data."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, Status, StructuredSVM
from structsvm.datasets import load_file
from structsvm.problems import Chain


def drawn(seed=0, n=12, d=3, k=3, names=None):
    rng = np.random.default_rng(seed)
    Y = [np.cumsum(rng.integers(2, size=length)) % k for length in rng.integers(1, 6, size=n)]
    X = [np.eye(k, d)[y] + 0.5 * rng.normal(size=(len(y), d)) for y in Y]
    return X, Y if names is None else [np.array(names)[y] for y in Y]


# ---------------------------------------------------------------------- the problem


@pytest.mark.sampled(3)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, lambda x: x.astype(np.float32)])
def test_soft_sums_are_those_of_all_labellings(convert):
    X, Y = drawn(n=4)
    problem = Chain()
    X = [convert(x) for x in X]
    problem.initialize(X, Y)
    w = np.random.default_rng(1).normal(size=problem.size_joint_feature)
    for mu in (0.05, 1.0):
        weights = np.random.default_rng(2).uniform(0, 2, len(X))
        found = problem.task(X, Y).soft(w, mu, weights)
        difference, loss = 0.0, 0.0
        for i, (x, y) in enumerate(zip(X, Y, strict=True)):
            outputs = list(problem.outputs(x))
            rows = [problem.joint_feature_difference(x, y, z) for z in outputs]
            rows = sparse.vstack(rows).toarray() if sparse.issparse(x) else np.array(rows)
            losses = np.array([problem.loss(y, z) for z in outputs])
            value = mu * logsumexp((losses - rows @ w) / mu)
            p = np.exp((losses - rows @ w - value) / mu)
            difference, loss = difference + weights[i] * p @ rows, loss + weights[i] * p @ losses
            assert found.values[i] == pytest.approx(value, rel=1e-5)
        np.testing.assert_allclose(found.joint_feature_difference, difference, atol=1e-4)
        assert found.loss == pytest.approx(loss, rel=1e-4)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "names", [["ü", "b", "a long one"], [-7, 3, 1000], [False, True, True], [0.5, 1.5, 2.0]]
)
def test_labels_of_any_kind_come_back(names):
    X, Y = drawn(names=names)
    svm = StructuredSVM(Chain(), C=100.0).fit(X, Y)
    predicted = svm.predict(X)
    assert len(predicted) == len(X)
    assert {label for y in predicted for label in y.tolist()} <= {
        label for y in Y for label in y.tolist()
    }
    errors = np.mean(np.concatenate(Y) != np.concatenate(list(predicted)))
    assert errors < 0.2
    assert svm.score(X, Y) == pytest.approx(
        1 - np.mean([np.sum(a != b) for a, b in zip(Y, predicted, strict=True)])
    )


def test_lists_and_arrays_of_labels_are_the_same():
    X, Y = drawn(names=["a", "b", "c"])
    one, other = (
        OneSlackCuttingPlane().solve(Chain(), X, y, 10.0) for y in (Y, [y.tolist() for y in Y])
    )
    assert np.array_equal(one.w, other.w)


def test_single_precision_stays_single():
    X, Y = drawn()
    problem = Chain()
    problem.initialize(X, Y)
    assert problem.task([x.astype(np.float32) for x in X], Y).X.rows.dtype == np.float32
    assert problem.task([x.astype(int) for x in X], Y).X.rows.dtype == np.float64
    mixed = [x.astype(np.float32) if i else x for i, x in enumerate(X)]
    assert problem.task(mixed, Y).X.rows.dtype == np.float64


def test_half_precision_is_computed_in_single():
    X, Y = drawn()
    X = [np.round(x) for x in X]
    single, half = (
        SmoothedLBFGS().solve(Chain(), [x.astype(dtype) for x in X], Y, 100.0)
        for dtype in (np.float32, np.float16)
    )
    assert half.status is Status.CONVERGED
    assert np.array_equal(half.w, single.w) and half.rounding == single.rounding
    assert half.verify(Chain(), [x.astype(np.float16) for x in X], Y).matches


def test_a_set_of_sequences_of_one_position_is_multiclass():
    from structsvm.problems import Multiclass

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.integers(3, size=30)
    flat = OneSlackCuttingPlane(rtol=1e-7).solve(Multiclass(), X, y, 5.0)
    chain = OneSlackCuttingPlane(rtol=1e-7).solve(Chain(), list(X[:, None]), list(y[:, None]), 5.0)
    assert chain.primal == pytest.approx(flat.primal, rel=1e-6)
    assert not chain.w[-9:].any()


def swapped(examples, i, example):
    return [*examples[:i], example, *examples[i + 1 :]]


BAD = {
    "X has 12 examples but y has 11": lambda X, Y: (X, Y[:-1]),
    r".\[0\] must hold a label for each of the 5 rows of X\[0\]; got shape \(4,\)": lambda X, Y: (
        X,
        swapped(Y, 0, Y[0][:-1]),
    ),
    r"y\[0\] is the string 'aaaaa'; expected a list": lambda X, Y: (
        X,
        ["a" * len(y) for y in Y],
    ),
    r"X\[3\] has 2 columns but X\[0\] has 3": lambda X, Y: (swapped(X, 3, X[3][:, :2]), Y),
    r"X\[3\] has no rows": lambda X, Y: (swapped(X, 3, X[3][:0]), Y),
    r"X\[3\], one sequence: X contains NaN": lambda X, Y: (swapped(X, 3, X[3] * np.nan), Y),
    r"X\[0\], one sequence: X must be a numpy array": lambda X, Y: ([x.tolist() for x in X], Y),
    r"X\[0\], one sequence: X must be 2-d": lambda X, Y: ([x[0] for x in X], Y),
    "y must hold labels of one kind": lambda X, Y: (X, swapped(Y, 0, ["a"] * 5)),
    r"y\[0\] must hold labels of one kind": lambda X, Y: (X, swapped(Y, 0, ["a", 1, 1, 1, 1])),
    "one class only": lambda X, Y: (X, [0 * y for y in Y]),
    r"y\[0\]\[0\] is NaN; every row needs a label": lambda X, Y: (X, [y * np.nan for y in Y]),
    "Chain needs the outputs Y": lambda X, Y: (X, None),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_data_are_named(message):
    X, Y = BAD[message](*drawn())
    with pytest.raises(ValueError, match=message):
        Chain().initialize(X, Y) if Y is None else StructuredSVM(Chain()).fit(X, Y)


def test_prediction_on_other_columns_and_unknown_labels_are_named():
    X, Y = drawn()
    svm = StructuredSVM(Chain()).fit(X, Y)
    with pytest.raises(ValueError, match=r"X\[0\] has shape \(., 2\); expected 3 columns"):
        svm.predict([x[:, :2] for x in X])
    with pytest.raises(ValueError, match="unknown label 10; the classes are"):
        svm.score(X, [y + 9 for y in Y])


def test_labels_of_another_length_are_named_wherever_labels_are_given():
    X, Y = drawn()
    shifted = [np.append(y, y[-1]) for y in Y]
    svm = StructuredSVM(Chain(), early_stopping=True).fit(X, Y, X_val=X, y_val=Y)
    message = r"[Yy]\[0\] must hold a label for each of the 5 rows of X\[0\]; got shape \(6,\)"
    with pytest.raises(ValueError, match=message):
        svm.score(X, shifted)
    with pytest.raises(ValueError, match=message):
        svm.fit(X, Y, X_val=X, y_val=shifted)
    with pytest.raises(ValueError, match=message):
        svm.problem_.task(X, shifted)


@pytest.mark.slow
def test_the_letters_of_handwritten_words():
    try:
        data = load_file("ocr_letters")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    pixels, letters = (
        np.unpackbits(data["X"], axis=1).astype(np.float32),
        data["classes"][data["y"]],
    )

    def fold(chosen):
        kept = data["fold"] == chosen
        cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
        return np.split(pixels[kept], cuts), np.split(letters[kept], cuts)

    X, Y = fold(1)
    result = SmoothedLBFGS().solve(Chain(), X, Y, C=0.1 * len(X))
    assert result.status.name == "CONVERGED"
    assert result.dual <= 246.203 and result.primal >= 246.173  # Where the optimum is known to be.
    assert result.gap <= 1e-3 * result.primal
    assert result.verify(Chain(), X, Y).matches
    problem = Chain()
    problem.initialize(X, Y)
    predicted = problem.task(fold(0)[0]).decode(result.w)
    assert np.mean(np.concatenate(list(predicted)) != np.concatenate(fold(0)[1])) < 0.25


def test_the_curvature_of_certain_transitions_is_not_negative_by_rounding():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(length, 1)).astype("f4") for length in rng.integers(5, 60, size=300)]
    Y = [np.zeros(len(x)) for x in X]
    Y[0][0] = 1
    problem = Chain()
    problem.initialize(X, Y)
    task = problem.task(X, Y)
    for scale in np.arange(1.0, 40.0):
        w = np.array([0.1, -0.1, scale, 0.0, 0.0, 0.0])  # 0 after 0, all but certainly
        for weights in (np.ones(300), rng.uniform(size=300)):
            assert task.curvature(w, 0.1, weights).min() >= 0
