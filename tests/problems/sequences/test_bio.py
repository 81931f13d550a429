"""Segments of labels, and the transitions of their schemes."""

import re
from itertools import product

import pytest

from structsvm import ProblemError
from structsvm.problems import (
    ChainSVM,
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


def test_a_label_that_continues_nothing_begins_a_segment():
    assert bio_segments(["I-A", "I-A", "I-B", "O", "I-B"]) == [
        (0, 2, "A"),
        (2, 3, "B"),
        (4, 5, "B"),
    ]
    assert bio_segments(["B-A", "E-A", "I-A", "S-A"]) == [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]
    assert bio_segments(["B", "I", "O", "B"]) == [(0, 2, ""), (3, 4, "")]
    assert bio_segments(["B-A", "L-A", "U-B"]) == [(0, 2, "A"), (2, 3, "B")]


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


def test_training_by_the_rule_names_labels_and_an_empty_one_gets_advice():
    with pytest.raises(ValueError, match="Write 'O' where there is no segment, and leave out"):
        bio_segments([""])
    svm = ChainSVM(allowed_transitions=bio_transitions)
    for label in ("", "O-X", "S-X"):
        with pytest.raises(ProblemError, match=f"the label '{label}' is not of the BIO scheme"):
            svm.fit([[{"a": 1}, {"b": 1}]], [["O", label]])
