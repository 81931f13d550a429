"""Losses that depend only on the contingency table of two labellings.

The table counts the rows on which a labelling y' and the labels y agree or differ:

    ========  =======  =======
    .         y = '+'  y = '-'
    ========  =======  =======
    y' = '+'  a        b
    y' = '-'  c        d
    ========  =======  =======

A loss is a function of the counts a, b, c and d in the table: integers, or integer arrays of equal
shape. The number n of rows is at least 2. Losses are >= 0, and 0 if y' = y. :class:`ClusteringLoss`
and :class:`ErrorLoss` are also defined for the k x k table of k clusters.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.special import xlogy

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import require_number, require_option


class ClusteringLoss(ABC):
    """A loss of the k x k contingency table of two clusterings, y' and the labels y.

    The loss depends only on the sums of a convex function phi over the cells of the contingency
    table, over the sizes of the clusters of y' (the row sums), and over the sizes of the clusters
    of y (the column sums). The method ``of_sums`` must be affine and decreasing in ``cells``, so
    that the oracle for two clusters is exact. The loss does not depend on the numbering of the
    clusters. A subclass defines two methods, ``phi`` and ``of_sums``, and can then be the loss of
    :class:`MultivariateMMC`.

    Attributes
    ----------
    max_loss : float, optional
        The largest value that the loss can take, if known.

    Examples
    --------
    The example defines a loss, the variation of information H(y | y') + H(y' | y). The method
    ``phi`` returns the terms of a negative entropy:

    >>> from scipy.special import xlogy
    >>> from structsvm.problems import ClusteringLoss, MultivariateMMC
    >>> class VariationOfInformation(ClusteringLoss):
    ...     def phi(self, counts, n):
    ...         return xlogy(counts, counts / n) / n
    ...
    ...     def of_sums(self, cells, rows, columns):
    ...         return rows + columns - 2 * cells
    >>> mmc = MultivariateMMC(3, loss=VariationOfInformation())
    """

    max_loss: float | None = None

    @abstractmethod
    def phi(self, counts: Any, n: Any) -> Any:
        """Return the values of the convex function phi, whose sums determine the loss.

        Parameters
        ----------
        counts : int or ndarray of int
            Numbers of rows, from 0 to n.
        n : int or ndarray of int
            The number of rows, at least 2.

        Returns
        -------
        float or ndarray of the shape of ``counts``
        """

    @abstractmethod
    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        """Return the unclipped loss, an affine and decreasing function of ``cells``.

        Parameters
        ----------
        cells, rows, columns : float or ndarray
            The sums of ``phi`` over the cells of the contingency table, over the sizes of the
            clusters of y', and over the sizes of the clusters of y.

        Returns
        -------
        float or ndarray
            For every contingency table, the loss must be finite and, up to rounding errors, >= 0.
            If y' = y, the loss must be 0 up to rounding errors, even if y has only one cluster.
        """

    def slope(self, rows: Any, columns: Any) -> Any:
        """Return the decrease of :meth:`of_sums` when its argument ``cells`` grows by 1."""
        return self.of_sums(rows, rows, columns) - self.of_sums(rows + 1, rows, columns)

    def of_table(self, table: Any) -> float:
        """Return the loss at a k x k table."""
        n = table.sum()
        # Sum the cells row by row: at y' = y all three sums then have equal rounding errors, and
        # the loss is exactly 0.
        cells = self.phi(table, n).sum(axis=1).sum()
        rows, columns = (self.phi(table.sum(axis=axis), n).sum() for axis in (1, 0))
        return float(np.clip(self.of_sums(cells, rows, columns), 0, self.max_loss))

    def steps(
        self, sizes: Indices, n_positive: int, n_negative: int
    ) -> Callable[[Indices], Vector]:
        """Return a function that computes the change of the loss for one more true positive.

        A true positive is a row that is '+' in y and y'. Each number in ``sizes`` is a number of
        rows that are '+' in y'. The returned function takes a number of true positives for each
        number in ``sizes``. The returned function does not check whether one more true positive is
        possible.
        """
        n = n_positive + n_negative
        phi = self.phi(np.arange(n + 1), n)
        slope = self.slope(phi[sizes] + phi[n - sizes], phi[n_positive] + phi[n_negative])
        # The appended entry is read, also as index -1, only if a + 1 is out of range.
        growth = np.diff(phi, append=0.0)

        def step(a: Indices) -> Vector:
            shrinking = growth[sizes - a - 1] + growth[n_positive - a - 1]
            growing = growth[a] + growth[n_negative - sizes + a]
            return np.asarray(slope * (shrinking - growing))

        return step

    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        n = a + b + c + d
        cells = self.phi(a, n) + self.phi(b, n) + self.phi(c, n) + self.phi(d, n)
        rows = self.phi(a + b, n) + self.phi(c + d, n)
        columns = self.phi(a + c, n) + self.phi(b + d, n)
        return np.clip(self.of_sums(cells, rows, columns), 0, self.max_loss)


TableLossName = Literal["nmi", "v_measure", "rand", "adjusted_rand", "f", "error"]


class ErrorLoss:
    """The fraction of the rows on which y' and y differ."""

    max_loss = 1.0

    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        return (b + c) / (a + b + c + d)

    def of_table(self, table: Any) -> float:
        """Return the loss at a k x k table."""
        return float(1 - np.trace(table) / table.sum())


