"""The local search for k clusters against all labellings, and against the exact oracle."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from contingency_data import VariationOfInformation
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from sklearn.metrics.cluster import pair_confusion_matrix

from structsvm.problems.multivariate.contingency import (
    contingency_table,
    greedy,
    greedy_most_violated,
    most_violated,
    table_loss,
)
from structsvm.problems.multivariate.contingency.losses import NMILoss

NAMES = ("nmi", "v_measure", "rand", "adjusted_rand", "f")
SEARCHED = {**{name: table_loss(name) for name in NAMES}, "information": VariationOfInformation()}

LOSSES = {**SEARCHED, "error": table_loss("error")}


def each(losses):
    return pytest.mark.parametrize("loss", losses.values(), ids=losses)


@cache
def all_labellings(n, k):
    return np.array(list(product(range(k), repeat=n)))


def objective(loss, labels, scores, predicted):
    table = contingency_table(labels, predicted, scores.shape[1])
    return loss.of_table(table) + scores[np.arange(len(labels)), predicted].sum()


def best_of_all(loss, labels, scores):
    """The largest objective; the loss once for every table, known by a sum of random numbers."""
    n, k = scores.shape
    labellings = all_labellings(n, k)
    numbers = np.random.default_rng(0).integers(2**50, size=(k, k))
    _, firsts, tables = np.unique(
        numbers[labellings, labels].sum(axis=1), return_index=True, return_inverse=True
    )
    losses = [loss.of_table(contingency_table(labels, labellings[i], k)) for i in firsts]
    return (np.array(losses)[tables] + scores[np.arange(n), labellings].sum(axis=1)).max()


def instance(rng, n, k):
    """Labels and scores of several magnitudes, some for the labels, some with many ties."""
    labels = rng.integers(0, rng.choice([1, k, k, k]), n)
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), labels] += rng.choice([0, 2]) * rng.random()
    if rng.random() < 0.3:
        scores = np.round(scores)
    return labels, scores * rng.choice([0.1, 0.3, 1, 3]) / n


def instances(count, sizes, seed=0):
    rng = np.random.default_rng(seed)
    for i in range(count):
        yield instance(rng, *sizes[i % len(sizes)])


def shortfalls(loss, count=100):
    """What the search misses of the best objective, on many instances."""
    missed = []
    for labels, scores in instances(count, sizes=[(2, 3), (8, 3), (7, 3), (6, 4), (5, 5)]):
        predicted = greedy_most_violated(labels, scores, loss)
        best = best_of_all(loss, labels, scores)
        missed.append(best - objective(loss, labels, scores, predicted))
    assert min(missed) > -1e-12
    return np.array(missed)


# ------------------------------------------------------------------ the search


@pytest.mark.slow
@each(SEARCHED)
def test_search_against_all_labellings(loss):
    assert np.mean(shortfalls(loss) < 1e-9) >= 0.95


def test_error_is_exact():
    assert np.max(shortfalls(LOSSES["error"])) < 1e-12


class SlopeBackwards(NMILoss):
    def slope(self, rows, columns):
        return -super().slope(rows, columns)


@pytest.mark.slow
def test_planted_bugs_are_caught(monkeypatch):
    assert np.mean(shortfalls(SlopeBackwards()) < 1e-9) < 0.9
    monkeypatch.setattr(greedy._CoordinateAscent, "ascend", lambda self, predicted: predicted)
    assert np.mean(shortfalls(SEARCHED["nmi"]) < 1e-9) < 0.9


@pytest.mark.sampled(3)
@each(SEARCHED)
def test_two_clusters_against_the_exact_oracle(loss):
    missed = []
    for labels, scores in instances(200, sizes=[(20, 2), (300, 2)], seed=1):
        exact = most_violated(labels == 1, scores[:, 1] - scores[:, 0], loss).astype(int)
        found = greedy_most_violated(labels, scores, loss)
        best, reached = (objective(loss, labels, scores, y_hat) for y_hat in (exact, found))
        missed.append(best - reached)
    assert min(missed) > -1e-12
    assert np.mean(np.array(missed) < 1e-9) >= 0.95


@pytest.mark.sampled(5)
@each(LOSSES)
def test_never_below_the_truth(loss):
    for labels, scores in instances(30, sizes=[(2, 5), (40, 3), (300, 6)], seed=2):
        for factor in (0, 1e-9, 1, 1e9):
            given = labels.copy(), factor * scores
            predicted = greedy_most_violated(*given, loss)
            values = [objective(loss, *given, y_hat) for y_hat in (predicted, labels)]
            assert values[0] >= values[1]
            assert not np.shares_memory(predicted, given[0])
            np.testing.assert_array_equal(given[0], labels)
            np.testing.assert_array_equal(given[1], factor * scores)


@each(LOSSES)
def test_the_truth_where_nothing_is_better(loss):
    labels = np.arange(9) % 3
    np.testing.assert_array_equal(greedy_most_violated(labels, np.eye(3)[labels], loss), labels)


@each(SEARCHED)
def test_no_single_row_gains_by_a_move(loss):
    for labels, scores in instances(10, sizes=[(40, 3), (60, 4)], seed=3):
        predicted = greedy_most_violated(labels, scores, loss)
        value = objective(loss, labels, scores, predicted)
        for i, cluster in product(range(len(labels)), range(scores.shape[1])):
            moved = predicted.copy()
            moved[i] = cluster
            assert objective(loss, labels, scores, moved) <= value + greedy.TOLERANCE


# ------------------------------------------------------------------ the losses of k clusters


def pair_f(y, y_hat):
    (_, retrieved), (missed, found) = pair_confusion_matrix(y, y_hat)
    both = 3.25 * found
    total = both + 2.25 * missed + retrieved
    return both / total if total else 1.0


def information(y, y_hat):
    """1 less the variation of information, by conditional entropies."""
    table = np.zeros((5, 5))
    np.add.at(table, (y, y_hat), 1 / len(y))
    i, j = np.nonzero(table)
    joint = table[i, j]
    conditional = np.log(joint / table.sum(axis=1)[i]) + np.log(joint / table.sum(axis=0)[j])
    return 1 + joint @ conditional


MEASURES = {
    "v_measure": v_measure_score,
    "adjusted_rand": adjusted_rand_score,
    "information": information,
    "nmi": lambda y, y_hat: normalized_mutual_info_score(y, y_hat, average_method="geometric"),
    "rand": rand_score,
    "f": pair_f,
    "error": lambda y, y_hat: np.mean(y == y_hat),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_against_scikit_learn(name):
    rng = np.random.default_rng(4)
    for n in [2, 3, 5, 20, 200] * 20:
        labels, predicted = rng.integers(0, rng.integers(1, 6, (2, 1)), (2, n))
        loss = LOSSES[name].of_table(contingency_table(labels, predicted, 5))
        assert loss == pytest.approx(1 - MEASURES[name](labels, predicted), abs=1e-13)


@each(LOSSES)
def test_losses_are_0_at_the_truth_and_bounded(loss):
    rng = np.random.default_rng(5)
    for n, k in product((2, 3, 10, 999, 10**5), (2, 3, 10)):
        labels, predicted = rng.integers(0, k, (2, n))
        assert loss.of_table(contingency_table(labels, labels, k)) == 0
        found = loss.of_table(contingency_table(labels, predicted, k))
        assert 0 <= found <= (loss.max_loss or np.inf)
        if loss is not LOSSES["error"]:
            renamed = contingency_table(labels, rng.permutation(k)[labels], k)
            assert 0 <= loss.of_table(renamed) < 1e-13
