"""Maximum margin clustering into two clusters, with sign decoding."""

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

#: Planes that are computed in one product, each with a float for every row.
BLOCK = 16


@dataclass(eq=False, repr=False)
class MMCProblem(ClusteringProblem):
    r"""Two-cluster maximum margin clustering as a self-labelled problem of one example.

    The one input x is the whole data matrix, an output y one sign per row. Rows are centred and
    divided by the root of their mean squared norm, both implicitly, so that sparse data stay sparse
    and C has the same meaning for all data; with float32 data the products are in float32, and the
    certificate holds to their rounding. With f_i the score of row i:

    - Psi(x, y) = 1/(2n) sum_i y_i x_i, and decoding is y_i = sgn(f_i) with sgn(0) = +1;
    - Delta is the fraction of rows that differ, so that the slack is the mean hinge loss
      1/n sum_i max(0, 1 - \|f_i\|) (Theorem 2 of Zhao, Kwok & Zhang, with their factor 2 in Psi);
    - the oracle returns the *set of rows to flip*, exactly those with y_i f_i < 1, as a boolean
      mask. Represented by its flips, a plane remains valid when labels change.

    The class balance -balance <= mean_i f_i <= balance is a bound on the offset where the rows are
    centred; with ``balance=0`` there is no offset.

    Where y has known rows of both clusters, and two more, 1/n is replaced by a weight of each row:
    1 over their number for known rows, and 0.2 over theirs for the others. Then the offset is free.

    Parameters
    ----------
    balance : float, default=0.0
        Bound of the absolute mean score, l / n in the papers; infinity for none.
    min_cluster_size : float, default=0.0
        Smallest fraction of the rows in a cluster, in [0, 0.5); it restricts imputed labels.
    center : bool, default=True
        Whether rows are centred. With False they are only scaled, and have no offset, as in the
        paper; the class balance bounds the score of their mean.

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
        """The score f_i of every row, shape (n,)."""
        return super().scores(x, w)[:, 0]

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        f = self.scores(x, w)
        # Halves, so that the two scores differ by f.
        return np.column_stack([-f, f]) / 2

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return self._weighted_sum(x, np.asarray(y, dtype=np.float64)[None, :] / 2)[0]

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
        """Eight rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(8, 2))], None

    def clusters_of(self, y: Any) -> Indices:
        return (y > 0).astype(np.intp)

    def output_of(self, clusters: Indices) -> Any:
        return (2 * clusters - 1).astype(np.int8)

    def weights(self, W: Vector) -> Vector:
        return np.asarray(W[1] - W[0])

    def renumbered(self, result: Result, order: Indices) -> Result:
        if order[0] == 0:
            return result
        # Flips are the same for either numbering.
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
        """1/n sum_i v_i signs[j, i] x_i over some centred and scaled rows i; shape (m, size)."""
        chosen = x if isinstance(rows, slice) else x[rows]
        return self.rows_.weighted_sums(chosen, signs * self.row_weights_[rows]) / x.shape[0]


def flips(y: Any, outputs: Sequence[Any]) -> Any:
    """Masks of the rows on which outputs differ from y, shape (m, n); masks stay as they are."""
    return np.stack([output if output.dtype == bool else y != output for output in outputs])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MMC(MaximumMarginClusterer):
    """Maximum margin clustering into two clusters.

    Finds labels and a hyperplane with a large soft margin: a search finds labels of low objective,
    and solves the best to the tolerance. By default several features are compared, see ``kernel``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        'auto' chooses 2 d^1.2 for the effective dimension d of the rows, at least 4 and at most
        200; with 'diffusion' a third; for the clusters of k-means 2000. Overlapping clusters need
        less.
    balance : float, optional
        Bound of the absolute mean score, l / n in the papers. By default it is 0 in a search, so
        that the mean score is 0; clusters of unequal size need more, such as 0.8. No bound for the
        clusters of k-means, which ``kernel='auto'`` does not compare where a bound is given, not
        even 0; nor where known rows are learned from: see ``fit``.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 0.5. By default it is 0.05 in a search,
        and 0 for the clusters of k-means, which ``kernel='auto'`` does not compare where a fraction
        is given, and where known rows are learned from. It restricts the imputed labels, as far as
        copies of a row, which share a cluster, allow it; a warning is given where they do not, and
        where it keeps rows in a cluster against their scores.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        0 or 1 for every row.
    problem_ : MMCProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only.
    intercept_ : ndarray of shape (1,)
        Constant of the score.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. We
    differ in scaling, by default in centring, in the starts, in the bound on the sizes of
    clusters, and in the descent described at :class:`structsvm.CCCP`.

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
