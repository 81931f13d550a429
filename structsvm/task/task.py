"""A problem bound to n examples, with the methods that solvers and ``predict`` call.

:meth:`structsvm.Problem.task` returns a task. The base class calls the problem's methods for one
example after another. A subclass computes with arrays.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.contract.optional import optional, where_problem_defines
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples, take
from structsvm.task.answers import UnusableAnswer, finite_array, numbers_of, rows_of
from structsvm.task.sums import BlockSum, Entries, dot, ends_within, slices

if TYPE_CHECKING:
    from structsvm.contract.products import Products


class Task:
    """A problem bound to n examples, which :meth:`structsvm.Problem.task` makes once.

    A subclass that computes with arrays makes training fast by :meth:`search`, :meth:`losses` and
    :meth:`plane`, and prediction by :meth:`decode`. Methods that a subclass does not override call
    the problem's methods for one example after another. Every method must return the same values as
    the problem's methods, or outputs with the same score: :func:`structsvm.check_problem` compares
    them. No method may change its arguments.

    ``w`` is a float64 array of shape (size,). ``outputs`` are n outputs in the container that
    :meth:`search` returns, or in any other sequence, such as a list. Optional methods are None
    unless a subclass defines them; ``soft = None`` withdraws an inherited method.

    Parameters
    ----------
    problem : Problem
        The problem, initialized.
    X : sequence of n inputs
        The inputs; arrays of float16 were converted to float32. A subclass converts X and Y once,
        in its constructor, to a form that its methods read fast. The constructor converts numeric
        features by :func:`structsvm.data.matrices.in_floats`, since differences of unsigned
        integers wrap.
    Y : sequence of n outputs or None
        The outputs, or None for predictions. In a :class:`structsvm.SelfLabelledProblem` Y holds
        annotations, and :meth:`with_labels` sets outputs.

    Attributes
    ----------
    problem, X, Y
    n : int
        Number of examples.
    size : int
        Length of w and of joint features.
    place : int or None
        The position of the example whose method is being called, for messages.
    ends : list of int
        The ends of the blocks of examples whose sums are added in turn. By default there is one
        block.
    """

    _undefined = None

    def __init__(self, problem: Any, X: Any, Y: Any = None) -> None:
        self.problem, self.X, self.Y = problem, X, Y
        self.n, self.size = n_examples(X), int(problem.size_joint_feature)
        self.place: int | None = None
        self.ends = [self.n]

    # ------------------------------------------------------------------ the examples

    def part(self, places: range | slice | Indices) -> Any:
        """Return a copy of the task for some examples, with ``X[places]`` and ``Y[places]``."""
        if isinstance(places, range):  # a slice of an array shares its memory
            places = slice(places.start, places.stop)
        part = copy.copy(self)
        part.X = take(self.X, places)
        part.Y = None if self.Y is None else take(self.Y, places)
        part.n = n_examples(part.X)
        part.ends = ends_within(np.arange(self.n)[places], self.ends)
        return part

    def with_labels(self, labels: Any) -> Any:
        """Return a copy with other outputs in place of Y, such as imputed ones."""
        task = copy.copy(self)
        task.Y = labels
        return task

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Any:
        """Return the output of ``separation_oracle`` for every example."""
        outputs = []
        # A loop, because a comprehension adds a frame to tracebacks before Python 3.12.
        for i in range(self.n):
            self.place = i
            outputs.append(self.problem.separation_oracle(self.X[i], self.Y[i], w))
        self.place = None
        return outputs

    def search_rescaled(self, w: Vector) -> Any:
        """Return the output of ``slack_oracle`` for every example, if the problem defines it."""
        outputs = []
        for i in range(self.n):
            self.place = i
            outputs.append(self.problem.slack_oracle(self.X[i], self.Y[i], w))
        self.place = None
        return outputs

    def decode(self, w: Vector) -> Any:
        """Return the output of ``decode`` for every example; Y may be None."""
        outputs = []
        for i in range(self.n):
            self.place = i
            outputs.append(self.problem.decode(self.X[i], w))
        self.place = None
        return outputs

    def impute(self, w: Vector) -> Any:
        """Return the output of ``impute`` for every example.

        The problem is a :class:`structsvm.SelfLabelledProblem`; Y holds annotations or is None.
        """
        outputs = []
        for i in range(self.n):
            self.place = i
            outputs.append(self.problem.impute(self.X[i], None if self.Y is None else self.Y[i], w))
        self.place = None
        return outputs

    # ------------------------------------------------------------------ losses

    def losses(self, outputs: Any) -> Vector:
        """Return ``loss(y, y_hat)`` of all examples, shape (n,), finite and >= 0."""
        return self._losses(self.problem.loss, outputs)

    def evaluation_losses(self, outputs: Any) -> Vector:
        """Return the losses of predictions for ``score``, shape (n,).

        In a :class:`structsvm.SelfLabelledProblem`, whose Y holds annotations, they are
        ``evaluation_loss(y, y_hat)``. In other problems they are :meth:`losses`.
        """
        evaluation = getattr(self.problem, "evaluation_loss", None)
        return self.losses(outputs) if evaluation is None else self._losses(evaluation, outputs)

    def _losses(self, loss: Callable[[Any, Any], float], outputs: Any) -> Vector:
        found = []
        for i in range(self.n):
            self.place = i
            found.append(loss(self.Y[i], outputs[i]))
        self.place = None
        return numbers_of(found, (), range(self.n))

    # ------------------------------------------------------------------ joint features

    def joint_features(self, outputs: Any, places: Sequence[int]) -> Any:
        """Return ``joint_feature(x, y_hat)`` of the m examples at ``places``.

        Ensures: shape (m, size), an array or, if most entries are 0, a scipy.sparse CSR matrix.
        """
        found = []
        for i in places:
            self.place = i
            found.append(self.problem.joint_feature(self.X[i], outputs[i]))
        self.place = None
        return rows_of(found, self.size, places)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        """Return ``joint_feature_difference(x, y, y_hat)`` of the m examples at ``places``.

        ``places`` are rising indices, in a range or an array. The rows of these examples fit in
        memory.

        Ensures: shape (m, size), an array or, if most entries are 0, a scipy.sparse CSR matrix.
        """
        if not self.problem.has_own_difference:
            true, found = (self.joint_features(own, places) for own in (self.Y, outputs))
            with np.errstate(invalid="ignore"):  # infinity is reported later, with its example
                return true - found
        found = []
        for i in places:
            self.place = i
            found.append(self.problem.joint_feature_difference(self.X[i], self.Y[i], outputs[i]))
        self.place = None
        return rows_of(found, self.size, places)

    def plane(self, outputs: Any, weights: Vector) -> Vector | Entries:
        """Return the sum of ``weights[i] * joint_feature_difference(x, y, y_hat)``, shape (size,).

        The method makes a one-slack plane in one call. For linear joint features it is a matrix
        product, and no other method speeds up training more. By default :meth:`differences` are
        summed; a sum of sparse differences may be returned as a list of entries.

        Requires: ``weights`` has shape (n,). The output of an example with weight 0 may have no
        joint feature.
        """
        counted = np.flatnonzero(weights)
        total = BlockSum(self.size)
        for piece in slices(ends_within(counted, self.ends), self.size):
            places = counted[piece.places]
            total.add(piece, weights[places], self.differences(outputs, places.tolist()))
        return total.value

    # ------------------------------------------------------------------ optional: rounding errors

    @optional
    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        """Return the sizes of the terms that differences and losses are sums of.

        The rounding errors of these terms affect the bounds of a result. Large terms do not show if
        they cancel, as in the mean of features that are 1e8 in one half of the rows and -1e8 in the
        other, or in a difference of two costs of 1e8. Without this method each entry of a joint
        feature, and each loss, counts as one term. Define this method if entries or losses are sums
        or differences of larger numbers. The method is called for at most a hundred examples.

        Ensures: the sums of the absolute values of the terms of :meth:`differences`, shape
        (m, size), and of :meth:`losses`, shape (m,).
        """

    # ------------------------------------------------------------------ optional: cheaper searches

    @optional
    def refine(self, w: Vector, outputs: Any) -> Any:
        """Improve n outputs by a cheap search that starts from them, such as a local search.

        Solvers with margin rescaling first refine the outputs of the last pass, and search only if
        this adds no new plane. Solvers refine if this method is defined, Y is given, and the oracle
        does not overgenerate.

        Requires: ``outputs`` were returned by :meth:`search` or this method, at any w. Ensures: n
        outputs whose loss-augmented scores, loss(y, .) + <w, Psi(x, .)>, are no lower. The returned
        outputs are new objects, or elements of ``outputs``.
        """

    @optional
    def pool_outputs(self, outputs: Any, pool: Any = None) -> Any:
        """Return the pool with more outputs, each once, as candidates for every example.

        Define this method together with :meth:`search_pool` if all examples have the same outputs
        and the search is expensive: an output found for one example may be the best for another.
        The engine keeps the pool without reading it.

        Requires: ``outputs`` are outputs of any examples, true or found by a search. ``pool`` is an
        earlier result of this method, or None for an empty pool. Ensures: a picklable object that
        later calls do not change, or None if outputs of one example may not be allowed for another.
        """

    @optional
    def search_pool(self, w: Vector, pool: Any) -> Any:
        """Return the best output of the pool for every example, or a better output.

        The best output has the largest loss-augmented score, loss(y, .) + <w, Psi(x, .)>. A local
        search that starts from this output may find a better one.

        Solvers with margin rescaling search the pool first, and call :meth:`search` only if this
        adds no new plane. The pool is searched if this method is defined, Y is given, and the
        oracle is exact or undergenerates. Only :meth:`search` certifies the result.
        """

    # ------------------------------------------------------------------ optional: the soft oracle

    @where_problem_defines("soft_oracle")
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        """Apply ``soft_oracle`` to all examples, and sum differences and losses.

        The method is None if the problem does not define ``soft_oracle``.
        :class:`structsvm.SmoothedLBFGS` calls the method at every step, hundreds of times per fit.

        Requires: mu > 0. ``weights``, of shape (n,), are the weights in the sums of differences and
        losses. Ensures: the values that :class:`structsvm.SoftSum` defines.
        """
        values, losses, total = np.empty(self.n), np.empty(self.n), np.zeros(self.size)
        for start, end in zip([0, *self.ends[:-1]], self.ends, strict=True):
            total = total + self._soft_sum(range(start, end), (w, mu), weights, values, losses)
        return SoftSum(values, total, dot(weights, losses, self.ends))

    def _soft_sum(
        self, places: range, point: Any, weights: Vector, values: Vector, losses: Vector
    ) -> Vector:
        """Set the values and losses of some examples; return the weighted sum of differences."""
        total = np.zeros(self.size)
        for i in places:
            self.place = i
            found = self.problem.soft_oracle(self.X[i], self.Y[i], *point)
            if not (isinstance(found, tuple) and len(found) == 3):
                raise UnusableAnswer(found, (), i, "SoftOutput")
            value, difference, loss = found
            values[i] = finite_array(value, (), i)
            total += weights[i] * finite_array(difference, (self.size,), i)
            losses[i] = finite_array(loss, (), i)
        self.place = None
        return total

    @optional
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        """Return the weighted sum over the examples of the variances of joint-feature entries.

        The variances are taken under the distribution of ``soft_oracle``. Divided by mu, their sum
        is the diagonal of the Hessian of ``weights @ values``. :class:`structsvm.SmoothedLBFGS`
        scales the coordinates by this diagonal, since some features occur in many examples and
        others in few. The method is called once per fit, and an estimate suffices, for example
        without the covariances between the parts of an output.

        Ensures: shape (size,), finite and >= 0.
        """

    @optional
    def axes(self) -> Axes | None:
        """Return axes of w along which the Hessian of soft slacks is nearly diagonal.

        Define this method, together with :meth:`curvature`, for joint features whose entries are
        correlated, such as dense features. :class:`structsvm.SmoothedLBFGS` then scales the weights
        along these axes instead of scaling each weight separately. The method is called once per
        fit, for up to a thousand examples spread over the data.

        Ensures: an object of :class:`structsvm.Axes`, or None if the entries of w are the axes.
        """

    # ------------------------------------------------------------------ optional: few outputs

    @optional
    def score_outputs(self, w: Vector) -> Vector:
        """Return the loss-augmented scores of all outputs of every example, shape (n, k).

        Define this method for problems in which all examples have the same k outputs, and k is
        small. The score of output z of example i is loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i,
        z)>. Ensures: the columns are in the order of ``Problem.outputs``.
        """

    @optional
    def expected_difference(self, probabilities: Vector) -> Vector:
        """Return the sum over the examples of expected joint-feature differences, shape (size,).

        The summand of example i is the expectation of Psi(x_i, y_i) - Psi(x_i, z), in which output
        z has the probability ``probabilities[i, z]``. The columns are in the order of
        :meth:`score_outputs`. The entries may also be multiples or differences of probabilities,
        because the sum is linear in them.
        """

    @optional
    def products(self) -> Products:
        """Return the inner products of the examples' features.

        Define this method for problems whose outputs share no weights, but all use the same
        features of an example. Then the inner product of Psi(x_i, z) and Psi(x_j, z') is
        ``products[i, j]`` if the outputs z and z' are equal, and 0 if they differ. The method may
        return the features instead. :class:`structsvm.DualInteriorPoint` calls the method once, and
        :class:`structsvm.DualCoordinateAscent`, which needs the features, calls it in each process.

        Ensures: the values that :class:`structsvm.Products` defines.
        """

    # ------------------------------------------------------------------ optional: imputed labels

    @optional
    def relabelled(
        self,
        passes: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """Return the planes of m earlier passes for the labels in Y.

        Without this method the engine calls ``plane`` once, and m times ``losses`` for the examples
        whose labels have changed.

        Requires: ``passes[j]`` are the n outputs of pass j. ``weights`` has shape (m, n).
        ``previous`` is None, or the previous labels with the rows and sums that this method
        returned for these labels, so that only the changed examples need to be summed. Ensures: new
        arrays with the weighted sums over the examples of differences, shape (m, size), and of
        losses, shape (m,).
        """

    # ------------------------------------------------------------------ optional: parts of outputs

    #: The column of parts that count as a risk, such as present labels; None if all columns count.
    column_at_risk: int | None = None

    @where_problem_defines("decode_with")
    def part_names(self, i: int) -> list[Sequence[Any]]:
        """Return ``possible_parts`` of example i: the names of the parts of each slot.

        The table of an example has a row for each slot and a column for each part of the slot. The
        place of a part is its index in the flattened table.
        """
        return [list(parts) for parts in self.problem.possible_parts(self.X[i])]

    @where_problem_defines("decode_with")
    def part_places(self, outputs: Any) -> list[Indices]:
        """Return the places of the parts of n outputs in the tables; -1 for an absent part.

        By default each slot has one part.
        """
        found = []
        for i in range(self.n):
            self.place, slots = i, self.part_names(i)
            width, chosen = max(map(len, slots)), self.problem.chosen_parts(self.X[i], outputs[i])
            pairs = enumerate(zip(slots, chosen, strict=True))
            places = [row * width + p.index(c) if c in p else -1 for row, (p, c) in pairs]
            found.append(np.array(places, dtype=np.intp))
        self.place = None
        return found

    @where_problem_defines("decode_with")
    def decode_with(self, w: Vector, places: Sequence[int]) -> Any:
        """Return, for every example i, the highest-scoring output with the part at ``places[i]``.

        Ensures: None, or an output without the part, for an example in which no output has the
        part.
        """
        outputs = []
        for i, place in enumerate(places):
            self.place, slots = i, self.part_names(i)
            slot, column = divmod(int(place), max(map(len, slots)))
            outputs.append(self.problem.decode_with(self.X[i], w, slot, slots[slot][column]))
        self.place = None
        return outputs

    @optional
    def max_marginals(self, w: Vector) -> list[Vector]:
        """Return the highest score of an output with each part, as a table for every example.

        Without this method :meth:`decode_with` is called for each part. A constant may be added to
        all scores of a slot, since only differences within a slot count.

        Ensures: n arrays of shape (slots, parts), with -inf if no output has the part.
        """
