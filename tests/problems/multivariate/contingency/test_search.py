"""The separation oracle of losses of the 2 x 2 table against enumeration."""

import numpy as np
import pytest
from contingency_data import LOSSES, all_labellings, each

from structsvm.problems.multivariate.contingency import most_violated
from structsvm.problems.multivariate.contingency.losses import FLoss, NMILoss


def values(labels, gains, loss, labellings):
    """Of every row of labellings, by their tables (a, b, c, d)."""
    a = np.count_nonzero(labellings & labels, axis=-1)
    b = np.count_nonzero(labellings, axis=-1) - a
    n_positive = np.count_nonzero(labels)
    table = a, b, n_positive - a, len(labels) - n_positive - b
    return loss(*table) + labellings @ gains


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


def best_of_tables(labels, gains, loss):
    """The largest value by a scan of all tables, each with its rows of largest gain."""
    positive, negative = (
        np.append(0, np.cumsum(-np.sort(-gains[rows]))) for rows in (labels, ~labels)
    )
    a, b = np.indices((len(positive), len(negative)))
    losses = loss(a, b, len(positive) - 1 - a, len(negative) - 1 - b)
    return (losses + positive[a] + negative[b]).max()


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


def assert_best_of_all(loss, count=400):
    """The oracle against all labellings, on many instances."""
    for labels, gains in instances(count, largest=9):
        best = values(labels, gains, loss, all_labellings(len(labels)) > 0).max()
        assert_attained(labels, gains, loss, best)


# ------------------------------------------------------------------ the oracles


@pytest.mark.sampled(4)
@each(LOSSES)
def test_oracle_against_all_labellings(loss):
    assert_best_of_all(loss)


@each(LOSSES)
def test_oracle_against_the_scan(loss):
    for labels, gains in instances(60, largest=40, seed=1):
        assert_attained(labels, gains, loss, best_of_tables(labels, gains, loss))


@each(LOSSES)
def test_the_truth_where_nothing_is_better(loss):
    labels = np.arange(6) < 3
    np.testing.assert_array_equal(most_violated(labels, 10.0 * labels - 5, loss), labels)


@each(LOSSES)
def test_equal_rows_are_told_apart_by_their_order(loss):
    labels = np.arange(12) < 6
    found = most_violated(labels, np.full(12, 1e-9), loss)
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
