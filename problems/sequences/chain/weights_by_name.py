"""The weights of a trained chain by the names of features and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.data.validation import require_integer
from structsvm.problems.classification.state_weights import HasStateWeights


class WeightsByName(HasStateWeights):
    """Base class of an estimator with features that may have names, and with transitions."""

    classes_: NDArray[Any]
    transitions_: Vector
    start_transitions_: Vector
    end_transitions_: Vector
    n_features_in_: int
    _features: Any

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of ``coef_``, where they have names."""
        check_is_fitted(self)
        if self._features.names is None:
            raise AttributeError("the columns have no names: X held matrices")
        return np.array(self._features.names, dtype=object)

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float]:
        """The weights other than 0 of features, by name, or number, and label."""
        check_is_fitted(self)
        weights, classes = sparse.coo_matrix(self.coef_), self.classes_.tolist()
        names, found = self._names(), weights.data.tolist()
        places = zip(weights.col.tolist(), weights.row.tolist(), found, strict=True)
        return {(names[j], classes[y]): weight for j, y, weight in places if weight}

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """The weights other than 0 of a label and the next, where these are allowed."""
        check_is_fitted(self)
        classes, weights = self.classes_.tolist(), self.transitions_.tolist()
        return {
            (classes[a], classes[b]): weight
            for a, row in enumerate(weights)
            for b, weight in enumerate(row)
            if weight and weight > -np.inf
        }

    def _names(self) -> list[Any]:
        """The names of the columns of ``coef_``, or their numbers."""
        names = self._features.names
        return list(range(self.n_features_in_)) if names is None else names

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[Any, float]]]:
        """The n features of largest weight for each label.

        Returns
        -------
        dict of label and list of (name, weight)
            Names come from ``feature_names_in_``, or are numbers of columns.
        """
        check_is_fitted(self)
        require_integer("n", n, least=1)
        names, found = self._names(), {}
        for label, row in zip(self.classes_.tolist(), self.coef_, strict=True):
            weights = dense(row).ravel()
            top = np.argsort(-weights, kind="stable")[:n].tolist()
            found[label] = [(names[j], float(weights[j])) for j in top]
        return found
