"""F1 over the segments of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.containers import listed, n_examples
from structsvm.data.conversion import require_column, require_ordered, require_same_index
from structsvm.data.labels import checked_labels
from structsvm.data.matrices import one_array
from structsvm.data.validation import checked_sample_weight
from structsvm.problems.sequences.bio import Segment, as_segments, segments_of
from structsvm.problems.sequences.data import divided


def segment_f1_score(
    Y_true: Any, Y_pred: Any, sample_weight: Any = None, *, groups: Any = None
) -> float:
    """Compute F1 over the segments of all sequences; begin, end and label must be right.

    Parameters
    ----------
    Y_true, Y_pred : sequences of n outputs
        Sequences of labels in the BIO or BIOES scheme, as for :class:`structsvm.problems.ChainSVM`;
        or lists of segments (start, stop, label), as for :class:`structsvm.problems.SegmentSVM`.
        With ``groups``, arrays that hold a label for each row of a table.
    sample_weight : array-like of shape (n,), optional
        Weights of the sequences, which apply to all their segments, >= 0 and not all 0. With
        ``groups`` the sequences are in the order of the sorted groups.
    groups : array-like of shape (n_rows,), optional
        The sequence to which each row of a table belongs.

    Returns
    -------
    float
        Twice the number of right segments, divided by the total number of true and predicted
        segments; 1 if there are no segments.

    Raises
    ------
    ValueError
        If the true and the predicted sequences do not match, there are no sequences, or a label is
        missing or does not belong to the scheme.

    Examples
    --------
    >>> from structsvm.problems import segment_f1_score
    >>> segment_f1_score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
    0.5
    >>> segment_f1_score(["B-PER", "I-PER", "O"], ["B-PER", "I-PER", "O"], groups=[1, 1, 2])
    1.0
    """
    true, predicted = _segments(Y_true, Y_pred, groups)
    weights = checked_sample_weight(sample_weight, len(true))
    right = total = 0.0
    for weight, a, b in zip(weights.tolist(), true, predicted, strict=True):
        right += weight * len(a & b)
        total += weight * (len(a) + len(b))
    return 2 * right / total if total else 1.0


def _segments(Y_true: Any, Y_pred: Any, groups: Any) -> tuple[list[set[Segment]], ...]:
    """Return the true and the predicted segments of every sequence."""
    read, unit = (_listed, "sequences") if groups is None else (_rows, "labels")
    found: list[Any] = [read("Y_true", Y_true), read("Y_pred", Y_pred)]
    n, m = map(len, found)
    if n != m:
        raise ValueError(f"Y_true has {n} {unit} but Y_pred has {m}; they must be equal")
    places = [f"[{i}]" for i in range(n)]
    if groups is not None:
        order, lengths = divided(groups, n, "Y_true")
        for name, given in (("Y_pred", Y_pred), ("groups", groups)):
            require_same_index(name, given, "Y_true", Y_true)
        parts = np.split(order, np.cumsum(lengths)[:-1])
        of_rows = one_array("groups", groups).tolist()
        places = [f" of group {of_rows[rows[0]]!r}" for rows in parts]
        found = [[Y[rows].tolist() for rows in parts] for Y in found]
    if not places:
        raise ValueError("Y_true is empty; expected at least one sequence")
    for place, a, b in zip(places, *found, strict=True):
        if len(a) != len(b) and not (_are_segments(a) or _are_segments(b)):
            raise ValueError(f"Y_true{place} has {len(a)} labels but Y_pred{place} has {len(b)}")

    def read_each(Y: Any, name: str) -> list[set[Segment]]:
        named = zip(Y, [name + place for place in places], strict=True)
        return [set(as_segments(*y) if _are_segments(y[0]) else segments_of(*y)) for y in named]

    return read_each(found[0], "Y_true"), read_each(found[1], "Y_pred")


def _listed(name: str, Y: Any) -> list[list[Any]]:
    Y = listed(Y)
    for i in range(n_examples(Y, name)):
        if isinstance(Y[i], str):
            raise ValueError(
                f"{name}[{i}] is the label {Y[i]!r}; expected a sequence of labels. Give groups, "
                "the sequence that each label belongs to; or [y], if this is a single sequence"
            )
        require_ordered(f"{name}[{i}]", Y[i])
    return [list(Y[i]) for i in range(len(Y))]


def _rows(name: str, Y: Any) -> Any:
    """Return the labels of a table in one array."""
    require_column(name, Y)
    labels = checked_labels(name, Y)
    if labels.ndim != 1:
        raise ValueError(
            f"with groups {name} must hold a label for each row; got shape {labels.shape}"
        )
    return labels


def _are_segments(y: Any) -> bool:
    return len(y) > 0 and isinstance(y[0], (tuple, list))
