"""Segments of sequences: as labels of the BIO and BIOES schemes, and F1 over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from structsvm.data.containers import n_examples
from structsvm.data.validation import checked_sample_weight

#: A segment: its first position, the position after its last, and its kind.
Segment = tuple[int, int, str]


def bio_transitions(label: str | None, following: str | None) -> bool:
    """Whether a label may follow another in the BIO scheme.

    None stands before the first label and after the last, as in the ``allowed_transitions`` of
    :class:`structsvm.problems.ChainSVM`. ``B-X`` begins a segment of kind X, ``I-X`` continues it,
    ``O`` is outside. So ``I-X`` comes after ``B-X`` or ``I-X`` only. Labels may lack a kind: ``B``,
    ``I``, ``O``.

    Parameters
    ----------
    label, following : str or None

    Raises
    ------
    ValueError
        A label does not belong to the scheme.

    Examples
    --------
    >>> from structsvm.problems import bio_transitions
    >>> bio_transitions("B-PER", "I-PER"), bio_transitions("O", "I-PER")
    (True, False)
    >>> bio_transitions(None, "I-PER")
    False
    """
    before, kind = _parsed(label, "BIO")
    after, same = _parsed(following, "BIO")
    return after != "I" or (before in ("B", "I") and kind == same)


def bioes_transitions(label: str | None, following: str | None) -> bool:
    """Whether a label may follow another in the BIOES scheme; see :func:`bio_transitions`.

    ``E-X`` ends a segment of more than one position, ``S-X`` is a segment of one position. The
    scheme is also known as BILOU, with L for E and U for S.

    Parameters
    ----------
    label, following : str or None
    """
    before, kind = _parsed(label, "BIOESLU")
    after, same = _parsed(following, "BIOESLU")
    inside = after in ("I", "E", "L")
    return inside == (before in ("B", "I")) and (not inside or kind == same)


def bio_segments(labels: Sequence[str]) -> list[Segment]:
    """The segments that labels of the BIO or BIOES scheme stand for.

    As in the evaluation of the CoNLL shared tasks (conlleval), a continuing label such as ``I-X``
    begins a segment if there is no segment to continue.

    Parameters
    ----------
    labels : sequence of str

    Returns
    -------
    list of (start, stop, kind)
        The positions from ``start`` to ``stop - 1``; in their order.

    Examples
    --------
    >>> from structsvm.problems import bio_segments
    >>> bio_segments(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    """
    found: list[Segment] = []
    before, last = "O", ""
    for place, label in enumerate(labels):
        prefix, kind = _parsed(label, "BIOESLU")
        if before in ("B", "I") and prefix in ("I", "E", "L") and kind == last:
            found[-1] = (found[-1][0], place + 1, kind)
        elif prefix != "O":
            found.append((place, place + 1, kind))
        before, last = prefix, kind
    return found


def segment_f1_score(Y_true: Any, Y_pred: Any, sample_weight: Any = None) -> float:
    """F1 over the segments of all sequences: a segment is right if its ends and kind are.

    Parameters
    ----------
    Y_true, Y_pred : sequences of n outputs
        Sequences of labels in the BIO or BIOES scheme, as for
        :class:`structsvm.problems.ChainSVM`; or lists of segments (start, stop, label), as for
        :class:`structsvm.problems.SegmentSVM`.
    sample_weight : array-like of shape (n,), optional
        Weights of the sequences, >= 0 and not all 0; their segments have the same.

    Returns
    -------
    float
        Twice the number of right segments, divided by the total number of true and predicted
        segments; 1 if there are no segments.

    Raises
    ------
    ValueError
        The sequences do not correspond, or a label is of another scheme.

    Examples
    --------
    >>> from structsvm.problems import segment_f1_score
    >>> segment_f1_score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
    0.5
    """
    right = total = 0.0
    n, m = n_examples(Y_true, "Y_true"), n_examples(Y_pred, "Y_pred")
    if n != m:
        raise ValueError(f"Y_true has {n} sequences but Y_pred has {m}; they must be equal")
    for i, weight in enumerate(checked_sample_weight(sample_weight, n).tolist()):
        pair = Y_true[i], Y_pred[i]
        for name, y in zip(("Y_true", "Y_pred"), pair, strict=True):
            if isinstance(y, str):
                raise ValueError(
                    f"{name}[{i}] is the label {y!r}; expected a sequence of labels: give [y] for "
                    "a single one"
                )
        if not any(map(_are_segments, pair)) and len(pair[0]) != len(pair[1]):
            raise ValueError(
                f"Y_true[{i}] has {len(Y_true[i])} labels but Y_pred[{i}] has {len(Y_pred[i])}"
            )
        true, predicted = (set(y) if _are_segments(y) else set(bio_segments(y)) for y in pair)
        right += weight * len(true & predicted)
        total += weight * (len(true) + len(predicted))
    return 2 * right / total if total else 1.0


def _are_segments(y: Any) -> bool:
    return len(y) > 0 and isinstance(y[0], tuple)


def _parsed(label: str | None, prefixes: Iterable[str]) -> tuple[str, str]:
    """Prefix and kind of a label; None, before the first and after the last, is outside."""
    if label is None:
        return "O", ""
    prefix, _, kind = str(label).partition("-")
    if prefix not in prefixes:
        raise ValueError(
            f"the label {label!r} is not of the {'BIO' if prefixes == 'BIO' else 'BIOES'} scheme; "
            f"expected one of {', '.join(prefixes)}, and a kind after '-'"
        )
    return prefix, kind
