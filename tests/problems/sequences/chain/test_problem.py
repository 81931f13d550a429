"""Chain: the precision of its rows, its relation to classes, its curvature, and bad data."""

import numpy as np
import pytest
from cases.problems import initialized, sequences
from refusals import refused

from structsvm import StructuredSVM
from structsvm.problems import Chain


def test_single_precision_stays_single_unless_there_is_a_row_of_another():
    X, Y = sequences(0)
    problem = initialized(Chain(), X, Y)
    assert problem.task([x.astype(np.float32) for x in X], Y).X.rows.dtype == np.float32
    assert problem.task([x.astype(int) for x in X], Y).X.rows.dtype == np.float64
    mixed = [x.astype(np.float32) if i else x for i, x in enumerate(X)]
    assert problem.task(mixed, Y).X.rows.dtype == np.float64


def test_the_curvature_of_certain_transitions_is_not_negative_by_rounding():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(length, 1)).astype("f4") for length in rng.integers(5, 60, size=300)]
    Y = [np.zeros(len(x)) for x in X]
    Y[0][0] = 1
    problem = initialized(Chain(), X, Y)
    task = problem.task(X, Y)
    for scale in np.arange(1.0, 40.0):
        w = np.array([0.1, -0.1, scale, 0.0, 0.0, 0.0])  # 0 after 0, all but certainly
        for weights in (np.ones(300), rng.uniform(size=300)):
            assert task.curvature(w, 0.1, weights).min() >= 0


def swapped(examples, i, example):
    return [*examples[:i], example, *examples[i + 1 :]]


X, Y = sequences(0)


test_bad_data_are_named = refused(
    lambda X, Y: StructuredSVM(Chain()).fit(X, Y),
    (X, swapped(Y, 0, Y[0][:-1]), r"y\[0\] must hold a label for each of the 3 .* shape \(2,\)"),
    (X, ["a" * len(y) for y in Y], r"y\[0\] is the string 'aaa'; expected a list"),
    (swapped(X, 3, X[3][:, :2]), Y, r"X\[3\] has 2 columns but X\[0\] has 3"),
    (swapped(X, 3, X[3][:0]), Y, r"X\[3\] has no rows"),
    (swapped(X, 3, X[3] * np.nan), Y, r"X\[3\], one sequence: X contains NaN"),
    ([x.tolist() for x in X], Y, r"X\[0\], one sequence: X must be a numpy array"),
    ([x[0] for x in X], Y, r"X\[0\], one sequence: X must be 2-d"),
    (X, swapped(Y, 0, ["a"] * 3), "y must hold labels of one kind"),
    (X, swapped(Y, 0, ["a", 1, 1]), r"y\[0\] must hold labels of one kind"),
    (X, [y * np.nan for y in Y], r"y\[0\]\[0\] is NaN; every row needs a label"),
)


def test_what_does_not_fit_the_training_data_is_named():
    svm = StructuredSVM(Chain()).fit(X, Y)
    with pytest.raises(ValueError, match=r"X\[0\] has shape \(., 2\); expected 3 columns"):
        svm.predict([x[:, :2] for x in X])
    with pytest.raises(ValueError, match=r"unknown label \d+; the classes are"):
        svm.score(X, [y + 9 for y in Y])
    with pytest.raises(ValueError, match=r"y\[0\] must hold a label for each of the 3 rows"):
        svm.score(X, [np.append(y, y[-1]) for y in Y])
