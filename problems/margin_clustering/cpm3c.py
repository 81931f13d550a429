"""Maximum margin clustering into any number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.planes.plane import Source, SupportPlane
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.results.result import Result

#: The oracle's entry for a row without a violated margin.
NONE = -1


@dataclass(eq=False, repr=False)
class CPM3CProblem(ClusteringProblem):
    r"""Maximum margin clustering into k clusters as a self-labelled problem of one example.

    The only input x is the whole data matrix. An output y holds the cluster index of each row,
    starting at 0. Rows are centred and divided by the root of their mean squared norm, which gives
    C the same meaning for all data. Centring and scaling are implicit, so that sparse data stay
    sparse. With float32 data, products are computed in float32, and the certificate is accurate up
    to their rounding errors. The vector w holds the rows of the (k, d) matrix of the clusters'
    weights. With the score f_ip of row i for cluster p, and the unit vector e_p of cluster p:

    - The joint feature is Psi(x, y) = 1/n sum_i e_{y_i} (x) x_i. Decoding chooses the cluster of
      highest score for each row.
    - The loss Delta is the fraction of rows whose clusters in the two outputs differ. The slack is
      the mean multiclass hinge loss 1/n sum_i max(0, 1 - f_{i,y_i} + max_{r != y_i} f_ir).
    - The oracle returns -1 for each row whose score for its cluster y_i exceeds its scores for all
      other clusters by at least 1. If the score of a row for y_i exceeds another score by less than
      1, the oracle returns the best cluster other than y_i (Theorem 3 of Zhao, Wang & Zhang).

    The class balance is the constraint -balance <= mean_i (f_ip - f_iq) <= balance for all pairs of
    clusters p and q. If the rows are centred, the class balance bounds the differences of the
    offsets; with ``balance=0`` there are no offsets. Empty clusters are prevented by
    ``min_cluster_size``, not by the balance.

    If every cluster has known rows in y, and at least k + 2 rows are known, known and unknown rows
    have separate weights. The weight of a known row is 1 / (number of known rows). The weight of an
    unknown row is 0.2 / (number of unknown rows). With separate weights of known and unknown rows,
    the offsets of the clusters are not bounded.

    For two clusters the objective at (C, w) is half the objective of :class:`MMCProblem` at
    (2 C, w_1 - w_0).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, >= 2.
    balance : float, default=0.0
        Bound on the absolute mean difference between the scores of two clusters, called l / n by
        Zhao, Wang & Zhang. Infinity means no bound.
    min_cluster_size : float, default=0.0
        Minimum fraction of the rows in each cluster, for imputed labels; in [0, 1 / n_clusters).
    center : bool, default=True
        Whether rows are centred. If False, rows are only scaled, and scores have no offset, as in
        the paper of Zhao, Wang & Zhang. Without centring, the class balance bounds the scores of
        the mean row.

    References
    ----------
    Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. The parameter
    beta of Zhao, Wang & Zhang is 1 / C. Unlike Zhao, Wang & Zhang, this class scales rows, centres
    rows by default, and bounds the sizes of clusters.
    """

    n_clusters: int = 2
    balance: float = 0.0
    min_cluster_size: float = 0.0
    center: bool = True

    def initialize(self, X: Any, Y: Any = None) -> None:
        require_integer("n_clusters", self.n_clusters, 2)
        # Signed, because NONE is -1.
        self._dtype = np.min_scalar_type(-self.n_clusters)
        super().initialize(X, Y)

    def score_differences(self) -> Vector:
        p, q = _pairs(self.n_clusters).T
        signs = np.eye(self.n_clusters)[p] - np.eye(self.n_clusters)[q]
        return np.vstack([signs, -signs])

    def joint_feature(self, x: Any, y: Any) -> Vector:
        n = len(y)
        votes = self._votes(1, np.zeros(n, dtype=np.intp), y, np.arange(n), self.row_weights_, n)
        return self.rows_.weighted_sums(x, votes).ravel() / n

    def losses(self, y: Any, outputs: Sequence[Any]) -> Vector:
        return np.array([self.row_weights_ @ _moved(y, output) / len(y) for output in outputs])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        scores, rows = self.scores(x, w), np.arange(len(y))
        own = scores[rows, y]
        # The best cluster other than y's: the runner-up of Theorem 3 if y's scores highest.
        scores[rows, y] = -np.inf
        rival = scores.argmax(axis=1)
        return np.where(own - scores[rows, rival] < 1, rival, NONE).astype(self._dtype)

    def decode(self, x: Any, w: Vector) -> Any:
        return self.scores(x, w).argmax(axis=1).astype(self._dtype)

    def outputs(self, x: Any) -> Iterable[Any]:
        every = product(range(self.n_clusters), repeat=x.shape[0])
        return (np.array(y, dtype=self._dtype) for y in every)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return six rows in the plane, few enough to enumerate all labellings."""
        return [np.random.default_rng(0).normal(size=(6, 2))], None

    def clusters_of(self, y: Any) -> Indices:
        return np.array(y, dtype=np.intp)

    def output_of(self, clusters: Indices) -> Any:
        return clusters.astype(self._dtype)

    def weights(self, W: Vector) -> Vector:
        # The mean of the clusters' weights changes no decision and only adds to ||w||.
        return np.asarray(W - W.mean(axis=0)).ravel()

    def renumbered(self, result: Result, order: Indices) -> Result:
        number = np.argsort(order)

        def again(y: Any) -> Any:
            return np.where(y == NONE, NONE, number[y]).astype(self._dtype)

        def moved(plane: SupportPlane) -> SupportPlane:
            assert isinstance(plane.source, Source)
            outputs = [again(chosen) for chosen in plane.source.outputs]
            return plane._replace(source=plane.source._replace(outputs=outputs))

        return replace(
            result,
            w=result.w.reshape(self.n_clusters, -1)[order].ravel(),
            labels=[again(y) for y in result.labels],
            support=tuple(map(moved, result.support or ())),
            multipliers=self._multipliers(result.multipliers, order),
        )

    def _multipliers(self, multipliers: Vector, order: Indices) -> Vector:
        """Return the dual variables of the balance constraints in the new order of the clusters."""
        if not len(multipliers):
            return multipliers
        p, q = _pairs(self.n_clusters).T
        of_pairs = np.zeros((self.n_clusters, self.n_clusters))
        of_pairs[p, q], of_pairs[q, p] = multipliers.reshape(2, -1)
        return np.append(of_pairs[order[p], order[q]], of_pairs[order[q], order[p]])

    def planes(self, x: Any, y: Any, outputs: Sequence[Any]) -> Vector:
        moved = [np.flatnonzero(_moved(y, c)) for c in outputs]
        plane = np.repeat(np.arange(len(outputs)), [len(rows) for rows in moved])
        rows = np.concatenate(moved)
        away = np.concatenate([c[r] for c, r in zip(outputs, moved, strict=True)])
        return self._differences(x, len(outputs), plane, rows, y[rows], away)

    def changes(self, x: Any, y: Any, y_old: Any, outputs: Sequence[Any], changed: Any) -> Vector:
        # A row with c != NONE contributes e_y - e_c, also where c = y: only e_y changes.
        plane, at = np.nonzero(np.stack([c[changed] for c in outputs]) != NONE)
        rows = changed[at]
        return self._differences(x, len(outputs), plane, rows, y[rows], y_old[rows])

    def _differences(self, x: Any, m: int, plane: Any, rows: Any, plus: Any, minus: Any) -> Vector:
        """Return changes of m joint features if rows move from cluster ``minus`` to ``plus``."""
        n, weights = x.shape[0], self.row_weights_[rows]
        votes = self._votes(
            m, np.tile(plane, 2), np.concatenate([plus, minus]), np.tile(rows, 2),
            np.concatenate([weights, -weights]), n,
        )  # fmt: skip
        return np.asarray(self.rows_.weighted_sums(x, votes).reshape(m, -1) / n)

    def _votes(self, m: int, plane: Any, cluster: Any, rows: Any, values: Any, n: int) -> Any:
        """Return each row's weight for every plane and cluster as a sparse (m k, n) matrix."""
        index = plane * self.n_clusters + cluster
        return sparse.csr_matrix((values, (index, rows)), shape=(m * self.n_clusters, n))


