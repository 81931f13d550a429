"""Base classes of the problems of sequences and of their tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.states import KnownStates, chosen_states
from structsvm.problems.sequences.chain.data import Packed, packed
from structsvm.task.task import Task


class Labelled(NamedTuple):
    """Sequences with known labels.

    Attributes
    ----------
    rows : array or CSR matrix
        The feature rows of the positions or segments with a known label.
    codes : ndarray
        The label code of each row.
    X : Packed
        The sequences, with all their rows.
    weights : ndarray, optional
        The weights of the labels; 1 by default.
    """

    rows: Any
    codes: Indices
    X: Packed
    weights: Any = None


class SequenceProblem(SoftByTask):
    """Base class of problems whose w has a weight for each state and each pair of neighbours."""

    parallelism = "threads"
    #: Number of rows of an input for each position.
    width = 1
    #: States that have a weight even if they do not occur; an estimator with a prior sets them.
    known_states: KnownStates | None = None

    class_weight: ClassWeight
    all_possible_states: bool | Auto

    def _learn_labels(self, labels: Any, least: int = 2) -> None:
        """Store the labels that outputs may have, from the known labels."""
        known = self.known_states
        self._labels = Labels(labels if known is None else known.and_labels(labels), least)
        self.classes_ = self._labels.names

    def _learn_states(self, blocks: Iterable[Labelled]) -> None:
        names, known, choice = self.classes_, self.known_states, self.all_possible_states
        k = len(names)
        counts, work, n = np.zeros(k), 0, 0
        for _, codes, X, weights in blocks:
            counts += np.bincount(codes, weights, k)
            work, n = work + k * (X.rows.size + k * len(X.layout.step)), n + len(X)
        self.n_features_, self.work = X.rows.shape[1], work / n
        self.class_weight_ = checked_class_weight(self.class_weight, counts, names)
        self.states_ = chosen_states(choice, blocks, names, known)
        self.size_joint_feature = self.states_.size + k * k

    def _sum_of(self, rows: Any, codes: Indices, pairs: Vector) -> Any:
        """Return a sum of joint features, from labelled rows and counts of neighbouring labels."""
        one_hot = np.eye(len(self.classes_))[codes]
        if not sparse.issparse(rows):
            return np.append(self.states_.of_matrix(rows.T @ one_hot), pairs)
        unary = (rows.T @ sparse.csr_matrix(one_hot)).reshape(1, -1).tocsr()
        parts = [self.states_.of_joint(unary), sparse.csr_matrix(pairs.reshape(1, -1))]
        return sparse.hstack(parts, format="csr")

    def _terms(self, positions: Any, rows: Any, codes: Indices, w: Vector) -> ScoreTerms:
        """Return a score term for each row, from its features and the transition to its label."""
        k, m = len(self.classes_), len(codes)
        places = np.arange(1, m), codes[:-1] * k + codes[1:]
        pairs = sparse.csr_matrix((np.ones(m - 1), places), (m, k * k))
        rows = sparse.hstack([self.states_.of_rows(rows, codes), pairs], format="csr")
        return ScoreTerms(positions, np.ones(m), rows, w)


class SequenceTask(Task):
    """The task of n packed sequences; subclasses define ``_best``, which finds the best outputs."""

    X: Packed
    Y: Any

    def __init__(self, problem: Any, X: Any, Y: Any = None) -> None:
        X, d = packed(X, problem.width), problem.n_features_
        if X.rows.shape[1] != d:
            raise ValueError(f"X[0] has shape {X[0].shape}; expected {d} columns")
        X = X if X.states is not None else X.with_fields(states=problem.states_)
        super().__init__(problem, X, None if Y is None else problem.labelling(Y, X.layout))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.labelling(labels, self.X.layout))

    def decode(self, w: Vector) -> Any:
        return self._best(*self.scores(w))

    def scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        """Return scores of labels, (k, n_rows), and of transitions, (k, k), divided by ``mu``."""
        X, k = self.X, len(self.problem.classes_)
        weights, transition = np.split(w, [-k * k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        return X.features.scores(weights), transition.reshape(k, k) / mu

    def _best(self, scores: Vector, transition: Vector) -> Any:
        raise NotImplementedError
