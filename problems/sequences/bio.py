"""Segments of sequences as labels of the BIO and BIOES schemes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from structsvm.data.matrices import is_missing

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
    return segments_of(labels, "labels")


def segments_of(labels: Sequence[str], name: str) -> list[Segment]:
    """As :func:`bio_segments`; messages call the labels by this name."""
    found: list[Segment] = []
    before, last = "O", ""
    for place, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(
                f"{name}, position {place}: the label is missing ({label}); every position needs "
                "one"
            )
        try:
            prefix, kind = _parsed(label, "BIOESLU")
        except ValueError as error:
            raise ValueError(f"{name}, position {place}: {error}") from None
        if before in ("B", "I") and prefix in ("I", "E", "L") and kind == last:
            found[-1] = (found[-1][0], place + 1, kind)
        elif prefix != "O":
            found.append((place, place + 1, kind))
        before, last = prefix, kind
    return found


def _parsed(label: str | None, prefixes: Iterable[str]) -> tuple[str, str]:
    """Prefix and kind of a label; None, before the first and after the last, is outside."""
    if label is None:
        return "O", ""
    prefix, _, kind = str(label).partition("-")
    if prefix not in prefixes:
        if prefixes == "BIO":
            scheme, begins, also = "BIO scheme", "B or I", ""
        else:
            scheme, begins = "BIO or BIOES scheme", "B, I, E or S"
            also = "; L and U are read as E and S"
        raise ValueError(
            f"the label {label!r} is not of the {scheme}: expected 'O', or {begins} with a kind, "
            f"such as 'B-PER'{also}"
        )
    return prefix, kind