def _moved(y: Any, y_hat: Any) -> Any:
    """Return a mask of the rows for which the oracle's output ``y_hat`` has another cluster."""
    return (y_hat != NONE) & (y_hat != y)


def _pairs(k: int) -> Indices:
    """Return all pairs of clusters, shape (m, 2)."""
    return np.array(list(combinations(range(k), 2)))


@documented
@dataclass(eq=False, repr=False)
class CPM3C(MaximumMarginClusterer):
    """Cutting plane multiclass maximum margin clustering.

    CPM3C learns labels, and a weight vector for each of k clusters. The score of a row's cluster
    exceeds the best other score by a large soft margin. A search finds labels of low objective, and
    then the best labels are improved until ``rtol`` is reached. By default, clusterings with
    several kernels are compared: see ``kernel``.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at least 2 and at most the number of rows. See "How many clusters?" on
        the page of maximum margin clustering.
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective (see :mod:`structsvm.objective`). Rows are
        centred and scaled to a mean squared norm of 1, so C does not depend on units or on n.
        'auto' chooses d^1.2 for the effective dimension d of the rows, but at least 2 (n_clusters -
        1)^2 and at most 100. With the kernel 'diffusion', 'auto' chooses a third of the C of other
        kernels. If k-means provides the clusters (see ``kernel``), 'auto' chooses 1000. For two
        clusters, C corresponds to 2 C in :class:`MMC`.
    balance : float, optional
        Bound on the absolute mean difference between the scores of any two clusters. Clusters of
        unequal size need a bound above 0. The default is 0. If k-means provides the clusters (see
        ``kernel``) or a classifier of the known rows replaces the search (see ``fit``), there is no
        bound by default. If ``balance`` is set, even to 0, k-means is not tried.
    min_cluster_size : float, optional
        Minimum fraction of the rows in each cluster, below 1 / n_clusters. The default is 0.05 for
        two clusters, 0.5 / n_clusters for more than two, and 0 if k-means provides the clusters
        (see ``kernel``) or a classifier of the known rows replaces the search (see ``fit``). If
        ``min_cluster_size`` is given, ``kernel='auto'`` compares kernels only, not k-means. Copies
        of a row share a cluster, so it may be impossible to satisfy the bound exactly. Clusters may
        be empty if the fraction is 0 or there are fewer distinct rows than clusters; the fit then
        warns.

    Attributes
    ----------
    problem_ : CPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (n_clusters, n_features)
        Weights by which scores are computed from rows of X; available only if ``kernel_`` is
        'linear'.
    intercept_ : ndarray of shape (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. The parameter
    beta of Zhao, Wang & Zhang is 1 / C. Unlike Zhao, Wang & Zhang, this class scales rows, centres
    rows by default, bounds the sizes of clusters, and starts from other partitions. The descent of
    this class is described at :class:`structsvm.CCCP`.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import CPM3C
    >>> rng = np.random.default_rng(0)
    >>> centres = np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0)
    >>> cpm3c = CPM3C(n_clusters=3, random_state=0).fit(centres + rng.normal(size=(120, 2)))
    >>> np.bincount(cpm3c.labels_).tolist()
    [40, 40, 40]
    >>> cpm3c.decision_function([[9.0, 1.0]]).shape
    (1, 3)
    """

    about = About(
        "Clusters", "any number of clusters without labels", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    n_clusters: int | None = None

    def _problem(self) -> ClusteringProblem:
        if self.n_clusters is None:
            raise ValueError(
                "CPM3C needs the number of clusters, which no rule finds reliably: for example "
                "CPM3C(n_clusters=3). The silhouette of several numbers may help to choose"
            )
        require_integer("n_clusters", self.n_clusters, 2)
        return CPM3CProblem(int(self.n_clusters), center=self.center)
