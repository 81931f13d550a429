"""The cache of the outputs found for each example, and of the planes of these outputs."""

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
    """The planes of the outputs that were found for each example, and a pool of all outputs.

    Attributes
    ----------
    planes : StackedPlanes
    cheap : CheapSearch
    outputs : list of n outputs
        The oracle's last output for each example. None for an example that was never queried.
    """

    def __init__(self, program: Program) -> None:
        self._program, examples = program, program.examples
        self._cap = example_cap(program.C, examples.n)
        self.planes = StackedPlanes(examples.n, examples.size)
        self.cheap = CheapSearch(examples, examples.Y)
        self.outputs: list[Any] = [None] * examples.n
        self._unknown = examples.n

    def query(self, some: Examples, w: Vector) -> tuple[Vector, float]:
        """Call the oracle for some examples at w, and keep the planes that are new.

        Return the slacks of the examples, and by how much the new planes raise the lower bound of
        the objective at w.
        """
        known, thresholds = self._known(w)
        own = known[some.index]
        found = find_violated(some, some.Y, w, thresholds[some.index])
        error = self._program.error_of_one(some, found.outputs, w)
        require_unbeaten(some, some.Y, w, own, found.slacks, self.planes.magnitude(w), error)
        self.cheap.pool.add([found.outputs[i] for i in found.violated.tolist()])
        for i, output in zip(some.index.tolist(), found.outputs, strict=True):
            self._unknown -= self.outputs[i] is None
            self.outputs[i] = output
        return np.maximum(found.slacks, own), self._add(some.index, found, own)

    def search_cheaply(self, w: Vector) -> float:
        """Search all examples at w without calling the oracle, and keep the planes that are new.

        Return by how much the new planes raise the lower bound of the objective at w.
        """
        examples = self._program.examples
        known, thresholds = self._known(w)
        outputs = self.cheap.search(examples.Y, w, None if self._unknown else self.outputs)
        if outputs is None:
            return 0.0
        found = find_violated(examples.here, examples.Y, w, thresholds, outputs)
        return self._add(examples.index, found, known)

    def _known(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the slacks that the planes imply at w, and the thresholds for new planes."""
        known = self.planes.example_slacks(w)
        return known, known + ROUNDING * self.planes.magnitude(w)

    def _add(self, places: Indices, found: Violated, known: Vector) -> float:
        """Add the violated planes, and return the sum of their violations."""
        new, one = found.violated, np.ones(1)
        sources = [Source(int(places[i]), [found.outputs[i]], one) for i in new.tolist()]
        self.planes.add(found.rows, found.offsets, places[new], sources)
        return _rounded(self._cap * float((found.slacks - known)[new].sum()))


def _rounded(value: float) -> float:
    """Round a number as in single precision, so that the last bits of the data have no effect.

    The exponent of `value` is not rounded, because a large loss would overflow in single precision.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(float(np.float32(mantissa)), exponent)
