"""The separation oracle of losses of the 2 x 2 table against enumeration."""

import tracemalloc
from functools import cache
from itertools import product

import numpy as np
import pytest
from contingency_data import LOSSES, each

from structsvm.problems.multivariate.contingency import most_violated
from structsvm.problems.multivariate.contingency.losses import FLoss, NMILoss


def any_callable(loss):
    """The same loss, of which the oracle knows nothing."""
    return lambda a, b, c, d: loss(a, b, c, d)


@cache
def all_labellings(n):
    return np.array(list(product((False, True), repeat=n)))


def tables(labels, labellings):
    """(a, b, c, d) of every row of labellings, arrays of one shape."""
    a = np.count_nonzero(labellings & labels, axis=-1)
    b = np.count_nonzero(labellings, axis=-1) - a
    n_positive = np.count_nonzero(labels)
    return a, b, n_positive - a, len(labels) - n_positive - b


def values(labels, gains, loss, labellings):
    return loss(*tables(labels, labellings)) + labellings @ gains


def labels_of(rng, n):
    """y: mixed most often, else all '-', all '+', or a single one of either."""
    shares = [rng.random(), rng.random(), 0, 1]
    labels = rng.random(n) < rng.choice(shares)
    if rng.random() < 0.2:
        labels = (np.arange(n) == rng.integers(n)) ^ (rng.random() < 0.5)
    return labels


def gains_of(rng, n):
    """Gains: of all magnitudes, or small integers and so with many ties, or all 0."""
    scale = rng.choice([1e-12, 1e-3, 1 / n, 1 / n, 1 / n, 1, 1e6])
    kinds = [rng.normal(size=n), rng.integers(-3, 4, n), rng.integers(0, 2, n), np.zeros(n)]
    return scale * kinds[rng.choice(4, p=[0.5, 0.3, 0.15, 0.05])]


def instances(count, largest, seed=0):
    """Labels and gains; where the gains follow the labels, y is nearly a best labelling."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(2, largest + 1))
        labels, gains = labels_of(rng, n), gains_of(rng, n)
        yield labels, np.where(labels, abs(gains), gains) if rng.random() < 0.3 else gains


def assert_attained(labels, gains, loss, best):
    """The oracle's answer attains the best value."""
    given = labels.copy(), gains.copy()
    found = most_violated(labels, gains, loss)
    np.testing.assert_array_equal((labels, gains), given)
    assert found.dtype == bool
    assert found is not labels
    value = values(labels, gains, loss, found[None])[0]
    rounding = 1e-12 * (1 + np.abs(gains).sum())
    assert value == pytest.approx(best, abs=rounding, rel=0), (labels, gains)


def assert_best_of_all(loss, count=1500):
    """The oracle against all labellings, on many instances."""
    for labels, gains in instances(count, largest=10):
        best = values(labels, gains, loss, all_labellings(len(labels))).max()
        assert_attained(labels, gains, loss, best)


# ------------------------------------------------------------------ the oracles


@pytest.mark.sampled(5)
@each(LOSSES)
def test_oracle_against_all_labellings(loss):
    assert_best_of_all(loss)


@each(LOSSES)
def test_oracle_against_the_scan(loss):
    for labels, gains in instances(150, largest=60, seed=1):
        scanned = most_violated(labels, gains, any_callable(loss))
        best = values(labels, gains, loss, scanned[None])[0]
        assert_attained(labels, gains, loss, best)


@each(LOSSES)
def test_the_truth_where_nothing_is_better(loss):
    labels = np.arange(6) < 3
    for search in (loss, any_callable(loss)):
        np.testing.assert_array_equal(most_violated(labels, 10.0 * labels - 5, search), labels)
        np.testing.assert_array_equal(
            most_violated(labels, 0.0 * labels, lambda *t: 0 * t[0]), labels
        )


@each(LOSSES)
def test_equal_rows_are_told_apart_by_their_order(loss):
    labels = np.arange(12) < 6
    for search in (loss, any_callable(loss)):
        found = most_violated(labels, np.full(12, 1e-9), search)
        for rows in (found[:6], found[6:]):
            assert np.count_nonzero(np.diff(rows)) <= 1


class StepsTooFar(FLoss):
    def steps(self, sizes, n_positive, n_negative):
        step = super().steps(sizes, n_positive, n_negative)
        return lambda a: step(np.minimum(a + 1, n_positive))


class StepsBackwards(NMILoss):
    def steps(self, sizes, n_positive, n_negative):
        step = super().steps(sizes, n_positive, n_negative)
        return lambda a: -step(a)


class Convex(NMILoss):
    """A mutual information, taken for concave."""

    def of_sums(self, cells, rows, columns):
        return np.where(cells == columns, 0.0, (cells - rows - columns) / 10)


@pytest.mark.parametrize("loss", [StepsTooFar(1.0), StepsBackwards(), Convex()])
def test_planted_bugs_are_caught(loss):
    with pytest.raises(AssertionError):
        assert_best_of_all(loss)


# ------------------------------------------------------------------ any callable


def test_any_callable_against_all_labellings():
    rng = np.random.default_rng(2)
    for labels, gains in instances(1000, largest=8, seed=2):
        numbers = rng.random((len(labels) + 1, len(labels) + 1))
        numbers[np.count_nonzero(labels), 0] = 0

        def loss(a, b, c, d, numbers=numbers):
            return numbers[a, b]

        best = values(labels, gains, loss, all_labellings(len(labels))).max()
        assert_attained(labels, gains, loss, best)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda a, b, c, d: b - c, r">= 0; got -1\.0 at \(a, b, c, d\) = \(0, 0, 1, 2\)"),
        (lambda a, b, c, d: np.where(a == b, np.nan, 0.0), r"finite.* got nan at .*\(0, 0, 1, 2\)"),
        (lambda a, b, c, d: np.where(b == 2, np.inf, 0.0), r"finite.* got inf at .*\(0, 2, 1, 0\)"),
        (lambda a, b, c, d: 0.5 + b, r"must be 0 .* got 0\.5 at \(a, b, c, d\) = \(1, 0, 0, 2\)"),
        (lambda a, b, c, d: 0.0, r"array of shape \(1,\); got shape \(\)"),
        (lambda a, b, c, d: np.zeros((len(a), 1)), r"array of shape \(1,\); got shape \(1, 1\)"),
    ],
)
def test_what_is_no_loss(loss, message):
    with pytest.raises(ValueError, match=message):
        most_violated(np.array([True, False, False]), np.zeros(3), loss)


def test_the_scan_keeps_little_in_memory():
    labels = np.arange(4000) % 2 == 0
    gains = np.linspace(-1, 1, 4000) / 4000
    tracemalloc.start()
    most_violated(labels, gains, any_callable(LOSSES["rand"]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # an array with a number for every table takes 32e6 bytes
