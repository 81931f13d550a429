"""A problem bound to n examples, with the methods that solvers and ``predict`` call.

:meth:`structsvm.Problem.task` returns a task. The base class loops over the examples, and calls the
problem's methods for each. A subclass can process all examples at once with arrays.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """A problem bound to n examples, made once by :meth:`structsvm.Problem.task`.

    For fast training, a subclass overrides :meth:`search`, :meth:`losses` and :meth:`plane`, which
    then process all examples at once with arrays. For fast prediction, a subclass overrides
    :meth:`decode`. The base class loops over the examples, and calls the problem's methods for one
    example at a time. A method must return the same values as the problem's methods. A search may
    return a different output with the same score. :func:`structsvm.check_problem` compares a task
    with the problem's methods. No method may change its arguments.

    ``w`` is a float64 array of shape (size,). ``outputs`` are n outputs in the container that
    :meth:`search` returns, or in any other sequence, such as a list. An optional method is None
    unless a subclass defines the method. ``soft = None`` removes an inherited method.

    Parameters
    ----------
    problem : Problem
        The initialized problem.
    X : sequence of n inputs
        The inputs. Arrays of float16 were converted to float32. The constructor of a subclass
        converts X and Y once to a form that its methods read fast. The constructor converts numeric
        features by :func:`structsvm.data.matrices.in_floats`, because differences of unsigned
        integers overflow.
    Y : sequence of n outputs or None
        The outputs, or None for predictions. For a :class:`structsvm.SelfLabelledProblem` Y holds
        annotations, and :meth:`with_labels` replaces the annotations by imputed outputs.

    Attributes
    ----------
    problem, X, Y
    n : int
        Number of examples.
    size : int
        Length of w and of joint features.
    place : int or None
        The position of the example for which a method of the problem is being called, for messages.
    ends : list of int
        The ends of the blocks into which the examples are divided. A sum over the examples adds the
        sums of the blocks in order. By default all examples form one block.
    """

    _undefined = None

    def __init__(self, problem: Any, X: Any, Y: Any = None) -> None:
        self.problem, self.X, self.Y = problem, X, Y
        self.n, self.size = n_examples(X), int(problem.size_joint_feature)
        self.place: int | None = None
        self.ends = [self.n]

    # ------------------------------------------------------------------ the examples

    def part(self, places: range | slice | Indices) -> Any:
        """Return a copy of the task for the examples ``X[places]`` and ``Y[places]``."""
        if isinstance(places, range):  # a slice of an array shares its memory
            places = slice(places.start, places.stop)
        part = copy.copy(self)
        part.X = take(self.X, places)
        part.Y = None if self.Y is None else take(self.Y, places)
        part.n = n_examples(part.X)
        part.ends = ends_within(np.arange(self.n)[places], self.ends)
        return part

    def with_labels(self, labels: Any) -> Any:
        """Return a copy of the task with ``labels``, such as imputed outputs, in place of Y."""
        task = copy.copy(self)
        task.Y = labels
        return task

    def _each(self, places: Iterable[int] | None = None) -> Iterator[int]:
        """Yield the indices of some or all examples; store each index for error messages."""
        for place in range(self.n) if places is None else places:
            self.place = place
            yield place
        self.place = None

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Any:
        """Return the output of ``separation_oracle`` for every example."""
        outputs = []
        # A loop, because a comprehension adds a frame to tracebacks before Python 3.12.
        for i in self._each():
            outputs.append(self.problem.separation_oracle(self.X[i], self.Y[i], w))
        return outputs

    def search_rescaled(self, w: Vector) -> Any:
        """Return the output of ``slack_oracle`` for every example, if the problem defines it."""
        return [self.problem.slack_oracle(self.X[i], self.Y[i], w) for i in self._each()]

    def decode(self, w: Vector) -> Any:
        """Return the output of ``decode`` for every example. Y may be None."""
        outputs = []
        for i in self._each():
            outputs.append(self.problem.decode(self.X[i], w))
        return outputs

    def impute(self, w: Vector) -> Any:
        """Return the output of ``impute`` for every example.

        The problem is a :class:`structsvm.SelfLabelledProblem`. Y holds annotations or is None.
        """
        Y = [None] * self.n if self.Y is None else self.Y
        return [self.problem.impute(self.X[i], Y[i], w) for i in self._each()]

    # ------------------------------------------------------------------ losses

    def losses(self, outputs: Any) -> Vector:
        """Return ``loss(y, y_hat)`` for all examples, shape (n,). Losses are finite and >= 0."""
        return self._losses(self.problem.loss, outputs)

    def evaluation_losses(self, outputs: Any) -> Vector:
        """Return the losses of predictions for ``score``, shape (n,).

        For a :class:`structsvm.SelfLabelledProblem`, Y holds annotations, and ``evaluation_loss(y,
        y_hat)`` is the loss of a prediction. If the problem does not define ``evaluation_loss``,
        the method returns the result of :meth:`losses`.
        """
        evaluation = getattr(self.problem, "evaluation_loss", None)
        return self.losses(outputs) if evaluation is None else self._losses(evaluation, outputs)

    def _losses(self, loss: Callable[[Any, Any], float], outputs: Any) -> Vector:
        found = []
        for i in self._each():
            found.append(loss(self.Y[i], outputs[i]))
        return numbers_of(found, (), range(self.n))

    # ------------------------------------------------------------------ joint features

    def joint_features(self, outputs: Any, places: Sequence[int]) -> Any:
        """Return ``joint_feature(x, y_hat)`` of the m examples at ``places``.

        Ensures: a matrix of shape (m, size), as an array or, if most entries are 0, in scipy's CSR
        format.
        """
        found = []
        for i in self._each(places):
            found.append(self.problem.joint_feature(self.X[i], outputs[i]))
        return rows_of(found, self.size, places)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        """Return ``joint_feature_difference(x, y, y_hat)`` of the m examples at ``places``.

        ``places`` is a sequence of m indices in ascending order. Solvers choose m so that m rows
        fit in memory.

        Ensures: a matrix of shape (m, size), as an array or, if most entries are 0, in scipy's CSR
        format.
        """
        if not self.problem.has_own_difference:
            true, found = (self.joint_features(own, places) for own in (self.Y, outputs))
            with np.errstate(invalid="ignore"):  # infinity is reported later, with its example
                return true - found
        found = []
        for i in self._each(places):
            found.append(self.problem.joint_feature_difference(self.X[i], self.Y[i], outputs[i]))
        return rows_of(found, self.size, places)

    def plane(self, outputs: Any, weights: Vector) -> Vector | Entries:
        """Return the sum of ``weights[i] * joint_feature_difference(x, y, y_hat)``, shape (size,).

        The method computes a one-slack plane in one call. For linear joint features the plane is a
        matrix product, and overriding this method speeds up training most. By default the method
        adds the rows of :meth:`differences`, multiplied by ``weights``.

        Requires: ``weights`` has shape (n,). An output with weight 0 may have no joint feature.
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
        """Return the total size of the numbers added to compute joint features and losses.

        The bounds of a result allow for rounding errors, which depend on the sizes of all terms.
        Large terms may cancel: for example, the mean of features of 1e8 and -1e8 is small, and so
        is a difference of two costs of 1e8. Without this method each entry of a joint feature, and
        each loss, counts as one term. Define this method if entries or losses are sums or
        differences of larger numbers. The method is called for at most a hundred examples.

        Ensures: a pair of arrays (rows, losses). If a joint-feature difference has an entry
        a - b + c, the array ``rows``, of shape (m, size), has the entry ``|a| + |b| + |c|``. If a
        loss is a - b, the array ``losses``, of shape (m,), has the entry ``|a| + |b|``.
        """

    # ------------------------------------------------------------------ optional: cheaper searches

    @optional
    def refine(self, w: Vector, outputs: Any) -> Any:
        """Improve n outputs by a cheap search, such as a local search that starts from each output.

        With margin rescaling, solvers first refine the outputs of the last pass, and call
        :meth:`search` only if refinement adds no new plane. Refinement requires that this method is
        defined, Y is not None, and the oracle does not overgenerate.

        Requires: ``outputs`` were returned by :meth:`search` or this method, at any w. Ensures: no
        returned output has a lower loss-augmented score, loss(y, .) + <w, Psi(x, .)>, than the
        output that it replaces. The returned outputs are new objects, or elements of ``outputs``.
        """

    @optional
    def pool_outputs(self, outputs: Any, pool: Any = None) -> Any:
        """Add ``outputs`` to the pool, without duplicates, as candidates for every example.

        Define this method together with :meth:`search_pool` if all examples have the same outputs
        and the search is expensive. The output found for one example may be the best output for
        another example. Solvers store the pool without reading it.

        Requires: ``outputs`` are true outputs of some examples, or outputs that a search found.
        ``pool`` is an earlier return value of this method, or None for an empty pool. Ensures: a
        picklable object that later calls do not change. Return None if an output of one example may
        be invalid for another example.
        """

    @optional
    def search_pool(self, w: Vector, pool: Any) -> Any:
        """Return the best output in the pool for every example, or an even better output.

        The best output has the largest loss-augmented score, loss(y, .) + <w, Psi(x, .)>. A local
        search from the best output in the pool may find an even better output.

        With margin rescaling, solvers first search the pool, and call :meth:`search` only if the
        pool adds no new plane. Searching the pool requires that this method is defined, Y is not
        None, and the oracle is exact or undergenerates. The objective in the certificate of a
        result is computed by calls of :meth:`search`.
        """

    # ------------------------------------------------------------------ optional: the soft oracle

    @where_problem_defines("soft_oracle")
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        """Call ``soft_oracle`` for all examples; sum expected losses and joint-feature differences.

        The method is None if the problem does not define ``soft_oracle``.
        :class:`structsvm.SmoothedLBFGS` calls the method at every step, hundreds of times per fit.

        Requires: mu > 0. The array ``weights`` has shape (n,), and ``weights[i]`` multiplies the
        expected joint-feature difference and the expected loss of example i. Ensures: a
        :class:`structsvm.SoftSum`.
        """
        values, losses, total = np.empty(self.n), np.empty(self.n), np.zeros(self.size)
        for start, end in zip([0, *self.ends[:-1]], self.ends, strict=True):
            of_block = np.zeros(self.size)
            for i in self._each(range(start, end)):
                found = self.problem.soft_oracle(self.X[i], self.Y[i], w, mu)
                if not (isinstance(found, tuple) and len(found) == 3):
                    raise UnusableAnswer(found, (), i, "SoftOutput")
                value, difference, loss = found
                values[i] = finite_array(value, (), i)
                of_block += weights[i] * finite_array(difference, (self.size,), i)
                losses[i] = finite_array(loss, (), i)
            total = total + of_block
        return SoftSum(values, total, dot(weights, losses, self.ends))

    @optional
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        """Return the weighted sum, over the examples, of the variances of joint-feature entries.

        The outputs are distributed as in ``soft_oracle``. The weighted sum of variances,
        divided by mu, contains the second derivatives of the weighted sum of soft slacks.
        :class:`structsvm.SmoothedLBFGS` scales the coordinates of w by the second derivatives,
        because some features occur in many examples and others in few. The method is called once
        per fit. An estimate is enough, for example an estimate without covariances between the
        parts of an output.

        Ensures: an array of shape (size,), finite and >= 0.
        """

    @optional
    def axes(self) -> Axes | None:
        """Return axes for w in which the Hessian of the soft slacks is nearly diagonal.

        Define this method, together with :meth:`curvature`, for joint features whose entries are
        correlated, such as dense features. With axes, :class:`structsvm.SmoothedLBFGS` scales the
        weights along the axes instead of scaling each weight separately. The method is called once
        per fit, for a task of at most a thousand examples from all the data.

        Ensures: an instance of :class:`structsvm.Axes`, or None to scale each weight separately.
        """

    # ------------------------------------------------------------------ optional: few outputs

    @optional
    def score_outputs(self, w: Vector) -> Vector:
        """Return the loss-augmented scores of all outputs of every example, shape (n, k).

        Define this method for problems in which all examples have the same k outputs, and k is
        small. The score of output z for the i-th example is loss(y_i, z) - <w, Psi(x_i, y_i) -
        Psi(x_i, z)>. Ensures: the columns are in the order of ``Problem.outputs``.
        """

    @optional
    def expected_difference(self, probabilities: Vector) -> Vector:
        """Return the sum, over the examples, of expected joint-feature differences, shape (size,).

        The term of the i-th example is the expectation of Psi(x_i, y_i) - Psi(x_i, z), where output
        z has the probability ``probabilities[i, z]``. The columns of ``probabilities`` are in the
        order of :meth:`score_outputs`. The entries of ``probabilities`` may also be multiples or
        differences of probabilities, because the result is linear in the probabilities.
        """

    @optional
    def products(self) -> Products:
        """Return the inner products of the examples' features.

        Define this method if each output has separate weights, but all outputs use the same
        features of an example. If outputs share no weights, the inner product of Psi(x_i, z) and
        Psi(x_j, z') is ``products[i, j]`` if z equals z', and otherwise 0. The returned object may
        hold the features of the examples instead of their inner products.
        :class:`structsvm.DualInteriorPoint` calls the method once.
        :class:`structsvm.DualCoordinateAscent` needs the features, and calls the method once in
        each process.

        Ensures: an object of class :class:`structsvm.Products`.
        """

    # ------------------------------------------------------------------ optional: imputed labels

    @optional
    def relabelled(
        self,
        passes: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """Recompute the planes of m earlier passes for the labels in Y.

        Without this method, solvers sum the joint features of the new labels, and recompute the
        losses of the examples whose labels have changed.

        Requires: ``passes[j]`` holds the n outputs of pass j. ``weights`` has shape (m, n), for m
        passes and n examples. ``previous`` is None, or holds the labels and the two returned arrays
        of the last call. With ``previous``, only examples whose labels have changed need to be
        summed. Ensures: two new arrays of shapes (m, size) and (m,). For each of the m passes, the
        first array holds the weighted sum of the joint-feature differences, and the second array
        the weighted sum of the losses.
        """

    # ------------------------------------------------------------------ optional: parts of outputs

    #: The column of parts that count as a risk, such as present labels; None if all columns count.
    column_at_risk: int | None = None

    @where_problem_defines("decode_with")
    def part_names(self, i: int) -> list[Sequence[Any]]:
        """Return the possible parts, such as labels, of each slot of example i, such as a word.

        The table of an example, as in :meth:`max_marginals`, has a row for each slot, and a column
        for each part that the slot may have. The index of a part in an example's flattened table is
        called the place of the part.
        """
        return [list(parts) for parts in self.problem.possible_parts(self.X[i])]

    @where_problem_defines("decode_with")
    def part_places(self, outputs: Any) -> list[Indices]:
        """Return the places of the parts of n outputs. The place of an absent part is -1.

        By default an output has one part in each slot, such as one label for each word.
        """
        found = []
        for i in self._each():
            slots = self.part_names(i)
            width, chosen = max(map(len, slots)), self.problem.chosen_parts(self.X[i], outputs[i])
            pairs = enumerate(zip(slots, chosen, strict=True))
            places = [row * width + p.index(c) if c in p else -1 for row, (p, c) in pairs]
            found.append(np.array(places, dtype=np.intp))
        return found

    @where_problem_defines("decode_with")
    def decode_with(self, w: Vector, places: Sequence[int]) -> Any:
        """Return the highest-scoring output that has the part at ``places[i]``, for each example.

        Ensures: a list of outputs. If every output of the i-th example lacks the part at
        ``places[i]``, such as a label of a word, entry i of the list is None or an output without
        the part.
        """
        outputs = []
        for i in self._each(range(len(places))):
            slots = self.part_names(i)
            slot, column = divmod(int(places[i]), max(map(len, slots)))
            outputs.append(self.problem.decode_with(self.X[i], w, slot, slots[slot][column]))
        return outputs

    @optional
    def max_marginals(self, w: Vector) -> list[Vector]:
        """Return, for each part of an output, the highest score of an output with the part.

        Without this method :meth:`decode_with` is called for each part. A constant may be added to
        all scores in a row of a table, because only differences within a row matter.

        Ensures: n arrays with a row for each slot, such as a word, and a column for each part, such
        as a label. An entry is -inf if no output has the part in the slot.
        """
