"""Correlation clustering relaxed to a linear program."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import BaseEstimator

from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.problems.set_clustering.similarities import require_similarity
from structsvm.problems.set_clustering.triangles import violated_triangles

#: Largest violation of a triangle inequality of 2 Z - 1 in the solution.
TOLERANCE = 2e-7


class RelaxedOracle(BaseEstimator):
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

    def cluster(self, K: Vector, starts: Iterable[Indices] = ()) -> Vector:
        """Z of shape (m, m) with ones on its diagonal, for a symmetric K. ``starts`` are unused."""
        require_similarity(K)
        m = len(K)
        if m == 1:
            return np.ones((1, 1))
        ends = np.triu_indices(m, 1)
        gains = K[ends].astype(np.float64)
        cost = -gains / (np.abs(gains).max() or 1.0)  # the solver's tolerance is absolute
        rows = sparse.csr_matrix((0, len(ends[0])))
        while True:
            known = {"A_ub": rows, "b_ub": np.ones(rows.shape[0])} if rows.shape[0] else {}
            answer = linprog(cost, bounds=(0, 1), method="highs-ipm", **known)
            if answer.x is None:
                raise ProblemError(f"the linear program was not solved: {answer.message}")
            Z = np.eye(m)
            Z[ends] = Z[ends[::-1]] = np.clip(answer.x, 0, 1)
            violated, _ = violated_triangles(2 * Z - 1, (-1.0,), TOLERANCE)
            if not len(violated.signs):
                return Z
            # For M = 2 Z - 1 an inequality with s = -1 reads Z_ij + Z_jk - Z_ik <= 1.
            rows = sparse.vstack([rows, -violated.rows(m)], format="csr")
