"""Features of chains from which the means of columns are subtracted."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto
from structsvm.problems.classification.states import have_all_states
from structsvm.problems.sequences.estimator import SequenceEstimator

#: Columns that mark first and last positions.
ENDS = 2


class CentredFeatures(SequenceEstimator):
    """Base class of an estimator whose first positions and transitions have weights.

    The scores of means are parts of these weights: so a centred column makes the same predictions
    possible as the column as it was given.
    """

    all_possible_states: bool | Auto

    def _can_be_centred(self, rows: Any, k: int) -> bool:
        """Whether every label has a weight for the first position, as :meth:`_with_means` needs."""
        d = rows.shape[1] + ENDS
        return not sparse.issparse(rows) or have_all_states(self.all_possible_states, d, k)

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._with_means(super()._weights_given(w, problem), problem, -1.0)

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return super()._weights_trained(self._with_means(weights, problem, 1.0), problem)

    def _with_means(self, weights: Vector, problem: Any, sign: float) -> Vector:
        """Weights for features as given, to which the scores of the means of columns are added.

        Each label has a score for them at every position, which is a part of the weights of the
        first label and of the transitions to each later one.
        """
        states, means = problem.states_, self._columns.means
        if not means.any():
            return weights
        weights, d = weights.copy(), len(means)
        scores = sign * (states.by_label(weights[: states.size])[:, :d] @ means)
        features, labels = states.places
        first = np.flatnonzero(features == d)
        weights[first] += scores[labels[first]]
        weights[states.size :] += np.tile(scores, len(scores))
        return weights
