"""The task of integer programs: programs are checked once, and outputs refined by local search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples
from structsvm.problems.programs.labels import values_of, weights_of
from structsvm.problems.programs.local_search import improved
from structsvm.problems.programs.program import Compiled
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.programs.problem import IntegerProgram


class ProgramTask(Task):
    """A task: X holds compiled programs, and Y holds outputs that satisfy their constraints."""

    problem: IntegerProgram

    def __init__(self, problem: IntegerProgram, X: Any, Y: Any = None) -> None:
        n = n_examples(X)
        programs = each("", lambda i: problem.with_features(problem.compiled(X[i])), n)
        if Y is not None:
            outputs = each("", lambda i: problem.checked_output(programs[i], Y[i]), n)
            Y = each("", lambda i: problem.completed(programs[i], outputs[i]), n)
        super().__init__(problem, programs, Y)

    def refine(self, w: Vector, outputs: Any) -> Any:
        """Improve earlier solutions by flips and swaps; return relaxed solutions unchanged."""
        if self.problem.relaxation:
            return outputs
        return [
            improved(program, augmented(program, y, w), y_hat)
            for program, y, y_hat in zip(self.X, self.Y, outputs, strict=True)
        ]


def augmented(program: Compiled, y: Any, w: Vector) -> Vector:
    """Return the loss-augmented scores of the variables, times the number of variables."""
    # |y - z| = y + (1 - 2 y) z for y in {0, 1}.
    return np.asarray(program.scores(w) + weights_of(y) * (1 - 2 * values_of(y)))


def each(name: str, make: Callable[[int], Any], n: int) -> Any:
    """Call ``make`` for each index of n examples; return the results in an array of objects.

    If ``make`` raises a ValueError and ``name`` is not empty, the error is raised with ``name`` and
    the index. If ``make`` raises a ValueError and ``name`` is empty, the array holds the error in
    place of a result, and every method that uses the example raises the error.
    """
    found = np.empty(n, dtype=object)
    for i in range(n):
        try:
            found[i] = make(i)
        except ValueError as error:
            if name:
                raise ValueError(f"{name}[{i}]: {error}") from None
            found[i] = error
    return found
