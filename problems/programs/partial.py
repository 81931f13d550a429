"""Integer programs trained on partly known outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.problems.programs.labels import UNKNOWN, checked, values_of, weights_of
from structsvm.problems.programs.problem import IntegerProgram
from structsvm.problems.programs.program import Compiled


@documented
class PartialIntegerProgram(IntegerProgram, SelfLabelledProblem):
    r"""An :class:`IntegerProgram` trained on outputs with some unknown variables.

    Y holds vectors of 0, 1 and -1 (unknown), or pairs of a vector and weights.
    :class:`structsvm.CCCP` trains a latent structural SVM: given the known values, an integer
    program chooses the unknown values of highest score. Unknown variables do not count in the loss.
    If all variables are known, use :class:`IntegerProgram`, which has faster solvers.

    ``help`` also shows the inherited parameters and attributes.

    References
    ----------
    Yu & Joachims, Learning Structural SVMs with Latent Variables, ICML 2009: the loss depends only
    on the known variables.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import PartialIntegerProgram, Program
    >>> features = np.array([[2.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [-2.0, 1.0]])
    >>> x = Program(features, {"pairs": ([[1, 1, 0, 0], [0, 0, 1, 1]], [1, 1])})
    >>> svm = StructuredSVM(PartialIntegerProgram()).fit([x], [[1, -1, -1, 0]])
    >>> svm.result_.labels[0][0]  # no two of a pair
    array([1, 0, 0, 0])
    """

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        task = self.task(X, Y)
        self._contrast = self._known_contrast(task.X, task.Y)

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """Return the difference of mean features between variables known to be 1 and to be 0."""
        return self._contrast if self._contrast.any() else super().initial_w(X, rng)

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        program = self.compiled(x)
        values, weights = values_of(y), weights_of(y)
        known = values != UNKNOWN
        if not known.all():
            values = self._with_best(program, values, known, program.scores(w))
        return values, weights * known

    def checked_output(self, program: Compiled, y: Any) -> Any:
        y = checked(y, program.n_variables, unknown=True)
        program.require_feasible(values_of(y), "the output", values_of(y) != UNKNOWN)
        return y

    def completed(self, program: Compiled, y: Any) -> Any:
        """Return the output unchanged: :meth:`impute` completes it."""
        return y

    def _known_contrast(self, programs: Any, outputs: Any) -> Vector:
        sums, counts = np.zeros((2, self.size_joint_feature)), np.zeros(2)
        for program, y in zip(programs, outputs, strict=True):
            for value in (0, 1):
                known = values_of(y) == value
                total = program.sum(known)
                sums[value] += total.toarray()[0] if hasattr(total, "toarray") else total
                counts[value] += known.sum()
        zeros, ones = sums / np.maximum(counts, 1)[:, None]
        return np.asarray(ones - zeros)
