"""Latent and semi-supervised structural SVMs: problems whose outputs are partly known."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples, require_examples, take


class LatentProblem(SelfLabelledProblem):
    """A base class that turns any :class:`structsvm.Problem` into one with latent variables.

    The statement ``class Mine(LatentProblem, Known)``, with the bases in this order, defines a
    variant of the problem ``Known`` for partly known training outputs. An element of Y is an
    annotation, such as the observed part of the output in a latent structural SVM. An annotation
    may be any object that the method :meth:`complete` accepts. If nothing is known about the
    output, y is None. If :meth:`complete` is not defined, every annotation is a complete output. If
    only some examples have an annotation, the problem is a semi-supervised structural SVM. The
    methods that ``Mine`` inherits from ``Known`` work with complete outputs.

    If LatentProblem is the only base class, the new class must define the methods ``initialize``
    and :meth:`complete`, and the four required methods of :class:`structsvm.Problem`. If the latent
    class defines a ``loss``, the loss may not depend on unknown parts of the true output. If the
    ``loss`` is inherited from the base class ``Known``, errors in parts that an annotation leaves
    unknown also count.

    :class:`structsvm.LatentSVM` trains the problem from several starts. The solver is
    :class:`structsvm.SmoothedCCCP` if the problem has a soft oracle, and :class:`structsvm.CCCP`
    otherwise.

    References
    ----------
    Yu & Joachims, Learning Structural SVMs with Latent Variables, ICML 2009. The method
    :meth:`complete` solves Equation 7 of Yu & Joachims. The loss may not depend on the latent part
    of y. Unlike Yu & Joachims, LatentProblem also uses examples without an annotation. If an
    example has no annotation, its loss is relative to the imputed output, as in Zien, Brefeld &
    Scheffer, Transductive Support Vector Machines for Structured Variables, ICML 2007.

    Examples
    --------
    In the following example, the classes of two of five points are known:

    >>> import numpy as np
    >>> from structsvm import LatentProblem, LatentSVM
    >>> from structsvm.problems import Multiclass
    >>> class SemiSupervised(LatentProblem, Multiclass):
    ...     pass
    >>> X = np.array([[-3.0, 1.0], [-2.0, 1.0], [-1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    >>> svm = LatentSVM(SemiSupervised(), C=10.0).fit(X, ["left", None, None, None, "right"])
    >>> print(svm.predict(X))
    ['left' 'left' 'left' 'right' 'right']
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        before = cls.__mro__[1 : cls.__mro__.index(LatentProblem)]
        early = [b for b in before if issubclass(b, Problem) and not issubclass(b, LatentProblem)]
        if early:
            name = early[0].__name__
            raise TypeError(
                f"{cls.__name__} inherits {name} before LatentProblem, whose methods would have no "
                f"effect; write class {cls.__name__}(LatentProblem, {name})"
            )

    def complete(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the highest-scoring output at w that agrees with annotation y.

        Requires: y is not None.
        Ensures: the result meets the conditions of :meth:`structsvm.SelfLabelledProblem.impute`.
        The default returns y. The default is correct for annotations that are complete outputs.
        """
        return y

    def initialize(self, X: Any, Y: Any) -> None:
        """Initialize the problem with the annotated examples, using annotations as outputs.

        Override this method if the inherited ``initialize`` needs complete outputs.
        """
        known = annotated(X, Y)
        if len(known) < n_examples(X):
            X, Y = take(X, known), take(Y, known)
        # Skip SelfLabelledProblem, whose initialize is abstract.
        initialize = super(SelfLabelledProblem, self).initialize
        try:
            initialize(X, Y)
        except Exception as error:
            if getattr(initialize, "__func__", None) is not Problem.initialize:
                raise
            raise ValueError(
                f"{type(self).__name__} needs an initialize(X, Y) that sets size_joint_feature: "
                "the default measures the joint feature of the first output, and Y holds "
                f"annotations, for which joint_feature raised {type(error).__name__}: {error}"
            ) from error

    def task(self, X: Any, Y: Any = None) -> Any:
        """Return a task for the inputs X, with the annotations Y in place of true outputs."""
        task = super().task(X, None)
        task.Y = Y
        # These methods read outputs from Y, but annotations are no outputs.
        for method in ("axes", "score_outputs", "expected_difference", "products"):
            if getattr(task, method) is not None:
                setattr(task, method, None)
        return task

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        if y is None:
            return self.decode(x, w)
        output = self.complete(x, y, w)
        if output is None:
            raise ValueError(
                f"complete returned None for the annotation {y!r:.80}; expected an output that "
                "agrees with it"
            )
        return output

    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        """Return ``loss(y, y_hat)``, or 0 if y is None.

        Override this method if ``loss`` needs complete outputs.
        """
        return 0.0 if y is None else self.loss(y, y_hat)


def require_annotations(problem: SelfLabelledProblem, X: Any, Y: Any) -> None:
    """Raise a ValueError if no example of a LatentProblem has an annotation."""
    if isinstance(problem, LatentProblem) and not len(annotated(X, Y)):
        raise ValueError(
            f"{type(problem).__name__} has nothing to learn from: all of Y is None. Give the "
            "outputs of some examples, or cluster, as structsvm.problems.CPM3C does"
        )


def annotated(X: Any, Y: Any) -> Indices:
    """Return the indices of the examples whose annotation is not None, in rising order."""
    if Y is None:
        return np.empty(0, dtype=np.intp)
    n = require_examples(X, Y=Y)
    return np.array([i for i in range(n) if Y[i] is not None], dtype=np.intp)
