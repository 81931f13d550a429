"""Columns of features that are given as dicts: known and unknown ones, and unusable values."""

import logging

import numpy as np
import pytest

from structsvm.features.vocabulary import Vocabulary

ROWS = [{"word": "the", "size": 3}, {"size": 0.5, "new": True}, {}]


def place(row):
    return f"row {row}"


def learned(rows=ROWS):
    vocabulary = Vocabulary()
    vocabulary.matrix(rows, place)
    return vocabulary


def test_columns_are_in_the_order_of_their_first_features():
    vocabulary = learned()
    assert vocabulary.names == ["word:the", "size", "new"]
    found = vocabulary.matrix(ROWS, place)
    np.testing.assert_array_equal(found.toarray(), [[1, 3, 0], [0, 0.5, 1], [0, 0, 0]])
    assert found.dtype == np.float32
    assert vocabulary.matrix([{"size": 0.1}], place).dtype == np.float64


def test_zeros_are_not_stored():
    assert learned().matrix([{"size": 0, "new": False}], place).nnz == 0


def test_few_unknown_features_are_logged_and_many_warned_of(caplog):
    with caplog.at_level(logging.INFO):
        learned().matrix([{"size": 1, "new": 1, "word": "a"}], place)
    assert "1 of 3 features of X are not among those trained on: ignored" in caplog.text
    with pytest.warns(UserWarning, match="2 of 3 features"):
        learned().matrix([{"size": 1, "old": 1, "word": "a"}], place)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), r"row 1\['size'\] is NaN; features must be finite: leave it out"),
        (10**400, r"row 1\['size'\] is inf"),
        (-np.inf, r"row 1\['size'\] is -inf"),
        (None, r"row 1\['size'\] is None; features must be finite: leave it out"),
        (b"a", r"row 1\['size'\] is the bytes b'a'; decode them"),
        (object, r"row 1\['size'\] is of type type; .* a number, a bool, a string"),
        ([1], r"row 1\['size'\] is of type list"),
        (1e300, "overflow"),
    ],
)
def test_unusable_values_are_named(value, message):
    with pytest.raises(ValueError, match=message):
        learned().matrix([{"size": 1}, {"size": value}], place)


def test_names_must_be_strings_and_there_must_be_some():
    with pytest.raises(ValueError, match="names of features must be strings; got 3"):
        learned([{3: 1}])
    with pytest.raises(ValueError, match="all its dicts are empty"):
        learned([{}])
