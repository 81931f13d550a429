"""Base classes of losses of the contingency table: they determine how the oracle searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: loss(a, b, c, d), over integer arrays of one shape.
TableLoss = Callable[[Any, Any, Any, Any], Any]


class MistakesLoss(ABC):
    """A function of the number of rows b + c on which y' and y differ."""

    @abstractmethod
    def of_mistakes(self, mistakes: Any, n: Any) -> Any:
        """The loss when y' and y differ on this many of n rows."""

    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        return self.of_mistakes(b + c, a + b + c + d)


class ConcaveLoss(ABC):
    """A function that is concave in a where p, n+ and n- are fixed."""

    @abstractmethod
    def steps(
        self, sizes: Indices, n_positive: int, n_negative: int
    ) -> Callable[[Indices], Vector]:
        """The function a -> loss(a + 1, ...) - loss(a, ...), for every p in sizes.

        It may return any number where a + 1 is out of range.
        """

    @abstractmethod
    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        """The loss of the table."""


class ClusteringLoss(ConcaveLoss):
    """A loss of the k x k contingency table of two clusterings, y' and the labels y.

    It is a function of three sums of a convex phi: over the cells of the table, over its row sums,
    the sizes of the clusters of y', and over its column sums, those of y. It is affine and
    decreasing in the sum over the cells, which makes the oracle of two clusters exact; it does not
    depend on how clusters are numbered. A subclass with two methods is a loss for
    :class:`MultivariateMMC`.

    Attributes
    ----------
    max_loss : float, optional
        The largest value that the loss can take, if known.

    Examples
    --------
    The variation of information, H(y | y') + H(y' | y). Sums of this phi are negative entropies:

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
        """The convex function that is summed.

        Parameters
        ----------
        counts : int or ndarray of int
            From 0 to n.
        n : int or ndarray of int
            The number of rows, at least 2.

        Returns
        -------
        float or ndarray of the shape of ``counts``
        """

    @abstractmethod
    def of_sums(self, cells: Any, rows: Any, columns: Any) -> Any:
        """The loss, which is affine and decreasing in ``cells``, and not cut off.

        Parameters
        ----------
        cells, rows, columns : float or ndarray
            The sums of phi over the cells, over the sizes in y' and over the sizes in y.

        Returns
        -------
        float or ndarray
            Finite, >= 0 for sums of a table, and 0 for those of y' = y, up to rounding; also where
            y or y' is a single cluster.
        """

    def slope(self, rows: Any, columns: Any) -> Any:
        """By how much the loss falls when the sum over the cells grows by 1."""
        return self.of_sums(rows, rows, columns) - self.of_sums(rows + 1, rows, columns)

    def of_table(self, table: Any) -> float:
        """The loss at a k x k table."""
        n = table.sum()
        # The cells are summed row by row: at y' = y all three sums then round alike, so that the
        # loss is exactly 0.
        cells = self.phi(table, n).sum(axis=1).sum()
        rows, columns = (self.phi(table.sum(axis=axis), n).sum() for axis in (1, 0))
        return float(np.clip(self.of_sums(cells, rows, columns), 0, self.max_loss))

    def steps(
        self, sizes: Indices, n_positive: int, n_negative: int
    ) -> Callable[[Indices], Vector]:
        n = n_positive + n_negative
        phi = self.phi(np.arange(n + 1), n)
        slope = self.slope(phi[sizes] + phi[n - sizes], phi[n_positive] + phi[n_negative])
        # The appended entry is read, also as index -1, only where a + 1 is out of range.
        growth = np.diff(phi, append=0.0)

        def step(a: Indices) -> Vector:
            shrinking = growth[sizes - a - 1] + growth[n_positive - a - 1]
            growing = growth[a] + growth[n_negative - sizes + a]
            return slope * (shrinking - growing)

        return step

    def __call__(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        n = a + b + c + d
        cells = self.phi(a, n) + self.phi(b, n) + self.phi(c, n) + self.phi(d, n)
        rows = self.phi(a + b, n) + self.phi(c + d, n)
        columns = self.phi(a + c, n) + self.phi(b + d, n)
        return np.clip(self.of_sums(cells, rows, columns), 0, self.max_loss)
