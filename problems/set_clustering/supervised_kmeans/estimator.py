"""Supervised k-means as an estimator over sets of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.set_clusterer import SetClusterer
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import IterativeOracle
from structsvm.problems.set_clustering.supervised_kmeans.problem import (
    Oracle,
    SupervisedKMeansProblem,
)
from structsvm.results.result import Result


@documented
@dataclass(eq=False, repr=False)
class SupervisedKMeans(SetClusterer):
    """A clusterer that learns a similarity by which k-means reproduces example partitions.

    The examples are sets of items with their desired partitions. A new set is clustered by the
    similarity ``K_ij = <coef_, psi_ij>`` of its items, plus a similarity of whitened items (see
    Notes). The clusters of a new set need not occur in the examples (Finley & Joachims, Supervised
    k-Means Clustering).

    X is a sequence of n item sets. An item set is an :class:`ItemSet`, or an array, DataFrame or
    scipy.sparse matrix with a row of node features for each item. ``y[i]`` holds a label of any
    type for each item of ``X[i]``; labels of different sets are unrelated, and sets may have
    different numbers of clusters.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    oracle : {'iterative', 'spectral', 'discrete'} or oracle object, default='iterative'
        The separation oracle for training: :class:`IterativeOracle`, :class:`SpectralOracle` or
        :class:`DiscreteOracle`. 'iterative' and 'discrete' may miss the most violated clustering;
        'spectral' finds the most violated relaxed clustering.
    predictor : the same, or a scikit-learn clusterer, default=None
        The oracle that clusters new sets. None means ``oracle``, or 'discrete' if ``oracle``
        returns relaxed clusterings instead of labels. With ``predictor='spectral'`` predictions are
        matrices. A clusterer must have ``affinity`` or ``metric`` set to 'precomputed', for example
        ``AgglomerativeClustering(metric='precomputed', linkage='average')``.
    C : float or 'cv', default=1000.0
        Weight of the mean slack of a set in the :mod:`structsvm.objective`, > 0. The slack is in
        units of the loss, which is at most 100. :doc:`/appendix/defaults` shows how the default was
        chosen. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    scale : 'auto', 'common', None, float or array of shape (n_features,), default='auto'
        Divisor of the joint feature, or of each of its coordinates, > 0. 'auto' makes C independent
        of the units of the features. 'auto' divides each coordinate by the spread of its feature,
        and then rescales all coordinates like 'common'. 'common' divides all coordinates by the
        same number: the root mean square of the norm of the centred Psi(x, y) over the sets. To
        centre Psi(x, y), its mean over all permutations of the labels is subtracted. With 'auto'
        and 'common', a suitable C hardly depends on the number of items. More clusters need a
        larger C. If sets have dense item features and no pair features, 'auto' also whitens the
        items: see Notes. Finley & Joachims use no scale, which corresponds to None or 1.
    nonnegative : bool, default=False
        Whether to keep all weights >= 0. With weights >= 0, the similarity matrix is positive
        semi-definite if every feature of pairs is a kernel, such as the products of item features
        that :class:`ItemSet` computes.

    Attributes
    ----------
    n_clusters_ : int or None
        The number of clusters of every example, or None if the examples differ in this number.
    missed_slack_ : float
        The increase of the mean slack, in units of the loss, if an oracle with more starts searches
        once more at the final w. ``missed_slack_`` estimates the slack that the separation oracle
        misses, and is 0 for 'spectral'.

    Notes
    -----
    If ``scale='auto'`` and sets have dense item features and no pair features, sets are centred and
    pairs get an additional feature: the inner product of the two items after whitening by the
    covariance within clusters. Training hardly penalises ``whitened_coef_``, the weight of the
    inner product of two whitened items. A few training sets are enough to learn the directions in
    which clusters differ, even for classes that occur in no training set. The weights ``coef_`` of
    the original features correct the errors of a similarity that is computed from the whitened
    items alone.

    If the oracle misses the most violated partition, the computed objective may be too low; see
    :doc:`/conventions`.

    Examples
    --------
    Learn that three features determine the clusters and that four features are noise:

    >>> import numpy as np
    >>> from structsvm.problems import SupervisedKMeans
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     y = rng.permutation(30) % 3
    ...     items = np.column_stack([y == 0, y == 1, y == 2, *rng.normal(size=(4, 30))])
    ...     return items.astype(float), y
    >>> X, Y = zip(*map(draw, range(4)))
    >>> model = SupervisedKMeans().fit(X[:3], Y[:3])
    >>> model.score(X[3:], Y[3:])
    1.0
    >>> labels = model.predict(X[3:], n_clusters=3)
    >>> labels[0].shape
    (30,)
    """

    about = About(
        "Clusters", "clusters of new sets, learned from clustered sets", X="sets of items",
        y="the clusters of each set", page="supervised_clustering.md",
        score="1 minus the loss between partitions. `adjusted_rand_score` corrects for chance",
    )  # fmt: skip

    oracle: Oracle = "iterative"
    _: KW_ONLY
    C: float | Literal["cv"] = 1000.0

    _counted, _kind, _searcher = True, SupervisedKMeansProblem, IterativeOracle

    def predict(self, X: Any, *, n_clusters: Any = None) -> list[NDArray[Any]]:
        """Cluster item sets by the learned similarity.

        Parameters
        ----------
        n_clusters : int or sequence of n ints, optional
            The number of clusters: one number for all sets, or a number for each set. Default:
            ``n_clusters_``. If there are more clusters than distinct items, some equal items fall
            into different clusters.

        Returns
        -------
        list of n arrays
            Labels 0..k-1 of shape (m,) for each set. With ``predictor='spectral'``, matrices of
            shape (m, k) with orthonormal columns.

        Raises
        ------
        ValueError
            If a set and the training sets differ in the number or the names of features, or if a
            set has fewer items than clusters. If ``n_clusters`` is None, and the training examples
            have different numbers of clusters.
        """
        item_sets = self._to_cluster(X)
        return self._predicted(item_sets, self._numbers(item_sets, n_clusters))

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        numbers = {k for _, k in data.X}
        self.n_clusters_ = numbers.pop() if len(numbers) == 1 else None

    def _numbers(self, item_sets: Sequence[ItemSet], n_clusters: Any) -> list[Any]:
        """Return the number of clusters of each set."""
        n_clusters = self.n_clusters_ if n_clusters is None else n_clusters
        if n_clusters is None:
            raise ValueError(
                "the examples have different numbers of clusters; say how many to predict, by "
                "n_clusters"
            )
        numbers = [n_clusters] * len(item_sets) if np.ndim(n_clusters) == 0 else list(n_clusters)
        if len(numbers) != len(item_sets):
            raise ValueError(
                f"n_clusters must be a number or one for each of {len(item_sets)} sets; got "
                f"{len(numbers)}"
            )
        return numbers