class RandLoss(ClusteringLoss):
    """1 minus the Rand index, which is the fraction of row pairs on which y' and y agree.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, (5) and III.B.
    """

    max_loss = 1.0

    def phi(self, counts: Any, n: Any) -> Any:
        return _pairs(counts) / _pairs(n)

    def slope(self, rows: Any, columns: Any) -> Any:
        return 2.0

    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        # Each difference is exactly 0 at y' = y.
        return (rows - cells) + (columns - cells)


class AdjustedRandLoss(ClusteringLoss):
    """1 minus the adjusted Rand index: at most 1.5, and on average 1 for a random y'.

    The index is 1 if y and y' are both a single cluster, or if both have a cluster for each row.

    References
    ----------
    Hubert & Arabie, Comparing Partitions, Journal of Classification 1985. Chacon & Rastrojo,
    Minimum Adjusted Rand Index for Two Clusterings of a Given Size, 2023, for the smallest value,
    -1/2.
    """

    max_loss = 1.5
    phi = RandLoss.phi

    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        mean = (rows + columns) / 2
        return _ratio(mean - cells, mean - rows * columns)


class NMILoss(ClusteringLoss):
    """1 minus the normalised mutual information I / sqrt(H H').

    The NMI is 0 if only one of y and y' is a single cluster, and 1 if both are, as in scikit-learn.
    Zhao, Kwok & Zhang do not define the NMI of two clusterings with a single cluster each. For two
    clusterings with a single cluster each, the NMI must be 1, so that the loss of y itself is 0.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, (2) to (4).
    """

    max_loss = 1.0

    def phi(self, counts: Any, n: Any) -> Any:
        """Return t log(t / n) for each count t."""
        return xlogy(counts, counts / n)

    def slope(self, rows: Any, columns: Any) -> Any:
        return _ratio(1.0, np.sqrt(rows * columns))

    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        # rows = -n H(y'), columns = -n H(y), cells = -n H(y', y): n I / (n sqrt(H H')).
        nmi = _ratio(cells - rows - columns, np.sqrt(rows * columns))
        return np.where((rows == 0) & (columns == 0), 0.0, np.clip(1 - nmi, 0, 1))


class VMeasureLoss(ClusteringLoss):
    """1 minus the V-measure 2 I / (H + H'), the mutual information divided by the mean entropy.

    The V-measure is 1 if y and y' are both a single cluster.

    References
    ----------
    Rosenberg & Hirschberg, V-Measure, EMNLP-CoNLL 2007, with beta = 1.
    """

    max_loss = 1.0

    phi = NMILoss.phi

    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        return _ratio((cells - rows) + (cells - columns), rows + columns)


