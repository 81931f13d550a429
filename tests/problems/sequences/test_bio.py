"""Segments of labels, the transitions of their schemes, and F1 over segments."""

import re
from itertools import chain, product

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from structsvm.problems import (
    bio_segments,
    bio_transitions,
    bioes_transitions,
    segment_f1_score,
)

KINDS = ("A", "B")
#: All strings of at most three of these letters, more prefixes, and labels of other types.
TEXTS = ["".join(text) for n in range(4) for text in product("BESO-Xb ", repeat=n)]
OTHERS = [*"ILU", "I-X", "LU", "U-X", "L-", 0, True, 1.5, b"B", float("nan")]


#: All functions that read labels, with one label, and the prefixes that each takes.
READERS = {
    "bio_transitions, before": (lambda label: bio_transitions(label, "O"), "BI"),
    "bio_transitions, after": (lambda label: bio_transitions("O", label), "BI"),
    "bioes_transitions, before": (lambda label: bioes_transitions(label, "O"), "BIESLU"),
    "bioes_transitions, after": (lambda label: bioes_transitions("O", label), "BIESLU"),
    "bio_segments": (lambda label: bio_segments(["O", label]), "BIESLU"),
    "segment_f1_score": (lambda label: segment_f1_score([[label]], [["O"]]), "BIESLU"),
    "segment_f1_score, found": (lambda label: segment_f1_score([["O"]], [[label]]), "BIESLU"),
    "segment_f1_score, table": (
        lambda label: segment_f1_score([label], ["O"], groups=[0]), "BIESLU"
    ),
}  # fmt: skip


def spelled(length, segments, scheme):
    """Labels of segments by the definition of the scheme."""
    labels = ["O"] * length
    for start, stop, kind in segments:
        for place in range(start, stop):
            first, last = place == start, place == stop - 1
            prefix = "B" if first else "I"
            if scheme == "BIOES" and last:
                prefix = "S" if first else "E"
            labels[place] = f"{prefix}-{kind}"
    return labels


def segmentations(length, start=0):
    """All sets of disjoint segments of a sequence."""
    if start == length:
        yield []
        return
    yield from segmentations(length, start + 1)
    for stop in range(start + 1, length + 1):
        for kind, rest in product(KINDS, segmentations(length, stop)):
            yield [(start, stop, kind), *rest]


@pytest.mark.parametrize(
    ("scheme", "rule"), [("BIO", bio_transitions), ("BIOES", bioes_transitions)]
)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_rule_allows_the_labels_of_all_segmentations_and_no_others(scheme, rule, length):
    names = [f"{prefix}-{kind}" for prefix in scheme if prefix != "O" for kind in KINDS] + ["O"]
    allowed = {
        labels
        for labels in product(names, repeat=length)
        if all(rule(a, b) for a, b in zip([None, *labels], [*labels, None], strict=True))
    }
    every = list(segmentations(length))
    assert allowed == {tuple(spelled(length, segments, scheme)) for segments in every}
    assert len(allowed) == len(every)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_segments_are_read_back(scheme):
    for segments in segmentations(4):
        assert bio_segments(spelled(4, segments, scheme)) == segments


A_AND_B = [(0, 2, "A"), (2, 3, "B")]


def test_a_label_that_continues_nothing_begins_a_segment():
    assert bio_segments(["I-A", "I-A", "I-B", "O", "I-B"]) == [*A_AND_B, (4, 5, "B")]
    assert bio_segments(["B-A", "E-A", "I-A", "S-A"]) == [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]
    assert bio_segments(["B", "I", "O", "B"]) == [(0, 2, ""), (3, 4, "")]
    assert bio_segments(["B-A", "L-A", "U-B"]) == A_AND_B


def test_labels_of_other_schemes_and_missing_ones_are_named():
    scheme = "'O', or B, I, E or S with a kind, such as 'B-PER'; L and U are read as E and S$"
    with pytest.raises(ValueError, match=f"^labels, position 1: the label 'NOUN' is .*{scheme}"):
        bio_segments(["O", "NOUN"])
    scheme = "BIO scheme: expected 'O', or B or I with a kind, such as 'B-PER'$"
    with pytest.raises(ValueError, match=f"^the label 'S-A' is not of the {scheme}"):
        bio_transitions("O", "S-A")
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match="labels, position 1: the label is missing"):
            bio_segments(["O", missing])
    with pytest.raises(ValueError, match="Write 'O' where there is no segment, and leave out"):
        bio_segments([""])


@pytest.mark.parametrize("name", READERS)
def test_a_label_is_outside_or_a_whole_prefix_with_a_kind_or_none_and_else_it_is_refused(name):
    read, prefixes = READERS[name]
    scheme = re.compile(f"O|[{prefixes}](-.+)?")
    for label in [*TEXTS, *OTHERS]:
        if isinstance(label, str) and scheme.fullmatch(label):
            read(label)
            continue
        with pytest.raises(ValueError, match=r"expected .O., or|missing|NaN"):
            read(label)


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
COLUMN = pd.Series(FLAT)


ONE, TWO = [[(0, 1, "X")]], [["O"], ["O", "O"]]
PAIRS = [[("the", "O"), ("cat", "B-X")]]

test_what_does_not_fit_is_named = refused(
    lambda true, found, groups=None: segment_f1_score(true, found, groups=groups),
    (TWO, [["O"], ["O"]], r"Y_true\[1\] has 2 labels but Y_pred\[1\] has 1"),
    ([["O"], ["B"]], ["O", "B"], r"Y_pred\[0\] is the label 'O'; .* Give groups"),
    ([["O"]], [], "Y_true has 1 sequences but Y_pred has 0"),
    ([], [], "Y_true is empty; expected at least one sequence"),
    (PAIRS, PAIRS, r"^Y_true\[0\] must be a list of segments \(start, stop, label\); .*'B-X'"),
    (ONE, [[(0, 1, "X"), "O"]], r"^Y_pred\[0\] must be a list of segments .*; got"),
    (ONE, [[(0, 1, np.nan)]], r"^Y_pred\[0\] has the segment \(0, 1, nan\); every .* a label"),
    ([[(2, 1, "X")]], [[]], r"^Y_true\[0\] has the segment \(2, 1, 'X'\), which is empty"),
    (TWO, [["O"], ["O", "x"]], r"^Y_pred\[1\], position 1: the label 'x' is not of"),
    ([["O", None]], [["O", "O"]], r"^Y_true\[0\], position 1: the label is missing"),
    ([*FLAT[:-1], "x"], FLAT, GROUPS, r"^Y_true of group 3, position 0: the label 'x' is not"),
    (FLAT, [*FLAT[:-1], np.nan], GROUPS, r"Y_pred\[6\] is NaN; every row"),
    (FLAT, FLAT[:-1], GROUPS, "Y_true has 7 labels but Y_pred has 6"),
    (FLAT, FLAT, [1], "groups must say of each of the 7 rows of Y_true"),
    ([["O"]], [["O"]], [1], "with groups Y_true must hold a label for each row"),
    (FLAT, FLAT, "message", "groups is the string 'message'; pass the column itself"),
    (COLUMN, COLUMN.set_axis(range(1, 8)), GROUPS, "Y_pred must have the index of Y_true, 0, 1"),
)
