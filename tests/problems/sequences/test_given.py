"""Sequences in lists, or as the rows of a table with groups, come back as they were given."""

import numpy as np
import pandas as pd
import pytest
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


def labels(y, X=(ROWS,)):
    """Labels of lists of rows, or of the table."""
    return Given.of(TABLE, GROUPS).labels(y) if X is TABLE else Given.of(list(X)).labels(y)


ITEM, TWO = [{"a": 1}], [ROWS[:2]]
MIXED = np.array([1, "a", 4, 2, 3], dtype=object)
BAD = {
    "X is a table; give groups": lambda: Given.of(pd.DataFrame(ROWS)),
    "X is a table; give groups, the sequence that each row": lambda: Given.of(ROWS),
    "enable_metadata_routing": lambda: Given.of(TABLE),
    "X is not a valid CSR matrix": lambda: Given.of(broken(), GROUPS),
    "X is empty": lambda: Given.of([]),
    r"X\[1\] is empty; .*: leave empty sequences out, with their labels$": lambda: Given.of(
        [ITEM, []]
    ),
    r"X\[1\] has no rows; .*: leave empty sequences out": lambda: Given.of([ROWS, ROWS[:0]]),
    r"X\[1\] must be a matrix, or a list.* got str 'a' as X\[1\]\[0\]": lambda: Given.of(
        [ITEM, ["a"]]
    ),
    r"X\[2\] must be a matrix.* got int 3 as X\[2\]\[70\]": lambda: Given.of(
        [ITEM, [], [*ITEM * 70, 3]], may_be_empty=True
    ),
    r"X\[1\] must be of type DataFrame, as X\[0\] is; got ndarray": lambda: Given.of([TABLE, ROWS]),
    r"X\[1\] must be of type ndarray, as X\[0\] is; got DataFrame": lambda: Given.of([ROWS, TABLE]),
    r"column 'b' of X\[1\] held numbers in X\[0\]; row 2 holds '\?'": lambda: Given.of(
        [TABLE, TABLE.assign(b=["1", "2", "?", "4", "5"])]
    ),
    "groups must say of each of the 5 rows": lambda: Given.of(ROWS, [1, 2]),
    r"groups: no value in row 1 \(nan\); fill them, as by ffill\(\)": lambda: Given.of(
        ROWS, [0, np.nan, 1, 1, 1]
    ),
    "groups: types are mixed, 1 in row 0 and 'a' in row 1": lambda: Given.of(ROWS, MIXED),
    r"groups must have the index of X, 0, 1.*; got 4, 3.*groups.loc\[X.index\]": lambda: Given.of(
        TABLE, pd.Series(GROUPS, index=TABLE.index[::-1])
    ),
    r"groups is the string 'b'; pass the column itself, such as": lambda: Given.of(TABLE, "b"),
    r"with groups X is one table.* Got list \[{'a': 1}\] as X\[0\]": lambda: Given.of(
        [ITEM, ITEM], [0, 1]
    ),
    r"X is a single column; give a table, such as table\[\['a'\]\]": lambda: Given.of(
        TABLE["a"], GROUPS
    ),
    r"X\[0\] is a dict: give \[X\], and \[y\], if .* single sequence; or": lambda: Given.of(ITEM),
    r"got NoneType None as X\[0\]\[1\]": lambda: Given.of([[*ITEM, None]]),
    r"a list of their names, for each position; got str 'a'": lambda: Given.of([["a", "b"]]),
    r"got list .* as X\[0\]\[0\]": lambda: Given.of([[ITEM * 2]]),
    r"got list \[b'a'\] as X\[0\]\[0\]": lambda: Given.of([[[b"a"]]]),
    r"got ndarray .* as X\[0\]\[0\]": lambda: Given.of([[ROWS[:1]]]),
    "X has 1 sequences but y has 2": lambda: labels([["a"], ["b"]]),
    "y must have the index of X, 1, 3, 0, 2, 4; got 2, 4, 1, 3, 5": lambda: labels(
        pd.Series(list("abcde"), index=TABLE.index + 1), TABLE
    ),
    r"y is the string 'b'; pass the column itself, such as": lambda: labels("b", TABLE),
    r"y\[0\] is the string 'ab'; expected a list": lambda: labels(["ab"], TWO),
    r"y\[0\]\[1\] is NaN; every row needs a label": lambda: labels([["a", np.nan]], TWO),
    r"y\[3\] is NaN; every row needs a label": lambda: labels(
        pd.Series(["a", "b", "c", np.nan, "e"]), TABLE
    ),
    r"y\[2\] is None; every row needs a label": lambda: labels([*"ab", None, *"de"], TABLE),
    "y must hold a label for each of the 5 rows": lambda: labels(["a"], TABLE),
    "mixes strings with others": lambda: labels(["a", 1, "b", "b", "a"], TABLE),
    "sample_weight must hold an array for each of 1 sequences; got 2": lambda: Given.of(
        [ROWS]
    ).weights([[1.0] * 5, [1.0]]),
    r"sample_weight\[0\] must hold a weight for each of the 5 positions of X\[0\]": lambda: (
        Given.of([ROWS]).weights([[1.0, 2.0]])
    ),
    r"must be finite and >= 0; sample_weight\[2\] is -1": lambda: Given.of([ROWS]).weights(
        [[1, 1, -1, 1, 1]]
    ),
    "sample_weight must hold a weight for each of the 5 rows": lambda: Given.of(
        TABLE, GROUPS
    ).weights([1.0]),
}


@pytest.mark.parametrize("message", BAD)
def test_what_does_not_fit_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
