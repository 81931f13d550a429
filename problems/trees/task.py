"""Trees of many sentences: searches, sums and the matrix-tree theorem for all arcs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.problems.classification.products import squared
from structsvm.problems.classification.states import AllStates
from structsvm.problems.trees.arcs import Trees
from structsvm.problems.trees.inference import arc_marginals, best_heads
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.trees.problem import DependencyTree


class TreeTask(Task):
    """Sentences as :class:`structsvm.problems.trees.arcs.Arcs`, and their :class:`Trees`.

    Numbers of all labels of all arcs are in one array, arc after arc.
    """

    problem: DependencyTree

    def __init__(self, problem: DependencyTree, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.arcs(X))
        self.Y = None if Y is None else self._trees(Y)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self._trees(labels))

    # ------------------------------------------------------------------ best trees

    def search(self, w: Vector) -> Any:
        true, layout, scores = self.Y, self.X.layout, self._scores(w)
        # Lowering the arcs of the true tree orders all trees as raising all others does.
        scores[self.places(true)] -= 1
        found = self._best(scores)
        if not (self.problem.projective_ and true.crossing.any()):
            return found
        sums = [layout.sums(scores[self.places(trees)]) for trees in (true, found)]
        words = (true.crossing & (sums[0] >= sums[1]))[layout.words.owner]
        found.heads[words] = true.heads[words]
        if found.labels is not None:
            found.labels[words] = true.labels[words]
        return found

    def decode(self, w: Vector) -> Any:
        return self._best(self._scores(w))

    def losses(self, outputs: Any) -> Vector:
        wrong = self.Y.differ(self._trees(outputs))
        return np.asarray(self.X.layout.sums(wrong))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        arcs, trees = self.X, [self.Y, self._trees(outputs)]
        some = np.flatnonzero(trees[0].differ(trees[1]))  # the others cancel
        weight = weights[arcs.layout.words.owner[some]]
        votes = np.concatenate([weight, -weight]).astype(arcs.rows.dtype)
        found = np.concatenate([self.places(t)[some] for t in trees])
        places, labels = np.divmod(found, self.problem.n_labels)
        rows = arcs.rows[places]
        if self._is_plain:
            return np.asarray(rows.T @ votes, dtype=np.float64)
        shape = self.problem.n_labels, len(votes)
        votes = sparse.csr_matrix((votes, (labels, np.arange(len(votes)))), shape)
        return arcs.states.rows(rows).sums(votes).astype(np.float64)

    # ------------------------------------------------------------------ sums over all trees

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        truth, log_partition, p = self.distribution(w, mu)
        layout, places = self.X.layout, self.places(self.Y)
        # Lowering the truth instead of raising the others lowered every tree by 1 a word.
        values = mu * (log_partition - layout.sums(truth)) + layout.lengths
        certainty = p[places]
        p[places] = certainty - 1
        difference = -self._sums(self._weighted(p, weights))
        loss = float(weights @ (layout.lengths - layout.sums(certainty)))
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        _, _, p = self.distribution(w, mu)
        # As if arcs were independent; by rounding p may be above 1.
        variances = self._weighted(np.maximum(p * (1 - p), 0), weights)
        return self._sums(variances, square=True).astype(np.float64)

    def distribution(self, w: Vector, mu: float) -> tuple[Vector, Vector, Vector]:
        """The distribution of the soft oracle.

        Returns
        -------
        truth : ndarray of shape (n_words,)
            The scores of the true arcs, without losses, in units of mu.
        log_partition : ndarray of shape (n,)
        p : ndarray
            The probabilities of all labels of all arcs.
        """
        layout, scores, places = self.X.layout, self._scores(w, mu), self.places(self.Y)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = scores[places].astype(np.float64)
        scores[places] -= 1 / mu
        log_partition, p = self._marginals(scores)
        crossing = self.Y.crossing if self.problem.projective_ else np.zeros(1, dtype=bool)
        if crossing.any():  # one tree more
            own = np.where(crossing, layout.sums(scores[places]), -np.inf)
            log_partition, alone = np.logaddexp(log_partition, own), log_partition
            p *= np.repeat(np.exp(alone - log_partition), self._sizes)
            p[places] += np.exp(own - log_partition)[layout.words.owner]
        return truth, log_partition, p

    def probabilities(self, w: Vector, temperature: float) -> list[Vector]:
        """The probability of every arc in the tree, an array (m, m + 1) for each sentence.

        Of every label of every arc, (m, m + 1, R), with labels. A tree has a probability ~ exp(<w,
        Psi> / temperature).
        """
        _, p = self._marginals(self._scores(w, temperature))
        of_labels = () if self.problem.classes_ is None else (-1,)
        parts = np.split(p, np.cumsum(self._sizes)[:-1])
        return [
            part.reshape(m, m + 1, *of_labels)
            for part, m in zip(parts, self.X.layout.lengths.tolist(), strict=True)
        ]

    def probabilities_of_truth(self, w: Vector, temperature: float) -> Vector:
        """The probabilities of the arcs of the true trees, and of their labels, for each word."""
        _, p = self._marginals(self._scores(w, temperature))
        return np.asarray(p[self.places(self.Y)])

    def places(self, trees: Trees) -> Indices:
        """The places of the trees' arcs, one for each word, with their labels."""
        places = trees.places(self.X.layout)
        return places if trees.labels is None else places * self.problem.n_labels + trees.labels

    # ------------------------------------------------------------------ inside

    @property
    def _sizes(self) -> Indices:
        """The number of labels of arcs of each sentence."""
        lengths: Indices = self.X.layout.lengths
        return lengths * (lengths + 1) * self.problem.n_labels

    @property
    def _is_plain(self) -> bool:
        """Whether w has one weight for each feature: a vector is faster than a column."""
        return self.problem.n_labels == 1 and isinstance(self.problem.states_, AllStates)

    def _trees(self, outputs: Any) -> Trees:
        return self.problem.trees(outputs, self.X.layout)

    def _scores(self, w: Vector, mu: float = 1.0) -> Vector:
        """The scores of all labels of all arcs in units of mu."""
        weights = np.divide(w, mu, dtype=self.X.rows.dtype, casting="same_kind")
        if self._is_plain:
            return np.asarray(self.X.rows @ weights)
        return self.X.features.scores(weights).T.reshape(-1)

    def _sums(self, p: Vector, square: bool = False) -> Vector:
        """The sum of the rows of arcs, or of their squares, with weights of all their labels."""
        arcs = self.X
        p = p.astype(arcs.rows.dtype, copy=False)
        if self._is_plain:
            rows = squared(arcs.rows) if square else arcs.rows
            return np.asarray(rows.T @ p)
        features = arcs.features.squared() if square else arcs.features
        return features.sums(p.reshape(-1, self.problem.n_labels).T)

    def _weighted(self, p: Vector, weights: Vector) -> Vector:
        """Numbers of all labels of all arcs, times the weights of their sentences."""
        return p * np.repeat(weights, self._sizes)

    def _best(self, scores: Vector) -> Trees:
        """The trees of highest score, of arcs with their best labels."""
        problem, layout = self.problem, self.X.layout
        table = scores.reshape(-1, problem.n_labels)
        heads = best_heads(table.max(axis=1), layout, problem.single_root, problem.projective_)
        trees = Trees(heads, layout)
        if problem.classes_ is None:
            return trees
        labels = table[trees.places(layout)].argmax(axis=1)
        return Trees(heads, layout, labels, problem.classes_)

    def _marginals(self, scores: Vector) -> tuple[Vector, Vector]:
        """The log-partition functions, and the probabilities of all labels of all arcs."""
        problem = self.problem
        of_arcs, shares = _summed(scores.reshape(-1, problem.n_labels))
        log_partition, p = arc_marginals(
            of_arcs, self.X.layout, problem.single_root, problem.projective_
        )
        return log_partition, p if shares is None else (shares * p[:, None]).ravel()


def _summed(table: Vector) -> tuple[Vector, Any]:
    """log sum exp of each arc's labels, and their shares of the sum; None for a single label."""
    if table.shape[1] == 1:
        return table[:, 0], None
    highest = table.max(axis=1, keepdims=True)
    shares = np.exp(table - highest)
    sums = shares.sum(axis=1, keepdims=True)
    shares /= sums
    return (highest + np.log(sums))[:, 0], shares
