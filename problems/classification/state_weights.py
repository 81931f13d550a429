"""Estimators with a weight for each state: the weights by label, and fewer of them."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.names import shown
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.states import KnownStates, with_known_labels


class HasStateWeights:
    """Base class of the estimators whose ``w_`` begins with the weights of states.

    Attributes
    ----------
    coef_ : ndarray or CSR matrix
    """

    problem_: Any
    w_: Vector
    _other: Any
    _known_states: KnownStates | None = None

    @property
    def coef_(self) -> Any:
        """The weight of each feature for each label, made from ``w_``."""
        check_is_fitted(self, "w_")
        states = self.problem_.states_
        return self._as_given(states.by_label(self.w_[: states.size]))

    if not TYPE_CHECKING:  # to a type checker, any attribute would exist

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
    def _column_names(self) -> list[Any] | None:
        """The names of the features, None if they have none.

        There may be more columns, which mean the same for all data.
        """

    @abstractmethod
    def _divisors(self, d: int) -> Vector:
        """The number by which each of d columns was divided."""

    def _with_labels_of(self, other: Any, labels: Labels) -> Labels:
        """The labels of data and of another estimator, of which they must share some."""
        return Labels(with_known_labels(other.classes_, labels.names))

    def _note_known_states(self, other: Any, rows: Any) -> None:
        """Store the states of another estimator, in the columns of these rows."""
        if other.classes_ is None:
            return
        sparse_rows, before = getattr(rows, "sparse", rows), other.problem_.states_
        columns = _places_among(
            other._column_names(), self._column_names(), before.d, rows.shape[1]
        )
        features, labels = before.places
        places = columns[features]
        kept = (places >= 0) & (places < sparse_rows.shape[1])
        entries = np.ones(int(kept.sum()), dtype=bool), (labels[kept], places[kept])
        pattern = sparse.csr_matrix(entries, (before.k, sparse_rows.shape[1]))
        self._known_states = KnownStates(other.classes_, pattern)

    def _knowing(self, problem: Any) -> Any:
        """The problem, which is told the states that are known."""
        if self._known_states is not None:
            problem.known_states = self._known_states
            del self._known_states
        return problem

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._multiplied(w, problem, 1 / self._divisors(problem.states_.d))

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return self._multiplied(weights, problem, self._divisors(problem.states_.d))

    @staticmethod
    def _multiplied(w: Vector, problem: Any, factors: Vector) -> Vector:
        """The weights with those of each column multiplied by its factor."""
        features, _ = problem.states_.places
        return np.append(w[: len(features)] * factors[features], w[len(features) :])

    def _carried(self, other: Any, problem: Any) -> Vector:
        """The weights of another estimator for the states and labels that this one has too.

        0 for all others.
        """
        states, before = problem.states_, other.problem_.states_
        given = other._weights_given(other.w_, other.problem_)
        names = self._column_names(), other._column_names()
        columns = _places_among(*names, states.d, before.d)
        labels = _labels_in(problem, other.problem_)
        w = np.zeros(int(problem.size_joint_feature))
        features, own = states.places
        shared = np.flatnonzero((columns[features] >= 0) & (labels[own] >= 0))
        features, own = features[shared], own[shared]
        found = before.by_label(given[: before.size])[labels[own], columns[features]]
        w[shared] = np.asarray(found).ravel()
        if len(w) > states.size:  # transitions follow
            k, table = len(labels), given[before.size :].reshape(2 * (before.k,))
            some = np.flatnonzero(labels >= 0)
            transitions = np.zeros((k, k))
            transitions[:, some] = other._unknown_transitions()[labels[some]]
            transitions[np.ix_(some, some)] = table[np.ix_(labels[some], labels[some])]
            w[states.size :] = transitions.ravel()
        return self._weights_trained(w, problem)

    def _unknown_transitions(self) -> Vector:
        """The weights, for features as given, of transitions from a label that was not seen.

        For each next label: those of transitions whose weight is 0 in ``w_``.
        """
        states = self.problem_.states_
        w = np.append(self.w_[: states.size], np.zeros(states.k**2))
        return self._weights_given(w, self.problem_)[states.size :][: states.k]

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


def _places_among(names: Any, known: Any, d: int, of_known: int) -> Indices:
    """The place of each of d columns among others, -1 for a name that these do not have.

    Columns without names are the same in both, and so are those after the names. Raises a
    ValueError where only one of them has names, or columns without names are of another number.
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
    """The places of names among known ones, -1 for names that are not known."""
    places = {name: j for j, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.intp)


def _labels_in(problem: Any, other: Any) -> Indices:
    """The place of each label among the labels of another problem, -1 for one that it lacks."""
    if problem.classes_ is None or other.classes_ is None:  # trees without labels have one
        return np.zeros(problem.states_.k, dtype=np.intp)
    return _places(problem.classes_.tolist(), other.classes_.tolist())
