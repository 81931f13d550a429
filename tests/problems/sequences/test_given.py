"""Sequences in lists, or as the rows of a table with groups, come back as they were given."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import sparse

from structsvm.problems.sequences.data import Given

# The rows of a group are apart.
pytestmark = pytest.mark.filterwarnings("ignore:groups:UserWarning")

ROWS = np.arange(10.0).reshape(5, 2)
TABLE = pd.DataFrame(ROWS, columns=["a", "b"])
GROUPS = ["b", "a", "b", "a", "b"]


@pytest.mark.parametrize(
    "convert", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, pd.DataFrame]
)
def test_rows_of_a_group_are_a_sequence_in_their_order(convert):
    given = Given.of(convert(ROWS), GROUPS)
    rows = given.rows.toarray() if sparse.issparse(given.rows) else np.asarray(given.rows)
    np.testing.assert_array_equal(rows, ROWS[[1, 3, 0, 2, 4]])
    np.testing.assert_array_equal(given.lengths, [2, 3])
    labels = given.labels(pd.Series(list("vwxyz")))
    assert labels.tolist() == ["w", "y", "v", "x", "z"]
    assert given.as_given(labels).tolist() == list("vwxyz")
    assert given.place(2) == "row 0 of X"
    np.testing.assert_array_equal(given.weights([0, 1, 2, 3, 4])[1], [1, 3, 0, 2, 4])


def test_lists_come_back_as_lists():
    X = [ROWS[:2], ROWS[2:]]
    given = Given.of(X)
    np.testing.assert_array_equal(given.rows, ROWS)
    labels = given.labels([["a", "b"], ["c", "d", "e"]])
    assert [y.tolist() for y in given.as_given(labels)] == [["a", "b"], ["c", "d", "e"]]
    assert given.place(3) == "X[1][1]"
    np.testing.assert_array_equal(given.weights([[1, 2], [3, 4, 5]])[1], [1, 2, 3, 4, 5])


def broken():
    matrix = sparse.csr_matrix(ROWS)
    matrix.indptr[1] = 999
    return matrix


def of_table(y):
    return Given.of(TABLE, GROUPS).labels(y)


def of_lists(y, X=(ROWS,)):
    return Given.of(list(X)).labels(y)


def weights(w, *groups):
    return Given.of(TABLE if groups else [ROWS], *groups).weights(w)


ITEM, TWO = [{"a": 1}], [ROWS[:2]]
TEXT = TABLE.assign(b=["1", "2", "?", "4", "5"])
TURNED = pd.Series(GROUPS, index=TABLE.index[::-1])
SHIFTED = pd.Series(list("abcde"), index=TABLE.index + 1)
HOLE, MIXED = [0, np.nan, 1, 1, 1], np.array([1, "a", 4, 2, 3], dtype=object)
test_what_does_not_fit_is_named = refused(
    lambda function, *given: function(*given),
    (Given.of, ROWS, "X is a table; give groups, the sequence that each row"),
    (Given.of, TABLE, "enable_metadata_routing"),
    (Given.of, broken(), GROUPS, "X is not a valid CSR matrix"),
    (Given.of, [], "X is empty"),
    (Given.of, [ITEM, []], r"X\[1\] is empty; .*: leave empty sequences out, with their labels$"),
    (Given.of, [ROWS, ROWS[:0]], r"X\[1\] has no rows; .*: leave empty sequences out"),
    (Given.of, [ITEM, ["a"]], r"X\[1\] must be a matrix, or a list.* got str 'a' as X\[1\]\[0\]"),
    (Given.of, [ITEM, [], [*ITEM * 70, 3]], None, True, r"got int 3 as X\[2\]\[70\]"),
    (Given.of, [TABLE, ROWS], r"X\[1\] must be of type DataFrame, as X\[0\] is; got ndarray"),
    (Given.of, [TABLE, TEXT], r"'b' of X\[1\] held numbers in X\[0\]; row 2 holds '\?'"),
    (Given.of, ROWS, [1, 2], "groups must say of each of the 5 rows"),
    (Given.of, ROWS, HOLE, r"groups: no value in row 1 \(nan\); fill them, as by ffill\(\)"),
    (Given.of, ROWS, MIXED, "groups: types are mixed, 1 in row 0 and 'a' in row 1"),
    (Given.of, TABLE, TURNED, r"must have the index of X, 0, 1.*; got 4, 3.*groups.loc\[X.index\]"),
    (Given.of, TABLE, "b", "groups is the string 'b'; pass the column itself, such as"),
    (Given.of, [ITEM] * 2, [0, 1], r"with groups X is one table.* Got list \[{'a': 1}\] as X\[0\]"),
    (Given.of, TABLE["a"], GROUPS, r"X is a single column; give a table, such as table\[\['a'\]\]"),
    (Given.of, ITEM, r"X\[0\] is a dict: give \[X\], and \[y\], if .* single sequence; or"),
    (Given.of, [["a", "b"]], "a list of their names, for each position; got str 'a'"),
    (Given.of, [[ITEM * 2]], r"got list .* as X\[0\]\[0\]"),
    (Given.of, [[[b"a"]]], r"got list \[b'a'\] as X\[0\]\[0\]"),
    (of_lists, [["a"], ["b"]], "X has 1 sequences but y has 2"),
    (of_lists, ["ab"], TWO, r"y\[0\] is the string 'ab'; expected a list"),
    (of_lists, [["a", np.nan]], TWO, r"y\[0\]\[1\] is NaN; every row needs a label"),
    (of_table, SHIFTED, "y must have the index of X, 1, 3, 0, 2, 4; got 2, 4, 1, 3, 5"),
    (of_table, "b", "y is the string 'b'; pass the column itself, such as"),
    (of_table, [*"ab", None, *"de"], r"y\[2\] is None; every row needs a label"),
    (of_table, ["a", 1, "b", "b", "a"], "mixes strings with others"),
    (weights, [[1.0] * 5, [1.0]], "must hold an array for each of 1 sequences; got 2"),
    (weights, [[1.0, 2.0]], r"sample_weight\[0\] must hold a weight for each of the 5 positions"),
    (weights, [[1, 1, -1, 1, 1]], r"must be finite and >= 0; sample_weight\[2\] is -1"),
)
