"""Segments of sequences, as labels of the BIO and BIOES schemes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from structsvm.data.conversion import is_missing, require_ordered, require_ordered_each
from structsvm.data.matrices import WORDS_LOST

#: Prefixes of the labels of segments in the two schemes.
BIO, BIOES = ("B", "I"), ("B", "I", "E", "S", "L", "U")
#: A segment: its first position, the position after its last, and its kind.
Segment = tuple[int, int, Any]


def bio_transitions(label: str | None, following: str | None) -> bool:
    """Whether a label may follow another in the BIO scheme.

    None stands for the place before the first label and for the place after the last, as in the
    ``allowed_transitions`` of :class:`structsvm.problems.ChainSVM`. ``B-X`` begins a segment of
    kind X, ``I-X`` continues it, and ``O`` is outside of segments. ``I-X`` may only follow ``B-X``
    or ``I-X``. If all segments are of one kind, the labels may be ``B``, ``I`` and ``O``. A label
    that does not belong to the scheme, such as the empty label, raises an error. Read tables by
    ``pandas.read_csv(..., keep_default_na=False)``, which keeps words such as "NA" and "null", and
    write ``O`` into empty cells of labels.

    Parameters
    ----------
    label, following : str or None

    Raises
    ------
    ValueError
        If a label does not belong to the scheme.

    Examples
    --------
    >>> from structsvm.problems import bio_transitions
    >>> bio_transitions("B-PER", "I-PER"), bio_transitions("O", "I-PER")
    (True, False)
    >>> bio_transitions(None, "I-PER")
    False
    """
    before, kind = _parsed(label, BIO)
    after, same = _parsed(following, BIO)
    return after != "I" or (before in ("B", "I") and kind == same)


def bioes_transitions(label: str | None, following: str | None) -> bool:
    """Whether a label may follow another in the BIOES scheme; see :func:`bio_transitions`.

    ``E-X`` ends a segment of several positions, and ``S-X`` is a segment of a single position. The
    scheme is also called BILOU, with L for E and U for S.

    Parameters
    ----------
    label, following : str or None
    """
    before, kind = _parsed(label, BIOES)
    after, same = _parsed(following, BIOES)
    inside = after in ("I", "E", "L")
    return inside == (before in ("B", "I")) and (not inside or kind == same)


def bio_segments(labels: Sequence[str]) -> list[Segment]:
    """Return the segments that labels of the BIO or BIOES scheme describe.

    As in conlleval, the evaluation script of the CoNLL shared tasks, a continuing label such as
    ``I-X`` begins a segment if there is no segment to continue.

    Parameters
    ----------
    labels : sequence of str

    Returns
    -------
    list of (start, stop, kind)
        The segments in their order; each has the positions from ``start`` to ``stop - 1``.

    Examples
    --------
    >>> from structsvm.problems import bio_segments
    >>> bio_segments(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    """
    return segments_of(labels, "labels")


def segments_of(labels: Sequence[str], name: str) -> list[Segment]:
    """Return the segments of BIO labels; ``name`` names the labels in error messages."""
    found: list[Segment] = []
    before, last = "O", ""
    require_ordered(name, labels)
    for place, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(
                f"{name}, position {place}: the label is missing ({label}); every position needs "
                f"one, 'O' where there is no segment{WORDS_LOST}"
            )
        try:
            prefix, kind = _parsed(label, BIOES)
        except ValueError as error:
            raise ValueError(f"{name}, position {place}: {error}") from None
        if before in ("B", "I") and prefix in ("I", "E", "L") and kind == last:
            found[-1] = (found[-1][0], place + 1, kind)
        elif prefix != "O":
            found.append((place, place + 1, kind))
        before, last = prefix, kind
    return found


def as_segments(segments: Any, name: str) -> list[Segment]:
    """Return segments (start, stop, label), which must be non-empty and labelled."""
    require_ordered(name, segments)
    require_ordered_each(name, segments)
    try:
        found = [(index(start), index(stop), label) for start, stop, label in segments]
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be a list of segments (start, stop, label); got {str(segments)[:60]}"
        ) from None
    for start, stop, label in found:
        if stop <= start:
            raise ValueError(
                f"{name} has the segment ({start}, {stop}, {label!r}), which is empty: stop is the "
                "position after its last"
            )
        if is_missing(label):
            raise ValueError(
                f"{name} has the segment ({start}, {stop}, {label}); every segment needs a label"
            )
    return found


def _parsed(label: str | None, prefixes: tuple[str, ...]) -> tuple[str, str]:
    """Return the prefix and the kind of a label; for None, the prefix is ``O``."""
    if label is None or label == "O":
        return "O", ""
    prefix, dash, kind = str(label).partition("-")
    if prefix in prefixes and bool(dash) == bool(kind):
        return prefix, kind
    scheme, begins, also = "BIO or BIOES", "B, I, E or S", "; L and U are read as E and S"
    if prefixes == BIO:
        scheme, begins, also = "BIO", "B or I", ""
    if label == "":
        also += ". Write 'O' where there is no segment, and leave out what is not labelled"
    raise ValueError(
        f"the label {str(label)!r} is not of the {scheme} scheme: expected 'O', or {begins} with a "
        f"kind, such as 'B-PER'{also}"
    )
