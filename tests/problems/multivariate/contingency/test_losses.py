"""Losses of the contingency table against scikit-learn."""

from itertools import product

import numpy as np
import pytest
from contingency_data import LOSSES, VariationOfInformation, each
from sklearn.metrics import (
    adjusted_rand_score,
    f1_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
    zero_one_loss,
)
from sklearn.metrics.cluster import pair_confusion_matrix

from structsvm.problems.multivariate.contingency import measure_loss, table_loss
from structsvm.problems.multivariate.contingency.losses import ClusteringLoss

CONCAVE = {name: loss for name, loss in LOSSES.items() if name != "error"}

CLUSTERING = {name: loss for name, loss in CONCAVE.items() if name != "f1"}


def all_tables(n):
    """Every (a, b, c, d) of n rows: four arrays."""
    a, b, c = np.array(list(product(range(n + 1), repeat=3))).T
    fits = a + b + c <= n
    return a[fits], b[fits], c[fits], (n - a - b - c)[fits]


def labellings_of(a, b, c, d):
    """y and y' with this table."""
    counts = [a, b, c, d]
    return np.repeat([True, False, True, False], counts), np.repeat(
        [True, True, False, False], counts
    )


def pair_f(y, y_hat, beta):
    """F_beta of the pairs; with no pair in y nor in y_hat it is 1."""
    (_, retrieved), (missed, found) = pair_confusion_matrix(y, y_hat)
    both = (1 + beta**2) * found
    total = both + beta**2 * missed + retrieved
    return both / total if total else 1.0


def information(y, y_hat):
    """1 less the variation of information, by the entropies of the labellings and of both."""
    both = entropy(2 * y + y_hat)
    return 1 - (2 * both - entropy(y) - entropy(y_hat))


def entropy(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -shares @ np.log(shares)


MEASURES = {
    "v_measure": v_measure_score,
    "adjusted_rand": adjusted_rand_score,
    "information": information,
    "nmi": lambda y, y_hat: normalized_mutual_info_score(y, y_hat, average_method="geometric"),
    "rand": rand_score,
    "error": lambda y, y_hat: 1 - zero_one_loss(y, y_hat),
    "f1": lambda y, y_hat: f1_score(y, y_hat, zero_division=1.0),
    **{
        f"f, beta {beta}": lambda y, y_hat, beta=beta: pair_f(y, y_hat, beta)
        for beta in (0.5, 1, 1.5, 3)
    },
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_against_scikit_learn(name):
    for n in (2, 3, 4, 7):
        table = all_tables(n)
        measured = [MEASURES[name](*labellings_of(*counts)) for counts in zip(*table, strict=True)]
        np.testing.assert_allclose(LOSSES[name](*table), 1 - np.array(measured), atol=1e-14)


@each(LOSSES)
def test_losses_are_0_at_the_truth_and_bounded(loss):
    for n in (2, 3, 10, 999, 10**6):
        a = np.unique(np.linspace(0, n, 300).astype(int))
        assert not np.any(loss(a, 0 * a, 0 * a, n - a))
        b = a[::-1] // 2
        losses = loss(a - a // 2, b, a // 2, n - a - b)
        assert np.all((losses >= 0) & (losses <= (getattr(loss, "max_loss", 1) or np.inf)))
        assert loss(n // 2, 0, 0, n - n // 2) == 0


@each(CLUSTERING)
def test_the_names_of_the_clusters_do_not_matter(loss):
    a, b, c, d = all_tables(9)
    np.testing.assert_allclose(loss(a, b, c, d), loss(c, d, a, b), atol=1e-14)
    np.testing.assert_allclose(loss(a, b, c, d), loss(b, a, d, c), atol=1e-14)


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
    assert max(loss(*all_tables(n)).max() for n in range(2, 12)) == 1.5


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
