"""The benchmark of record linkage: scores, drawn records, and the methods beside ours."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score, f1_score

from benchmarks.set_clustering import _linkage, _records

seeds = pytest.mark.parametrize("seed", range(5))


@pytest.fixture(autouse=True)
def similarity(monkeypatch):
    """The share of common letters, since jellyfish need not be installed."""

    def common(a, b):
        return len(set(a) & set(b)) / len(set(a) | set(b))

    monkeypatch.setattr(_records, "_similarity", common)


def clusters(labels):
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)}


@seeds
def test_scores_by_their_definition(seed):
    rng = np.random.default_rng(seed)
    entity, labels = rng.integers(8, size=20), rng.integers(8, size=20)
    found = _linkage.scores(entity, labels)
    i, j = np.triu_indices(20, 1)
    pairs = f1_score(entity[i] == entity[j], labels[i] == labels[j])
    assert found["pairs"] == pytest.approx(100 * pairs)
    true, guessed = clusters(entity), clusters(labels)
    assert found["clusters"] == pytest.approx(
        200 * len(true & guessed) / (len(true) + len(guessed))
    )
    assert found["Rand"] == pytest.approx(100 * adjusted_rand_score(entity, labels))
    assert set(_linkage.scores(entity, entity + 5).values()) == {100}


def test_candidates_agree_in_a_key():
    fields = pd.DataFrame(
        {"name": ["ann", "ann", "bob", None], "town": ["x", "y", "x", None]}, dtype=object
    ).where(lambda table: table.notna(), None)
    records = _records.Records("few", fields, np.arange(4), (("name",), ("town",)))
    pairs = records.candidates()
    assert pairs[["left", "right"]].to_numpy().tolist() == [[0, 1], [0, 2]]
    assert pairs["name equal"].tolist() == [1, 0]
    assert pairs["town equal"].tolist() == [0, 1]
    assert pairs["name"].tolist() == [1, 0]


def test_drawn_records_differ_by_seed_and_have_several_records_of_an_entity():
    one, again, other = (_records.drawn(_records.DRAWN[2], seed, 30) for seed in (0, 0, 1))
    assert one.fields.equals(again.fields)
    assert not one.fields.equals(other.fields)
    assert len(one.entity) > 3 * len(np.unique(one.entity))


def test_parts_share_no_entity():
    learn, test = _linkage.divided(_records.drawn(_records.DRAWN[0], 0, 60), 0.3, 0)
    assert not set(learn.entity) & set(test.entity)
    assert list(learn.pairs) == list(test.pairs)
    assert learn.matches.any()


def test_of_equally_good_options_the_one_in_the_middle_is_chosen():
    learn, _ = _linkage.divided(_records.drawn(_records.DRAWN[0], 0, 60), 0.3, 0)

    def labels(option):
        return learn.entity if 2 <= option <= 6 else np.arange(len(learn.entity))

    assert _linkage.best(range(10), learn, labels) == 4


def test_average_linkage_by_components_is_that_of_all_records():
    _, test = _linkage.divided(_records.drawn(_records.DRAWN[2], 0, 20), 0.3, 0)
    log_odds = np.random.default_rng(0).normal(size=len(test.pairs))
    found = _linkage.average_linkage(test, log_odds, 0.6)
    distances = np.ones((len(test.entity),) * 2)
    left, right = test.ends
    distances[left, right] = distances[right, left] = 1 - 1 / (1 + np.exp(-log_odds))
    np.fill_diagonal(distances, 0)
    whole = fcluster(linkage(squareform(distances), "average"), 0.4, "distance")
    assert clusters(found) == clusters(whole)


@pytest.mark.filterwarnings("ignore:training ended at w_prior")
@pytest.mark.parametrize(
    "name", ["ours", "ours, learned", "near", "near, learned", "components", "pairs, greedy"]
)
def test_methods_on_records_with_few_errors(name):
    learn, test = _linkage.divided(_records.drawn(_records.DRAWN[0], 0, 80), 0.5, 0)
    labels = _linkage.methods(10.0, 100.0)[name](learn, test)
    assert _linkage.scores(test.entity, labels)["pairs"] > 90
