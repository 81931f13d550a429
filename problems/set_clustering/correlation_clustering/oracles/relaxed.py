"""Correlation clustering relaxed to a linear program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.correlation_clustering.oracles.linear import ROUNDOFF, solved
from structsvm.problems.set_clustering.correlation_clustering.oracles.relaxed_listed import relaxed
from structsvm.problems.set_clustering.similarities import PairSimilarity, require_similarity
from structsvm.problems.set_clustering.triangles import violated_triangles

#: Largest violation of a triangle inequality of 2 Z - 1 in the solution.
TOLERANCE = 2e-7


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
        if isinstance(K, PairSimilarity):
            return relaxed(K, TOLERANCE)
        require_similarity(K)
        m = len(K)
        if m == 1:
            return np.ones((1, 1))
        ends = np.triu_indices(m, 1)
        gains = K[ends].astype(np.float64)
        rows = sparse.csr_matrix((0, len(ends[0])))
        while True:
            Z = np.eye(m)
            Z[ends] = Z[ends[::-1]] = solved(gains, rows)
            violated, _ = violated_triangles(2 * Z - 1, (-1.0,), TOLERANCE)
            if not len(violated.signs):
                return Z
            # For M = 2 Z - 1 an inequality with s = -1 reads Z_ij + Z_jk - Z_ik <= 1.
            rows = sparse.vstack([rows, -violated.rows(m)], format="csr")
