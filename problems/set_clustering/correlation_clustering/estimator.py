"""Supervised correlation clustering as an estimator over sets of items."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.exceptions import warn_user
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import GreedyOracle
from structsvm.problems.set_clustering.correlation_clustering.problem import (
    CorrelationClusteringProblem,
    Oracle,
)
from structsvm.problems.set_clustering.partitions import labels_of
from structsvm.problems.set_clustering.records.pair_labels import warn_of_features
from structsvm.problems.set_clustering.records.pair_table import PairTable
from structsvm.problems.set_clustering.set_clusterer import SetClusterer
from structsvm.results.result import Result

#: Factor above which the predicted number of clusters of the examples is too large or too small,
#: and a warning follows.
WRONG_NUMBER = 2.0
#: C='auto' for item sets, from benchmarks/defaults/clusterers.py.
C_OF_SETS = 10_000.0
#: C='auto' for whitened item sets, from benchmarks/set_clustering/unseen_classes.py.
C_OF_WHITENED = 1000.0
#: C='auto' per listed pair.
C_PER_PAIR = 300.0


@documented
@dataclass(eq=False, repr=False)
class CorrelationClustering(SetClusterer):
    """A clusterer of item sets by a learned similarity that determines the number of clusters.

    The examples are sets of items with their desired partitions. A new set is partitioned so that
    the sum of the similarities ``K_ij = <coef_, psi_ij>`` over all pairs inside clusters is as
    large as possible: items of negative similarity are separated (Finley & Joachims, Supervised
    Clustering with Support Vector Machines, ICML 2005). The threshold between similar and
    dissimilar pairs is learned: it is the weight of a feature that is constant over all pairs. With
    ``scale='auto'``, sets of dense item features without pair features get two additional features:
    a constant, and the product of whitened items.

    X is a sequence of n item sets, each an :class:`ItemSet`, or an array, DataFrame or scipy.sparse
    matrix of node features, a row for each item. ``y[i]`` holds a label of any type for each item
    of ``X[i]``; labels of different sets are unrelated, and sets may have different numbers of
    clusters.

    X may also be a :class:`PairTable` of records; y is then a dict or Series with the entity of
    each record. For a :class:`PairTable` ``predict`` returns a dict with the cluster of each
    record. In a :class:`PairTable`, the weight of a block of records is multiplied by the number of
    its listed pairs, so that every listed pair has the same weight.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    oracle : {'greedy', 'relaxed'} or oracle object, default='greedy'
        The separation oracle for training: :class:`GreedyOracle`, which may miss the most violated
        clustering, or :class:`RelaxedOracle`, a linear program for small sets.
    predictor : {'greedy', 'relaxed'}, oracle object or None, default='greedy'
        The oracle that clusters new sets. With None, ``oracle`` is used. With 'relaxed',
        predictions are matrices instead of labels.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of a set in the :mod:`structsvm.objective`, > 0. The slack is in
        units of the loss, which is at most 100. 'auto' is 10000, or 1000 if items are whitened: see
        :doc:`/appendix/defaults`. For a :class:`PairTable`, 'auto' is 300 times the weighted number
        of pairs: see :doc:`/record_linkage`. Each pair counts with the ``sample_weight`` of its
        block of records, divided by the mean of ``sample_weight``. 'cv' chooses C by
        cross-validation: see ``cv_scores_``.
    nonnegative : bool, default=False
        Whether all weights are kept >= 0. With nonnegative weights, include a feature that is a
        negative constant for all pairs: without negative similarities all items form one cluster.
        The weight of the constant that a :class:`PairTable` adds may have either sign.

    Attributes
    ----------
    intercept_ : float
        If items are whitened, a learned constant that is added to every similarity; otherwise 0.
    missed_slack_ : float
        The increase of the mean slack, in units of the loss, if an oracle with more starts searches
        once more at the final w. ``missed_slack_`` measures how much the separation oracle
        undergenerates, and is 0 for 'relaxed'.

    Examples
    --------
    Put near numbers into one cluster, by a learned distance:

    >>> import numpy as np
    >>> from structsvm.problems import CorrelationClustering, ItemSet
    >>> def near(points):
    ...     distance = np.abs(np.subtract.outer(points, points))
    ...     return ItemSet(pairs=np.dstack([np.ones(distance.shape), distance]))
    >>> X = [near([0.0, 0.2, 3.0, 3.1, 9.0]), near([5.0, 5.2, 1.0])]
    >>> model = CorrelationClustering().fit(X, [[0, 0, 1, 1, 2], [0, 0, 1]])
    >>> model.predict([near([1.0, 7.0, 1.1, 7.2, 4.0, 4.1])])[0].tolist()
    [0, 1, 0, 1, 2, 2]
    """

    about = About(
        "Clusters",
        "an unknown number of clusters of new sets; records of the same person",
        X="sets of items, or tables of similar pairs", y="clusters or entities",
        page="record_linkage.md", score="the Rand index",
    )  # fmt: skip

    oracle: Oracle = "greedy"
    _: KW_ONLY
    predictor: Oracle | None = "greedy"
    C: float | ChoiceOfC = "auto"

    _counted, _kind, _searcher = False, CorrelationClusteringProblem, GreedyOracle

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """Cluster item sets by the learned similarity.

        Returns
        -------
        list of n arrays
            Labels of shape (m,) for each set, or matrices of shape (m, m) for the predictor
            'relaxed'. Labels are numbered in the order of the first items of clusters. For a
            :class:`PairTable`, a dict with the cluster of each record is returned.

        Raises
        ------
        ValueError
            If a set and the training sets differ in the number or the names of features.
        """
        labels = self._predicted(self._to_cluster(X))
        return X.clusters(labels) if isinstance(X, PairTable) else labels  # type: ignore[return-value]

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        item_sets, y = super()._given(X, y, reset)
        if not isinstance(X, PairTable):
            return item_sets, y
        labels = X.labels(y)
        if reset:
            warn_of_features(X, labels, X.feature_names)
            X.warn_of_impossible(labels, y)
        return item_sets, labels

    def _automatic_C(self, data: Encoded) -> float:
        if not self._encoding.unlisted:
            return C_OF_SETS if self._encoding.whitening is None else C_OF_WHITENED
        # The weights of a table's blocks are the user's weights times the numbers of pairs.
        given = data.weights / np.array([float(block.n_pairs) for block in data.X])
        return C_PER_PAIR * float(data.weights.sum() / given.mean())

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        weights = self._encoding.weights_given(self.w_, problem)
        self.intercept_ = 0.0 if self._encoding.whitening is None else -float(weights[-1])
        if result.support is not None:
            self._warn_of_useless(data, weights)

    def _warn_of_useless(self, data: Encoded, weights: Vector) -> None:
        """Warn if the learned similarity is useless even for the training examples."""
        inputs, codes, _, _ = data
        true = sum(len(np.unique(labels_of(c))) for c in codes)
        oracle = GreedyOracle()
        labels = (oracle.cluster(x.similarity(weights)) for x in inputs)
        found = sum(len(np.unique(each)) for each in labels)
        if not true / WRONG_NUMBER < found < true * WRONG_NUMBER:
            other = (
                "the features may say too little of which pairs belong together"
                if self._encoding.unlisted or self._encoding.whitening is not None
                else "a feature that is constant over all pairs, which sets the threshold between "
                "similar and dissimilar, is missing"
            )
            warn_user(
                f"the learned similarity divides the examples into {found} clusters; they have "
                f"{true}. C={self.C_:g} may be too small; or {other}"
            )
