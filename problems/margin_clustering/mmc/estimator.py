"""Maximum margin clustering into two clusters as a scikit-learn clusterer."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.mmc.problem import MMCProblem


@dataclass(kw_only=True, eq=False, repr=False)
class MMC(MaximumMarginClusterer):
    """Maximum margin clustering into two clusters.

    Finds labels and a hyperplane with the largest soft margin: a search for labels of low
    objective, whose best few results are solved to the tolerance. The lowest objective is kept.

    Parameters
    ----------
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        'auto' chooses 2 d^1.2 for the effective dimension d of the rows, at least 4 and at most
        200; with 'diffusion' a third. Overlapping or unbalanced clusters need less.
    balance : float, default=0.0
        Bound of the absolute mean score, l / n in the papers. With 0 the mean score is 0; clusters
        of unequal size need more, such as 0.7.
    kernel : {'auto', 'linear', 'rbf', 'poly', 'precomputed', 'whiten', 'diffusion'} or callable, \
            default='auto'
        'auto' clusters by 'linear' and by 'diffusion', and keeps the clusters that more of the
        nearest neighbours share; rows in a dask array or a memory map have 'linear' alone.
        'linear', 'rbf', 'poly', 'precomputed', a function of two rows, 'whiten' or 'diffusion': see
        :func:`structsvm.features.feature_map`.
    gamma : 'scale' or float, default='scale'
        Parameter of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Number of features that represent the kernel, at most.
    search : {'evolutionary', 'cccp'}, default='evolutionary'
        How clusterings of low objective are found. 'evolutionary' makes short descents from many
        partitions and from mixtures of the best of them; 'cccp' is the procedure of the papers from
        several starts. Both end in the papers' procedure, to the tolerance.
    n_init : int, default=10
        Effort of the search: the number of starts of 'cccp', from k-means and from random
        directions; a quarter of the partitions that 'evolutionary' starts from.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 0.5. The default is 0.05. It restricts the
        imputed labels, and may divide copies of a row; a warning is given where it keeps rows in a
        cluster against their scores.
    rtol : float, default=1e-3
        Relative duality gap of the solution with its labels fixed, >= 0 and < 1.
    max_iter : int, default=1000
        Oracle passes, at most, of each final descent, and of 'cccp' from each start.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass or short descent: the best clustering
        found by then is returned, after one pass over all rows, and the fit warns. Default: no
        limit.
    random_state : int, RandomState instance or None, default=None
        Seed or generator that draws all that is random. Results for a seed are equal, bit by bit.
    n_jobs : int, optional
        Number of starts of 'cccp' that joblib runs in parallel; the result is the same.
    verbose : bool, default=False
        Show a progress bar of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        0 or 1 for every row.
    objective_ : float
        The objective reached.
    C_ : float
        The C that was used.
    kernel_ : str or callable
        The kernel that was used: with 'auto', 'linear' or 'diffusion'.
    result_ : Result
        Objective, gap, status and guarantee of the best start.
    problem_ : MMCProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only.
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        Passes over the rows, of the search and of the final descents. The counts and times of
        ``result_`` refer to the descent that found it only.
    n_features_in_ : int

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. We
    differ in centring and scaling, in the starts, in the bound on the sizes of clusters, and in
    the descent described at :class:`structsvm.CCCP`.

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

    def _problem(self) -> ClusteringProblem:
        return MMCProblem(self.balance, self._min_cluster_size(2))
