"""Bipartite matching as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from structsvm.contract.problem import ScoreTerms
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.data.matrices import checked_numbers, one_array, require_unmasked, row_scores
from structsvm.data.ragged import Ragged
from structsvm.data.remedies import label_remedy
from structsvm.data.validation import require_flag
from structsvm.problems.by_task import ByTask
from structsvm.problems.matching.data import UNMATCHED, PairRows, packed_columns
from structsvm.problems.matching.search import max_marginals
from structsvm.task.task import Task

#: The weight of a sum costs as much as the weight of a single feature that is this factor smaller.
STRETCH = 10.0


@dataclass(eq=False, repr=False)
class Assignment(ByTask):
    r"""Bipartite matching: each item of a first set gets a partner in a second set, or none.

    An input is an array of shape (m, n, d). An array holds the features of all pairs of an item of
    the first set (a row) and an item of the second set (a column). Instead of an array, an input
    may be a :class:`Bipartite`, which has features of single items, too, and may be sparse. An
    output is an integer array of shape (m,): the column of every row, or -1 for a row without a
    partner. No column occurs twice.

    - :math:`\Psi(x, y) = \frac1m \sum_{i: y_i \ge 0} \psi_{i y_i}`, where :math:`\psi_{ij}` holds
      the features of the pair, of row i and of column j. Unmatched items score 0.
    - The loss :math:`\Delta(y, \hat y)` is the fraction of rows with different columns.
    - All searches are exact, by ``scipy.optimize.linear_sum_assignment``.

    By default all items of the smaller set are matched, so that a row has no partner only if m > n.
    With ``unmatched``, any item may have no partner. With ``unmatched``, pairs have an additional
    feature, which is 1. If ``unmatched`` is True, a pair is matched in a prediction only if the
    score of the pair is positive.

    Parameters
    ----------
    unmatched : bool, default=False
        Whether an item of either set may stay without a partner.
    scale : array of shape (n_features,), optional
        Divisors of the features of pairs, of rows, of columns and of the constant, > 0. If
        ``scale`` is given, w contains the weights of the scaled features. :meth:`weights` computes
        the weights of the unscaled features. The regulariser hardly penalises the weight of the
        constant feature, or the mean weight of all scaled features of pairs.

    References
    ----------
    Caetano, McAuley, Cheng, Le & Smola, Learning Graph Matching, IEEE TPAMI 2009: the part on
    linear assignment. In this class both Psi and the loss are means over the rows, so that good
    values of C and w do not depend on the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Assignment
    >>> points, moved = np.array([0.0, 5.0, 9.0]), np.array([9.2, 0.1, 4.9, 20.0])
    >>> x = -np.abs(points[:, None] - moved)[:, :, None]
    >>> svm = StructuredSVM(Assignment()).fit([x], [np.array([1, 2, 0])])
    >>> svm.predict([x[:2]])
    [array([1, 2])]
    """

    max_loss = 1.0

    unmatched: bool = False
    scale: Any = None

    def initialize(self, X: Any, Y: Any) -> None:
        require_flag("unmatched", self.unmatched)
        if Y is None:
            raise ValueError("Assignment needs the matchings Y; it is None")
        pairs = PairRows.of(X, self.unmatched)
        self.matchings(Y, pairs.shapes)
        self.size_joint_feature = pairs.rows.shape[1]
        self._scales = self._checked_scales(pairs.n_of_pairs)
        # An assignment takes at most O(m m n) time.
        searches = pairs.shapes.min(axis=1) * pairs.shapes.prod(axis=1)
        self.work = float((pairs.rows.size + searches.sum()) / len(pairs))

    def task(self, X: Any, Y: Any = None) -> AssignmentTask:
        return AssignmentTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def one(self, x: Any) -> Any:
        return x if isinstance(x, PairRows) else [x]

    def joint_feature(self, x: Any, y: Any) -> Any:
        pairs, nothing = self.pairs(self.one(x)), np.full(len(y), UNMATCHED)
        found = self.scaled(pairs.votes(np.asarray(y), nothing) @ pairs.rows)
        return found if sparse.issparse(found) else found.reshape(-1)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        pairs, y = self.pairs(self.one(x)), np.asarray(y)
        matched = np.flatnonzero(y != UNMATCHED)
        rows = pairs.rows[pairs.first[matched] + y[matched]]
        factors = np.full(len(matched), 1 / len(y))
        positions = [*zip(matched.tolist(), y[matched].tolist(), strict=True)]
        return ScoreTerms(positions, factors, rows, self.weights(w))

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.mean(np.not_equal(y, y_hat)))

    def outputs(self, x: Any) -> Iterable[Any]:
        m, n = self.pairs(self.one(x)).shapes[0].tolist()
        alone = m if self.unmatched else max(0, m - n)
        columns = [*range(n), *([UNMATCHED] * alone)]
        return (np.array(y) for y in sorted(set(permutations(columns, m))))

    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of ``<w, Psi(x, y)>`` with respect to x, for layers of networks.

        Returns
        -------
        ndarray of the shape of x
        """
        gradient, rows = np.zeros(np.shape(x)), np.flatnonzero(np.asarray(y) != UNMATCHED)
        gradient[rows, y[rows]] = self.weights(w)[: gradient.shape[2]] / len(y)
        return gradient

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return ten pairs of point sets; each second set is a noisy copy with one more point."""
        rng = np.random.default_rng(0)
        X, Y = [], []
        for m in 3 + np.arange(10) % 2:
            points, y = rng.normal(size=(m, 3)), rng.permutation(m + 1)[:m]
            others = rng.normal(size=(m + 1, 3))
            others[y] = points + [0.1, 0.5, 2.0] * rng.normal(size=(m, 3))
            X.append(-((points[:, None] - others) ** 2))
            Y.append(y)
        return X, Y

    # ------------------------------------------------------------------ the coordinates of w

    def weights(self, w: Vector) -> Vector:
        """Return the weights of the unscaled features, shape (n_features,)."""
        return w if self._scales is None else self._scales.weights(w)

    def w_of(self, weights: Vector) -> Vector:
        """Return the w that belongs to weights of the unscaled features."""
        return weights if self._scales is None else self._scales.w(weights)

    def scaled(self, psi: Any) -> Any:
        """Convert ``psi``, a joint feature of unscaled features, to scaled features."""
        return psi if self._scales is None else self._scales.features(psi)

    # ------------------------------------------------------------------ containers

    def pairs(self, X: Any) -> PairRows:
        """Pack the inputs."""
        if isinstance(X, PairRows):
            return X
        pairs = PairRows.of(X, self.unmatched)
        if pairs.rows.shape[1] != self.size_joint_feature:
            raise ValueError(
                f"X[0] has {pairs.rows.shape[1]} features of a pair; expected "
                f"{self.size_joint_feature}, as in training"
            )
        return pairs

    def matchings(self, Y: Any, shapes: Any) -> Ragged:
        """Pack the outputs, and check that they are matchings of sets with sizes ``shapes``."""
        if isinstance(Y, Ragged):
            return Y
        for i, (m, n) in enumerate(shapes.tolist()):
            try:
                _require_matching(Y[i], m, n, self.unmatched)
            except ValueError as error:
                remedy = label_remedy(f"Y[{i}]", Y[i], m)
                raise ValueError(f"Y[{i}] {error}{remedy}") from None
        return packed_columns([np.asarray(Y[i], dtype=np.intp) for i in range(len(shapes))])

    def _checked_scales(self, n_of_pairs: int) -> FeatureScales | None:
        if self.scale is None:
            return None
        divisors = checked_numbers("scale", self.scale)
        if divisors.shape != (self.size_joint_feature,) or not np.all(divisors > 0):
            raise ValueError(
                f"scale must hold a number > 0 for each of {self.size_joint_feature} features; got "
                f"{self.scale!r:.60}"
            )
        return FeatureScales.of(divisors, n_of_pairs, self.unmatched)


def _require_matching(y: Any, m: int, n: int, unmatched: bool) -> None:
    """Raise a ValueError unless y matches m rows to n columns; the message does not name y."""
    require_unmasked("y", y)
    y = one_array("y", y)
    if y.shape != (m,) or y.dtype.kind not in "iu":
        raise ValueError(
            f"must be an array of {m} integers, the column of each row, {UNMATCHED} for none; got "
            f"shape {y.shape} of {y.dtype}"
        )
    if y.min() < UNMATCHED or y.max() >= n:
        wrong = y[(y < UNMATCHED) | (y >= n)][0]
        raise ValueError(
            f"must hold columns from 0 to {n - 1}, or {UNMATCHED} for none; got {wrong}"
        )
    columns, counts = np.unique(y[y != UNMATCHED], return_counts=True)
    if len(columns) and counts.max() > 1:
        raise ValueError(f"matches column {columns[counts.argmax()]} to {counts.max()} rows")
    alone = m - len(columns)
    if not unmatched and alone != max(0, m - n):
        raise ValueError(
            f"leaves {alone} of {m} rows without a partner, where {n} columns leave "
            f"{max(0, m - n)}: with unmatched=True, items may stay alone"
        )


class FeatureScales(NamedTuple):
    """A linear map between the vector w and the weights of the unscaled features.

    The map multiplies the component of w along each of ``axes`` by ``STRETCH``, and then divides
    all weights by ``divisors``. The first of ``axes`` is the direction in which the weights of all
    features of pairs are equal. If pairs have a constant feature, the second of ``axes`` is the
    coordinate axis of the constant feature. Because of the factor ``STRETCH``, large weights along
    ``axes`` need only a small w, which few examples suffice to learn.

    Attributes
    ----------
    divisors : ndarray of shape (d,)
        The divisors of the features.
    axes : ndarray of shape (d, r)
        Orthonormal directions.
    stretch : ndarray of shape (r,)
        The factors of the components of w along ``axes``, >= 1.
    """

    divisors: Vector
    axes: Vector
    stretch: Vector

    @classmethod
    def of(cls, divisors: Vector, n_of_pairs: int, constant: bool) -> FeatureScales:
        """Return the scales; if ``constant`` is True, the last feature is a constant."""
        d = len(divisors)
        of_pairs = (np.arange(d) < n_of_pairs) / max(1, n_of_pairs) ** 0.5
        axes = np.column_stack([of_pairs, *([np.eye(d)[-1]] if constant else [])])
        return cls(divisors, axes, np.full(axes.shape[1], STRETCH))

    def weights(self, w: Vector) -> Vector:
        """Return the weights of the unscaled features."""
        return np.asarray(self._stretched(w, self.stretch) / self.divisors)

    def w(self, weights: Vector) -> Vector:
        """Return the vector w that belongs to the weights of the unscaled features."""
        return np.asarray(self._stretched(weights * self.divisors, 1 / self.stretch))

    def features(self, psi: Any) -> Any:
        """Return joint features of shape (d,) or (n, d) in the coordinates of w."""
        return self._stretched(dense(psi) / self.divisors, self.stretch)

    def _stretched(self, values: Any, factors: Vector) -> Any:
        return values + (values @ self.axes) * (factors - 1) @ self.axes.T


class AssignmentTask(Task):
    """The task of matching, with inputs in a :class:`PairRows` and outputs in a :class:`Ragged`."""

    problem: Assignment

    def __init__(self, problem: Assignment, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.pairs(X))
        self.Y = None if Y is None else problem.matchings(Y, self.X.shapes)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.matchings(labels, self.X.shapes))

    def search(self, w: Vector) -> Any:
        pairs, y = self.X, self.Y.values
        gains, alone = self._gains(w), y == UNMATCHED
        # The loss is 0 at the true column: subtract 1 there. Any column costs an unmatched row 1.
        gains[(pairs.first + y)[~alone]] -= 1
        if alone.any():
            gains += np.repeat(alone, pairs.shapes[pairs.owner, 1])
        return self._matched(gains)

    def decode(self, w: Vector) -> list[Any]:
        found = self._matched(self._gains(w))
        return [found[i] for i in range(self.n)]

    def losses(self, outputs: Any) -> Vector:
        wrong = self.Y.values != packed_columns(outputs).values
        counts = np.add.reduceat(wrong, self.Y.starts[:-1], dtype=np.float64)
        return np.asarray(counts / self.Y.sizes)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        votes = self.X.votes(self.Y.values, packed_columns(outputs).values)
        return self.problem.scaled(votes[places] @ self.X.rows)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        votes = self.X.votes(self.Y.values, packed_columns(outputs).values, weights)
        found = dense(self.problem.scaled(votes @ self.X.rows))
        return np.asarray(found.astype(np.float64).reshape(-1))

    # ------------------------------------------------------------------ columns as parts

    def part_names(self, i: int) -> list[Any]:
        m, n = self.X.shapes[i].tolist()
        alone = [UNMATCHED] if self.problem.unmatched or m > n else []
        return [[*range(n), *alone]] * m

    def part_places(self, outputs: Any) -> list[Indices]:
        found = packed_columns(outputs)
        widths = [len(self.part_names(i)[0]) for i in range(self.n)]
        # UNMATCHED, if it is allowed, is the last column.
        return [np.arange(len(found[i])) * k + found[i] % k for i, k in enumerate(widths)]

    def decode_with(self, w: Vector, places: Sequence[int]) -> list[Any]:
        gains = self._gains(w).astype(np.float64)
        large = 1 + 4 * np.abs(gains).max() * self.X.shapes.max()  # decides any matching
        for i, place in enumerate(places):
            row, column = divmod(int(place), len(self.part_names(i)[0]))
            own = gains[self.X.layout.rows(i)].reshape(self.X.shapes[i])
            own[row] -= large
            own[row, column : column + 1] += 2 * large  # an empty slice for UNMATCHED
        found = self._matched(gains)
        return [found[i] for i in range(self.n)]

    def max_marginals(self, w: Vector) -> list[Vector]:
        gains, shapes = self._gains(w).astype(np.float64), self.X.shapes.tolist()
        tables = (gains[self.X.layout.rows(i)].reshape(m, n) / m for i, (m, n) in enumerate(shapes))
        pairs, unmatched = zip(tables, self.decode(w), strict=True), self.problem.unmatched
        return [max_marginals(table, best, unmatched) for table, best in pairs]

    # ------------------------------------------------------------------ scores

    def _gains(self, w: Vector) -> Vector:
        """Return the inner product of the weights with the features of each pair."""
        return row_scores(self.X.rows, self.problem.weights(w))

    def _matched(self, gains: Vector) -> Ragged:
        """Return the matchings of largest sum of gains."""
        pairs, unmatched = self.X, self.problem.unmatched
        # Pairs without a gain are separated below, so they gain 0 in the search.
        best = np.maximum(gains, 0) if unmatched else gains
        columns = []
        for i, (m, n) in enumerate(pairs.shapes.tolist()):
            own = best[pairs.layout.rows(i)].reshape(m, n)
            rows, found = linear_sum_assignment(own, maximize=True)
            if m > n:  # otherwise the rows are 0, 1, 2 ...
                partners = np.full(m, UNMATCHED)
                partners[rows] = found
                found = partners
            columns.append(found)
        y = np.concatenate(columns)
        if unmatched:
            matched = np.flatnonzero(y != UNMATCHED)
            y[matched[gains[pairs.first[matched] + y[matched]] <= 0]] = UNMATCHED
        return Ragged(y, pairs.shapes[:, 0])
