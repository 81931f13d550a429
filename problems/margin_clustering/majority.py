"""The purity of clusters, reported as accuracy in papers on maximum margin clustering."""

from __future__ import annotations

from typing import Any

from sklearn.metrics.cluster import contingency_matrix

from structsvm.data.matrices import one_array


def majority_accuracy(y_true: Any, labels: Any) -> float:
    """Return the purity: the fraction of rows that belong to their cluster's most frequent class.

    Papers on maximum margin clustering report the purity as the accuracy. A high purity does not
    prove that the classes were found, because several clusters may have the same most frequent
    class. The purity of any clustering is at least the fraction of rows in the largest class, and
    it is 1 if each row is a cluster of its own. Compare only clusterings with equal numbers of
    clusters. Also report scikit-learn's ``adjusted_rand_score``, which is about 0 for random
    labels.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The classes.
    labels : array-like of shape (n,)
        The cluster of each row, identified by any value.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If the arguments are not one-dimensional arrays of equal length, or are empty.

    References
    ----------
    Xu, Neufeld, Larson & Schuurmans, Maximum Margin Clustering, NIPS 2004.

    Examples
    --------
    >>> from structsvm.problems import majority_accuracy
    >>> majority_accuracy(["a", "a", "a", "b"], [0, 0, 1, 1])
    0.75
    >>> majority_accuracy(["a", "a", "a", "b"], [0, 0, 0, 0])
    0.75
    """
    y_true, labels = one_array("y_true", y_true), one_array("labels", labels)
    if y_true.ndim != 1 or y_true.shape != labels.shape or not len(y_true):
        raise ValueError(
            "y_true and labels must hold a class and a cluster for each row, of one row at least; "
            f"got arrays of shapes {y_true.shape} and {labels.shape}"
        )
    return float(contingency_matrix(y_true, labels).max(axis=0).sum() / len(y_true))
