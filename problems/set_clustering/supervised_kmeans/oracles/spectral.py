"""The spectral relaxation: leading eigenvectors as a clustering, and a partition from them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.linalg import eigh

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.similarities import require_n_clusters, require_similarity
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import IterativeOracle
from structsvm.problems.set_clustering.ties import OF_SUMS, margin_of

#: Seed of fixed vectors. It is not 0, with which users may draw data: the vectors must not occur in
#: K.
SEED = 640_023


class SpectralOracle(HasParameters):
    """The relaxed clustering that maximises tr(Y' K Y): the leading eigenvectors of K.

    Y may be any matrix with orthonormal columns, not only the matrix of a partition. The oracle
    overgenerates: the maximum over all orthonormal matrices is at least as large as the maximum
    over partitions. As a predictor, SpectralOracle returns a matrix, and :class:`DiscreteOracle`
    returns labels.

    Notes
    -----
    Finley & Joachims, Supervised k-Means Clustering, section 4.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import SpectralOracle
    >>> K = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> Y = SpectralOracle().cluster(K, 2)
    >>> np.allclose(Y.T @ Y, np.eye(2))
    True
    >>> float(np.trace(Y.T @ K @ Y))  # a partition attains 1 at most
    1.41...
    """

    quality: OracleQuality = "overgenerating"
    roundoff = OF_SUMS

    def cluster(self, K: Vector, n_clusters: int, starts: Iterable[Indices] = ()) -> Vector:
        """Return the ``n_clusters`` leading eigenvectors of the symmetric matrix K, as columns.

        If an eigenvalue has more eigenvectors than are needed, the oracle projects random vectors,
        drawn with a constant seed, onto the span of the eigenvectors. Without the projection,
        rounding errors would choose the eigenvectors. ``starts`` are not used.
        """
        require_similarity(K)
        require_n_clusters(n_clusters, len(K))
        m, k = len(K), int(n_clusters)  # unsigned integers of numpy would wrap around
        values, vectors = eigh(K, subset_by_index=(max(0, m - k - 1), m - 1), driver="evr")
        least, margin = values[-k], margin_of(K)
        if m == k or least - values[0] > margin:
            return np.asarray(vectors[:, -k:])
        values, vectors = eigh(K, subset_by_value=(least - margin, np.inf), driver="evr")
        above = values > least + margin
        equal, rest = vectors[:, ~above], k - np.count_nonzero(above)
        fixed = np.random.default_rng(SEED).standard_normal((m, rest))
        combined = np.linalg.qr(equal @ (equal.T @ fixed))[0]
        return np.column_stack([combined, vectors[:, above]])


class DiscreteOracle(HasParameters):
    """An oracle that turns leading eigenvectors Y into a partition, by IterativeOracle on Y Y'.

    Parameters
    ----------
    n_init : int, default=5
        Number of random starting partitions, >= 0.
    random_state : int, default=0
        Seed of the starts, >= 0.

    Notes
    -----
    The oracle is based on section 4.4.3 of Finley & Joachims, Supervised k-Means Clustering, and on
    Bach & Jordan (NIPS 2003). The oracle may return a partition that is not the best one for the
    given similarity matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import DiscreteOracle
    >>> K = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -1.0], [-1.0, -1.0, 0.0]])
    >>> DiscreteOracle().cluster(K, 2).tolist()
    [0, 0, 1]
    """

    quality: OracleQuality = "undergenerating"

    def __init__(self, n_init: int = 5, random_state: int = 0) -> None:
        self.n_init = n_init
        self.random_state = random_state

    def cluster(self, K: Vector, n_clusters: int, starts: Iterable[Indices] = ()) -> Indices:
        """Return labels of shape (m,), for a symmetric K of shape (m, m)."""
        Y = SpectralOracle().cluster(K, n_clusters)
        iterative = IterativeOracle(self.n_init, self.random_state)
        return iterative.cluster(Y @ Y.T, n_clusters, starts)
