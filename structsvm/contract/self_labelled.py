"""The contract of problems whose outputs are unknown or partly known."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.missing import missing
from structsvm.contract.optional import optional
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector


class SelfLabelledProblem(Problem):
    """A problem whose outputs are unknown or partly known, such as a problem with latent variables.

    Clustering and the latent structural SVM (Yu & Joachims, ICML 2009) are self-labelled problems.
    The annotations of a latent structural SVM leave a part of each output unknown. ``Y`` is None,
    or holds annotations in any form that the problem defines. Solvers such as
    :class:`structsvm.CCCP` alternate between two steps: :meth:`impute` finds labels, and training
    uses the labels found. The argument y has two meanings in a self-labelled problem. In
    :meth:`impute` and :meth:`evaluation_loss`, and in the Y of ``initialize`` and ``task``, y is an
    annotation. In all methods except :meth:`impute`, :meth:`evaluation_loss`, ``initialize`` and
    ``task``, y is an imputed output.

    Attributes
    ----------
    restricts_labels : bool, default=False
        Whether :meth:`impute` satisfies conditions in addition to the annotations, such as bounds
        on the sizes of clusters. If True, the output of ``impute`` may score less than the output
        of :meth:`Problem.decode`.
    """

    restricts_labels: bool = False

    def initialize(self, X: Any, Y: Any) -> None:
        """Set ``size_joint_feature``.

        A subclass must define this method, because the length of a joint feature cannot be measured
        if Y holds no outputs.
        """
        raise NotImplementedError(missing(self, "initialize"))

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """Return a nonzero w for runs without a starting point.

        By default, w is small and random.
        """
        # At w = 0 all outputs score the same, so imputed labels would be arbitrary.
        direction = rng.standard_normal(self.size_joint_feature)
        return 1e-3 * direction / np.linalg.norm(direction)

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the highest-scoring output at w that agrees with annotation y.

        Requires: y is the example's annotation, or None. Ensures: a complete output. Without an
        annotation, the output of impute scores as high as the output of ``decode``, unless
        ``restricts_labels`` is set. The default ignores y and returns the output of ``decode``. If
        an example's label is equal to the example's previous label, solvers call ``joint_feature``
        and ``loss`` less often. A label is compared with the previous label of the same example if
        both have the same type: bool, int, float, str, bytes, a numpy scalar or array (of the same
        dtype and shape), or a tuple or list of such values. Objects of a user's class, arrays of
        objects and the like are not compared: such labels count as changed at every call.
        """
        return self.decode(x, w)

    @optional
    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        """Return the loss of predicting y_hat if the annotation is y, for ``score``.

        If this method is not defined, ``score`` calls ``loss``. Define this method if annotations
        are only parts of outputs.

        Requires: y is an annotation from Y, and y_hat is an output of ``decode``.
        Ensures: the result is a finite number >= 0, at most ``max_loss``, and 0 if y_hat agrees
        with y.
        """
