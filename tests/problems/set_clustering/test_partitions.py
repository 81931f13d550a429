"""Partitions: enumerated, numbered, and read from labels of any kind."""

import enum

import pytest
from set_data import drawn

from structsvm.problems import SupervisedKMeans
from structsvm.problems.set_clustering.partitions import codes_of, partitions

STIRLING = {(5, 2): 15, (6, 3): 90, (7, 3): 301, (8, 4): 1701}


def test_partitions_are_all_and_each_once():
    for (m, k), number in STIRLING.items():
        listed = [tuple(y) for y in partitions(m, k)]
        assert len(listed) == len(set(listed)) == number
        assert all(set(y) == set(range(k)) for y in listed)
    assert sum(1 for _ in partitions(6)) == 203


class Kind(enum.Enum):
    A = 1
    B = 2


def test_labels_without_an_order_and_the_number_of_clusters():
    assert codes_of([Kind.B, Kind.A, Kind.B], 3).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="y must hold a single value in row 0"):
        codes_of([{"a": 1}, {"b": 2}], 2)
    X, y = drawn(0)
    tuples = [[("doc", int(c), 3 * int(c)) for c in labels] for labels in y]
    assert SupervisedKMeans().fit(X, tuples).n_clusters_ == 3
    assert SupervisedKMeans().fit(X, (labels for labels in y)).n_clusters_ == 3


def test_codes_of():
    assert codes_of(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert codes_of([True, False], 2).tolist() == [1, 0]
