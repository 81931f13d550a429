"""Base class of the solvers for self-labelled problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_generator, checked_w
from structsvm.planes.working_set import projected
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver

#: Relabelling ends when the objective falls by less than this fraction ("alpha% = 0.01").
RELABEL_RTOL = 1e-4


@dataclass(eq=False, repr=False)
class ConcaveConvexSolver(Solver):
    """Base class of the solvers that impute labels and train on them by turns.

    Parameters
    ----------
    rtol : float, default=1e-3
        Stop when the gap of the problem with its labels held is at most ``rtol`` times the primal
        value, >= 0 and < 1.
    search : bool, default=True
        Search for a start of the descent. If False, the descent starts at w0.
    random_state : int or numpy.random.Generator, default=0
        Seeds the problem's ``initial_w``, which is called if no w0 is given.
    """

    requires = Requirements(known_outputs=False)

    search: bool = True
    random_state: Any = 0
    #: The starts drawn by earlier runs, none of which is drawn again; None for a single run.
    drawn: list[Vector] | None = field(init=False, default=None)

    def first_point(self, record: Record, w0: Vector | None) -> Vector:
        """The point at which labels are imputed first: the problem's ``initial_w`` unless given."""
        name = "w0"
        if w0 is None:
            name = f"{type(record.examples.problem).__name__}.initial_w"
            w0 = record.examples.first.relative(self._drawn(record, name))
        w0 = projected(w0, record.constraints)
        if not record.examples.first.at(w0).any():
            raise ValueError(
                f"{name} must not be zero, nor its projection onto the constraints: all outputs "
                "tie there, and no label is implied"
            )
        return w0

    def _drawn(self, record: Record, name: str) -> Vector:
        """The problem's ``initial_w``, or a random one where an earlier run began from the same."""
        examples, generator = record.examples, checked_generator(self.random_state)
        w0 = checked_w(name, examples.initial_w(generator), examples.size)
        if self.drawn is not None:
            if any(np.array_equal(w0, earlier) for earlier in self.drawn):
                problem: Any = examples.problem
                w0 = SelfLabelledProblem.initial_w(problem, examples.X, generator)
            self.drawn.append(w0)
        return w0
