"""The outputs that were found for the examples, and the planes made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.objective import example_cap
from structsvm.oracle.cheap_search import CheapSearch
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.violated import Violated
from structsvm.planes.example_planes import StackedPlanes
from structsvm.planes.plane import ROUNDING, Source
from structsvm.solvers.shared.consistency import require_unbeaten
from structsvm.solvers.shared.program import Program


class Cache:
    """Planes of the outputs found for each example, and a pool of all outputs.

    Attributes
    ----------
    planes : StackedPlanes
    cheap : CheapSearch
    outputs : list of n outputs
        Those that the oracle found last; None before.
    """

    def __init__(self, program: Program) -> None:
        self._program, examples = program, program.examples
        self._cap = example_cap(program.C, examples.n)
        self.planes = StackedPlanes(examples.n, examples.size)
        self.cheap = CheapSearch(examples, examples.Y)
        self.outputs: list[Any] = [None] * examples.n
        self._unknown = examples.n

    def query(self, some: Examples, w: Vector) -> tuple[Vector, float]:
        """Call the oracle for some examples at w, and keep what is new.

        Returns their slacks, and how much of these the planes did not imply, in units of the
        objective.
        """
        known, thresholds = self._known(w)
        own = known[some.index]
        found = find_violated(some, some.Y, w, thresholds[some.index])
        error = self._program.error_of_one(some, found.outputs, w)
        magnitude = self.planes.magnitude(w)
        require_unbeaten(some, some.Y, w, own, found.slacks, magnitude, error)
        self.cheap.pool.add([found.outputs[i] for i in found.violated.tolist()])
        for i, output in zip(some.index.tolist(), found.outputs, strict=True):
            self._unknown -= self.outputs[i] is None
            self.outputs[i] = output
        return np.maximum(found.slacks, own), self._add(some.index, found, own)

    def search_cheaply(self, w: Vector) -> float:
        """Keep what is new at w without a call of the oracle, for all examples.

        Returns how much of their slacks the planes did not imply, in units of the objective.
        """
        examples = self._program.examples
        known, thresholds = self._known(w)
        last = None if self._unknown else self.outputs
        outputs = self.cheap.search(examples.Y, w, last)
        if outputs is None:
            return 0.0
        found = find_violated(examples.here, examples.Y, w, thresholds, outputs)
        return self._add(examples.index, found, known)

    def _known(self, w: Vector) -> tuple[Vector, Vector]:
        """The slacks at w that the planes imply, and those above which an output is new."""
        known = self.planes.example_slacks(w)
        return known, known + ROUNDING * self.planes.magnitude(w)

    def _add(self, places: Indices, found: Violated, known: Vector) -> float:
        """Add planes; how much of the slacks they did not imply before."""
        new, one = found.violated, np.ones(1)
        sources = [Source(int(places[i]), [found.outputs[i]], one) for i in new.tolist()]
        self.planes.add(found.rows, found.offsets, places[new], sources)
        return _rounded(self._cap * float((found.slacks - known)[new].sum()))


def _rounded(value: float) -> float:
    """The value in single precision, so that the last bits of the data do not change the path.

    Its exponent is kept: a cast of all of it would overflow where losses are large.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(float(np.float32(mantissa)), exponent)
