"""Maximum margin clustering into two clusters, decoded by the sign of a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.results.result import Result

#: Number of planes computed in one product; each takes a float for every row.
BLOCK = 16


@dataclass(eq=False, repr=False)
class MMCProblem(ClusteringProblem):
    r"""Two-cluster maximum margin clustering as a self-labelled problem of one example.

    The only input x is the whole data matrix. An output y holds a sign for each row. Rows are
    centred and divided by the root of their mean squared norm, which gives C the same meaning for
    all data. Centring and scaling are implicit, so that sparse data stay sparse. With float32 data,
    products are computed in float32, and the certificate is accurate up to their rounding errors.
    With the score f_i of row i:

    - The joint feature is Psi(x, y) = 1/(2n) sum_i y_i x_i. Decoding is y_i = sgn(f_i) with sgn(0)
      = +1.
    - The loss Delta is the fraction of rows whose signs in the two outputs differ. The slack is the
      mean of max(0, 1 - \|f_i\|) over the scores f_i of all rows (Theorem 2 of Zhao, Kwok & Zhang).
    - The oracle returns a mask of the rows whose signs the most violated output changes: the rows
      whose sign times score is below 1.

    A plane is stored as the mask of the rows whose signs in the output differ from the signs in y.
    After y changes, the mask still defines a plane.

    The class balance constrains the mean score of the rows to [-balance, balance]. If the rows are
    centred, the class balance bounds the offset; with ``balance=0`` there is no offset.

    Each row has the weight 1/n. If each cluster has known rows in y, and at least four rows are
    known, the known rows share the weight 1 equally, and the unknown rows share the weight 0.2. If
    known and unknown rows have separate weights, the offset of the score is not bounded.

    Parameters
    ----------
    balance : float, default=0.0
        Bound on the absolute mean score, called l / n by Zhao et al. Infinity means no bound.
    min_cluster_size : float, default=0.0
        Minimum fraction of the rows in each cluster, for imputed labels; in [0, 0.5).
    center : bool, default=True
        Whether rows are centred. If False, rows are only scaled, and scores have no offset, as in
        the paper of Zhao, Kwok & Zhang. Without centring, the class balance bounds the score of the
        mean row.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II.
    """

    n_clusters = 2
    C_factor = 2.0

    balance: float = 0.0
    min_cluster_size: float = 0.0
    center: bool = True

    def score_differences(self) -> Vector:
        return np.array([[1.0], [-1.0]])

    def scores(self, x: Any, w: Vector) -> Vector:
        """Return the score f_i of every row, shape (n,)."""
        return super().scores(x, w)[:, 0]

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        f = self.scores(x, w)
        # Halves, so that the two scores differ by f.
        return np.column_stack([-f, f]) / 2

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return np.asarray(self._weighted_sum(x, np.asarray(y, np.float64)[None, :] / 2)[0])

    def losses(self, y: Any, outputs: Sequence[Any]) -> Vector:
        return np.asarray(flips(y, outputs) @ self.row_weights_ / len(y))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return y * self.scores(x, w) < 1

    def decode(self, x: Any, w: Vector) -> Any:
        return np.where(self.scores(x, w) >= 0, 1, -1).astype(np.int8)

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return eight rows in the plane, few enough to enumerate all labellings."""
        return [np.random.default_rng(0).normal(size=(8, 2))], None

    def clusters_of(self, y: Any) -> Indices:
        return np.asarray(y > 0, dtype=np.intp)

    def output_of(self, clusters: Indices) -> Any:
        return (2 * clusters - 1).astype(np.int8)

    def weights(self, W: Vector) -> Vector:
        return np.asarray(W[1] - W[0])

    def renumbered(self, result: Result, order: Indices) -> Result:
        if order[0] == 0:
            return result
        # Flips do not depend on the numbering of the clusters.
        labels = [-y for y in result.labels]
        return replace(result, w=-result.w, labels=labels, multipliers=result.multipliers[::-1])

    def planes(self, x: Any, y: Any, outputs: Sequence[Any]) -> Vector:
        # A flip changes the sign of y_i x_i / (2n), so the difference is y_i x_i / n.
        blocks = [outputs[start : start + BLOCK] for start in range(0, len(outputs), BLOCK)]
        return np.concatenate([self._weighted_sum(x, flips(y, some) * y) for some in blocks])

    def changes(self, x: Any, y: Any, y_old: Any, outputs: Sequence[Any], changed: Any) -> Vector:
        # For a fixed set of flips a plane is linear in y: changed rows add their change.
        steps = flips(y, outputs)[:, changed] * (y[changed] - y_old[changed])
        return self._weighted_sum(x, steps, changed)

    def _weighted_sum(self, x: Any, signs: Vector, rows: Any = slice(None)) -> Vector:
        """Return 1/n sum_i v_i signs[j, i] x_i for every j, with the weight v_i of row i."""
        chosen = x if isinstance(rows, slice) else x[rows]
        sums = self.rows_.weighted_sums(chosen, signs * self.row_weights_[rows])
        return np.asarray(sums / x.shape[0])


def flips(y: Any, outputs: Sequence[Any]) -> Any:
    """Return a mask, for each output, of the rows whose sign differs from y; shape (m, n)."""
    return np.stack([output if output.dtype == bool else y != output for output in outputs])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MMC(MaximumMarginClusterer):
    """Maximum margin clustering into two clusters.

    MMC learns labels and a hyperplane with a large soft margin. A search finds labels of low
    objective, and then the best labels are improved until ``rtol`` is reached. By default,
    clusterings with several kernels are compared: see ``kernel``.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective (see :mod:`structsvm.objective`). Rows are
        centred and scaled to a mean squared norm of 1, so C does not depend on units or on n.
        'auto' chooses 2 d^1.2 for the effective dimension d of the rows, but at least 4 and at most
        200. With the kernel 'diffusion', 'auto' chooses a third of the C of other kernels. If
        k-means provides the clusters (see ``kernel``), 'auto' chooses 2000. Overlapping clusters
        need a smaller C than separate clusters.
    balance : float, optional
        Bound on the absolute mean score. Clusters of unequal size need a bound above 0, such as
        0.8. The default is 0. If k-means provides the clusters (see ``kernel``) or a classifier of
        the known rows replaces the search (see ``fit``), there is no bound by default. If
        ``balance`` is set, even to 0, k-means is not tried.
    min_cluster_size : float, optional
        Minimum fraction of the rows in each cluster, below 0.5. The default is 0.05, or 0 if
        k-means provides the clusters (see ``kernel``) or a classifier of the known rows replaces
        the search (see ``fit``). If ``min_cluster_size`` is given, ``kernel='auto'`` compares
        kernels only, not k-means. Copies of a row share a cluster, so it may be impossible to
        satisfy the bound exactly.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster index of each row, 0 or 1.
    problem_ : MMCProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features)
        Weights by which scores are computed from rows of X; available only if ``kernel_`` is
        'linear'.
    intercept_ : ndarray of shape (1,)
        Constant of the score.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008.
    Unlike Zhao et al., this class scales rows, centres rows by default, bounds the sizes of
    clusters, and starts from other partitions. The descent of this class is described at
    :class:`structsvm.CCCP`.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import MMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(-2, 1, (50, 2)), rng.normal(2, 1, (50, 2))])
    >>> mmc = MMC(random_state=0).fit(X)
    >>> sorted(np.bincount(mmc.labels_).tolist())
    [50, 50]
    """

    about = About(
        "Clusters", "two clusters without labels", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    def _problem(self) -> ClusteringProblem:
        return MMCProblem(center=self.center)
