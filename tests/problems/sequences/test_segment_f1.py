"""F1 over the segments of sequences, in lists or as labels of a table."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest

from structsvm.problems import segment_f1_score

TRUE = [["B-A", "I-A", "O"], ["B-B", "O", "B-A"], ["O"]]
FOUND = [["B-A", "I-A", "O"], ["B-A", "O", "B-A"], ["B-A"]]
GROUPS = [1, 1, 1, 2, 2, 2, 3]


def test_f1_counts_whole_segments_of_all_sequences():
    # Two of three true segments, and of four predicted ones, are right.
    assert segment_f1_score(TRUE, FOUND) == pytest.approx(2 * 2 / (3 + 4))
    assert segment_f1_score(TRUE, TRUE) == 1
    assert segment_f1_score([["O"]], [["O"]]) == 1
    assert segment_f1_score([["O"]], [["B-A"]]) == 0
    assert segment_f1_score([[[0, 2, "A"]]], [[(0, 2, "A")]]) == 1  # as JSON has them


@pytest.mark.filterwarnings("ignore:groups:UserWarning")  # rows of a group are apart
def test_labels_of_a_table_are_divided_by_groups():
    table = pd.DataFrame({"true": [*chain(*TRUE)], "found": [*chain(*FOUND)], "group": GROUPS})
    expected = segment_f1_score(TRUE, FOUND)
    mixed = table.iloc[[3, 0, 6, 1, 4, 5, 2]]
    for t in (table, mixed):
        assert segment_f1_score(t["true"], t["found"], groups=t["group"]) == expected
        found = t["found"].to_numpy()
        assert segment_f1_score(t["true"], found, groups=t["group"].tolist()) == expected
    # A segment does not go on in the next group.
    assert segment_f1_score(["B", "I"], ["B", "I"], groups=[0, 1], sample_weight=[1, 0]) == 1
    assert segment_f1_score(["B", "I"], ["B", "B"], groups=[0, 1]) == 1
    assert segment_f1_score(["B", "I"], ["B", "B"], groups=[0, 0]) == 0


def test_series_of_sequences_with_any_index():
    true, found = (
        pd.Series([pd.Series(y, index=range(5, 5 + len(y))) for y in Y], index=[7, 8, 9])
        for Y in (TRUE, FOUND)
    )
    assert segment_f1_score(true, found) == segment_f1_score(TRUE, FOUND)


FLAT = [*chain(*TRUE)]
BAD = {
    r"Y_true\[1\] has 2 labels but Y_pred\[1\] has 1": ([["O"], ["O", "O"]], [["O"], ["O"]]),
    r"Y_pred\[0\] is the label 'O'; .* Give groups": ([["O"], ["B"]], ["O", "B"]),
    "Y_true has 1 sequences but Y_pred has 0": ([["O"]], []),
    "Y_true is empty; expected at least one sequence": ([], []),
    r"^Y_true\[0\] must be a list of segments \(start, stop, label\); got .*'B-X'": (
        [[("the", "O"), ("cat", "B-X")]],
        [[("the", "O"), ("cat", "O")]],
    ),
    r"^Y_pred\[0\] must be a list of segments .*; got": ([[(0, 1, "X")]], [[(0, 1, "X"), "O"]]),
    r"^Y_pred\[0\] has the segment \(0, 1, nan\); every segment needs a label": (
        [[(0, 1, "X")]],
        [[(0, 1, np.nan)]],
    ),
    r"^Y_true\[0\] has the segment \(2, 1, 'X'\), which is empty": ([[(2, 1, "X")]], [[]]),
    r"^Y_pred\[1\], position 1: the label 'x' is not of": (
        [["O"], ["O", "O"]],
        [["O"], ["O", "x"]],
    ),
    r"^Y_true\[0\], position 1: the label is missing": ([["O", None]], [["O", "O"]]),
}
GROUPED = {
    r"^Y_true of group 3, position 0: the label 'x' is not": ([*FLAT[:-1], "x"], FLAT, GROUPS),
    r"Y_pred\[6\] is NaN; every row": (FLAT, [*FLAT[:-1], np.nan], GROUPS),
    r"Y_pred\[6\] is None; every row": (FLAT, [*FLAT[:-1], None], GROUPS),
    "Y_true has 7 labels but Y_pred has 6": (FLAT, FLAT[:-1], GROUPS),
    "groups must say of each of the 7 rows of Y_true": (FLAT, FLAT, [1]),
    "Y_true is empty; expected at least one row": ([], [], []),
    "with groups Y_true must hold a label for each row": ([["O"]], [["O"]], [1]),
    "groups is the string 'message'; pass the column itself": (FLAT, FLAT, "message"),
    "Y_pred must have the index of Y_true, 0, 1": (
        pd.Series(FLAT), pd.Series(FLAT, index=range(1, 8)), GROUPS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", [*BAD, *GROUPED])
def test_what_does_not_fit_is_named(message):
    true, found, *groups = (BAD | GROUPED)[message]
    with pytest.raises(ValueError, match=message):
        segment_f1_score(true, found, groups=groups[0] if groups else None)
