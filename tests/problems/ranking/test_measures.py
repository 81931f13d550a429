"""Measures of scores against scikit-learn's, and against all orders of ties."""

from itertools import permutations

import numpy as np
import pytest
from ranking_data import MEASURES, measured, taken
from refusals import refused
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from structsvm.problems.ranking.measures import ranking_measure


def value(measure, k, relevance, scores, **parameters):
    """The measure of one query."""
    sizes, relevance = np.array([len(relevance)]), np.asarray(relevance, dtype=float)
    return ranking_measure(measure, k, **parameters).values(relevance, sizes, scores)[0]


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    relevance, scores = rng.integers(0, 4, size=30), np.round(rng.normal(size=30), 1)
    gains = (2.0**relevance - 1)[None]
    for k in (None, 1, 10, 30, 100):
        expected = ndcg_score(gains, scores[None], k=k)
        assert value("ndcg", k, relevance, scores) == pytest.approx(expected)
        expected = ndcg_score(2 * gains + 1, scores[None], k=k)
        assert value("ndcg", k, relevance + 1, scores) == pytest.approx(expected)
    expected = roc_auc_score(relevance > 1, scores)
    assert value("roc_area", None, (relevance > 1).astype(int), scores) == pytest.approx(expected)
    scores = rng.normal(size=30)  # with ties it takes those of a score for one place
    expected = average_precision_score(relevance > 0, scores)
    found = value("average_precision", None, taken("average_precision", relevance), scores)
    assert found == pytest.approx(expected)
    gains = rng.exponential(size=30)
    for k in (None, 10):
        expected = ndcg_score(gains[None], scores[None], k=k)
        assert value("ndcg", k, gains, scores, gains="linear") == pytest.approx(expected)


@pytest.mark.parametrize(("measure", "k"), MEASURES)
def test_of_ties_the_value_is_the_mean_over_their_orders(measure, k):
    rng = np.random.default_rng(0)
    for _ in range(3):
        relevance, scores = (
            taken(measure, rng.permutation([0, 1, 0, 2, *rng.integers(0, 3, 2)])),
            rng.integers(3, size=6),
        )
        orders = [
            order for order in permutations(range(6)) if (np.diff(scores[list(order)]) <= 0).all()
        ]
        expected = np.mean([measured(measure, k, relevance[list(order)]) for order in orders])
        if measure == "precision_at_k" and k is not None:
            expected *= min(k, np.count_nonzero(relevance)) / k
        assert value(measure, k, relevance, scores.astype(float)) == pytest.approx(expected)


def test_queries_without_a_relevant_document_count_0():
    for measure, k in MEASURES:
        found = value(measure, k, np.zeros(4, dtype=int), np.arange(4.0))
        assert np.isnan(found) if measure == "roc_area" else found == 0
    for measure, k in (("average_precision", None), ("ndcg", 2), ("precision_at_k", 2)):
        assert value(measure, k, np.array([1, 1, 1]), np.arange(3.0)) == 1
    assert np.isnan(value("roc_area", None, np.array([2, 2]), np.arange(2.0)))


def test_all_queries_at_once_are_as_one_by_one():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 20, size=40)
    grades, scores = rng.integers(0, 3, sizes.sum()), np.round(rng.normal(size=sizes.sum()), 1)
    for measure, k in MEASURES:
        relevance = taken(measure, grades)
        parts = [np.split(a, np.cumsum(sizes)[:-1]) for a in (relevance, scores)]
        whole = ranking_measure(measure, k).values(relevance, sizes, scores)
        alone = [value(measure, k, *part) for part in zip(*parts, strict=True)]
        np.testing.assert_allclose(whole, alone, atol=1e-12)


K = "k, if not None, must be an integer >= 1"
test_unknown_measures_and_useless_parameters_are_refused = refused(
    lambda measure, k=None, gains="exponential": ranking_measure(measure, k, gains=gains),
    ("map", r"measure must be one of 'roc_area', 'ndcg', .*'map'"),
    ("roc_area", 3, "k=3 has no meaning for measure='roc_area'"),
    ("roc_area", None, "linear", "gains='linear' has no meaning for measure='roc_area'"),
    ("ndcg", None, "log", "gains must be one of 'exponential', 'linear'; got 'log'"),
    *(("ndcg", k, K) for k in (0, 2.5, True, "all")),
)
