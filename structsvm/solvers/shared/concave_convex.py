"""The base class of solvers for self-labelled problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_generator, checked_w
from structsvm.planes.working_set import projected
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver

#: Relabelling ends when the objective falls by less than this fraction ("alpha% = 0.01").
RELABEL_RTOL = 1e-4


class RepeatedStart(Exception):
    """The exception for an ``initial_w`` that repeats the start of an earlier run."""


@dataclass(eq=False, repr=False)
class ConcaveConvexSolver(Solver):
    """The base class of solvers that alternate between imputing labels and training on the labels.

    Parameters
    ----------
    rtol : float, default=1e-3
        Relative tolerance, >= 0 and < 1. A run stops when the gap of the problem with fixed labels
        is at most ``rtol`` times the primal value.
    search : bool, default=True
        Whether to begin with the search, which finds a start for the descent. If False, the run
        begins with the descent from w0.
    random_state : int or numpy.random.Generator, default=0
        Seed of the problem's ``initial_w``, which is called if no w0 is passed.
    """

    requires = Requirements(known_outputs=False)

    search: bool = True
    random_state: Any = 0
    #: The starts of earlier runs, none of which may be drawn again; None for a single run.
    drawn: list[Vector] | None = field(init=False, default=None)

    def first_labels(self, program: Program, start: Start) -> Start:
        """Return a start with w and labels. If `start` has no labels, impute labels at w.

        The vector w is `start.point`, or the problem's ``initial_w`` if `start.point` is None.
        """
        examples, name, w0 = program.examples, "w0", start.point
        if w0 is None:
            name = f"{type(examples.problem).__name__}.initial_w"
            w0 = examples.task.relative(self._drawn(program, name))
        w0 = projected(w0, program.constraints)
        if not examples.task.at(w0).any():
            raise ValueError(
                f"{name} must not be zero, nor its projection onto the constraints: all outputs "
                "tie there, and no label is implied"
            )
        return Start(w0, labels=examples.impute(w0) if start.labels is None else start.labels)

    def _drawn(self, program: Program, name: str) -> Vector:
        """Return the problem's ``initial_w``; raise RepeatedStart if an earlier run used it."""
        examples, generator = program.examples, checked_generator(self.random_state)
        w0 = checked_w(name, examples.initial_w(generator), examples.size)
        if self.drawn is not None:
            if any(np.array_equal(w0, earlier) for earlier in self.drawn):
                raise RepeatedStart
            self.drawn.append(w0)
        return w0
