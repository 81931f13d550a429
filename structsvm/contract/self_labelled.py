"""The contract of problems whose outputs are unknown, or known in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.missing import missing
from structsvm.contract.optional import optional
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector


class SelfLabelledProblem(Problem):
    """A problem with latent variables: the outputs are unknown, or known in part.

    Examples are clustering, and a latent structural SVM (Yu & Joachims, ICML 2009), whose
    annotations leave a part of each output unknown. ``Y`` is None or holds annotations in any form
    that the problem defines. Solvers such as :class:`structsvm.CCCP` alternate between imputing
    labels by :meth:`impute` and training on them. So there are two kinds of y: an annotation in
    :meth:`impute`, :meth:`evaluation_loss` and the Y of ``initialize`` and ``task``; in all
    other methods, such as ``loss`` and ``separation_oracle``, an output that was imputed.

    Attributes
    ----------
    restricts_labels : bool, default=False
        Whether :meth:`impute` satisfies conditions besides the annotation, such as bounds on the
        sizes of clusters. Then its output may score less than the output of :meth:`Problem.decode`.
    """

    restricts_labels: bool = False

    def initialize(self, X: Any, Y: Any) -> None:
        """Set ``size_joint_feature``; required here, since Y may be None or hold annotations."""
        raise NotImplementedError(missing(self, "initialize"))

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """Return a nonzero w to start from where none is given; by default small and random."""
        # Not zero: there all outputs score the same, so imputing labels would be arbitrary.
        direction = rng.standard_normal(self.size_joint_feature)
        return 1e-3 * direction / np.linalg.norm(direction)

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the output that scores highest at w among those that agree with annotation y.

        Requires: y is the example's annotation, or None.
        Ensures: a complete output; without an annotation, one that scores as high as the output of
        ``decode``, unless ``restricts_labels``. The default ignores y and decodes. A label that is
        equal to the previous one saves calls of ``joint_feature`` and ``loss``. Labels are compared
        if they have the same type: bool, int, float, str, bytes, a numpy scalar or array (of the
        same dtype and shape), or a tuple or list of these. Objects of other types, and arrays of
        objects, are not compared: they count as changed at every call.
        """
        return self.decode(x, w)

    @optional
    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        """Return the loss of predicting y_hat where the annotation is y, for ``score``.

        Without it ``score`` takes ``loss``, which is right where annotations are complete outputs.
        Define it where they are only parts of outputs.

        Requires: y is an annotation as in Y, y_hat what ``decode`` returned.
        Ensures: a finite number >= 0, at most ``max_loss``, and 0 where y_hat agrees with y.
        """
