"""Correlation clustering relaxed to a linear program."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.problems.set_clustering.similarities import require_similarity

#: Largest violation of a triangle inequality in the solution.
TOLERANCE = 1e-7
#: The smallest tolerance that HiGHS accepts.
LEAST = 1e-10
NAMES = "primal_feasibility_tolerance", "dual_feasibility_tolerance", "ipm_optimality_tolerance"
#: The interior-point method, and the simplex method if it ends without a solution.
METHODS = "highs-ipm", "highs-ds"
#: Relative error that the tolerances may cause, as :attr:`Problem.roundoff`.
ROUNDOFF = 2.0**-32


class RelaxedOracle(HasParameters):
    r"""The linear relaxation: each pair has a number from 0 (separate) to 1 (in one cluster).

    The program maximises :math:`\sum_{i<j} K_{ij} Z_{ij}` over 0 <= Z <= 1 with the triangle
    inequalities :math:`Z_{ij} + Z_{jk} - Z_{ik} \le 1`. Every partition is a feasible matrix Z, so
    the slack with the relaxation is at least the largest slack over partitions. Predictions are
    matrices Z, which need not be partitions. Triangle inequalities are added when they are
    violated. The relaxation is suited to sets of up to about fifty items.

    Notes
    -----
    Finley & Joachims, Supervised Clustering with Support Vector Machines (ICML 2005), who follow
    Demaine & Immorlica (2003).

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

    def cluster(self, K: Vector, starts: Iterable[Indices] = ()) -> Vector:
        """Return the relaxed clustering for a symmetric similarity matrix K, both of shape (m, m).

        ``starts`` are not used.
        """
        require_similarity(K)
        Z, variable = np.eye(len(K)), np.zeros(K.shape, dtype=np.intp)
        # It is optimal to separate items that no path of positive similarities connects.
        component = connected_components(sparse.csr_matrix(K > 0), directed=False)[1]
        pairs = np.nonzero(np.triu(component[:, None] == component, k=1))
        variable[pairs] = variable.T[pairs] = np.arange(len(pairs[0]))
        known = sparse.csr_matrix((0, len(pairs[0])))
        while len(pairs[0]):
            Z[pairs] = Z.T[pairs] = _solved(K[pairs], known)
            i, j, k = _violated(Z)
            if not len(i):
                break
            lines = np.arange(len(i))
            places = np.tile(lines, 3), np.r_[variable[i, j], variable[j, k], variable[i, k]]
            new = np.repeat([1.0, 1.0, -1.0], len(i)), places
            shape = len(i), known.shape[1]
            known = sparse.vstack([known, sparse.csr_matrix(new, shape=shape)], format="csr")
        return Z


def _violated(Z: Vector) -> tuple[Indices, Indices, Indices]:
    """Return, for each pair i < k, the j with the largest violation of Z_ij + Z_jk - Z_ik <= 1."""
    most, middle = np.full(Z.shape, TOLERANCE), np.full(Z.shape, -1)
    for j, row in enumerate(Z):
        excess = row[:, None] + row - 1 - Z
        larger = excess > most
        most[larger], middle[larger] = excess[larger], j
    i, k = np.nonzero(np.triu(middle >= 0, k=1))
    return i, middle[i, k], k


def _solved(gains: Vector, rows: sparse.csr_matrix) -> Vector:
    """Return the z in [0, 1] with ``rows`` z <= 1 that maximises <gains, z>."""
    cost = -gains / (np.abs(gains).max() or 1.0)  # the solver's tolerance is absolute
    known = {"A_ub": rows, "b_ub": np.ones(rows.shape[0])} if rows.shape[0] else {}
    options = dict.fromkeys(NAMES, LEAST)
    for method in METHODS:
        answer = linprog(cost, bounds=(0, 1), method=method, options=options, **known)
        if answer.x is not None:
            return np.asarray(answer.x).clip(0, 1)
    raise ProblemError(f"the linear program was not solved: {answer.message}")
