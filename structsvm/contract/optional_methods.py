"""Optional methods of a problem, in groups by what calls them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structsvm.contract.missing import missing
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Outputs, Vector


class BatchForms:
    """Methods for n examples at once, instead of a loop over the methods for one example.

    Every solver, ``predict`` and ``score`` call them where they are offered. Write
    :meth:`batch_separation_oracle` and :meth:`sum_joint_feature_difference` together: with both,
    ``solver='auto'`` chooses a solver that makes many passes. :meth:`prepare` makes the containers
    that they read.
    """

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """Return the data in containers that the batch forms read faster; called once per fit.

        Requires: ``initialize`` has run. Y may be None. Arrays of float16 in X have become float32;
        integers stay integers, since they need not be features. A problem whose X holds features
        converts them here, by :func:`structsvm.data.matrices.in_floats`, since differences of
        unsigned integers wrap.
        Ensures: X and Y with the same examples in the same order. ``X[i]`` is still an input and
        ``Y[i]`` an output, perhaps of other types: every method of one example, such as
        :meth:`joint_feature`, :meth:`loss` or :meth:`decode`, accepts these and the ones given;
        ``X[rows]``, for a slice or an integer array, is the container of those examples;
        ``X.shape[0]`` is their number. Y supports the same.
        Batch forms get these containers or parts of them, never the X that was given. The same
        holds for Y, except where a :class:`structsvm.SelfLabelledProblem` has imputed labels.
        """
        return X, Y

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Outputs:
        """Apply :meth:`separation_oracle` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_separation_oracle"))

    def batch_decode(self, X: Any, w: Vector) -> Outputs:
        """Apply :meth:`decode` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_decode"))

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        """Apply :meth:`loss` to n pairs; return shape (n,), finite and >= 0."""
        raise NotImplementedError(missing(self, "batch_loss"))

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        """Apply :meth:`joint_feature_difference` to n examples.

        Ensures: shape (n, size_joint_feature), an array or, where most entries are 0, a
        scipy.sparse matrix. It is called on blocks of the data, so that the result fits in memory.
        """
        raise NotImplementedError(missing(self, "batch_joint_feature_difference"))

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        """Return sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i]).

        Computes a one-slack plane in one call. For linear joint features it is a matrix product. No
        other method speeds up training more.

        Requires: ``weights`` has shape (n,).
        Ensures: shape (size_joint_feature,).
        """
        raise NotImplementedError(missing(self, "sum_joint_feature_difference"))


class Searches:
    """Searches beside the separation oracle: a cheaper one, and one for slack rescaling.

    The solvers with margin rescaling call :meth:`search_pool` or :meth:`refine` before the
    separation oracle; a solver with ``rescaling='slack'`` calls :meth:`slack_oracle`, or its batch
    form, instead of it.
    """

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        """Improve y_hat by a cheap search that starts from it, such as a local search.

        Where it is offered, Y is given and the oracle does not overgenerate, the solvers with
        margin rescaling first refine the outputs of the last pass, and call the separation oracle
        only if that adds no new plane.

        Requires: y_hat was returned by the separation oracle or this method for x, at any w.
        Ensures: an output whose loss-augmented score, loss(y, .) + <w, Psi(x, .)>, is no lower than
        y_hat's; a new object, or y_hat itself.
        """
        raise NotImplementedError(missing(self, "refine"))

    def pool_outputs(self, outputs: Sequence[Any], pool: Any = None) -> Any:
        """Return a pool with more outputs, each once: candidates for every example.

        Offer it, with :meth:`search_pool`, where the same outputs are allowed for all examples and
        the separation oracle is expensive: an output found for one example may be the best for
        another. The engine keeps the pool, and never looks inside.

        Requires: outputs of any examples, true or found by a search; ``pool`` is what this method
        returned earlier, or None for an empty one.
        Ensures: a picklable object, which later calls do not change; or None where outputs of one
        example may not be allowed for another.
        """
        raise NotImplementedError(missing(self, "pool_outputs"))

    def search_pool(self, X: Any, Y: Any, w: Vector, pool: Any) -> Outputs:
        """Return the best output of the pool for each of n examples, or a better one.

        The best has the largest loss-augmented score, loss(y, .) + <w, Psi(x, .)>. A better one may
        come from a local search that starts there.

        Where it is offered, the oracle is exact or undergenerates and Y is given, the solvers with
        margin rescaling search the pool first, and call the separation oracle only where that adds
        no new plane. The result is certified by the oracle alone.

        Ensures: n outputs (array or list), like :meth:`batch_separation_oracle` otherwise.
        """
        raise NotImplementedError(missing(self, "search_pool"))

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference for slack rescaling, where the loss multiplies the violation.

        Offering it allows ``rescaling='slack'`` (Tsochantaridis et al., JMLR 2005, SVM-delta-s).

        Requires: w has shape (size_joint_feature,).
        Ensures: argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>), like
        :meth:`separation_oracle` otherwise.
        """
        raise NotImplementedError(missing(self, "slack_oracle"))

    def batch_slack_oracle(self, X: Any, Y: Any, w: Vector) -> Outputs:
        """Apply :meth:`slack_oracle` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_slack_oracle"))


class Restrictions:
    """Linear constraints and lower bounds on w.

    :class:`structsvm.OneSlackCuttingPlane`, :class:`structsvm.NSlackCuttingPlane` and
    :class:`structsvm.CCCP` keep them, and call the oracles only with a w that satisfies them. The
    other solvers refuse a problem with constraints or bounds.
    """

    def constraints(self) -> tuple[Any, Any] | None:
        """Return linear constraints on w as a pair (A, b) with A w <= b, or None.

        Requires: ``initialize`` has run.
        Ensures: A of shape (n_constraints, size_joint_feature), dense or scipy.sparse, and b of
        shape (n_constraints,), both finite. A row that w violates during training is kept as a
        dense plane, so thousands of such rows are slow; put bounds into :meth:`lower_bounds`.
        """
        return None

    def lower_bounds(self) -> Vector | None:
        """Return lower bounds on w, or None; zeros make all weights nonnegative.

        Requires: ``initialize`` has run.
        Ensures: shape (size_joint_feature,), -inf where a weight has no bound. The time does not
        depend on the number of bounds.
        """
        return None


class NetworkLayers:
    """Gradients in x, and inference over tensors.

    The layers of ``structsvm.torch`` call them where a network computes x. Where Psi is linear
    in x, they need only :meth:`soft_input_gradient`, for mu > 0. With :meth:`tensor_inference` they
    need no gradient, and the work stays on the device of the tensors.
    """

    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of the score <w, Psi(x, y)> in x, an array of numbers.

        The layers of ``structsvm.torch`` call it where a network computes x. It is not needed
        where Psi is linear in x, up to a constant: there they derive the gradient from one joint
        feature for each entry of x.

        Requires: y is an output of x, or whatever an oracle returns for it.
        Ensures: finite numbers of the shape of x.
        """
        raise NotImplementedError(missing(self, "input_gradient"))

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``SoftOutput.value`` in x, an array of numbers.

        It is the expectation of the gradient of <w, Psi(x, y')> in x under the distribution of
        :meth:`soft_oracle`, less the gradient of <w, Psi(x, y)>; the marginals determine it.
        :class:`structsvm.torch.StructuredHingeLoss` calls it for mu > 0 where a network computes x.

        Requires: mu > 0; y is an output of x.
        Ensures: finite numbers of the shape of x.
        """
        raise NotImplementedError(missing(self, "soft_input_gradient"))

    def tensor_inference(self) -> TensorInference:
        """Return the problem's inference over tensors of PyTorch, for all examples at once.

        For the layers of ``structsvm.torch``, which otherwise call the oracles and the decoder.
        A subclass with other scores, losses or outputs must override it, or withdraw it by
        ``tensor_inference = None``.

        Requires: ``initialize`` has run.
        Ensures: a :class:`structsvm.contract.tensors.TensorInference`. PyTorch is imported nowhere
        else.
        """
        raise NotImplementedError(missing(self, "tensor_inference"))
