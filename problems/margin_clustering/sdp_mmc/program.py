"""The base class of the two semidefinite programs of maximum margin clustering."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.sdp_mmc.groups import Groups

#: Range of C times the mean diagonal of K. Below it the margins of all labellings are equal up to
#: rounding; above it, rounding decides the margin of rows that are nearly copies.
C_RANGE = (1e-10, 1e8)


def simplex(k: int) -> Vector:
    """Return k unit vectors of sum 0, with inner products -1 / (k - 1); shape (k, k - 1).

    For k = 2, the entries are -1 and +1 (Mroueh, Poggio, Rosasco & Slotine, Multiclass Learning
    with Simplex Coding, NIPS 2012).
    """
    codes = np.zeros((k, k - 1))
    for axis in range(k - 1):
        # The remaining vertices form a simplex in the other axes, at this height.
        height = math.sqrt(1 - float(codes[axis] @ codes[axis]))
        codes[axis, axis] = -height
        codes[axis + 1 :, axis] = height / (k - 1 - axis)
    return codes


def least_imbalance(n: int, k: int) -> float:
    """Return the least possible value of :meth:`Program.difference` for n rows in k clusters."""
    rest = n % k
    return math.sqrt(rest * (k - rest) / (k - 1))


class Margin(NamedTuple):
    """The objective f(M) for a matrix M, and the dual variables lambda that attain f(M)."""

    value: float
    lam: Vector


class Program:
    """A semidefinite program over matrices Z with a row and a column for each node.

    Parameters
    ----------
    unit : float
        The mean of k(x, x).
    C : float
        Weight of the hinge loss in the objective, > 0.
    balance : float
        The parameter ``balance`` of :class:`SDPMMC`.
    groups : Groups
        The nodes.
    n_clusters : int, default=2
        Number of clusters.

    Attributes
    ----------
    unit : float
        The mean of k(x, x). The kernel is scaled to a mean diagonal of 1. Dividing the kernel by
        ``unit`` multiplies C, the dual variables and the objective by ``unit``.
    C : float
        Weight of the hinge loss for the scaled kernel: the parameter ``C`` times ``unit``.
    codes : ndarray of shape (n_clusters, n_clusters - 1)
        The labels as vertices of a simplex.
    limit : float
        The largest allowed norm l of the sum of ``codes[label]`` over the labels of all rows. The
        limit always allows cluster sizes that differ by at most 1.
    sizes : ndarray of shape (n_nodes,)
        For each node, the number of rows with the label of the node, minus the number of rows with
        the opposite label.
    draws, tried, improved : int
        How many labellings the rounding draws at random, how many of the drawn labellings it
        evaluates, and how many it improves.
    diagonal : ndarray of shape (n,)
        The diagonal of the kernel matrix that :meth:`product` uses.

    Raises
    ------
    ValueError
        If the links allow no labelling within the balance, or C times ``unit`` is out of range.
    """

    draws: int
    tried: int
    improved: int
    diagonal: Vector

    def __init__(
        self, unit: float, C: float, balance: float, groups: Groups, n_clusters: int = 2
    ) -> None:
        if not C_RANGE[0] <= C * unit <= C_RANGE[1]:
            raise ValueError(
                f"C times the mean of k(x, x), which is {unit:.3g}, must be from "
                f"{C_RANGE[0]:g} to {C_RANGE[1]:g}; got C={C:.3g}. Change C, or scale the kernel"
            )
        self.unit, self.C, self.n_clusters = unit, C * unit, n_clusters
        self.codes = simplex(n_clusters)
        self.groups, self.sizes = groups, groups.sizes
        self.n, self.n_nodes = len(groups.nodes), groups.n_nodes
        self._merged = sparse.csr_matrix(
            (np.ones(self.n), (groups.nodes, np.arange(self.n))), shape=(self.n_nodes, self.n)
        )
        allowed = balance * self.n / math.sqrt(n_clusters - 1)
        self.limit = max(allowed, least_imbalance(self.n, n_clusters))
        self._require_balance()

    def _require_balance(self) -> None:
        # Sizes deviate least if all other nodes balance the largest node, in equal parts.
        magnitudes, k = np.abs(self.sizes), self.n_clusters
        least = (k * magnitudes.max() - magnitudes.sum()) / (k - 1)
        if least <= self.limit:
            return
        made = (
            f"the labels and links make clusters that differ by at least {least:g} of {self.n} rows"
            if k == 2
            else f"must_link puts {magnitudes.max():g} of {self.n} rows in one of {k} clusters"
        )
        needed = math.ceil(1000 * least * math.sqrt(k - 1) / self.n - 1e-9) / 1000
        # A larger balance would allow an empty cluster.
        possible = needed < 1 / math.sqrt(k - 1)
        remedy = f"raise balance to {needed:g} or more, or " if possible else ""
        raise ValueError(f"{made}, more than balance={self.balance:g} allows; {remedy}remove links")

    @property
    def balance(self) -> float:
        """The balance that corresponds to ``limit``."""
        return self.limit * math.sqrt(self.n_clusters - 1) / self.n

    @property
    def largest_margin(self) -> float:
        """An upper bound on the objective of every matrix: 2 C times the number of rows."""
        return 2 * self.C * self.n / self.unit

    def difference(self, labels: Indices) -> float:
        """Return the norm of the sum of ``codes[label]`` over the labels of all rows.

        For two clusters, the result is the difference between the sizes of the clusters. If the
        result is at most ``limit``, the labels are balanced.
        """
        return float(np.linalg.norm(self.sizes @ self.codes[labels]))

    # ------------------------------------------------------------------ rows and nodes

    def of_rows(self, V: Vector) -> Vector:
        """Expand ``V`` from one row for each node to one row for each data row."""
        return V[self.groups.nodes]

    def of_nodes(self, A: Vector) -> Vector:
        """Sum the rows of the array A that belong to the same node."""
        return np.asarray(self._merged @ A)

    # ------------------------------------------------------------------ values

    @abstractmethod
    def label_margin(self, labels: Indices, rtol: float = 1e-4, most: float = np.inf) -> Margin:
        """Return the objective f for labels of the nodes.

        The relative error of the returned f is at most ``rtol``, unless f exceeds the number
        ``most``.
        """

    @abstractmethod
    def product(self, A: Vector) -> Vector:
        """Multiply the signed kernel matrix by ``A``.

        Entry (i, j) of the signed kernel matrix is s_i s_j K_ij for the signs s of the rows and the
        scaled kernel K.
        """

    def similarity(self, labels: Indices) -> float:
        """Return the sum of K_ij <c_i, c_j> over all rows i, j with codes c."""
        rows = self.of_rows(self.codes[labels])
        return float(np.sum(rows * self.product(rows)))

    def node_scores(self, labels: Indices, lam: Vector) -> Vector:
        """Return each node's score for each cluster; a row does not contribute to its own score.

        The scores come from a support vector machine with the targets ``labels`` and the dual
        variables ``lam``.
        """
        # Scaling the kernel scales lambda.
        rows = (lam * self.unit)[:, None] * self.of_rows(self.codes[labels])
        others = self.product(rows) - self.diagonal[:, None] * rows
        return np.asarray(self.of_nodes(others) @ self.codes.T)

    def scores(self, coef: Vector) -> Vector:
        """Return the kernel times coefficients of the rows, of shape (n,) or (n, k - 1)."""
        signs = self.groups.signs if coef.ndim == 1 else self.groups.signs[:, None]
        return np.asarray(self.unit * signs * self.product(signs * coef))
