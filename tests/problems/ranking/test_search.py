"""Separation oracles against all rankings of small queries."""

import numpy as np
import pytest
from cases.problems import initialized
from ranking_data import MEASURES, largest, measured, rankings, taken

from structsvm.data.examples import Spans
from structsvm.problems import Misranking, RankingProblem
from structsvm.problems.ranking import search
from structsvm.problems.ranking.splits import FirstSums, Splits

#: Factors of the scores; at 0 all tie.
SCALES = [0.0, 1e-9, 0.1, 1.0, 30.0, 1e9]

each_measure = pytest.mark.parametrize(("measure", "k"), MEASURES)


def query(rng, m, grades, measure):
    """Documents with one feature, their score at w = 1; often with ties."""
    relevance = rng.integers(0, grades, size=m)
    relevance[:2] = 0, 1
    whole = rng.random() < 0.5
    scores = rng.integers(-2, 3, size=m).astype(float) if whole else rng.normal(size=m)
    return scores * rng.choice(SCALES), taken(measure, rng.permutation(relevance))


def searched(measure, k, queries):
    """The outputs of the separation oracle for queries, all at once."""
    problem = RankingProblem(measure, k)
    X = [(scores[:, None], relevance) for scores, relevance in queries]
    Y = [Misranking.none(len(relevance)) for _, relevance in queries]
    problem.initialize(X, Y)
    return problem.task(X, Y).search(np.ones(1))


@each_measure
@pytest.mark.parametrize("grades", [2, 3])
def test_no_ranking_is_more_violated(measure, k, grades):
    rng = np.random.default_rng(0)
    queries = [query(rng, m, grades, measure) for m in [2, 3, 4, 4, 5] * 2]
    if grades == 3:  # where no grade is 0
        some = [(scores, relevance + 1) for scores, relevance in queries[:4]]
        queries += some if measure in ("ndcg", "roc_area") else []
    for (scores, relevance), found in zip(queries, searched(measure, k, queries), strict=True):
        best = largest(measure, k, relevance, scores)
        value = found.loss - found.shifts @ scores
        assert value == pytest.approx(best, rel=1e-9, abs=1e-9)
        # A ranking, or with more grades one for each split.
        sums = [(np.zeros(len(relevance)), 0.0)]
        for orders in rankings(measure, k, relevance):
            distinct = {loss_shifts(*order): order for order in orders}.values()
            sums = [(s + t, a + b) for s, a in sums for t, b in distinct]
        wanted = loss_shifts(found.shifts, found.loss)
        assert any(np.allclose(wanted, loss_shifts(*one), atol=1e-9) for one in sums)


def loss_shifts(shifts, loss):
    return tuple(np.round([*shifts, loss], 12).tolist())


@each_measure
def test_the_loss_of_a_prediction_is_that_of_its_ranking(measure, k):
    rng = np.random.default_rng(3)
    problem = RankingProblem(measure, k)
    many = np.arange(20)
    problem.initialize([(many[:, None] / 20, taken(measure, many % 4))], [Misranking.none(20)])
    for m in [2, 5, 9, 20]:
        relevance = taken(measure, rng.integers(0, 4, size=m))
        relevance[:2] = 0, 1
        scores = rng.normal(size=m)
        found = problem.decode((scores[:, None], relevance), np.ones(1))
        value = measured(measure, k, relevance[np.argsort(-scores)])
        assert found.loss == pytest.approx(1 - value, abs=1e-12)
        # Ties are to the disadvantage of relevant documents.
        worst = problem.decode((scores[:, None], relevance), np.zeros(1))
        assert worst.loss == pytest.approx(1 - measured(measure, k, np.sort(relevance)), abs=1e-12)


@each_measure
def test_large_queries_are_searched_as_by_dynamic_programming(measure, k):
    rng = np.random.default_rng(4)
    queries = []
    for m, scale in [(60, 1.0), (200, 5.0), (200, 0.5), (333, 50.0)]:
        relevance = (rng.random(m) < rng.uniform(0.05, 0.6)).astype(int)
        relevance[:2] = 0, 1
        queries.append((scale * (rng.normal(size=m) + 0.5 * relevance), relevance))
    if k == 3:
        k = 40
    for (scores, relevance), found in zip(queries, searched(measure, k, queries), strict=True):
        value = found.loss - found.shifts @ scores
        assert value == pytest.approx(staircase(measure, k, relevance, scores), rel=1e-9)


