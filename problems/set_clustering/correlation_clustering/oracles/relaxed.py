"""Correlation clustering relaxed to a linear program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.problems.set_clustering.similarities import PairSimilarity, require_similarity

#: Largest violation of a triangle inequality in the solution.
TOLERANCE = 1e-7
#: Tolerances of HiGHS, the least that it takes.
LEAST = 1e-10
NAMES = "primal_feasibility_tolerance", "dual_feasibility_tolerance", "ipm_optimality_tolerance"
#: Interior points, and the simplex method where they end without a solution.
METHODS = "highs-ipm", "highs-ds"
#: What the program may miss by its tolerances, as :attr:`Problem.roundoff`.
ROUNDOFF = 2.0**-32
#: Pairs of neighbours of one item that are looked at at once: they bound the memory.
BLOCK = 100_000
#: Violated inequalities of an item and one of its neighbours, at most, that a round adds.
PARTNERS = 50


class RelaxedOracle(HasParameters):
    r"""The linear relaxation: to what extent each pair is together, between 0 and 1.

    It maximises :math:`\sum_{i<j} K_{ij} Z_{ij}` over 0 <= Z <= 1 with the triangle inequalities
    :math:`Z_{ij} + Z_{jk} - Z_{ik} \le 1`. Partitions are the integral points among these Z, so it
    overgenerates as a separation oracle, and a prediction is a matrix. Inequalities are added as
    they are violated. Suited to sets of up to about fifty items.

    Notes
    -----
    Finley & Joachims, Supervised Clustering with Support Vector Machines (ICML 2005), after Demaine
    & Immorlica (2003).

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import RelaxedOracle
    >>> K = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -1.0], [-1.0, -1.0, 0.0]])
    >>> RelaxedOracle().cluster(K)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """

    quality: OracleQuality = "overgenerating"
    roundoff = ROUNDOFF

    def cluster(self, K: Vector | PairSimilarity, starts: Iterable[Indices] = ()) -> Any:
        """Z of shape (m, m) with ones on its diagonal, for a symmetric K. ``starts`` are unused.

        For a :class:`PairSimilarity` Z is a CSR matrix, and the inequalities are those in which at
        least two of the three pairs are listed.
        """
        if not isinstance(K, PairSimilarity):
            require_similarity(K)
            every = PairSimilarity(sparse.csr_matrix(np.ones(K.shape)), 0.0)
            every.listed.data = K.ravel().astype(np.float64)  # zeros stay listed
            return self.cluster(every).toarray()
        program = _Program(K)
        while program.cut():
            pass
        return program.matrix()


class _Program:
    """The linear program over some pairs, with the inequalities that were violated so far.

    The triangle inequalities are those in which at least two of three pairs are listed. Items that
    no path of positive similarities joins are apart, which is optimal.

    ``pairs`` holds row * m + column of the pairs with a variable: the listed ones, in order, then
    others that a violated inequality needs. ``rows`` are the inequalities, rows Z <= 1.
    """

    def __init__(self, K: PairSimilarity) -> None:
        self.m, self.elsewhere = len(K), K.elsewhere
        pairs = sparse.triu(K.listed, k=1).tocoo()
        positive = pairs.data > 0
        ends = pairs.row[positive], pairs.col[positive]
        graph = sparse.coo_matrix((np.ones(len(ends[0])), ends), shape=(self.m, self.m))
        component = connected_components(graph, directed=False)[1]
        kept = np.flatnonzero(component[pairs.row] == component[pairs.col])
        kept = kept[np.lexsort((pairs.col[kept], pairs.row[kept]))]
        self.pairs = pairs.row[kept].astype(np.intp) * self.m + pairs.col[kept]
        self.listed, self.gains = self.pairs, pairs.data[kept]
        self.rows = sparse.csr_matrix((0, len(self.pairs)))
        self.Z = _solved(self.gains, self.rows) if len(self.pairs) else np.empty(0)

    def cut(self) -> bool:
        """Add violated inequalities and solve again; whether there were any."""
        left, right, outer = self._violated()
        if not len(outer):
            return False
        if np.isfinite(self.elsewhere):
            new = np.unique(outer[self._variables(outer, self.pairs) < 0])
            self.pairs = np.concatenate([self.pairs, new])
            self.gains = np.concatenate([self.gains, np.full(len(new), self.elsewhere)])
        closing = self._variables(outer, self.pairs)
        known, lines = np.flatnonzero(closing >= 0), np.arange(len(outer))
        values = np.repeat([1.0, 1.0, -1.0], [len(lines), len(lines), len(known)])
        places = (
            np.concatenate([lines, lines, known]),
            np.concatenate([left, right, closing[known]]),
        )
        shape = len(lines), len(self.pairs)
        self.rows.resize(self.rows.shape[0], shape[1])
        new = sparse.csr_matrix((values, places), shape=shape)
        self.rows = sparse.vstack([self.rows, new], format="csr")
        self.Z = _solved(self.gains, self.rows)
        return True

    def _variables(self, pairs: Indices, among: Indices) -> Indices:
        """The places of pairs among others, -1 for those that are not there."""
        order = np.argsort(among, kind="stable")
        at = np.minimum(np.searchsorted(among[order], pairs), len(among) - 1)
        found = order[at]
        return np.where(among[found] == pairs, found, -1)

    def _violated(self) -> tuple[Indices, Indices, Indices]:
        """For each pair i, k the most violated Z_ij + Z_jk - Z_ik <= 1 with listed ij and jk."""
        listed = np.flatnonzero(self.Z[: len(self.listed)] > TOLERANCE)
        i, j = np.divmod(self.listed[listed], self.m)
        centre, outer, variable = np.r_[i, j], np.r_[j, i], np.r_[listed, listed]
        order = np.lexsort((outer, centre))
        centre, outer, variable = centre[order], outer[order], variable[order]
        found: list[Any] = [np.empty((0, 4))]
        ends = np.cumsum(np.bincount(centre, minlength=self.m))
        for start, stop in zip(np.r_[0, ends[:-1]], ends, strict=True):
            if stop - start > 1:
                found.append(self._wedges(outer[start:stop], variable[start:stop]))
        wedges = np.vstack(found)
        wedges = wedges[np.lexsort((-wedges[:, 3], wedges[:, 2]))]
        first = np.r_[True, np.diff(wedges[:, 2]) > 0][: len(wedges)]
        left, right, pairs = wedges[first, :3].astype(np.intp).T
        return left, right, pairs

    def _wedges(self, outer: Indices, variable: Indices) -> Any:
        """Violated inequalities with one middle item: both variables, the pair, the violation."""
        found = [np.empty((0, 4))]
        for left, right in _exceeding(self.Z[variable], 1 + TOLERANCE):
            a, b = np.minimum(left, right), np.maximum(left, right)
            pairs = outer[a] * self.m + outer[b]
            place = self._variables(pairs, self.pairs)
            excess = self.Z[variable[a]] + self.Z[variable[b]] - 1
            excess -= np.where(place >= 0, self.Z[place], 0.0)
            kept = np.flatnonzero(excess > TOLERANCE)
            # The others of an item are added in later rounds, where they are still violated.
            kept = kept[np.arange(len(kept)) - _first(left[kept]) < PARTNERS]
            columns = variable[a], variable[b], pairs, excess
            found.append(np.column_stack([column[kept] for column in columns]))
        return np.vstack(found)

    def matrix(self) -> sparse.csr_matrix:
        rows, cols = np.divmod(self.pairs, self.m)
        here = np.arange(self.m)
        values = np.concatenate([self.Z, self.Z, np.ones(self.m)])
        places = np.concatenate([rows, cols, here]), np.concatenate([cols, rows, here])
        return sparse.csr_matrix((values, places), shape=(self.m, self.m))


def _exceeding(values: Vector, least: float) -> Iterator[tuple[Indices, Indices]]:
    """The places of the pairs of values with a sum above ``least``, in blocks of some first ones.

    The first of a pair has the smaller value; the pairs of one follow each other.
    """
    order = np.argsort(values, kind="stable")
    first = np.searchsorted(values[order], least - values[order], side="right")
    first = np.maximum(first, np.arange(len(order)) + 1)
    many = len(order) - first
    blocks = np.cumsum(many) // BLOCK
    for block in np.split(np.arange(len(order)), np.flatnonzero(np.diff(blocks)) + 1):
        left = np.repeat(block, many[block])
        before = np.cumsum(many[block]) - many[block]
        right = np.arange(len(left)) + np.repeat(first[block] - before, many[block])
        yield order[left], order[right]


def _first(values: Indices) -> Indices:
    """For each of some values, of which equal ones follow each other, the place of their first."""
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    return np.repeat(starts, np.diff(np.r_[starts, len(values)]))


def _solved(gains: Vector, rows: sparse.csr_matrix) -> Vector:
    """The z in [0, 1] with rows z <= 1 that maximises <gains, z>."""
    cost = -gains / (np.abs(gains).max() or 1.0)  # the solver's tolerance is absolute
    known = {"A_ub": rows, "b_ub": np.ones(rows.shape[0])} if rows.shape[0] else {}
    options = dict.fromkeys(NAMES, LEAST)
    for method in METHODS:
        answer = linprog(cost, bounds=(0, 1), method=method, options=options, **known)
        if answer.x is not None:
            return np.clip(answer.x, 0, 1)
    raise ProblemError(f"the linear program was not solved: {answer.message}")
