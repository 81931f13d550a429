"""Dependency parsing as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.minibatches import MiniBatch
from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import SoftOutput, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.batches import LazySequence, alike
from structsvm.data.choices import Auto
from structsvm.data.matrices import in_floats
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.products import squared
from structsvm.problems.classification.states import (
    AllStates,
    KnownStates,
    States,
    chosen_states,
    require_choice,
)
from structsvm.problems.trees.arborescence import are_trees, best_trees
from structsvm.problems.trees.arcs import ArcLayout, Arcs, Trees, crossings, in_use
from structsvm.problems.trees.checks import (
    flat_trees,
    is_labelled,
    layout_of,
    n_words,
    require_projective,
    require_trees,
    stacked_arcs,
)
from structsvm.problems.trees.inference import arc_marginals, best_heads

#: Fraction of the training trees whose arcs cross, at most, where projective='auto' is True:
#: benchmarks/trees/projective.py.
MOST_CROSSING = 0.15
#: Arcs in a mini-batch.
ARCS = 50_000


@dataclass(eq=False, repr=False)
class DependencyTree(Problem):
    """Dependency trees: a head for every word of a sentence, without cycles.

    An input describes all arcs of a sentence of m words by d features: an array of shape
    (m, m + 1, d), where ``x[j - 1, i]`` describes the arc from head i to word j and head 0 is
    the root; or, if most are 0, a scipy.sparse CSR matrix of shape (m * (m + 1), d) with these
    rows one after the other. The arcs from words to themselves are ignored. An output is an array
    of m heads; or, for labelled arcs, a list of m pairs (head, label); the first output given
    decides which. Psi sums the features of a tree's arcs. With R labels each has its own weights:
    w has those of all pairs of a feature and a label, or of some, feature by feature. The loss is
    the number of words with a wrong head, or a wrong label.

    The oracles are exact: the maximum spanning arborescence, and the matrix-tree theorem for all
    sentences of about the same length at once; for projective trees, the algorithm of Eisner. With
    float32 inputs the products with them are in float32.

    Parameters
    ----------
    single_root : bool, default=True
        Whether exactly one word of a sentence has the head 0, as in Universal Dependencies.
    projective : bool or 'auto', default=False
        Whether arcs must not cross, those from the root included. True refuses training trees
        whose arcs do. 'auto' is True where at least 85 % of the training trees are projective, and
        keeps the others: in training, the oracles search all projective trees and the true one.
    all_possible_states : bool or 'auto', default='auto'
        Which pairs of a feature and a label have a weight, where arcs have labels: True, all;
        False, those that occur on arcs of true trees. 'auto' is all, if they are at most half a
        million; else those that occur, and of the most frequent features all, up to half a million.

    Attributes
    ----------
    n_features_ : int
        d.
    classes_ : ndarray of shape (R,) or None
        The labels, sorted; None without labels.
    projective_ : bool
        What ``projective`` is for the data.

    References
    ----------
    McDonald, Pereira, Ribarov & Hajic, Non-projective Dependency Parsing using Spanning Tree
    Algorithms, EMNLP 2005; Koo, Globerson, Carreras & Collins, Structured Prediction Models via the
    Matrix-Tree Theorem, EMNLP 2007, with both losses.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import DependencyTree
    >>> x = np.zeros((2, 3, 2))  # two words; features: from the root, and to the left
    >>> x[:, 0, 0] = x[0, 2, 1] = 1
    >>> svm = StructuredSVM(DependencyTree(), C=10.0).fit([x, x[:1, :2]], [[2, 0], [0]])
    >>> svm.predict([x])[0]
    array([2, 0])
    >>> pairs = [[(2, "det"), (0, "root")], [(0, "root")]]
    >>> svm = StructuredSVM(DependencyTree(), C=10.0).fit([x, x[:1, :2]], pairs)
    >>> svm.predict([x])[0]
    [(2, 'det'), (0, 'root')]
    """

    parallelism = "threads"

    #: States that have a weight though they may not occur; an estimator with a prior sets them.
    known_states: KnownStates | None = field(init=False, default=None)

    single_root: bool = True
    projective: bool | Auto = False
    all_possible_states: bool | Auto = "auto"

    def initialize(self, X: Any, Y: Any) -> None:
        if Y is None:
            raise ValueError("DependencyTree needs the outputs Y, trees; it is None")
        require_projective(self.projective)
        require_choice(self.all_possible_states)
        arcs, labelled = stacked_arcs(X), is_labelled(Y)
        heads, labels = flat_trees(Y, arcs.layout, labelled)
        require_trees(heads, arcs.layout, self.single_root, self.projective is True)
        trees = Trees(heads, arcs.layout)
        self.projective_ = self.projective is True or (
            self.projective == "auto" and bool(trees.crossing.mean() <= MOST_CROSSING)
        )
        self.decode_may_miss = self.projective_ and bool(trees.crossing.any())
        known = self.known_states
        every = labels if known is None else known.and_labels(labels)
        self._labels = Labels(every, least=1) if labelled else None
        if self._labels is not None and len(self._labels) == 1:
            raise ValueError(
                f"all arcs in Y have the same label, {labels[0]!r}; give trees without labels: the "
                "heads alone"
            )
        self.classes_ = None if self._labels is None else self._labels.names
        self.n_features_ = arcs.rows.shape[1]
        self.states_ = self._chosen_states(arcs, trees, labels)
        self.size_joint_feature = self.states_.size
        stored = arcs.rows.nnz if sparse.issparse(arcs.rows) else arcs.rows.size
        self.work = stored * self._n_labels / len(arcs)

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        arcs = self._arcs(X)
        return arcs, None if Y is None else self._trees(Y, arcs.layout)

    # ------------------------------------------------------------------ one sentence

    def joint_feature(self, x: Any, y: Any) -> Any:
        trees = self._trees([y], ArcLayout(np.array([n_words(x)])))
        rows = in_floats(x if sparse.issparse(x) else x.reshape(-1, self.n_features_))
        rows = rows[trees.places(trees.layout)]
        if self._labels is None:
            return sparse.csr_matrix(rows.sum(axis=0)) if sparse.issparse(x) else rows.sum(axis=0)
        of_labels = np.eye(self._n_labels)[trees.labels]
        if sparse.issparse(x):
            joint = (rows.T @ sparse.csr_matrix(of_labels)).reshape((1, -1)).tocsr()
            return self.states_.of_joint(joint)
        return self.states_.of_matrix(rows.T @ of_labels)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.batch_loss([y], [y_hat])[0])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        values, difference, loss, _ = self.sum_soft_oracle([x], [y], w, mu, np.ones(1))
        return SoftOutput(float(values[0]), difference, loss)

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        _, places, _, (_, p) = self._distribution([x], [y], w, mu)
        p[places] -= 1
        return (p.reshape(-1, self._n_labels) @ self.states_.by_label(w)).reshape(x.shape)

    def outputs(self, x: Any) -> Iterable[Any]:
        m = n_words(x)
        choices = np.array(list(product(range(m + 1), repeat=m)))
        choices = choices[are_trees(choices, self.single_root)]
        if self.projective_:
            choices = choices[~crossings(choices).any(axis=(1, 2))]
        for heads in choices:
            if self.classes_ is None:
                yield heads
                continue
            for labels in product(self.classes_.tolist(), repeat=m):
                yield list(zip(heads.tolist(), labels, strict=True))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Twelve short sentences with random features, and trees that follow from them."""
        rng = np.random.default_rng(0)
        X = [rng.normal(size=(m, m + 1, 3)) for m in rng.integers(1, 5, size=12)]
        scores = [x @ np.array([2.0, -1.0, 0.5]) for x in X]
        return X, [best_trees(s[None], True)[0] for s in scores]

    # ------------------------------------------------------------------ all sentences at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        arcs, scores = self._scored(X, w)
        true, layout = self._trees(Y, arcs.layout), arcs.layout
        # Lowering the arcs of the true tree orders all trees as raising all others does.
        scores[self._places(true, layout)] -= 1
        found = self._best(layout, scores)
        if not (self.projective_ and true.crossing.any()):
            return found
        sums = [layout.sums(scores[self._places(trees, layout)]) for trees in (true, found)]
        words = (true.crossing & (sums[0] >= sums[1]))[layout.words.owner]
        found.heads[words] = true.heads[words]
        if found.labels is not None:
            found.labels[words] = true.labels[words]
        return found

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        arcs, scores = self._scored(X, w)
        return self._best(arcs.layout, scores)

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        layout = Y.layout if isinstance(Y, Trees) else layout_of(Y)
        true, found = self._trees(Y, layout), self._trees(Y_hat, layout)
        return layout.sums(_differ(true, found))

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        arcs = self._arcs(X)
        layout, R = arcs.layout, self._n_labels
        trees = [self._trees(y, layout) for y in (Y, Y_hat)]
        some = np.flatnonzero(_differ(*trees))  # the others cancel
        weight = np.asarray(weights)[layout.words.owner[some]]
        votes = np.concatenate([weight, -weight]).astype(arcs.rows.dtype)
        places, labels = np.divmod(
            np.concatenate([self._places(t, layout)[some] for t in trees]), R
        )
        rows = arcs.rows[places]
        if R == 1:
            return np.asarray(rows.T @ votes, dtype=np.float64)
        shape = R, len(votes)
        votes = sparse.csr_matrix((votes, (labels, np.arange(len(votes)))), shape)
        return self.states_.rows(rows).sums(votes).astype(np.float64)

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        arcs, places, truth, (log_partition, p) = self._distribution(X, Y, w, mu)
        layout = arcs.layout
        # Lowering the truth instead of raising the others lowered every tree by 1 a word.
        values = mu * (log_partition - layout.sums(truth)) + layout.lengths
        certainty = p[places]
        p[places] = certainty - 1
        difference = -self._sums(self._weighted(p, weights, layout), arcs)
        loss = float(weights @ (layout.lengths - layout.sums(certainty)))
        return SoftSum(values, difference, loss)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        arcs, _, _, (_, p) = self._distribution(X, Y, w, mu)
        # As if arcs were independent; by rounding p may be above 1.
        variances = self._weighted(np.maximum(p * (1 - p), 0), weights, arcs.layout)
        return self._sums(variances, arcs, square=True).astype(np.float64)

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        def made(places: Indices) -> MiniBatch:
            states, x = in_use(X, places)
            return MiniBatch(places, states, x, Y[places])

        lengths = X.layout.lengths
        return LazySequence(made, alike(lengths, lengths * (lengths + 1), ARCS))

    def probabilities(self, X: Any, w: Vector, temperature: float) -> list[Vector]:
        """The probability of every arc in the tree, an array (m, m + 1) for each sentence.

        Of every label of every arc, (m, m + 1, R), with labels. A tree has a probability ~ exp(<w,
        Psi> / temperature).
        """
        arcs, scores = self._scored(X, w, temperature)
        _, p = self._marginals(scores, arcs.layout)
        lengths, of_labels = arcs.layout.lengths, () if self.classes_ is None else (-1,)
        ends = np.cumsum(self._sizes(arcs.layout))
        return [
            part.reshape(m, m + 1, *of_labels)
            for part, m in zip(np.split(p, ends[:-1]), lengths.tolist(), strict=True)
        ]

    def probabilities_of(self, X: Any, Y: Any, w: Vector, temperature: float) -> Vector:
        """The probabilities of the arcs of trees, and of their labels, for each word."""
        arcs, scores = self._scored(X, w, temperature)
        _, p = self._marginals(scores, arcs.layout)
        return np.asarray(p[self._places(self._trees(Y, arcs.layout), arcs.layout)])

    # ------------------------------------------------------------------ inside

    @property
    def _n_labels(self) -> int:
        return 1 if self.classes_ is None else len(self.classes_)

    @property
    def _is_plain(self) -> bool:
        """Whether w has a weight for each feature: a vector is faster than a column."""
        return self._n_labels == 1 and isinstance(self.states_, AllStates)

    def _chosen_states(self, arcs: Arcs, trees: Trees, labels: Any) -> States:
        """The pairs of a feature and a label that have a weight; without labels, all features."""
        if self._labels is None:
            return AllStates(self.n_features_, 1)
        own, codes = arcs.rows[trees.places(arcs.layout)], self._labels.codes(labels)
        choice, names = self.all_possible_states, self._labels.names
        return chosen_states(choice, own, codes, names, self.known_states)

    def _arcs(self, X: Any) -> Arcs:
        """The inputs in one container; a mini-batch has only some of the features."""
        arcs = X if isinstance(X, Arcs) else stacked_arcs(X)
        if arcs.states is not None:
            return arcs
        if arcs.rows.shape[1] != self.n_features_:
            raise ValueError(
                f"X has {arcs.rows.shape[1]} features; expected {self.n_features_}, as in training"
            )
        return Arcs(arcs.rows, arcs.layout, self.states_)

    def _trees(self, Y: Any, layout: ArcLayout) -> Trees:
        """Trees in one container, with label codes."""
        names: Any = self.classes_
        if isinstance(Y, Trees) and np.array_equal(Y.names, names):
            return Y
        heads, labels = flat_trees(Y, layout, self._labels is not None)
        codes = None if self._labels is None else self._labels.codes(labels)
        return Trees(heads, layout, codes, self.classes_)

    def _places(self, trees: Trees, arcs: ArcLayout) -> Indices:
        """The places of the trees' arcs, one for each word, in a flattened table with labels."""
        places = trees.places(arcs)
        return places if trees.labels is None else places * self._n_labels + trees.labels

    def _scored(self, X: Any, w: Vector, mu: float = 1.0) -> tuple[Arcs, Vector]:
        """The inputs, and the scores of all labels of all arcs in units of mu, flattened."""
        arcs = self._arcs(X)
        weights = np.divide(w, mu, dtype=arcs.rows.dtype, casting="same_kind")
        if self._is_plain:
            return arcs, arcs.rows @ weights
        return arcs, arcs.features.scores(weights).T.reshape(-1)

    def _sums(self, p: Vector, arcs: Arcs, square: bool = False) -> Vector:
        """The sum of the rows of arcs, or of their squares, with weights of all their labels."""
        p = p.astype(arcs.rows.dtype, copy=False)
        if self._is_plain:
            rows = squared(arcs.rows) if square else arcs.rows
            return np.asarray(rows.T @ p)
        features = arcs.features.squared() if square else arcs.features
        return features.sums(p.reshape(-1, self._n_labels).T)

    def _weighted(self, p: Vector, weights: Vector, layout: ArcLayout) -> Vector:
        """Numbers of all labels of all arcs, times the weights of their sentences."""
        return p * np.repeat(weights, self._sizes(layout))

    def _sizes(self, layout: ArcLayout) -> Indices:
        """The number of labels of arcs of each sentence."""
        return layout.lengths * (layout.lengths + 1) * self._n_labels

    def _best(self, layout: ArcLayout, scores: Vector) -> Trees:
        """The trees of highest score, of arcs with their best labels."""
        table = scores.reshape(-1, self._n_labels)
        heads = best_heads(table.max(axis=1), layout, self.single_root, self.projective_)
        trees = Trees(heads, layout)
        if self.classes_ is None:
            return trees
        labels = table[trees.places(layout)].argmax(axis=1)
        return Trees(heads, layout, labels, self.classes_)

    def _distribution(
        self, X: Any, Y: Any, w: Vector, mu: float
    ) -> tuple[Arcs, Indices, Vector, tuple[Vector, Vector]]:
        """The inputs, the places of the true arcs, their scores, and the marginals.

        These are the log-partition functions, and the probabilities of all labels of all arcs.
        """
        arcs, scores = self._scored(X, w, mu)
        layout = arcs.layout
        places = self._places(self._trees(Y, layout), layout)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = scores[places].astype(np.float64)
        scores[places] -= 1 / mu
        log_partition, p = self._marginals(scores, layout)
        crossing = self._trees(Y, layout).crossing if self.projective_ else np.zeros(1, dtype=bool)
        if crossing.any():  # one tree more
            own = np.where(crossing, layout.sums(scores[places]), -np.inf)
            log_partition, alone = np.logaddexp(log_partition, own), log_partition
            p *= np.repeat(np.exp(alone - log_partition), self._sizes(layout))
            p[places] += np.exp(own - log_partition)[layout.words.owner]
        return arcs, places, truth, (log_partition, p)

    def _marginals(self, scores: Vector, layout: ArcLayout) -> tuple[Vector, Vector]:
        """The log-partition functions, and the probabilities of all labels of all arcs."""
        of_arcs, shares = _summed(scores.reshape(-1, self._n_labels))
        log_partition, p = arc_marginals(of_arcs, layout, self.single_root, self.projective_)
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


def _differ(true: Trees, found: Trees) -> Any:
    """Whether the heads, or the labels, of words differ; shape (n_words,), bool."""
    differ = true.heads != found.heads
    return differ if true.labels is None else differ | (true.labels != found.labels)
