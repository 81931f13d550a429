"""The tasks of benchmarks/clustering, divided by lot, and the tables made of them."""

import numpy as np
import pytest

from benchmarks.clustering._measures import accuracy
from benchmarks.clustering._sets import BUILDERS, MOST
from benchmarks.clustering._tasks import PARTS, tasks
from benchmarks.clustering.defaults import METHODS, summary, table, task_rows
from benchmarks.reproduction import _sets


@pytest.mark.parametrize(("seed", "prefix"), [(22, ""), (23, "packages, ")])
def test_the_halves_are_those_of_the_lot(seed, prefix):
    choosing, confirming = PARTS[f"{prefix}choosing"], PARTS[f"{prefix}confirming"]
    names = sorted(choosing + confirming)
    order = np.random.default_rng(seed).permutation(len(names))
    half = (len(names) + 1) // 2
    assert sorted(names[i] for i in order[:half]) == list(choosing)
    assert sorted(names[i] for i in order[half:]) == list(confirming)


def test_every_set_is_in_one_part():
    assert sorted(name for names in PARTS.values() for name in names) == sorted(BUILDERS)


def test_no_pair_or_subset_of_the_papers_is_a_task():
    assert not {"digits 3v8", "digits 8v9", "digits 1v7", "digits 2v7"} & set(BUILDERS)
    assert not set(_sets.SEVERAL) & set(BUILDERS) - {"digits", "mnist"}  # samples of all classes


def test_forms_of_a_bundled_task():
    raw, standardised = tasks(["wine"])
    assert (raw.form, standardised.form, raw.n_clusters) == ("raw", "standardised", 3)
    np.testing.assert_allclose(standardised.X.std(axis=0), 1)
    np.testing.assert_array_equal(raw.y, standardised.y)
    digits = next(tasks(["digits"]))
    assert digits.X.shape == (MOST, 64)


def test_accuracy_matches_clusters_with_classes_one_to_one():
    y = np.array([0, 0, 0, 1, 1, 2])
    assert accuracy((y + 1) % 3, y) == 100
    assert accuracy(np.zeros(6, dtype=int), y) == 50
    assert accuracy(np.array([0, 0, 1, 1, 1, 1]), y) == pytest.approx(400 / 6)


@pytest.mark.slow
def test_a_row_for_every_method():
    task = next(tasks(["iris"]))
    rows = task_rows(task, "confirming")
    assert [row["method"] for row in rows] == list(METHODS)
    (line,) = table(rows, "accuracy")
    assert line["structsvm"] > 80 and line["k-means"] > 80
    accuracy_line = summary(rows)[0]
    assert accuracy_line["number"] == 1
