"""Some entries of w, in runs of any length, against plain indexing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structsvm.oracle.minibatches import Columns, FeatureColumns


@given(
    rows=st.sets(st.integers(0, 11), min_size=1),
    width=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_they_are_those_of_plain_indexing(rows, width, seed):
    places = (np.array(sorted(rows))[:, None] * width + np.arange(width)).ravel()
    w = np.random.default_rng(seed).normal(size=12 * width)
    columns = Columns(places, len(w))
    assert columns.m == len(places)
    np.testing.assert_array_equal(columns.of(w), w[places])
    columns.of(w)[:] = 1  # which is a copy
    np.testing.assert_array_equal(columns.of(w), w[places])
    values, total, expected = np.arange(len(places)) + 0.5, w.copy(), w.copy()
    columns.add(total, values)
    expected[places] += values
    np.testing.assert_array_equal(total, expected)
    columns.set(total, values)
    expected[places] = values
    np.testing.assert_array_equal(total, expected)


def places_of(features, d=7, k=3):
    return (np.arange(k)[:, None] * d + np.asarray(features)).ravel()


@pytest.mark.parametrize("features", [[0, 2, 5], [6], range(7)])
def test_whole_features_are_found(features):
    columns = Columns(places_of(features), 21)
    np.testing.assert_array_equal(columns.features(3), list(features))


@pytest.mark.parametrize(
    "places", [[0, 2, 7, 9, 14], [0, 2, 7, 9, 14, 17], [0, 1, 2, 3, 4, 5], [1, 9, 10]]
)
def test_other_entries_are_no_whole_features(places):
    assert Columns(np.array(places), 21).features(3) is None
    assert Columns(np.arange(20), 20).features(3) is None  # no multiple of three


def test_both_orders_of_storage_hold_the_same():
    features, rng = np.array([0, 2, 5]), np.random.default_rng(0)
    plain, stored = Columns(places_of(features), 21), FeatureColumns(features, 3)
    w, values = rng.normal(size=21), rng.normal(size=9)
    W = w.reshape(3, 7).T.copy()
    np.testing.assert_array_equal(stored.of(W), plain.of(w))
    for method in ("add", "set"):
        getattr(plain, method)(w, values)
        getattr(stored, method)(W, values)
        np.testing.assert_array_equal(W.T.ravel(), w)
