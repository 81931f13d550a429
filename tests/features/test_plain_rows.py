"""Rows that are read all at once, against the same rows read one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structsvm.features import vocabulary as module
from structsvm.features.plain_rows import plain_entries
from structsvm.features.vocabulary import Vocabulary

NAMES = st.sampled_from(["a", "b", "a:x", "x", ""])
NUMBERS = st.sampled_from([0, 1, -2.5, True, 0.1, np.float32(3), np.inf, np.nan, 10**400])
VALUES = st.one_of(NUMBERS, st.sampled_from(["x", "y", "", None, ["x"], {"x": 2.0}, [1.0], b"x"]))
PLAIN = st.dictionaries(NAMES, st.one_of(st.floats(-9, 9), st.booleans(), st.text("xy")))
ROWS = st.lists(
    st.one_of(st.lists(NAMES, max_size=4), PLAIN, st.dictionaries(NAMES, VALUES, max_size=2)),
    min_size=1,
    max_size=6,
)


def read(parts, vectors):
    """What a vocabulary makes of rows to learn from, and of others, or its first error."""
    vocabulary, found = Vocabulary(vectors=vectors), []
    try:
        for rows in parts:
            columns, values, ends, arrays = vocabulary._read(rows, "row {}".format)
            found += [columns.tolist(), values.tolist(), ends.tolist(), repr(arrays)]
    except ValueError as error:
        found.append(str(error))
    return found, vocabulary.names, vocabulary._texts


@pytest.mark.filterwarnings("ignore:.*features of X are not among")
@settings(max_examples=300, deadline=None)
@given(st.one_of(st.just(PLAIN), st.just(None)), st.data(), st.booleans())
def test_rows_read_at_once_are_those_read_one_by_one(kind, data, vectors):
    rows = ROWS if kind is None else st.lists(kind, min_size=1, max_size=6)
    parts = data.draw(rows), data.draw(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 2)
        at_once = read(parts, vectors)
        patch.setattr(module, "plain_entries", getattr(plain_entries, "__wrapped__", plain_entries))
        assert at_once == read(parts, vectors)
        patch.setattr(Vocabulary, "_at_once", lambda self, rows: None)
        assert at_once == read(parts, vectors)


def test_names_are_read_at_once():
    known = Vocabulary()
    known.matrix([["a", "b"], ("c",)], str)
    columns, values, counts, _ = known._at_once([["b", "new"], [], ["a"]])
    assert columns.tolist() == [1, -1, 0] and values.tolist() == [1.0] * 3
    assert counts.tolist() == [2, 0, 1]
