"""The measures of the benchmarks: by hand, by their definition, and those of scikit-learn."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, f1_score, fbeta_score, rand_score

from benchmarks import averages
from benchmarks.clustering import _measures
from benchmarks.decisions import _draws, _methods
from benchmarks.defaults import _scores
from benchmarks.reproduction import _baselines
from benchmarks.reproduction.bayesian_mmc import calibration_error
from benchmarks.set_clustering import _linkage
from benchmarks.tables.clustering import by_kind
from benchmarks.tables.pairwise import decided

Y = np.array([0, 0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    ("measure", "labels", "expected"),
    [
        # One to one.
        (_measures.accuracy, (Y + 1) % 3, 100),
        (_measures.accuracy, np.zeros(6, dtype=int), 50),
        (_measures.accuracy, np.array([0, 0, 1, 1, 1, 1]), 400 / 6),
        # Each cluster by its majority.
        (_baselines.accuracy, [5, 5, 5, 5, 7, 7], 4 / 6),
        (_baselines.accuracy, [1, 1, 1, 0, 0, 9], 1),
        (_baselines.accuracy, np.zeros(6), 3 / 6),
        # Of two classes, whatever they are called.
        (_baselines.error, np.array([1, 1, 0, 0, 0, 0]), 100 / 6),
    ],
)
def test_accuracies_by_hand(measure, labels, expected):
    y = np.minimum(Y, 1) if measure is _baselines.error else Y
    assert measure(labels, y) == pytest.approx(expected)


def test_measures_by_hand():
    """Clusters {a a b} and {b b}: of ten pairs two true positives, two false of either kind."""
    found = _baselines.measures([0, 0, 0, 1, 1], np.array([0, 0, 1, 1, 1]))
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    information = 0.4 * np.log(0.4 / 0.24) + 0.2 * np.log(0.2 / 0.36) + 0.4 * np.log(0.4 / 0.24)
    expected = {"accuracy": 4 / 5, "RI": 6 / 10, "F": 1 / 2, "NMI": information / entropy}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_measures_of_pairs_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    labels, y = rng.integers(3, size=40), rng.integers(4, size=40)
    i, j = np.triu_indices(40, 1)
    together, alike = labels[i] == labels[j], y[i] == y[j]
    found = _baselines.measures(labels, y, beta=2.0)
    assert found["F"] == pytest.approx(fbeta_score(alike, together, beta=2))
    assert found["RI"] == pytest.approx(np.mean(together == alike)) == rand_score(y, labels)

    def clusters(of):
        return {frozenset(np.flatnonzero(of == c).tolist()) for c in np.unique(of)}

    found, true, guessed = _linkage.scores(y, labels), clusters(y), clusters(labels)
    assert found["pairs"] == pytest.approx(100 * f1_score(alike, together))
    shared = 200 * len(true & guessed) / (len(true) + len(guessed))
    assert found["clusters"] == pytest.approx(shared)
    assert found["Rand"] == pytest.approx(100 * adjusted_rand_score(y, labels))
    assert set(_linkage.scores(y, y + 5).values()) == {100}


def test_the_calibration_error_by_hand():
    p, right = np.array([0.55, 0.58, 0.95, 0.95]), np.array([True, False, True, True])
    expected = 100 * (0.5 * abs(0.565 - 0.5) + 0.5 * abs(0.95 - 1))
    assert calibration_error(p, right) == pytest.approx(expected)


@pytest.mark.parametrize("drawn", [_draws.paths, _draws.knapsacks, _draws.tours])
def test_regret_is_that_of_the_decisions_for_the_prediction(drawn):
    draw = partial(drawn, tested=30)(20, 4, seed=0)
    test, constant = draw.test, np.ones_like(draw.test.costs)
    assert test.regret(lambda X: test.costs) == 0
    lost = np.abs(test.costs @ draw.optimizer(constant[0]) - test.values).sum()
    expected = 100 * lost / np.abs(test.values).sum()
    assert test.regret(lambda X: constant) == pytest.approx(expected) and expected > 0
    # At the costs of the Hamming SVM it is the distance from the best decision.
    others, sign = test.best[::-1], -1 if draw.optimizer.sense == "max" else 1
    costs = _methods.hamming_costs(test.best, draw.optimizer.sense)
    regret = sign * (costs * (others - test.best)).sum(axis=1)
    np.testing.assert_array_equal(regret, (others != test.best).sum(axis=1))
    # No row to learn from is one to predict.
    rows = [tuple(row) for part in (draw.train, draw.validation, draw.test) for row in part.X]
    assert len({*rows}) == len(rows) == 55


def test_means_and_their_spread():
    rows = [{"form": form, "score": score} for form, score in (("a", 1), ("b", 5), ("a", 3))]
    assert averages.averaged(rows, ["form"]) == [
        {"form": "a", "sets": 2, "score": 2.0},
        {"form": "b", "sets": 1, "score": 5.0},
    ]
    rows = [_scores.by_seed([{"a": a}, {"a": a + 2.0}]) | {"form": "raw"} for a in (1.0, 5.0)]
    (row,) = averages.averaged(rows, ["form"])
    assert (row["sets"], averages.with_spread(row["a"])) == (2, "4.0 ± 1.4")
    row = _scores.line({"ours": [0.5, 0.7], "worse": [0.1, 0.9], "best": [0.6, 0.6]}, data="x")
    assert row == {"data": "x", "ours": 60, "worse": 50, "best": 60, "standard error": 10}
    clear, unclear = [3.0, 3.1, 2.9], [-3.0, 3.0, 0.5]
    assert decided(np.array([clear, unclear, np.negative(clear)])) == (1, 1)
    # Kinds of tasks count the same, however many tasks they have.
    rows = [
        {"kind": kind, "method": "k-means", "ARI": value}
        for kind, values in {"texts": [10], "tables": [0, 20, 40]}.items()
        for value in values
    ]
    assert by_kind(rows, "ARI")["mean"]["k-means"] == 15
