"""The benchmarks of the defaults: their data and their scores."""

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks import averages, store
from benchmarks.defaults import (
    _clusterers,
    _items,
    _rows,
    _scores,
    _structures,
    clusterers,
)
from structsvm.datasets import FOLDER_VARIABLE
from structsvm.problems import ItemSet

pytestmark = pytest.mark.slow


def test_both_collections_are_as_described(capsys):
    chosen, others = list(_rows.choice()), list(_rows.confirmation())
    assert len(chosen) >= 10
    for data in [*chosen, *others]:
        assert data.X.shape[0] == len(data.y)
        assert data.X.dtype == np.float64 and (not issparse(data.X) or data.X.format == "csr")
    assert len(others) >= 10 or "skipped" in capsys.readouterr().out


def test_sets_without_their_files_are_skipped_aloud(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert not list(_rows.confirmation())
    assert [family.name for family in _items.confirmation()] == ["synth"]
    assert not list(_structures.confirmation())
    assert "skipped: " in capsys.readouterr().out


def test_no_item_to_predict_is_one_to_learn_from():
    X = np.arange(40.0)[:, None]
    family = _items.Family("", lambda *draw: _items._of_table(X, np.arange(40) // 10, *draw))
    sets, _ = family.sets(10)
    learned, predicted = (np.vstack(part) for part in (sets[:6], sets[6:]))
    assert not np.intersect1d(learned, predicted).size


@pytest.mark.parametrize("family", list(_items.choice()), ids=lambda family: family.name)
def test_families(family):
    sets, y = family.sets(10)
    assert len(sets) == len(y) == sum(_items.SETS)
    for items, labels in zip(sets, y, strict=True):
        size = len(items) if isinstance(items, ItemSet) else items.shape[0]
        assert size == len(labels) == 10
        assert len(np.unique(labels)) == labels.max() + 1 > 1


@pytest.mark.parametrize("ours", ["SupervisedKMeans", "CorrelationClustering"])
def test_contenders_on_clusters_far_apart(ours):
    rng = np.random.default_rng(0)
    y = [rng.permutation(12) % 3 for _ in range(sum(_items.SETS))]
    sets = [20 * np.eye(3)[labels] + rng.normal(size=(12, 3)) for labels in y]
    row = clusterers.judged(sets, y, _clusterers.contenders(ours))
    for name in _clusterers.contenders(ours):
        assert (row[name], row[f"{name}, clusters too many"]) == (100, 0)


def test_draws_differ_and_the_sets_to_learn_from_may_be_few():
    family = next(_items.choice())
    (first, _), (second, _) = family.sets(10), family.sets(10, seed=1)
    assert not np.array_equal(first[0], second[0])
    given = []

    def predict(X, y, others, numbers):
        given.append((len(X), len(y), len(others)))
        return [np.zeros(10)] * len(others)

    clusterers.judged(*family.sets(10), {"together": predict}, learned=2)
    assert given == [(2, 2, 8)]


def test_the_spread_is_that_of_the_means_over_the_seeds():
    rows = [_scores.by_seed([{"a": a}, {"a": a + 2.0}]) | {"form": "raw"} for a in (1.0, 5.0)]
    (row,) = averages.spread(rows, ["form"], ["a"])
    assert row == {"form": "raw", "sets": 2, "a": "4.0 ± 1.4"}


def test_structures_have_a_label_for_every_row():
    for data in [*_structures.choice(), *_structures.confirmation()]:
        assert [x.shape[0] for x in data.rows] == [len(y) for y in data.labels]


def test_scores_are_those_of_held_out_rows():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    models = {"always 0": DummyClassifier(strategy="constant", constant=0)}
    scores = _scores.cross_validated(X, y, StandardScaler(), models, lambda m, X, y: m.score(X, y))
    assert scores == {"always 0": [0.5] * _scores.FOLDS}


def test_a_line_compares_ours_with_the_best_of_the_others():
    row = _scores.line({"ours": [0.5, 0.7], "worse": [0.1, 0.9], "best": [0.6, 0.6]}, data="x")
    assert row == {"data": "x", "ours": 60, "worse": 50, "best": 60, "standard error": 10}


def test_means_are_over_the_rows_that_agree():
    rows = [{"form": form, "score": score} for form, score in (("a", 1), ("b", 5), ("a", 3))]
    assert averages.averaged(rows, ["form"], ["score"]) == [
        {"form": "a", "sets": 2, "score": 2.0},
        {"form": "b", "sets": 1, "score": 5.0},
    ]


def test_a_table_without_its_data_leaves_the_stored_one(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    _scores.keep("defaults/x", "title", [{"a": 1}])
    _scores.keep("defaults/x", "title", [])
    assert store.stored("defaults/x") == {"title": [{"a": 1}]}
