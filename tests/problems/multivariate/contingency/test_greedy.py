"""The local search for k clusters against all labellings, and against the exact oracle."""

import numpy as np
import pytest
from contingency_data import LOSSES, all_labellings, each

from structsvm.problems.multivariate.contingency import (
    contingency_table,
    greedy_most_violated,
    most_violated,
)

NAMES = ("nmi", "v_measure", "rand", "adjusted_rand", "f, beta 1", "information")
SEARCHED = {name: LOSSES[name] for name in NAMES}


def objective(loss, labels, scores, predicted):
    table = contingency_table(labels, predicted, scores.shape[1])
    return loss.of_table(table) + scores[np.arange(len(labels)), predicted].sum()


def best_of_all(loss, labels, scores):
    """The largest objective; the loss once for every table, known by a sum of random numbers."""
    n, k = scores.shape
    labellings = all_labellings(n, k)
    numbers = np.random.default_rng(0).integers(2**50, size=(k, k))
    sums = numbers[labellings, labels].sum(axis=1)
    _, firsts, tables = np.unique(sums, return_index=True, return_inverse=True)
    losses = [loss.of_table(contingency_table(labels, labellings[i], k)) for i in firsts]
    return (np.array(losses)[tables] + scores[np.arange(n), labellings].sum(axis=1)).max()


def instances(count, sizes, seed=0):
    """Labels and scores of several magnitudes, some for the labels, some with many ties."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        n, k = sizes[i % len(sizes)]
        labels = rng.integers(0, rng.choice([1, k, k, k]), n)
        scores = rng.normal(size=(n, k))
        scores[np.arange(n), labels] += rng.choice([0, 2]) * rng.random()
        if rng.random() < 0.3:
            scores = np.round(scores)
        yield labels, scores * rng.choice([0.1, 0.3, 1, 3]) / n


def shortfalls(loss):
    """What the search misses of the best objective, on many instances."""
    missed = []
    for labels, scores in instances(60, sizes=[(2, 3), (8, 3), (7, 3), (6, 4)]):
        predicted = greedy_most_violated(labels, scores, loss)
        best = best_of_all(loss, labels, scores)
        missed.append(best - objective(loss, labels, scores, predicted))
    assert min(missed) > -1e-12
    return np.array(missed)


@pytest.mark.sampled(6)
@each(SEARCHED)
def test_search_against_all_labellings(loss):
    assert np.mean(shortfalls(loss) < 1e-9) >= 0.95


def test_error_is_exact():
    assert np.max(shortfalls(LOSSES["error"])) < 1e-12


@pytest.mark.sampled(3)
@each(SEARCHED)
def test_two_clusters_against_the_exact_oracle(loss):
    missed = []
    for labels, scores in instances(60, sizes=[(20, 2), (100, 2)], seed=1):
        exact = most_violated(labels == 1, scores[:, 1] - scores[:, 0], loss).astype(int)
        found = greedy_most_violated(labels, scores, loss)
        best, reached = (objective(loss, labels, scores, y_hat) for y_hat in (exact, found))
        missed.append(best - reached)
    assert min(missed) > -1e-12
    assert np.mean(np.array(missed) < 1e-9) >= 0.95


@pytest.mark.sampled(3)
@each({**SEARCHED, "error": LOSSES["error"]})
def test_never_below_the_truth(loss):
    for labels, scores in instances(9, sizes=[(2, 5), (40, 3), (100, 6)], seed=2):
        for factor in (0, 1e-9, 1, 1e9):
            given = labels.copy(), factor * scores
            predicted = greedy_most_violated(*given, loss)
            values = [objective(loss, *given, y_hat) for y_hat in (predicted, labels)]
            assert values[0] >= values[1]
            assert not np.shares_memory(predicted, given[0])
            np.testing.assert_array_equal(given[0], labels)
            np.testing.assert_array_equal(given[1], factor * scores)
    labels = np.arange(9) % 3  # where nothing is better
    np.testing.assert_array_equal(greedy_most_violated(labels, np.eye(3)[labels], loss), labels)