def staircase(measure, k, relevance, scores):
    """The largest loss minus margin of two grades, by a table of O(m^2) entries."""
    high, low = (np.sort(scores[relevance == g])[::-1] for g in (1, 0))
    P, Q = len(high), len(low)
    sums = np.concatenate([[0], np.cumsum(low)])
    above = np.arange(Q + 1)
    best = np.zeros(Q + 1)
    for i, score in enumerate(high, start=1):
        margins = (above * score - sums) / (P * Q)
        best = np.maximum.accumulate(best - margins - credit(measure, k, i, i + above, P, Q))
    return 1 + best[-1]


def credit(measure, k, i, position, P, Q):
    if measure == "average_precision":
        return i / position / P
    if measure == "roc_area":
        return (1 - (position - i) / Q) / P
    if measure == "precision_at_k":
        k = P if k is None else k
        return (position <= k) / min(k, P)
    ideal = sum(1 / np.log2(p + 1) for p in range(1, min(k or P, P) + 1))
    return np.where(position <= (k or P + Q), 1 / np.log2(position + 1), 0) / ideal


def test_tables_in_groups_find_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    for measure in ("ndcg", "precision_at_k"):
        queries = [query(rng, m, 3, measure) for m in (5, 12, 30, 4, 25, 9)]
        whole = searched(measure, 6, queries)
        monkeypatch.setattr(search, "TABLE", 60)
        parts = searched(measure, 6, queries)
        monkeypatch.undo()
        np.testing.assert_array_equal(whole.shifts, parts.shifts)
        np.testing.assert_array_equal(whole.losses, parts.losses)


@pytest.mark.parametrize("grades", [lambda y: y, lambda y: np.exp(90 * y), np.floor])
def test_pairs_are_compared_by_the_order_of_any_grades(grades):
    rng = np.random.default_rng(9)
    queries = [(rng.normal(size=m), grades(rng.normal(size=m))) for m in (2, 3, 5, 9, 17, 40)]
    for (scores, y), found in zip(queries, searched("roc_area", None, queries), strict=True):
        i, j = np.nonzero(y[:, None] > y)
        expected = np.maximum(0, 1 - (scores[i] - scores[j])).mean()
        assert found.loss - found.shifts @ scores == pytest.approx(expected)
    y = queries[-1][1]
    parts = Splits.by_pairs(y, Spans(np.array([40])))
    assert len(parts.relevant.documents) + len(parts.others.documents) <= 40 * 6  # not 40 * 39 / 2
    assert parts.n_pairs.sum() == np.sum(y[:, None] > y)


def test_linear_gains_of_2_to_the_grade_are_the_exponential_ones():
    rng = np.random.default_rng(10)
    X = [(rng.normal(size=(m, 3)), rng.integers(0, 4, m)) for m in (4, 9, 30)]
    of_gains = [(rows, 2.0**y - 1) for rows, y in X]
    Y, w = [Misranking.none(len(y)) for _, y in X], rng.normal(size=3)
    for k in (None, 3):
        outputs = []
        for gains, inputs in (("exponential", X), ("linear", of_gains)):
            problem = initialized(RankingProblem("ndcg", k, gains), inputs, Y)
            outputs.append(problem.task(inputs, Y).search(w))
        found, same = outputs
        np.testing.assert_allclose(found.shifts, same.shifts, atol=1e-12)
        np.testing.assert_allclose(found.losses, same.losses, atol=1e-12)


@pytest.mark.parametrize("offset", [1e6, -1e8])
def test_a_constant_changes_nothing(offset):
    rng = np.random.default_rng(8)
    scores = np.round(rng.normal(size=40), 3)
    for measure, k in MEASURES:
        relevance = taken(measure, np.arange(40) % 3)
        plain, moved = searched(measure, k, [(scores, relevance), (scores + offset, relevance)])
        value = plain.loss - plain.shifts @ scores
        assert moved.loss - moved.shifts @ scores == pytest.approx(value, abs=1e-6)


def test_first_sums_are_not_rounded_by_the_splits_before():
    sizes, rng = np.full(1000, 5), np.random.default_rng(0)
    values = rng.random(5000)
    values[:-5] *= 1e9
    sums = FirstSums(values, Spans(sizes))
    expected = np.cumsum(values[-5:])
    found = sums(np.full(5, 999), np.arange(1, 6))
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    values[:-5] /= 1e9  # as they are in use, where the largest score of each split is 1
    found = FirstSums(values, Spans(sizes))(np.full(5, 999), np.arange(1, 6))
    np.testing.assert_allclose(found, expected, rtol=1e-15)
