"""Estimators with a weight for each state: the weights by label, and fewer of them."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Vector

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

    # ------------------------------------------------------------------ as a prior

    @abstractmethod
    def _columns_of(self, problem: Any) -> tuple[list[Any] | None, Vector]:
        """The names of the features, None if they have none, and what each column is divided by.

        There may be more columns than names, which mean the same for all data.
        """

    def _carried(self, other: Any, problem: Any) -> Vector:
        """The weights of another estimator for the states and labels that this one has too.

        0 for all others.
        """
        (names, divisors), states = self._columns_of(problem), problem.states_
        (known, scales), before = other._columns_of(other.problem_), other.problem_.states_
        labels, columns = _labels_in(problem, other.problem_), np.arange(len(divisors))
        if names is not None and known is not None:
            columns = np.append(_places(names, known), np.arange(len(known), len(scales)))
        _require_shared(names, known, columns, len(scales))
        if not (labels >= 0).any():
            raise ValueError("w_prior was fitted to other labels: it has none of those here")
        w = np.zeros(int(problem.size_joint_feature))
        features, own = states.places
        shared = np.flatnonzero((columns[features] >= 0) & (labels[own] >= 0))
        features, own = features[shared], own[shared]
        by_label = before.by_label(other.w_[: before.size])
        found = np.asarray(by_label[labels[own], columns[features]]).ravel()
        w[shared] = found * divisors[features] / scales[columns[features]]
        if len(w) > states.size:  # transitions follow
            k, table = len(labels), other.w_[before.size :].reshape(2 * (before.k,))
            some = np.flatnonzero(labels >= 0)
            transitions = np.zeros((k, k))
            transitions[np.ix_(some, some)] = table[np.ix_(labels[some], labels[some])]
            w[states.size :] = transitions.ravel()
        return w

    # ------------------------------------------------------------------ fewer weights

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


def _places(names: list[Any], known: list[Any]) -> Indices:
    """The places of names among known ones, -1 for those that are not known."""
    places = {name: j for j, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.intp)


def _labels_in(problem: Any, other: Any) -> Indices:
    """The place of each label among those of another problem, -1 where it has no such label."""
    if problem.classes_ is None or other.classes_ is None:  # trees without labels have one
        return np.zeros(problem.states_.k, dtype=np.intp)
    return _places(problem.classes_.tolist(), other.classes_.tolist())


def _require_shared(names: Any, known: Any, columns: Indices, before: int) -> None:
    """Raise a ValueError where the features of another estimator are of another kind, or others."""
    if (names is None) != (known is None):
        kinds = {True: "columns of matrices", False: "features with names"}
        raise ValueError(
            f"w_prior was fitted to {kinds[known is None]}; here are {kinds[names is None]}"
        )
    if names is None and before != len(columns):
        raise ValueError(f"w_prior was fitted to {before} columns; here are {len(columns)}")
    if names is not None and not (columns[: len(names)] >= 0).any():
        raise ValueError(
            f"w_prior was fitted to other features: it has none of the {len(names)} here"
        )
