"""Losses of the contingency table against scikit-learn, and their oracle against enumeration."""

from itertools import product

import numpy as np
import pytest
from contingency_data import LOSSES, MEASURES, VariationOfInformation, all_labellings, each

from structsvm.problems.multivariate.contingency import (
    contingency_table,
    measure_loss,
    most_violated,
    table_loss,
)
from structsvm.problems.multivariate.contingency.losses import ClusteringLoss


def all_tables(n):
    """Every (a, b, c, d) of n rows: four arrays."""
    a, b, c = np.array(list(product(range(n + 1), repeat=3))).T
    fits = a + b + c <= n
    return a[fits], b[fits], c[fits], (n - a - b - c)[fits]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_two_clusters_are_those_of_scikit_learn(name):
    for n in (2, 3, 5):
        table = all_tables(n)
        measured = [
            MEASURES[name](np.repeat([1, 0, 1, 0], counts), np.repeat([1, 1, 0, 0], counts))
            for counts in zip(*table, strict=True)
        ]
        np.testing.assert_allclose(LOSSES[name](*table), 1 - np.array(measured), atol=1e-14)


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "f1"])
def test_losses_of_several_clusters_are_those_of_scikit_learn(name):
    rng = np.random.default_rng(4)
    for n in [2, 3, 5, 20, 200] * 4:
        y, y_hat = rng.integers(0, rng.integers(1, 6, (2, 1)), (2, n))
        loss = LOSSES[name].of_table(contingency_table(y, y_hat, 5))
        assert loss == pytest.approx(1 - MEASURES[name](y, y_hat), abs=1e-13)


@each(LOSSES)
def test_losses_are_0_at_the_truth_and_bounded(loss):
    most = getattr(loss, "max_loss", 1) or np.inf
    for n in (2, 10, 999, 10**6):
        a = np.unique(np.linspace(0, n, 300).astype(int))
        assert not np.any(loss(a, 0 * a, 0 * a, n - a))
        losses = loss(a - a // 2, a[::-1] // 2, a // 2, n - a - a[::-1] // 2)
        assert np.all((losses >= 0) & (losses <= most))


def test_the_adjusted_rand_index_may_be_negative():
    """Two crossed pairs have the least, -1/2; no table of few rows has less."""
    loss = LOSSES["adjusted_rand"]
    assert loss(1, 1, 1, 1) == loss.max_loss == 1.5
    assert max(loss(*all_tables(n)).max() for n in range(2, 9)) == 1.5


def test_losses_by_name():
    assert isinstance(table_loss("rand"), ClusteringLoss)
    own = VariationOfInformation()
    assert table_loss(own) is own
    for name in ("f1", "NMI", None, [], max):
        with pytest.raises(ValueError, match=r"loss must be one of nmi, v_measure, .*, or an inst"):
            table_loss(name)
    for beta in (0, -1, np.nan, np.inf, "1"):
        with pytest.raises(ValueError, match=r"beta must be a finite number > 0; got"):
            table_loss("f", beta)
    with pytest.raises(ValueError, match=r"measure must be one of 'error', 'f1'; got 'nmi'"):
        measure_loss("nmi")


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


# ------------------------------------------------------------------ the oracles


@pytest.mark.sampled(4)
@each(LOSSES)
def test_oracle_against_all_labellings(loss):
    for labels, gains in instances(400, largest=9):
        best = values(labels, gains, loss, all_labellings(len(labels)) > 0).max()
        assert_attained(labels, gains, loss, best)


@each(LOSSES)
def test_oracle_against_the_scan(loss):
    for labels, gains in instances(60, largest=40, seed=1):
        assert_attained(labels, gains, loss, best_of_tables(labels, gains, loss))


@each(LOSSES)
def test_equal_rows_are_told_apart_by_their_order(loss):
    labels = np.arange(12) < 6
    found = most_violated(labels, np.full(12, 1e-9), loss)
    for rows in (found[:6], found[6:]):
        assert np.count_nonzero(np.diff(rows)) <= 1
