"""Maximum margin clustering into k clusters as a scikit-learn clusterer."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.fitting.about import About
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.cpm3c.problem import CPM3CProblem


@documented
@dataclass(eq=False, repr=False)
class CPM3C(MaximumMarginClusterer):
    """Cutting plane multiclass maximum margin clustering.

    Finds labels and a weight vector for each of k clusters such that the soft margin between every
    row's cluster and its runner-up is large: a search finds labels of low objective, and solves the
    best to the tolerance. By default several features are compared, see ``kernel``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    n_clusters : int
        At least 2, at most the number of rows. See "How many clusters?" on the page of maximum
        margin clustering.
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        'auto' chooses d^1.2 for the effective dimension d of the rows, at least
        2 (n_clusters - 1)^2 and at most 100; with 'diffusion' a third; for the clusters of
        k-means 1000. For two clusters C here corresponds to 2 C in :class:`MMC`.
    balance : float, optional
        Bound of the mean difference of any two clusters' scores, l / n in the paper. By default it
        is 0 in a search, so that all mean scores are equal; clusters of unequal size need more. No
        bound for the clusters of k-means, which ``kernel='auto'`` does not compare where a bound is
        given, not even 0; nor where known rows are learned from: see ``fit``.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 1 / n_clusters. By default it is 0.05 for
        two clusters, and 0.5 / n_clusters for more; for the clusters of k-means, which
        ``kernel='auto'`` does not compare where a fraction is given, and where known rows are
        learned from, it is 0. It restricts the imputed labels, as far as copies of a row,
        which share a cluster, allow it; a warning is given where they do not, where it keeps rows
        in a cluster against their scores, or several clusters at the least size. With 0, or fewer
        different rows than clusters, clusters may be empty, with a warning.

    Attributes
    ----------
    problem_ : CPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (n_clusters, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only.
    intercept_ : ndarray of shape (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008, whose beta is
    1 / C. We differ in scaling, by default in centring, in the starts, in the bound on the sizes
    of clusters, and in the descent described at :class:`structsvm.CCCP`.

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
