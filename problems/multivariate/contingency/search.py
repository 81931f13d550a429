"""Exact separation oracle for losses of the 2 x 2 contingency table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.multivariate.contingency.losses import (
    ClusteringLoss,
    ErrorLoss,
    F1Loss,
    TableLoss,
)

#: Rounding error allowed to users' losses: they may exceed 0 at y' = y, or fall below 0, by this.
ROUNDING = 1e-9


class _Ranking(NamedTuple):
    """A ranking of rows with the same label by decreasing gain; ``sums`` are prefix sums."""

    rows: Indices
    gains: Vector
    sums: Vector


def most_violated(labels: Any, gains: Vector, loss: TableLoss) -> Any:
    """Return the labelling y' that maximises loss(a, b, c, d) + the gains of its '+' rows.

    The result is y itself unless another labelling is better. Of rows with the same label and gain,
    rows with lower indices are predicted '+' first.

    If the number of rows predicted '+' is fixed, the objective is a concave function of the number
    of true positives, and bisection finds the maximum. One bisection takes O(log n) steps, and
    there is one for each possible number of rows predicted '+'. For ErrorLoss, no bisection is
    needed: a row gets the wrong label if the wrong label raises the objective.

    Parameters
    ----------
    labels : ndarray of bool, of shape (n,)
        The labels y of at least 2 rows, True for '+'.
    gains : ndarray of shape (n,)
        Increase of a row's score when '+' is predicted instead of '-'.
    loss : TableLoss
        The loss, as ``table_loss`` or ``measure_loss`` returns it.

    Returns
    -------
    ndarray of bool, of shape (n,)

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005, Algorithm 2.
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, equation 18. The
    algorithms of Joachims and of Zhao, Kwok & Zhang scan all O(n^2) contingency tables, whereas
    :func:`most_violated` uses bisection.
    """
    if isinstance(loss, ErrorLoss):
        return labels ^ (np.where(labels, -gains, gains) + 1 / len(labels) > 0)
    positive = _ranking(np.flatnonzero(labels), gains)
    negative = _ranking(np.flatnonzero(~labels), gains)
    n_positive, n_negative = len(positive.rows), len(negative.rows)
    sizes = np.arange(len(labels) + 1)
    a = _most_true_positives(sizes, positive, negative, loss)
    b = sizes - a
    values = loss(a, b, n_positive - a, n_negative - b) + positive.sums[a] + negative.sums[b]
    best = values.argmax()
    # The value of y itself is its loss, 0, plus the gains of its '+' rows.
    if values[best] <= positive.sums[-1]:
        return labels.copy()
    predicted = np.zeros(len(labels), dtype=bool)
    predicted[positive.rows[: a[best]]] = True
    predicted[negative.rows[: b[best]]] = True
    return predicted


def _ranking(rows: Indices, gains: Vector) -> _Ranking:
    rows = rows[np.argsort(-gains[rows], kind="stable")]
    return _Ranking(rows, gains[rows], prefix_sums(gains[rows]))


def prefix_sums(values: Vector) -> Vector:
    """Return the sums of the first 0, 1, ..., n values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _most_true_positives(
    sizes: Indices, positive: _Ranking, negative: _Ranking, loss: ClusteringLoss | F1Loss
) -> Indices:
    """Return the best number of true positives for each number of predicted positives in ``sizes``.

    If one more true positive hardly changes the objective, rounding errors may send the bisection
    in the wrong direction. Because the objective is concave, the objective at the returned number
    is the maximum up to rounding errors.
    """
    n_positive, n_negative = len(positive.rows), len(negative.rows)
    loss_step = loss.steps(sizes, n_positive, n_negative)
    # The appended 0 keeps indices valid where no step remains; its value is never used.
    gain, loss_of_gain = (np.append(ranking.gains, 0.0) for ranking in (positive, negative))
    low, high = np.maximum(sizes - n_negative, 0), np.minimum(sizes, n_positive)
    # A round halves every interval, so the longest needs as many rounds as it has bits.
    for _ in range(int((high - low).max()).bit_length()):
        middle = (low + high) // 2
        rises = loss_step(middle) + gain[middle] > loss_of_gain[sizes - middle - 1]
        low = np.where(rises, np.minimum(middle + 1, high), low)
        high = np.where(rises, high, middle)
    return low


def require_loss(loss: ClusteringLoss) -> None:
    """Raise a ValueError if tests with six rows find that a user's loss is invalid."""
    _require_affine(loss)
    for n_positive in (3, 6):
        truth = loss(n_positive, 0, 0, 6 - n_positive)
        if truth > ROUNDING:
            raise ValueError(
                "the loss must be 0 where the labellings are the same; got "
                f"{truth} for {n_positive} of 6 rows in one cluster; return 0 there"
            )
    a, b = np.divmod(np.arange(16), 4)
    if not np.any(loss(a, b, 3 - a, 3 - b)):
        raise ValueError(
            "the loss must be > 0 for some labelling; it is 0 for every one, so none is better"
        )


def _require_affine(loss: ClusteringLoss) -> None:
    """Raise a ValueError if ``phi`` is not convex, or ``of_sums`` not affine and decreasing."""
    phi = np.asarray(loss.phi(np.arange(7), 6), dtype=np.float64)
    if np.any(np.diff(phi, 2) < -ROUNDING):
        raise ValueError(
            f"phi must be convex, so that the separation oracle is exact; got {phi.tolist()} for "
            "0 to 6 of 6 rows"
        )
    # Three tables with clusters of 4 and 2 rows in y', and of 3 and 3 rows in y.
    cells = phi[np.array([[3, 1, 0, 2], [2, 2, 1, 1], [1, 3, 2, 0]])].sum(axis=1)
    rows, columns = phi[4] + phi[2], 2 * phi[3]
    losses, slope = loss.of_sums(cells, rows, columns), loss.slope(rows, columns)
    least, spread = min(slope, *losses), np.ptp(losses + slope * cells)
    if not (least >= -ROUNDING and spread <= ROUNDING):  # also where a number is NaN
        raise ValueError(
            "of_sums must be >= 0, affine and decreasing in cells, and not cut off, so that the "
            f"separation oracle is exact; got {losses.tolist()} for cells = {cells.tolist()}, and "
            f"the slope {slope:.3g}"
        )
