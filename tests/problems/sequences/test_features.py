"""Columns of features: dicts against DictVectorizer, tables by name, unknown features counted."""

import logging

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from sklearn.feature_extraction import DictVectorizer

from structsvm.problems.sequences.data import Given, row_features

X = [
    [{"word": "the", "capital": True, "length": 3}, {"word": "dog", "length": 3.5}],
    [{"word": "Bob", "capital": False, "length": np.float32(3), "last": np.bool_(True)}],
]


def test_dicts_become_the_rows_of_a_dict_vectorizer():
    given = Given.of(X)
    features, _ = row_features(given)
    found = features.matrix(given)
    plain = [{**row, "last": bool(row["last"])} if "last" in row else row for row in given.rows]
    vectorizer = DictVectorizer(separator=":", sparse=False)
    expected = vectorizer.fit_transform(plain)
    places = [features.names.index(name) for name in vectorizer.feature_names_]
    np.testing.assert_array_equal(found.toarray()[:, places], expected)
    assert len(features.names) == len(places)


@pytest.mark.parametrize(
    ("value", "dtype"), [(0.5, np.float32), (0.1, np.float64), (1e300, np.float64)]
)
def test_single_precision_is_used_where_it_holds_the_numbers(value, dtype):
    given = Given.of([[{"a": value}]])
    if value > 1:
        with pytest.raises(ValueError, match="overflow"):
            row_features(given)[1]
    else:
        assert row_features(given)[1].dtype == dtype


def test_unknown_features_are_ignored_and_counted(caplog):
    features, _ = row_features(Given.of(X))
    new = Given.of([[{"word": "cat", "length": 3, "capital": True}]])
    with caplog.at_level(logging.INFO):
        row = features.matrix(new)
    assert "1 of 3 features of X are not among those trained on: ignored" in caplog.text
    known = Given.of([[{"length": 3, "capital": True}]])
    np.testing.assert_array_equal(row.toarray(), features.matrix(known).toarray())
    with pytest.warns(UserWarning, match="2 of 3 features of X are not among those trained on"):
        features.matrix(Given.of([[{"word": "cat", "size": 3, "capital": True}]]))


def test_a_table_of_numbers_keeps_its_columns():
    table = pd.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.5, 1.5]})
    features, found = row_features(Given.of(table, [0, 0]))
    assert features.names == ["a", "b", "c"]
    np.testing.assert_array_equal(found, [[1, 1, 0.5], [2, 0, 1.5]])


def test_a_table_with_text_is_read_as_dicts():
    table = pd.DataFrame({"word": ["a", "b"], "length": [1, 2]})
    features, _ = row_features(Given.of(table, [0, 1]))
    assert features.names == ["word:a", "length", "word:b"]
    for given in (Given.of(table, [0, 1]), Given.of([[row] for row in table.to_dict("records")])):
        np.testing.assert_array_equal(features.matrix(given).toarray(), [[1, 1, 0], [0, 2, 1]])


def single(value):
    return [[{"a": 1}], [{"a": 1}, {"a": value}]]


MISSING = pd.DataFrame({"word": ["a", np.nan], "size": [1.0, 2.0]})
FINITE = "features must be finite"
test_values_of_other_types_are_named = refused(
    lambda *given: row_features(Given.of(*given))[1],
    (single([1]), r"X\[1\]\[1\]\['a'\] is of type list, but 'a' is a single number"),
    (single(None), rf"X\[1\]\[1\]\['a'\] is None; {FINITE}"),
    (single({"b": None}), rf"X\[1\]\[1\]\['a:b'\] is None; {FINITE}"),
    (single(1j), r"X\[1\]\[1\]\['a'\] is of type complex"),
    (single(float("nan")), rf"X\[1\]\[1\]\['a'\] is NaN; {FINITE}"),
    (single(10**400), rf"X\[1\]\[1\]\['a'\] is inf; {FINITE}"),
    (MISSING, [0, 0], rf"row 1 of X\['word'\] is NaN; {FINITE}"),
    ([[{3: 1}]], "names of features must be strings; got 3"),
    ([[{b"w": "a"}]], r"must be strings; got the bytes b'w': decode"),
    ([[{"w": {b"v": 1}}]], "got the bytes b'v'"),
    (pd.DataFrame({b"u": [1.0]}), [0], "got the bytes b'u'"),
    ([[{"w": b"a"}]], r"\['w'\] is the bytes b'a'; decode them"),
    ([[{}], [{}, {}]], "X has no features: all its dicts are empty"),
)


WITHOUT = Given.of(MISSING[["word"]], [0, 0])
MATRIX, DICTS = Given.of([np.eye(2)]), Given.of([[{"a": 1}]])
TEXT = Given.of(pd.DataFrame({"word": ["a", "b"]}), [0, 0])


test_rows_of_another_kind_than_those_trained_on_are_refused = refused(
    lambda trained, given: row_features(trained)[0].matrix(given),
    (DICTS, MATRIX, "X must hold dicts of features"),
    (TEXT, MATRIX, "X must hold a table with columns of text"),
    (TEXT, WITHOUT, r"row 1 of X\['word'\] is NaN; .*: leave it out, or"),
    (MATRIX, DICTS, "X must hold rows of a matrix"),
    (Given.of(pd.DataFrame({"a": [1.0]}), [0]), DICTS, "X must hold rows of a matrix"),
    (MATRIX, Given.of([np.eye(3)]), "X has 3 columns; expected 2"),
)


def test_a_table_of_another_library_is_refused():
    class Table:
        columns = ("a",)

        def __len__(self):
            return 1

        def __getitem__(self, which):
            return self

    with pytest.raises(ValueError, match="X must be a DataFrame of pandas or polars"):
        Given.of(Table(), [0])
