"""The container of segmentations of many sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.containers import require_examples
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.problems.classification.labels import Labels
from structsvm.problems.sequences.bio import Segment, as_segments
from structsvm.problems.sequences.chain.layout import ChainLayout


@dataclass(eq=False, repr=False)
class Segmentations(ExampleContainer):
    """A container of the segments of n sequences; its elements are lists of (start, stop, label).

    Parameters
    ----------
    stops, lengths, codes : ndarray of shape (n_segments,), int
        The position after the last position of each segment, its length, and the code of its label.
    layout : Spans
        The segments of each sequence.
    names : ndarray of shape (k,)
        The labels, indexed by code.
    """

    stops: Any
    lengths: Any
    codes: Any
    layout: Spans
    names: Any

    of_rows = ("stops", "lengths", "codes")

    @classmethod
    def of(cls, segments: list[list[Segment]], labels: Labels) -> Segmentations:
        """Pack the checked segments of every sequence, coded by the labels."""
        starts, stops, names = zip(*(one for own in segments for one in own), strict=True)
        layout, codes = Spans(np.array(list(map(len, segments)))), labels.codes(list(names))
        return cls(np.array(stops), np.subtract(stops, starts), codes, layout, labels.names)

    def example(self, i: int) -> list[Segment]:
        own = self.layout.rows(i)
        stops, labels = self.stops[own], self.names[self.codes[own]].tolist()
        starts = (stops - self.lengths[own]).tolist()
        return list(zip(starts, stops.tolist(), labels, strict=True))

    def candidates(self, layout: ChainLayout) -> Indices:
        """Return the row indices of the segments among all candidates."""
        last = layout.positions(self.layout.owner, self.stops - 1)
        return np.asarray(last * layout.width + self.lengths - 1)

    def pairs(self) -> tuple[Indices, Indices, Indices]:
        """Return the codes of neighbouring segments, and the sequences to which they belong."""
        first = np.zeros(len(self.codes), dtype=bool)
        first[self.layout.starts[:-1]] = True
        later = np.flatnonzero(~first)
        return self.codes[later - 1], self.codes[later], self.layout.owner[later]


def all_segments(Y: Any, lengths: Indices, longest: int, called: str = "Y") -> list[list[Segment]]:
    """Check and return the segments of all outputs; ``called`` is the name of Y in messages."""
    n = require_examples(lengths, **{called: Y})
    return [_checked_segments(i, Y[i], int(lengths[i]), longest, called) for i in range(n)]


def _checked_segments(
    i: int, segments: Any, length: int, longest: int, called: str
) -> list[Segment]:
    """Return the segments of Y[i], which must be contiguous and fill the sequence."""
    name = f"{called}[{i}]"
    found, place = as_segments(segments, name), 0
    for start, stop, label in found:
        if start != place:
            raise ValueError(
                f"{name} has the segment ({start}, {stop}, {label!r}) where one from {place} on "
                "must begin: segments must follow each other without gaps"
            )
        if stop > length:
            raise ValueError(
                f"{name} has the segment ({start}, {stop}, {label!r}), which ends beyond the "
                f"{length} positions of X[{i}]"
            )
        if stop - start > longest:
            raise ValueError(
                f"{name} has the segment ({start}, {stop}, {label!r}) of {stop - start} positions; "
                f"raise max_length, which is {longest}"
            )
        place = stop
    if place != length:
        raise ValueError(
            f"the segments of {name} end at position {place} but X[{i}] has {length} positions"
        )
    return found


def every_segmentation(
    length: int, longest: int, labels: list[Any], start: int = 0
) -> Iterator[list[Segment]]:
    """Yield all segmentations of the positions from ``start`` on."""
    if start == length:
        yield []
    for stop in range(start + 1, min(length, start + longest) + 1):
        for label in labels:
            for rest in every_segmentation(length, longest, labels, stop):
                yield [(start, stop, label), *rest]
