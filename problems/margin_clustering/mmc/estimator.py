"""Maximum margin clustering into two clusters as a scikit-learn clusterer."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.docstrings import documented
from structsvm.fitting.about import About
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.mmc.problem import MMCProblem


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
