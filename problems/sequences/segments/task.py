"""Segmentations bound to their data: all sequences searched at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples
from structsvm.problems.sequences.segments.candidates import (
    Candidates,
    checked_candidates,
    packed_candidates,
)
from structsvm.problems.sequences.segments.inference import SegmentMarginals, marginals, viterbi
from structsvm.problems.sequences.segments.segmentations import Segmentations
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.sequences.segments.problem import Segments


class SegmentsTask(Task):
    """:class:`Segments` and n sequences, whose candidates are in one container."""

    problem: Segments
    X: Candidates
    Y: Segmentations

    def __init__(self, problem: Segments, X: Any, Y: Any = None) -> None:
        if Y is None and not isinstance(X, Candidates):  # to predict: ``initialize`` has not seen X
            checked_candidates(X, problem.max_length)
        X = _candidates(problem, X)
        Y = None if Y is None else problem.segmentations(Y, X.layout.lengths)
        super().__init__(problem, X, Y)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.segmentations(labels, self.X.layout.lengths))

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Segmentations:
        scores, transition = self._scores(w)
        self._add_losses(scores)
        return self._best(scores, transition)

    def decode(self, w: Vector) -> Segmentations:
        return self._best(*self._scores(w))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        total = np.zeros(self.size)
        for y, sign in ((self.Y, 1.0), (outputs, -1.0)):
            total += sign * self._sum(self.problem.segmentations(y, self.X.layout.lengths), weights)
        return total

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        X, true, of_classes = self.X, self.Y, self.problem.class_weight_
        truth, (log_partition, segments, pairs) = self.distribution(w, mu, weights)
        k, losses = len(of_classes), of_classes[true.codes]
        least = np.bincount(true.owner, losses, self.n)
        values = mu * log_partition + least - truth
        segments *= weights[X.layout.sequence][:, None, None]
        own = segments.reshape(-1, k)[self.true_rows, true.codes]
        # Relative to an output without segments, a wrong segment costs its loss, a true one gains.
        of_labels = segments.reshape(-1, k).sum(axis=0)
        loss = float(of_labels @ of_classes - 2 * own @ losses + weights @ least)
        expected = segments.reshape(-1, k).T.astype(X.rows.dtype)
        difference = self._sum(true, weights)
        difference[: -pairs.size] -= X.features.sums(expected)
        difference[-pairs.size :] -= pairs.ravel()
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        X, (_, (_, segments, pairs)) = self.X, self.distribution(w, mu, weights)
        # As if segments were independent of each other.
        p = segments.reshape(-1, len(pairs)).T.astype(X.rows.dtype)
        np.minimum(p, 1, out=p)  # rounding
        weight = np.repeat(weights[X.layout.sequence], X.longest).astype(p.dtype)
        unary = X.features.squared().sums(p * (1 - p) * weight)
        return np.concatenate([unary, pairs.ravel()]).astype(np.float64)

    # ------------------------------------------------------------------ probabilities

    def probabilities(self, w: Vector, temperature: float) -> Candidates:
        """The probability of every label of every candidate, (length * max_length, k) for an input.

        A segmentation has a probability ~ exp(<w, Psi> / temperature).
        """
        (scores, transition), layout = self._scores(w, temperature), self.X.layout
        found = marginals(scores, transition, layout, np.ones(self.n))
        return Candidates(found.segments.reshape(-1, len(transition)), layout, self.X.longest)

    def probabilities_of_truth(self, w: Vector, temperature: float) -> Vector:
        """The probabilities of the true segments."""
        p = self.probabilities(w, temperature).rows
        return np.asarray(p[self.true_rows, self.Y.codes])

    # ------------------------------------------------------------------ scores

    @property
    def true_rows(self) -> Indices:
        """The rows of the true segments among all candidates."""
        return self.Y.candidates(self.X.layout, self.X.longest)

    def distribution(
        self, w: Vector, mu: float, weights: Vector
    ) -> tuple[Vector, SegmentMarginals]:
        """The scores of the truth, and the marginals.

        The weights of the examples are in the sum of the pairs only.
        """
        scores, transition = self._scores(w, mu)
        before, after, sequence = self.Y.pairs()
        own = scores.reshape(-1, scores.shape[2])[self.true_rows, self.Y.codes]
        truth = np.bincount(self.Y.owner, own, self.n)
        truth += np.bincount(sequence, transition[before, after], self.n)
        self._add_losses(scores, mu)
        return np.asarray(mu * truth), marginals(scores, transition, self.X.layout, weights)

    def _scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        """The scores of candidates and transitions in units of mu."""
        X, k = self.X, len(self.problem.classes_)
        weights, transition = np.split(w, [-k * k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        scores = X.features.scores(weights).T.astype(np.float64).reshape(-1, X.longest, k)
        scores[X.layout.step[:, None] < np.arange(X.longest)] = -np.inf
        return scores, transition.reshape(k, k) / mu

    def _add_losses(self, scores: Vector, mu: float = 1.0) -> None:
        """Add the loss of every candidate, relative to the loss of an output without segments."""
        of_classes, codes = self.problem.class_weight_, self.Y.codes
        scores += of_classes / mu
        scores.reshape(-1, scores.shape[2])[self.true_rows, codes] -= 2 * of_classes[codes] / mu

    def _best(self, scores: Vector, transition: Vector) -> Segmentations:
        layout = self.X.layout
        places, lengths, codes = viterbi(scores, transition, layout)
        sequence, stops = layout.sequence[places], layout.step[places] + 1
        order = np.lexsort((stops, sequence))
        sizes, names = np.bincount(sequence, minlength=self.n), self.problem.classes_
        return Segmentations(stops[order], lengths[order], codes[order], sizes, names)

    def _sum(self, outputs: Segmentations, weights: Vector) -> Vector:
        """The weighted sum of the joint features of outputs, shape (size_joint_feature,)."""
        X, k = self.X, len(self.problem.classes_)
        rows = outputs.candidates(X.layout, X.longest)
        weight = np.repeat(weights, outputs.sizes).astype(X.rows.dtype)
        shape = (k, X.rows.shape[0])
        unary = X.features.sums(sparse.csr_matrix((weight, (outputs.codes, rows)), shape))
        before, after, sequence = outputs.pairs()
        pairs = np.bincount(before * k + after, weights[sequence], k * k)
        return np.concatenate([unary, pairs]).astype(np.float64)


def _candidates(problem: Segments, X: Any) -> Candidates:
    """The inputs in one container, for products."""
    if not isinstance(X, Candidates):
        for i, x in enumerate(X[i] for i in range(n_examples(X))):
            if x.ndim != 2 or x.shape[1] != problem.n_features_:
                raise ValueError(
                    f"X[{i}] has shape {x.shape}; expected {problem.n_features_} columns"
                )
        X = packed_candidates(X, problem.max_length)
    return X if X.states is not None else X.with_states(problem.states_)
