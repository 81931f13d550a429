"""Estimators with a weight for each state: the weights by label, and fewer of them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector

if TYPE_CHECKING:
    from typing_extensions import Self


class HasStateWeights:
    """Base class of the estimators whose ``w_`` begins with the weights of states.

    Attributes
    ----------
    coef_ : ndarray or CSR matrix
    """

    problem_: Any
    w_: Vector

    @property
    def coef_(self) -> Any:
        """The weight of each feature for each label, made from ``w_``."""
        check_is_fitted(self, "w_")
        states = self.problem_.states_
        return self._as_given(states.by_label(self.w_[: states.size]))

    def __getattr__(self, name: str) -> Any:
        if name == "result_" and "w_" in vars(self):
            raise AttributeError(
                "a pruned copy has no result_, which verify and a warm start need: use the "
                "estimator that it was made from"
            )
        return object.__getattribute__(self, name)  # raises the error of a property

    def _as_given(self, weights: Any) -> Any:
        """Weights by label and feature, for features as they were given."""
        return weights

    def pruned(self, change: float = 0.05) -> Self:
        """Return a copy without the smallest weights of features, for a smaller file.

        The score of an output y of an input x differs by at most ``change * |w| |Psi(x, y)|``,
        since the squares of the weights left out add up to at most ``change**2`` of those of all.
        What that means for predictions is seen from ``score``. The copy predicts as the estimator
        does, but has no ``result_``, whose certificate belongs to the whole w.

        Parameters
        ----------
        change : float, default=0.05
            The length of the weights left out relative to that of w, >= 0 and < 1; 0 leaves out
            those that are 0. Weights of dense columns stay.

        Returns
        -------
        estimator of the same class
        """
        check_is_fitted(self, "w_")
        if not (isinstance(change, (int, float)) and 0 <= change < 1):
            raise ValueError(f"change must be a number >= 0 and < 1; got {change!r}")
        states = self.problem_.states_
        squares = np.square(self.w_[: states.size])
        order = np.argsort(squares, kind="stable")
        allowed = change**2 * float(self.w_ @ self.w_)
        few = np.searchsorted(np.cumsum(squares[order]), allowed, side="right")
        kept = np.ones(states.size, dtype=bool)
        kept[order[:few]] = False
        other, problem = copy.copy(self), copy.copy(self.problem_)
        problem.states_, places = states.some(kept)
        problem.size_joint_feature -= states.size - problem.states_.size
        other.problem_ = problem
        other.w_ = self.w_[np.append(places, np.arange(states.size, len(self.w_)))]
        vars(other).pop("result_", None)
        return other
