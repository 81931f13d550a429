"""Losses of the contingency table against scikit-learn."""

from itertools import product

import numpy as np
import pytest
from contingency_data import LOSSES, MEASURES, VariationOfInformation, each

from structsvm.problems.multivariate.contingency import (
    contingency_table,
    measure_loss,
    table_loss,
)
from structsvm.problems.multivariate.contingency.losses import ClusteringLoss

CONCAVE = {name: loss for name, loss in LOSSES.items() if name != "error"}


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
    if loss is LOSSES["f1"]:
        return
    rng = np.random.default_rng(5)
    for n, k in product((2, 10, 10**5), (2, 3, 10)):
        y, y_hat = rng.integers(0, k, (2, n))
        assert loss.of_table(contingency_table(y, y, k)) == 0
        assert 0 <= loss.of_table(contingency_table(y, y_hat, k)) <= most
        renamed = contingency_table(y, rng.permutation(k)[y], k)
        assert loss is LOSSES["error"] or 0 <= loss.of_table(renamed) < 1e-13


@each(CONCAVE)
def test_steps_are_differences_of_the_loss(loss):
    for n_positive, n_negative in ((4, 5), (1, 6), (7, 0), (0, 2), (1, 1)):
        for p in range(n_positive + n_negative + 1):
            a = np.arange(max(0, p - n_negative), min(p, n_positive) + 1)
            losses = loss(a, p - a, n_positive - a, n_negative - p + a)
            step = loss.steps(np.full(len(a) - 1, p), n_positive, n_negative)
            np.testing.assert_allclose(step(a[:-1]), np.diff(losses), atol=1e-14)


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
