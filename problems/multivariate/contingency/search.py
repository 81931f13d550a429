"""Exact separation oracle for losses of the 2 x 2 contingency table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.multivariate.contingency.losses import (
    ClusteringLoss,
    ConcaveLoss,
    MistakesLoss,
    TableLoss,
)

#: Tables in a block of the scan; few enough to stay in the cache.
BLOCK = 10_000
#: Rounding allowed for a callable: its loss at y' = y may exceed 0, and any loss fall below 0, by
#: this.
ROUNDING = 1e-9


class _Ranking(NamedTuple):
    """Rows with the same label by decreasing gain, their gains, and the sums of the first m."""

    rows: Indices
    gains: Vector
    sums: Vector


class _Best(NamedTuple):
    """The largest loss plus gains, and the a and b of its table."""

    value: float
    a: int
    b: int


def most_violated(labels: Any, gains: Vector, loss: TableLoss) -> Any:
    """The labelling y' that maximises loss(a, b, c, d) + the sum of the gains of its rows '+'.

    Exact up to rounding. It is y itself unless another labelling is better; among rows of the same
    label and gain the first ones are taken.

    - A :class:`MistakesLoss`: for every number of mistakes the rows that lose least are flipped.
      One sort.
    - A :class:`ConcaveLoss`, concave in a at fixed p = a + b: the objective is concave too, because
      the rows of either label are taken in decreasing order of gain. Bisection on its first
      difference, for all p at once: O(n log n).
    - Any other callable: a scan of all O(n^2) tables.

    Parameters
    ----------
    labels : ndarray of bool, of shape (n,)
        y, True for '+'; n >= 2.
    gains : ndarray of shape (n,)
        By how much predicting '+' instead of '-' raises the score of a row.
    loss : callable
        A function of (a, b, c, d): from ``table_loss`` or ``measure_loss``, or any other that is
        >= 0, and 0 at y' = y.

    Returns
    -------
    ndarray of bool, of shape (n,)

    References
    ----------
    The scan: Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005,
    Algorithm 2; Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function,
    (18). The concavity and the bisection are ours.
    """
    if isinstance(loss, MistakesLoss):
        return _by_mistakes(labels, gains, loss)
    positive = _ranking(np.flatnonzero(labels), gains)
    negative = _ranking(np.flatnonzero(~labels), gains)
    if isinstance(loss, ConcaveLoss):
        best = _by_size(positive, negative, loss)
    else:
        best = _by_scan(positive, negative, loss)
    # The value of y itself: loss 0, and the gains of all its rows '+'.
    if best.value <= positive.sums[-1]:
        return labels.copy()
    predicted = np.zeros(len(labels), dtype=bool)
    predicted[positive.rows[: best.a]] = True
    predicted[negative.rows[: best.b]] = True
    return predicted


def _ranking(rows: Indices, gains: Vector) -> _Ranking:
    rows = rows[np.argsort(-gains[rows], kind="stable")]
    return _Ranking(rows, gains[rows], prefix_sums(gains[rows]))


def prefix_sums(values: Vector) -> Vector:
    """The sums of the first 0, 1, ..., n values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _by_mistakes(labels: Any, gains: Vector, loss: MistakesLoss) -> Any:
    n = len(labels)
    gains_of_flips = np.where(labels, -gains, gains)
    order = np.argsort(-gains_of_flips, kind="stable")
    values = loss.of_mistakes(np.arange(n + 1), n) + prefix_sums(gains_of_flips[order])
    predicted = labels.copy()
    predicted[order[: values.argmax()]] ^= True
    return predicted


def _by_size(positive: _Ranking, negative: _Ranking, loss: ConcaveLoss) -> _Best:
    n_positive, n_negative = len(positive.rows), len(negative.rows)
    sizes = np.arange(n_positive + n_negative + 1)
    a = _most_true_positives(sizes, positive, negative, loss)
    b = sizes - a
    values = loss(a, b, n_positive - a, n_negative - b) + positive.sums[a] + negative.sums[b]
    best = values.argmax()
    return _Best(values[best], a[best], b[best])


def _most_true_positives(
    sizes: Indices, positive: _Ranking, negative: _Ranking, loss: ConcaveLoss
) -> Indices:
    """The a that maximises the objective for every p: the least a at which it does not rise.

    Rounding can turn the sign of a step that is nearly 0. Because the objective is concave, the
    error is then no larger than the rounding of the sums.
    """
    n_positive, n_negative = len(positive.rows), len(negative.rows)
    loss_step = loss.steps(sizes, n_positive, n_negative)
    # The appended 0 keeps the index valid where no step is left; it is never used.
    gain, loss_of_gain = (np.append(ranking.gains, 0.0) for ranking in (positive, negative))
    low, high = np.maximum(sizes - n_negative, 0), np.minimum(sizes, n_positive)
    # A round halves every interval, so the longest needs as many rounds as it has bits.
    for _ in range(int((high - low).max()).bit_length()):
        middle = (low + high) // 2
        rises = loss_step(middle) + gain[middle] > loss_of_gain[sizes - middle - 1]
        low = np.where(rises, np.minimum(middle + 1, high), low)
        high = np.where(rises, high, middle)
    return low


