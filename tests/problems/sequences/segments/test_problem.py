"""Segments: all oracles against the enumeration of segmentations, containers, and bad data."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, StructuredSVM, check_problem
from structsvm.problems import Segments


def segmentations(length, longest, labels, start=0):
    """All segmentations, by recursion on the first segment."""
    if start == length:
        yield []
    for stop in range(start + 1, min(start + longest, length) + 1):
        for label in labels:
            for rest in segmentations(length, longest, labels, stop):
                yield [(start, stop, label), *rest]


def drawn(seed, n=5, convert=np.asarray):
    """A longest segment, matrices of candidates, and segmentations."""
    rng = np.random.default_rng(seed)
    longest, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    X, Y = [], []
    for length in rng.integers(1, 5, size=n):
        X.append(convert(np.maximum(rng.normal(size=(length * longest, 2)), -0.5)))
        every = list(segmentations(length, longest, "abc"[:k]))
        Y.append(every[rng.integers(len(every))])
    return longest, X, Y


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


@pytest.mark.sampled(29)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("seed", range(12))
def test_all_oracles_search_all_segmentations(seed, convert):
    longest, X, Y = drawn(seed, convert=convert)
    labels = sorted({label for y in Y for _, _, label in y})
    problem = Segments(longest)
    problem.initialize(X, Y)
    rng = np.random.default_rng(seed)
    w = rng.normal(size=problem.size_joint_feature) * rng.choice([0.1, 1.0, 30.0])
    for mu in (0.01, 0.3, 3.0):
        weights = rng.uniform(0, 2, len(X))
        soft, difference, loss = problem.task(X, Y).soft(w, mu, weights), 0.0, 0.0
        for i, (x, y) in enumerate(zip(X, Y, strict=True)):
            every = list(segmentations(x.shape[0] // longest, longest, labels))
            assert list(map(tuple, problem.outputs(x))) == list(map(tuple, every))
            rows = np.array(
                [dense(problem.joint_feature_difference(x, y, z)).ravel() for z in every]
            )
            losses = np.array([len({*y} - {*z}) + len({*z} - {*y}) for z in every])
            assert [problem.loss(y, z) for z in every] == losses.tolist()
            scores = losses - rows @ w
            value = mu * logsumexp(scores / mu)
            p = np.exp((scores - value) / mu)
            difference, loss = difference + weights[i] * p @ rows, loss + weights[i] * p @ losses
            assert soft.values[i] == pytest.approx(value, rel=1e-9, abs=1e-9)
            found = problem.separation_oracle(x, y, w)
            assert scores[every.index(found)] == pytest.approx(scores.max(), abs=1e-9)
            best = problem.decode(x, w)
            assert -(rows[every.index(best)] @ w) == pytest.approx((-rows @ w).max(), abs=1e-9)
        np.testing.assert_allclose(soft.joint_feature_difference, difference, atol=1e-7)
        assert soft.loss == pytest.approx(loss, abs=1e-7)


def test_a_joint_feature_is_the_sum_over_segments_and_neighbours():
    x, y = np.arange(8.0).reshape(8, 1), [(0, 2, "b"), (2, 3, "a"), (3, 4, "b")]
    problem = Segments(max_length=2)
    problem.initialize([x], [y])
    # Candidates are ordered by their end, then by their length: (0, 2) is row 3, and so on.
    features, pairs = np.split(problem.joint_feature(x, y), [2])
    np.testing.assert_array_equal(features, [4.0, 3.0 + 6.0])
    np.testing.assert_array_equal(pairs.reshape(2, 2), [[0, 1], [1, 0]])


@pytest.mark.slow
def test_the_checker_finds_no_fault():
    for seed in range(3):
        longest, X, Y = drawn(seed, n=7)
        report = check_problem(Segments(longest), X, Y)
        assert report.checks and not report.notes


def test_solvers_agree():
    X, Y = Segments.example_data()
    results = [
        solver(rtol=1e-5).solve(Segments(), X, Y, 10.0)
        for solver in (OneSlackCuttingPlane, SmoothedLBFGS)
    ]
    assert results[0].primal == pytest.approx(results[1].primal, rel=1e-4)
    assert all(result.verify(Segments(), X, Y).matches for result in results)


def test_the_examples_of_a_task_are_those_given():
    longest, X, Y = drawn(4, n=6)
    problem = Segments(longest)
    problem.initialize(X, Y)
    task = problem.task(X, Y)
    inputs, outputs = task.X, task.Y
    some = np.array([4, 0, 2])
    for container, given in ((inputs, X), (outputs, Y)):
        assert container.shape == (6,)
        for part, index in (
            (container, range(6)),
            (container[some], some),
            (container[2:], [2, 3]),
        ):
            for j, i in enumerate(index):
                np.testing.assert_array_equal(
                    np.array(part[j], dtype=object), np.array(given[i], dtype=object)
                )
    assert outputs[-1] == Y[-1]


def test_a_single_label_is_enough():
    X, Y = Segments.example_data()
    Y = [[(start, stop, "run") for start, stop, _ in y] for y in Y]
    svm = StructuredSVM(Segments()).fit(X, Y)
    assert svm.problem_.classes_.tolist() == ["run"] and svm.w_.shape == (3,)


GOOD = np.ones((6, 1))
BAD = {
    r"Y\[0\] must be a list of segments": lambda: ([GOOD], [["a", "b", "c"]]),
    r"Y\[1\] has the segment \(2, 3, 'a'\) where one from 1 on must begin": lambda: (
        [GOOD, GOOD],
        [[(0, 2, "a"), (2, 3, "a")], [(0, 1, "a"), (2, 3, "a")]],
    ),
    r"Y\[0\] has the segment \(1, 1, 'a'\)": lambda: ([GOOD], [[(0, 1, "a"), (1, 1, "a")]]),
    r"of 3 positions; raise max_length, which is 2": lambda: ([GOOD], [[(0, 3, "a")]]),
    r"the segments of Y\[0\] end at position 2 but X\[0\] has 3": lambda: ([GOOD], [[(0, 2, "a")]]),
    r"X\[0\] has 5 rows; expected a row for each of max_length=2": lambda: (
        [GOOD[:5]],
        [[(0, 2, "a")]],
    ),
    r"X\[0\] has no rows": lambda: ([GOOD[:0]], [[]]),
    r"X\[1\] has 2 columns but X\[0\] has 1": lambda: (
        [GOOD, np.ones((6, 2))],
        [[(0, 2, "a"), (2, 3, "a")]] * 2,
    ),
    "NaN": lambda: ([GOOD * np.nan], [[(0, 2, "a"), (2, 3, "a")]]),
    "needs the outputs Y": lambda: ([GOOD], None),
    "X has 1 examples but Y has 2": lambda: ([GOOD], [[(0, 2, "a"), (2, 3, "a")]] * 2),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_data_are_named(message):
    X, Y = BAD[message]()
    with pytest.raises(ValueError, match=message):
        Segments(max_length=2).initialize(X, Y)


def test_bad_parameters_and_unknown_labels_are_named():
    X, Y = Segments.example_data()
    with pytest.raises(ValueError, match="max_length must be an integer >= 1"):
        Segments(max_length=0).initialize(X, Y)
    svm = StructuredSVM(Segments()).fit(X, Y)
    with pytest.raises(ValueError, match="unknown label 'other'"):
        svm.score(X, [[(a, b, "other") for a, b, _ in y] for y in Y])
    with pytest.raises(ValueError, match=r"X\[0\] has shape \(.*, 1\); expected 2 columns"):
        svm.predict([x[:, :1] for x in X])


def test_class_weight_is_the_loss_of_segments():
    X, Y = Segments.example_data()
    problem = Segments(class_weight={"u": 3.0, "d": 0.5})
    problem.initialize(X, Y)
    assert problem.loss([(0, 2, "u"), (2, 3, "d")], [(0, 3, "u")]) == 3.0 + 0.5 + 3.0
    for kind in (None, "balanced"):
        assert StructuredSVM(Segments(class_weight=kind), C=10.0).fit(X, Y).result_.gap >= 0
    even = Segments(class_weight="balanced")
    even.initialize(X, Y)
    labels = [label for y in Y for _, _, label in y]
    sums = [
        labels.count(c) * loss for c, loss in zip(even.classes_, even.class_weight_, strict=True)
    ]
    assert sums[0] == pytest.approx(sums[1])
    with pytest.raises(
        ValueError, match="class_weight must be a dict, 'balanced' or None; got 'even'"
    ):
        Segments(class_weight="even").initialize(X, Y)