class FLoss(ClusteringLoss):
    """1 minus F_beta for pairs of rows that share a cluster.

    The retrieved pairs share a cluster of y', and the relevant pairs share a cluster of y. F is 1
    if neither y' nor y joins any two rows. F is 0 if only one of y' and y joins rows, or if no pair
    is joined by both.

    Parameters
    ----------
    beta : float
        The weight of recall relative to precision.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, (19).
    """

    max_loss = 1.0

    def __init__(self, beta: float) -> None:
        # beta^2 / (1 + beta^2); hypot does not overflow for a large beta.
        self.recall_weight = (beta / math.hypot(1, beta)) ** 2

    def phi(self, counts: Any, n: Any) -> Any:
        return _pairs(counts)

    def slope(self, rows: Any, columns: Any) -> Any:
        return _ratio(1.0, self._mixed(rows, columns))

    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        # F = cells / mixed(rows, columns); 1 - F in this form is exactly 0 at y' = y.
        return _ratio(self._mixed(rows - cells, columns - cells), self._mixed(rows, columns))

    def _mixed(self, rows: Any, columns: Any) -> Any:
        return (1 - self.recall_weight) * rows + self.recall_weight * columns


class F1Loss:
    """1 minus F1, the harmonic mean of precision and recall.

    If no row is positive, and no row is predicted positive, F1 is 1.
    """

    def steps(
        self, sizes: Indices, n_positive: int, n_negative: int
    ) -> Callable[[Indices], Vector]:
        # F1 is linear in a at fixed a + b, so all steps are equal.
        step = -2 / np.maximum(sizes + n_positive, 1)
        return lambda a: step

    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        return (b + c) / np.maximum(2 * a + b + c, 1)


#: A loss of two clusters; its __call__ takes integers or integer arrays a, b, c, d of one shape.
TableLoss = ErrorLoss | F1Loss | ClusteringLoss


def table_loss(loss: Any, beta: float = 1.5) -> ErrorLoss | ClusteringLoss:
    """Return the loss of clusterings that has the given name.

    Parameters
    ----------
    loss : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss
        A :class:`ClusteringLoss` is returned unchanged.
    beta : float, default=1.5
        The weight of recall relative to precision in 'f'.
    """
    require_number("beta", beta, "> 0")
    if isinstance(loss, ClusteringLoss):
        return loss
    losses: dict[str, ErrorLoss | ClusteringLoss] = {
        "nmi": NMILoss(), "v_measure": VMeasureLoss(),
        "rand": RandLoss(), "adjusted_rand": AdjustedRandLoss(),
        "f": FLoss(float(beta)), "error": ErrorLoss(),
    }  # fmt: skip
    if not isinstance(loss, str) or loss not in losses:
        raise ValueError(
            f"loss must be one of {', '.join(losses)}, or an instance of a subclass of "
            f"ClusteringLoss; got {loss!r}"
        )
    return losses[loss]


def measure_loss(measure: str) -> TableLoss:
    """Return the loss for the named measure of binary classification.

    Parameters
    ----------
    measure : {'error', 'f1'}
        'error' for the error itself, 'f1' for 1 - F1.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005, section 4.1.
    """
    losses: dict[str, TableLoss] = {"error": ErrorLoss(), "f1": F1Loss()}
    require_option("measure", measure, losses)
    return losses[measure]


def contingency_table(labels: Any, predicted: Any, n_clusters: int) -> Indices:
    """Return the table whose entry [c, j] counts the rows in cluster c of y' and cluster j of y.

    Parameters
    ----------
    labels, predicted : ndarray of int, of shape (n,)
        The labellings y and y', from 0 to n_clusters - 1.
    n_clusters : int

    Returns
    -------
    ndarray of int, of shape (n_clusters, n_clusters)
    """
    cells = np.bincount(predicted * n_clusters + labels, minlength=n_clusters**2)
    return cells.reshape(n_clusters, n_clusters)


def _pairs(counts: Any) -> Any:
    return counts * (counts - 1) / 2


def _ratio(numerator: Any, denominator: Any) -> Any:
    """Return the quotient, or 0 where the denominator is 0."""
    # Replace a denominator of 0 by 1, so that numpy does not warn.
    return numerator * (denominator != 0) / (denominator + (denominator == 0))