def _by_scan(positive: _Ranking, negative: _Ranking, loss: TableLoss) -> _Best:
    n_positive, n_negative = len(positive.rows), len(negative.rows)
    _require_no_loss_of_the_truth(loss, n_positive, n_negative)
    bests = []
    n_tables = (n_positive + 1) * (n_negative + 1)
    for start in range(0, n_tables, BLOCK):
        tables = np.arange(start, min(start + BLOCK, n_tables))
        a, b = np.divmod(tables, n_negative + 1)
        losses = _values(loss, a, b, n_positive - a, n_negative - b)
        values = losses + positive.sums[a] + negative.sums[b]
        best = values.argmax()
        bests.append(_Best(values[best], a[best], b[best]))
    return max(bests, key=lambda best: best.value)


def require_loss(loss: TableLoss) -> None:
    """Raise unless a callable behaves as a loss for six rows, three of them '+'.

    Raises
    ------
    ValueError
        It cannot be called with arrays, or its values are invalid losses, or all of them are 0.
    """
    a, b = np.divmod(np.arange(16), 4)
    try:
        loss(a, b, 3 - a, 3 - b)
    except Exception as error:
        raise ValueError(
            "a callable loss is called as loss(a, b, c, d), with integer arrays of one shape; it "
            f"raised {type(error).__name__}: {error}. Write it with operations on whole arrays"
        ) from error
    if isinstance(loss, ClusteringLoss):
        _require_affine(loss)
        _require_no_loss_of_the_truth(loss, 6, 0)
    values = _values(loss, a, b, 3 - a, 3 - b)
    _require_no_loss_of_the_truth(loss, 3, 3)
    if not values.any():
        raise ValueError(
            "the loss must be > 0 for some labelling; it is 0 for every one, so none is better"
        )


def _require_affine(loss: ClusteringLoss) -> None:
    """Raise a ValueError unless phi is convex and the loss affine and decreasing in its sum."""
    phi = np.asarray(loss.phi(np.arange(7), 6), dtype=np.float64)
    if np.any(np.diff(phi, 2) < -ROUNDING):
        raise ValueError(
            f"phi must be convex, so that the separation oracle is exact; got {phi.tolist()} for "
            "0 to 6 of 6 rows"
        )
    # The cells of three tables of the same sizes, 4 and 2 in y', and 3 and 3 in y.
    cells = phi[np.array([[3, 1, 0, 2], [2, 2, 1, 1], [1, 3, 2, 0]])].sum(axis=1)
    rows, columns = phi[4] + phi[2], 2 * phi[3]
    losses, slope = loss.of_sums(cells, rows, columns), loss.slope(rows, columns)
    if min(slope, *losses) < -ROUNDING or np.ptp(losses + slope * cells) > ROUNDING:
        raise ValueError(
            "of_sums must be >= 0, affine and decreasing in cells, and not cut off, so that the "
            f"separation oracle is exact; got {losses.tolist()} for cells = {cells.tolist()}, and "
            f"the slope {slope:.3g}"
        )


def _require_no_loss_of_the_truth(loss: TableLoss, n_positive: int, n_negative: int) -> None:
    truth = _values(loss, *(np.array([count]) for count in (n_positive, 0, 0, n_negative)))
    if truth[0] > ROUNDING:
        raise ValueError(
            f"the loss must be 0 where the labellings are the same; got {truth[0]} at (a, b, c, d) "
            f"= {(n_positive, 0, 0, n_negative)}; return 0 there"
        )


def _values(loss: TableLoss, a: Indices, b: Indices, c: Indices, d: Indices) -> Vector:
    """The losses, checked: one finite number >= 0 for each table."""
    values = np.asarray(loss(a, b, c, d), dtype=np.float64)
    if values.shape != a.shape:
        raise ValueError(
            f"the loss must return one value for each table, an array of shape {a.shape}; got "
            f"shape {values.shape}; write it with operations on whole arrays"
        )
    wrong = ~(np.isfinite(values) & (values >= -ROUNDING))
    if wrong.any():
        i = wrong.argmax()
        table = tuple(int(count[i]) for count in (a, b, c, d))
        raise ValueError(
            f"the loss must be finite and >= 0; got {values[i]} at (a, b, c, d) = {table}; "
            "return such a number there"
        )
    return values
