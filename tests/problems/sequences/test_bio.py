"""Segments of labels, the transitions of their schemes, and F1 over segments."""

from itertools import product

import pytest

from structsvm.problems import (
    bio_segments,
    bio_transitions,
    bioes_transitions,
    segment_f1_score,
)

KINDS = ("A", "B")


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


def test_a_label_that_continues_nothing_begins_a_segment():
    assert bio_segments(["I-A", "I-A", "I-B", "O", "I-B"]) == [
        (0, 2, "A"),
        (2, 3, "B"),
        (4, 5, "B"),
    ]
    assert bio_segments(["B-A", "E-A", "I-A", "S-A"]) == [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]
    assert bio_segments(["B", "I", "O", "B"]) == [(0, 2, ""), (3, 4, "")]
    assert bio_segments(["B-A", "L-A", "U-B"]) == [(0, 2, "A"), (2, 3, "B")]


def test_f1_counts_whole_segments_of_all_sequences():
    true = [["B-A", "I-A", "O"], ["B-B", "O", "B-A"], ["O"]]
    found = [["B-A", "I-A", "O"], ["B-A", "O", "B-A"], ["B-A"]]
    # Two of three true segments, and of four predicted ones, are right.
    assert segment_f1_score(true, found) == pytest.approx(2 * 2 / (3 + 4))
    assert segment_f1_score(true, true) == 1
    assert segment_f1_score([["O"]], [["O"]]) == 1
    assert segment_f1_score([["O"]], [["B-A"]]) == 0


def test_labels_of_other_schemes_and_unequal_sequences_are_named():
    with pytest.raises(ValueError, match="the label 'NOUN' is not of the BIOES scheme"):
        bio_segments(["NOUN"])
    with pytest.raises(ValueError, match="the label 'S-A' is not of the BIO scheme"):
        bio_transitions("O", "S-A")
    with pytest.raises(ValueError, match=r"Y_true\[1\] has 2 labels but Y_pred\[1\] has 1"):
        segment_f1_score([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match=r"Y_pred\[0\] is the label 'O'; .* give \[y\]"):
        segment_f1_score([["O"], ["B"]], ["O", "B"])
    with pytest.raises(ValueError, match="Y_true has 1 sequences but Y_pred has 0"):
        segment_f1_score([["O"]], [])
