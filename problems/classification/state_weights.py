"""Weights of states: copied from an earlier fit by the names of features, and pruned."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.names import shown
from structsvm.problems.classification.states import KnownStates, States


def times_columns(w: Vector, states: States, factors: Vector) -> Vector:
    """Return w after multiplying the weights of the first columns by a factor per column."""
    features, _ = states.places
    every = np.append(factors, np.ones(states.d - len(factors)))
    return np.append(w[: len(features)] * every[features], w[len(features) :])


def states_of_prior(problem: Any, known: Any, names: Any, rows: Any) -> KnownStates | None:
    """Return an earlier problem's pairs of a label and a feature, for the features in ``rows``.

    ``known`` holds the names of the problem's features, or is None. ``names`` holds the names of
    the columns, or is None.
    """
    if problem.classes_ is None:  # of trees without labels
        return None
    before, d = problem.states_, getattr(rows, "sparse", rows).shape[1]
    features, labels = before.places
    places = _places_among(known, names, before.d, rows.shape[1])[features]
    kept = (places >= 0) & (places < d)
    entries = np.ones(int(kept.sum()), dtype=bool), (labels[kept], places[kept])
    return KnownStates(problem.classes_, sparse.csr_matrix(entries, (before.k, d)))


def carried_weights(
    problem: Any, before: Any, names: tuple[Any, Any], weights: Vector, unknown: Any = None
) -> Vector:
    """Return weights for ``problem``, copied from the weights of the problem ``before``.

    States that ``before`` lacks, and transitions to labels that ``before`` lacks, get the weight 0.

    Parameters
    ----------
    problem, before : Problem
        Two problems. In the w of each problem, the weights of the states come first. A table of the
        weights of transitions may follow the weights of the states.
    names : pair of lists, or of None
        The names of the features of ``problem``, and the names of the features of ``before``.
    weights : ndarray
        The weights of ``before``, for unscaled features.
    unknown : ndarray of shape (k,), optional
        The weight of a transition from a new label, which ``before`` lacks, to each label of
        ``before``.
    """
    states, earlier = problem.states_, before.states_
    columns = _places_among(*names, states.d, earlier.d)
    if problem.classes_ is None or before.classes_ is None:  # trees without labels have one
        labels = np.zeros(states.k, dtype=np.intp)
    else:
        labels = _places(problem.classes_.tolist(), before.classes_.tolist())
    w = np.zeros(int(problem.size_joint_feature))
    features, own = states.places
    shared = np.flatnonzero((columns[features] >= 0) & (labels[own] >= 0))
    features, own = features[shared], own[shared]
    found = earlier.by_label(weights[: earlier.size])[labels[own], columns[features]]
    w[shared] = np.asarray(found).ravel()
    if len(w) > states.size:
        k, table = len(labels), weights[earlier.size :].reshape(2 * (earlier.k,))
        some = np.flatnonzero(labels >= 0)
        transitions = np.zeros((k, k))
        transitions[:, some] = unknown[labels[some]]
        transitions[np.ix_(some, some)] = table[np.ix_(labels[some], labels[some])]
        w[states.size :] = transitions.ravel()
    return w


class HasStates:
    """Base class of estimators whose ``w_`` begins with weights of pairs of feature and label."""

    problem_: Any
    w_: Vector

    if not TYPE_CHECKING:  # to a type checker, any attribute would exist

        def __getattr__(self, name: str) -> Any:
            if name == "result_" and "w_" in vars(self):
                raise AttributeError(
                    "a pruned copy has no result_, which verify and a warm start need: use the "
                    "estimator that it was made from"
                )
            return object.__getattribute__(self, name)  # raises the error of a property

    def pruned(self, change: float = 0.05) -> Self:
        """Return a copy without the smallest weights of features, for a smaller file.

        The score of an output y for an input x changes by at most ``change * |w| |Psi(x, y)|``.
        Check the accuracy of the copy with ``score``. The copy has the methods of the estimator,
        but no ``result_``, whose certificate belongs to the full w.

        Parameters
        ----------
        change : float, default=0.05
            Upper bound of the norm of the removed weights divided by the norm of w, >= 0 and < 1.
            With 0, only weights that are 0 are removed. Weights of dense columns are never removed.

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


def _places_among(names: Any, known: Any, d: int, of_known: int) -> Indices:
    """Return the index of each of d columns among the columns of an earlier fit, or -1.

    The index is -1 for a name that the earlier fit lacks. A column without a name keeps its index.
    Raise a ValueError if only one of the fits has named columns, if no name occurs in both fits, or
    if fits without names have different numbers of columns.
    """
    if (names is None) != (known is None):
        raise ValueError(
            "the features that w_prior was fitted to and those here must both have names, or both "
            "be columns of matrices"
        )
    if names is None or known is None:
        if d != of_known:
            raise ValueError(f"w_prior was fitted to {of_known} columns; here are {d}")
        return np.arange(d)
    places = _places(names, known)
    if len(places) and places.max() < 0:
        raise ValueError(
            "the features that w_prior was fitted to and those here have no name in common: "
            f"{shown(names)}; {shown(known)}"
        )
    return np.append(places, np.arange(len(known), of_known))


def _places(names: list[Any], known: list[Any]) -> Indices:
    """Return the index of each name in ``known``, or -1 for names that are not in it."""
    places = {name: j for j, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.intp)
