"""The contract between a structured prediction problem and the engine.

A problem defines the joint feature map Psi(x, y), the loss Delta(y, y_hat) and two searches over
the outputs: loss-augmented inference (the separation oracle) and prediction. The engine does the
rest. Outputs and whatever an oracle returns are opaque to it: it never copies or inspects them, and
it compares only imputed labels that are plain values, and, once a method has failed, the form of
its outputs with that of others. Inputs it reads only to see, for a few of them, that no method has
changed them.

The objective that is minimised is written in :mod:`structsvm.objective`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from structsvm.contract.soft_oracle import Axes, MiniBatch, SoftOutput, SoftSum
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Vector
from structsvm.data.sparse_indices import require_indices

OracleQuality = Literal["exact", "undergenerating", "overgenerating"]
OracleCost = Literal["cheap", "expensive"]
Parallelism = Literal["processes", "threads"]


class Problem(BaseEstimator):
    """A structured prediction problem: subclass it to define a new one.

    Four methods are required: :meth:`joint_feature`, :meth:`loss`, :meth:`separation_oracle` and
    :meth:`decode`. All others are optional; override those that the problem should offer. A
    subclass that inherits an optional method withdraws it by None, as ``constraints = None``. Run
    :func:`structsvm.check_problem` on the new class: it finds most mistakes and names the method.

    ``X`` is any sequence of inputs (array, scipy.sparse CSR matrix, list, ...) of which ``X[i]``
    is the i-th; ``Y`` is the sequence of their outputs. ``w`` is a float64 array of shape
    (size_joint_feature,). No method may change its inputs, outputs or w in place. Constructor
    parameters follow scikit-learn's convention (stored under their own name, unchanged), so that
    a problem can be cloned and its parameters tuned.

    Attributes
    ----------
    size_joint_feature : int
        Length of w and of every joint feature; set by :meth:`initialize`.
    oracle_quality : {'exact', 'undergenerating', 'overgenerating'}, default='exact'
        How well :meth:`separation_oracle` solves its maximisation. 'exact': no output scores higher
        than the one returned. 'undergenerating': it searches only some of the outputs and may miss
        the best (greedy or local search). 'overgenerating': it is exact over a superset of the
        outputs (a relaxation). It decides which bounds a result guarantees (Finley & Joachims,
        Training Structural SVMs when Exact Inference is Intractable, ICML 2008).
    oracle_cost : {'cheap', 'expensive'} or None, default=None
        What :meth:`separation_oracle` takes for an example: 'cheap' is a few microseconds, so that
        hundreds of passes over the data cost little. None stands for 'cheap' where
        :meth:`batch_separation_oracle` and :meth:`sum_joint_feature_difference` are offered, else
        for 'expensive'. It decides which solver ``solver='auto'`` chooses, and 'cheap' makes blocks
        of 400 examples or more.
    max_loss : float or None, default=None
        The largest value that the loss can take, where known; scales ``score`` to [0, 1].
    parallelism : {'processes', 'threads'}, default='processes'
        Where blocks of examples are evaluated if ``n_jobs`` is more than 1. Choose 'threads' if the
        methods release Python's global interpreter lock, as large numpy operations do, and may be
        called concurrently.
    work : float or None, default=None
        Multiplications that a batch form takes for an example, on average, where
        :meth:`initialize` sets it; None stands for ``size_joint_feature``. The examples are divided
        into at most 32 blocks, of which each has enough of them to be worth a call and a sum of
        vectors as long as w. The blocks are the same for any ``n_jobs``, so the result is too.
    roundoff : float or None, default=None
        Relative error of the scores that :meth:`separation_oracle` compares, where it is more than
        that of arithmetic with X: how much better an output it may miss, relative to the size of
        the scores. The rounding errors of a result's primal value cover a multiple of it.
    block_size : int or None, default=None
        Minimum number of examples in a block, in place of what follows from ``work`` or
        ``oracle_cost``.
    """

    oracle_quality: OracleQuality = "exact"
    oracle_cost: OracleCost | None = None
    max_loss: float | None = None
    parallelism: Parallelism = "processes"
    work: float | None = None
    roundoff: float | None = None
    block_size: int | None = None
    size_joint_feature: int

    def __init_subclass__(cls, **options: Any) -> None:
        """Put this class's own method in the place of one that a subclass withdraws by None."""
        super().__init_subclass__(**options)
        for name in [name for name, value in vars(cls).items() if value is None]:
            first = next(vars(kind)[name] for kind in reversed(cls.__mro__) if name in vars(kind))
            if callable(first):
                setattr(cls, name, first)

    # ------------------------------------------------------------------ required

    def joint_feature(self, x: Any, y: Any) -> Any:
        """Return Psi(x, y), the joint feature vector of an input and an output.

        Requires: ``initialize`` has run; y is an output of x.
        Ensures: finite real numbers of shape (size_joint_feature,), the same at every call: a 1-d
        array or sequence, or, where most entries are 0, a scipy.sparse row of shape
        (1, size_joint_feature) or a 1-d scipy.sparse array; of one kind for all outputs. A new
        object, or one that does not change: the engine reads those of many examples together.
        """
        raise NotImplementedError(missing(self, "joint_feature"))

    def loss(self, y: Any, y_hat: Any) -> float:
        """Return Delta(y, y_hat), the loss of predicting y_hat where y is true.

        Requires: y is an output of some x, in a self-labelled problem one that ``impute`` returned;
        y_hat is an output of the same x, or whatever an oracle returns for it.
        Ensures: a finite number >= 0, and 0 for ``loss(y, y)``.
        """
        raise NotImplementedError(missing(self, "loss"))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference: argmax over y_hat of loss(y, y_hat) + <w, Psi(x, y_hat)>.

        The maximiser violates the margin most, so its constraint is the cutting plane that
        separates w from the feasible set (margin rescaling).

        Requires: w has shape (size_joint_feature,).
        Ensures: an output (never None) that attains the maximum over all outputs, the true y
        included, or comes as close as ``oracle_quality`` declares. Of the same score at every call
        with the same arguments, whatever its quality: seed what is random at every call. A new or
        an immutable object: the engine keeps it.
        """
        raise NotImplementedError(missing(self, "separation_oracle"))

    def decode(self, x: Any, w: Vector) -> Any:
        """Return the prediction, argmax over y of <w, Psi(x, y)>.

        Requires: w has shape (size_joint_feature,).
        Ensures: an output of x (never None) that attains the maximum; it may miss it unless
        ``oracle_quality`` is 'exact'. Of the same score at every call with the same arguments.
        """
        raise NotImplementedError(missing(self, "decode"))

    # ------------------------------------------------------------------ optional

    def initialize(self, X: Any, Y: Any) -> None:
        """Set ``size_joint_feature``, and whatever else depends on the data.

        Requires: X and Y hold at least one example. Y is None for a self-labelled problem
        without annotations.
        Ensures: ``size_joint_feature`` is set. A later call with other data overwrites all that
        was learned from earlier data, and it gives the same result for the same data: seed what is
        random. Raises ValueError if the data do not fit the problem.

        The default sets the length of the first example's joint feature vector.
        """
        self.size_joint_feature = int(np.prod(np.shape(self.joint_feature(X[0], Y[0]))))

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        """Return Psi(x, y) - Psi(x, y_hat), in a form that :meth:`joint_feature` may have.

        Override it if the difference is cheaper than its terms, or if the oracle's y_hat is not an
        output that :meth:`joint_feature` accepts (a relaxed output, a set of changes).
        """
        psi, psi_hat = self.joint_feature(x, y), self.joint_feature(x, y_hat)
        if np.shape(psi) != np.shape(psi_hat):
            raise ValueError(
                f"joint_feature must be of one shape for all outputs; it returned {np.shape(psi)} "
                f"for y and {np.shape(psi_hat)} for y_hat"
            )
        for row in (psi, psi_hat):
            if sparse.issparse(row):
                require_indices(row, "a joint feature that")
        if not sparse.issparse(psi):
            psi = np.asarray(psi)
        return 1.0 * psi - psi_hat  # unsigned integers would wrap

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

    def outputs(self, x: Any) -> Iterable[Any]:
        """Enumerate all outputs of x, each once, for tests on small inputs; may be a generator."""
        raise NotImplementedError(missing(self, "outputs"))

    def example_data(self) -> tuple[Any, Any]:
        """Return small X and Y to test with, for the command ``structsvm check module:Class``.

        May be a static or a class method. Ensures: data that ``initialize`` accepts.
        """
        raise NotImplementedError(missing(self, "example_data"))

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        """Improve y_hat by a cheap search that starts from it, such as a local search.

        Where it is offered, Y is given and the oracle does not overgenerate, the solvers with
        margin rescaling first refine the outputs of the last pass, and call the separation oracle
        only if that adds no new plane.

        Requires: y_hat was returned by the separation oracle or this method for x, at any w.
        Ensures: an output whose loss-augmented score, loss(y, .) + <w, Psi(x, .)>, is at least
        that of y_hat; a new object, or y_hat itself.
        """
        raise NotImplementedError(missing(self, "refine"))

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference for slack rescaling, where the loss multiplies the violation.

        Offering it allows ``rescaling='slack'`` (Tsochantaridis et al., JMLR 2005, SVM-delta-s).

        Requires: w has shape (size_joint_feature,).
        Ensures: argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>), like
        :meth:`separation_oracle` otherwise.
        """
        raise NotImplementedError(missing(self, "slack_oracle"))

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        """Return log-partition function and expectations of the loss-augmented scores.

        The smooth counterpart of :meth:`separation_oracle`, for the smoothed solvers: inference in
        a conditional random field, such as the forward-backward algorithm for a chain.

        Requires: mu > 0, the temperature.
        Ensures: the three values that :class:`structsvm.SoftOutput` defines.
        """
        raise NotImplementedError(missing(self, "soft_oracle"))

    # -------------------------------------------- optional, behind networks

    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of the score <w, Psi(x, y)> in x, an array of numbers.

        :class:`structsvm.torch.StructuredHingeLoss` calls it where a network computes x. It need
        not be offered where Psi is linear in x, but for a constant: there the layer derives it, by
        a joint feature for each entry of x.

        Requires: y is an output of x, or whatever an oracle returns for it.
        Ensures: finite numbers of the shape of x.
        """
        raise NotImplementedError(missing(self, "input_gradient"))

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``SoftOutput.value`` in x, an array of numbers.

        It is the expectation of the gradient of <w, Psi(x, y')> in x, less the gradient of
        <w, Psi(x, y)>, in the distribution of :meth:`soft_oracle`, whose marginals determine it.
        :class:`structsvm.torch.StructuredHingeLoss` calls it for mu > 0 where a network computes x.

        Requires: mu > 0; y is an output of x.
        Ensures: finite numbers of the shape of x.
        """
        raise NotImplementedError(missing(self, "soft_input_gradient"))

    def tensor_inference(self) -> TensorInference:
        """Return the problem's inference over tensors of PyTorch, for all examples at once.

        For :class:`structsvm.torch.StructuredHingeLoss`, which otherwise calls the oracles. A
        subclass with other scores, losses or outputs must override it, or withdraw it by
        ``tensor_inference = None``.

        Requires: ``initialize`` has run.
        Ensures: a :class:`structsvm.contract.tensors.TensorInference`. PyTorch is imported nowhere
        else.
        """
        raise NotImplementedError(missing(self, "tensor_inference"))

    # -------------------------------------------- optional batch forms, for speed

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """Return the data in containers that the batch forms read faster; called once per fit.

        Requires: ``initialize`` has run. Y may be None. Arrays of float16 in X have become float32;
        integers stay integers, for they may be no features. A problem of features converts them
        here, by :func:`structsvm.data.matrices.in_floats`, as unsigned ones would wrap.
        Ensures: X and Y with the same examples in the same order. ``X[i]`` is still an input and
        ``Y[i]`` an output, perhaps of other types: every method of one example, such as
        :meth:`joint_feature`, :meth:`loss` or :meth:`decode`, accepts these as well as those given;
        ``X[rows]``, for a slice or an integer array, is the container of those examples;
        ``X.shape[0]`` is their number. Y supports the same.
        Batch forms get these containers or such parts of them, and never the X that was given; so
        it is with Y, but where a :class:`structsvm.SelfLabelledProblem` has imputed labels.
        """
        return X, Y

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        """Apply :meth:`separation_oracle` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_separation_oracle"))

    def batch_slack_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        """Apply :meth:`slack_oracle` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_slack_oracle"))

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
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

        Computes a one-slack plane in one call. For linear joint features it is a matrix product,
        and the method that speeds up training most.

        Requires: ``weights`` has shape (n,).
        Ensures: shape (size_joint_feature,).
        """
        raise NotImplementedError(missing(self, "sum_joint_feature_difference"))

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        """Apply :meth:`soft_oracle` to n examples and sum differences and losses.

        :class:`structsvm.SmoothedLBFGS` calls it at every step, hundreds of times per fit.

        Requires: ``weights`` has shape (n,): differences and losses are summed with these weights.
        Ensures: the values that :class:`structsvm.SoftSum` defines.
        """
        raise NotImplementedError(missing(self, "sum_soft_oracle"))

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        """Return the weighted sum over n examples of the variances of the joint feature's entries.

        The variances are those in the distribution of :meth:`soft_oracle`. Divided by mu they are
        the diagonal of the Hessian of ``weights @ values``, by which
        :class:`structsvm.SmoothedLBFGS` scales the coordinates: features that occur in many
        examples, and those that occur in few. It is called some ten times per fit, and an estimate
        will do, such as one that neglects the covariances of the parts of an output.

        Requires: ``weights`` has shape (n,).
        Ensures: shape (size_joint_feature,), finite and >= 0.
        """
        raise NotImplementedError(missing(self, "sum_soft_curvature"))

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        """Return axes of w along which the Hessian of soft slacks is nearly diagonal.

        For joint features whose entries are correlated, such as dense ones: then
        :class:`structsvm.SmoothedLBFGS` scales the weights along these axes, and not each by
        itself. It is called once per fit, with up to a thousand examples spread over the data, for
        problems with :meth:`sum_soft_curvature`.

        Requires: X and Y are as :meth:`prepare` returns them for some of the examples.
        Ensures: an :class:`structsvm.Axes`, or None for the entries of w themselves.
        """
        raise NotImplementedError(missing(self, "curvature_axes"))

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        """Divide n examples into small fixed subsets, each on its own entries of w.

        For joint features with few nonzeros, such as those of text:
        :class:`structsvm.SmoothedLBFGS` then begins with stochastic steps, one for each mini-batch,
        which cost what their examples do, whatever the length of w. It calls
        :meth:`sum_soft_oracle` with the X and Y of a mini-batch and the entries of w at its
        ``columns``; the difference returned is of that length.

        Requires: X and Y are as :meth:`prepare` returns them, or a part of these.
        Ensures: every example is in one mini-batch.
        """
        raise NotImplementedError(missing(self, "minibatches"))

    def score_outputs(self, X: Any, Y: Any, w: Vector) -> Vector:
        """Return the loss-augmented scores of all outputs of n examples, shape (n, k).

        For problems whose examples all have the same k outputs, and these are few: the score of
        output z of example i is loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>. Where
        :meth:`minibatches`, :meth:`sum_expected_difference` and :meth:`outputs` are offered too,
        :class:`structsvm.SmoothedLBFGS` calls it with mini-batches, and with their entries of w.

        Ensures: the columns are in the order of :meth:`outputs`.
        """
        raise NotImplementedError(missing(self, "score_outputs"))

    def sum_expected_difference(self, X: Any, Y: Any, probabilities: Vector) -> Vector:
        """Return the sum over n examples of expected joint-feature differences.

        The expectation of Psi(x_i, y_i) - Psi(x_i, z), where output z has the probability
        ``probabilities[i, z]``, in the order of :meth:`score_outputs`. They may also be multiples
        or differences of probabilities: the sum is linear in them.

        Ensures: shape (size_joint_feature,), or for a mini-batch that of its entries.
        """
        raise NotImplementedError(missing(self, "sum_expected_difference"))


def missing(problem: Problem, method: str) -> str:
    """The message for a method that a problem does not define."""
    return (
        f"{type(problem).__name__} does not define {method}; what it must return is written at "
        f"structsvm.Problem.{method}"
    )
