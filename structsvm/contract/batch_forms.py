"""Optional methods of a problem: many examples in one call, for speed."""

from __future__ import annotations

from typing import Any

from structsvm.contract.missing import missing
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
