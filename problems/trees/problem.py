"""Dependency parsing as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto
from structsvm.data.matrices import in_floats
from structsvm.data.validation import require_flag
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.products import squared
from structsvm.problems.classification.states import (
    AllStates,
    KnownStates,
    States,
    chosen_states,
    require_choice,
)
from structsvm.problems.trees.arborescence import are_trees, best_trees, tree_max_marginals
from structsvm.problems.trees.data import (
    ArcLayout,
    Arcs,
    Trees,
    crossings,
    flat_trees,
    is_labelled,
    n_words,
    require_trees,
)
from structsvm.problems.trees.eisner import (
    best_projective_trees,
    projective_marginals,
    projective_max_marginals,
)
from structsvm.problems.trees.matrix_tree import tree_marginals
from structsvm.task.task import Task

#: Largest fraction of training trees with crossing arcs for which projective='auto' is True, from
#: benchmarks/trees/projective.py.
MOST_CROSSING = 0.15


@dataclass(eq=False, repr=False)
class DependencyTree(SoftByTask):
    """The problem of finding dependency trees: a head for every word of a sentence, without cycles.

    An input describes all arcs of a sentence of m words by d features. An input is an array of
    shape (m, m + 1, d), where ``x[j - 1, i]`` describes the arc from head i to word j, and head 0
    is the root. If most features are 0, the input may be a scipy.sparse CSR matrix of shape (m * (m
    + 1), d). The rows of the matrix hold the arcs from all heads to word 1, then to word 2, and so
    on. The arcs from words to themselves are ignored. An output is an array of m heads or, for
    labelled arcs, a list of m pairs (head, label). The first training output decides which form all
    outputs have. Psi sums the features of a tree's arcs. If there are R labels, each label has
    separate weights. With labels, w has an entry for each pair of a feature and a label, or for
    some of the pairs, in the order of the features. The loss is the number of words with a wrong
    head or label.

    The oracles are exact: they use maximum spanning arborescences and the matrix-tree theorem or,
    for projective trees, the algorithm of Eisner. Sentences of the same length are solved together.
    Products with float32 inputs are computed in float32.

    Parameters
    ----------
    single_root : bool, default=True
        Whether exactly one word of a sentence has the head 0, as in Universal Dependencies.
    projective : bool or 'auto', default=False
        Whether trees must be projective: no arcs cross, including arcs from the root. With True,
        training trees with crossing arcs raise an error. With 'auto', predictions are projective if
        at least 85 % of the training trees are projective. With 'auto', training trees may have
        crossing arcs. With 'auto', the training oracles search all projective trees and the true
        tree.
    all_possible_states : bool or 'auto', default='auto'
        For labelled arcs: whether all pairs of a feature and a label have a weight (True), or only
        the pairs that occur in true trees (False). 'auto' takes all pairs of a feature and a label
        if there are at most half a million of them. If there are more than half a million pairs of
        a feature and a label, 'auto' takes the pairs that occur in true trees. 'auto' adds pairs of
        the most frequent features with all labels, up to a total of half a million pairs of a
        feature and a label.

    Attributes
    ----------
    n_features_ : int
        d.
    classes_ : ndarray of shape (R,) or None
        The sorted labels, or None if arcs have no labels.
    projective_ : bool
        Whether predicted trees are projective, after 'auto' is decided.

    References
    ----------
    McDonald, Pereira, Ribarov & Hajic, Non-projective Dependency Parsing using Spanning Tree
    Algorithms, EMNLP 2005 (maximum spanning trees); Koo, Globerson, Carreras & Collins, Structured
    Prediction Models via the Matrix-Tree Theorem, EMNLP 2007 (hinge loss and log loss).

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

    #: States that have a weight even if they do not occur; an estimator with a prior sets them.
    known_states: KnownStates | None = field(init=False, default=None)

    single_root: bool = True
    projective: bool | Auto = False
    all_possible_states: bool | Auto = "auto"

    def initialize(self, X: Any, Y: Any) -> None:
        if Y is None:
            raise ValueError("DependencyTree needs the outputs Y, trees; it is None")
        require_flag("single_root", self.single_root)
        if not (isinstance(self.projective, str) and self.projective == "auto"):
            require_flag("projective, if not 'auto',", self.projective)
        require_choice(self.all_possible_states)
        arcs, labelled = Arcs.of(X), is_labelled(Y)
        heads, labels = flat_trees(Y, arcs.layout, labelled)
        require_trees(heads, arcs.layout, self.single_root, self.projective is True)
        trees = Trees(heads, arcs.layout)
        self.projective_ = self.projective is True or (
            self.projective == "auto" and bool(trees.crossing.mean() <= MOST_CROSSING)
        )
        self.decode_may_miss = self.projective_ and bool(trees.crossing.any())
        self.n_features_ = arcs.rows.shape[1]
        self._labels: Labels | None = None
        self.classes_: Any = None
        self.states_: States = AllStates(self.n_features_, 1)
        if labelled:
            self._learn_labels(labels, arcs.rows[trees.places(arcs.layout)])
        self.size_joint_feature = self.states_.size
        self.work = arcs.rows.size * self.n_labels / len(arcs)

    def task(self, X: Any, Y: Any = None) -> TreeTask:
        return TreeTask(self, X, Y)

    # ------------------------------------------------------------------ one sentence

    def joint_feature(self, x: Any, y: Any) -> Any:
        trees = self.trees([y], ArcLayout([n_words(x)]))
        rows = in_floats(x if sparse.issparse(x) else x.reshape(-1, self.n_features_))
        rows = rows[trees.places(trees.layout)]
        of_labels = np.eye(self.n_labels)[trees.labels]
        if sparse.issparse(x):
            joint = (rows.T @ sparse.csr_matrix(of_labels)).reshape((1, -1)).tocsr()
            return self.states_.of_joint(joint)
        return self.states_.of_matrix(rows.T @ of_labels)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        trees = self.trees([y], ArcLayout([n_words(x)]))
        rows = in_floats(x if sparse.issparse(x) else x.reshape(-1, self.n_features_))
        rows = self.states_.of_rows(rows[trees.places(trees.layout)], trees.labels)
        arcs = [(head, word) for word, head in enumerate(trees.heads.tolist(), 1)]
        return ScoreTerms(arcs, np.ones(len(arcs)), rows, w)

    def loss(self, y: Any, y_hat: Any) -> float:
        layout = ArcLayout([len(y)])
        return float(self.trees([y], layout).differ(self.trees([y_hat], layout)).sum())

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``soft_oracle(x, y, w, mu).value`` with respect to x.

        Returns
        -------
        ndarray of the shape of x
        """
        task = self.task([x], [y])
        _, _, p = task.distribution(w, mu)
        p[task.places(task.Y)] -= 1
        return (p.reshape(-1, self.n_labels) @ self.states_.by_label(w)).reshape(x.shape)

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
        """Return twelve short sentences with random features, and their best trees for one w."""
        rng = np.random.default_rng(0)
        X = [rng.normal(size=(m, m + 1, 3)) for m in rng.integers(1, 5, size=12)]
        scores = [x @ np.array([2.0, -1.0, 0.5]) for x in X]
        return X, [best_trees(s[None], True)[0] for s in scores]

    # ------------------------------------------------------------------ containers

    @property
    def n_labels(self) -> int:
        """The number of labels R, or 1 without labels."""
        return 1 if self.classes_ is None else len(self.classes_)

    def arcs(self, X: Any) -> Arcs:
        """Return the inputs in one container."""
        arcs = Arcs.of(X)
        if arcs.rows.shape[1] != self.n_features_:
            raise ValueError(
                f"X has {arcs.rows.shape[1]} features; expected {self.n_features_}, as in training"
            )
        return arcs.with_fields(states=self.states_)

    def trees(self, Y: Any, layout: ArcLayout) -> Trees:
        """Return trees in one container, with labels as codes."""
        names: Any = self.classes_
        if isinstance(Y, Trees) and np.array_equal(Y.names, names):
            return Y
        heads, labels = flat_trees(Y, layout, self._labels is not None)
        codes = np.zeros_like(heads) if self._labels is None else self._labels.codes(labels)
        return Trees(heads, layout, codes, self.classes_)

    def _learn_labels(self, labels: Any, rows: Any) -> None:
        """Set the labels, and decide which pairs of a feature and a label have a weight.

        ``rows`` holds the features of the arcs of true trees.
        """
        known = self.known_states
        found = Labels(labels if known is None else known.and_labels(labels), least=1)
        if len(found) == 1:
            raise ValueError(
                f"all arcs in Y have the same label, {labels[0]!r}; give trees without labels: the "
                "heads alone"
            )
        self._labels, self.classes_ = found, found.names
        codes, choice = found.codes(labels), self.all_possible_states
        self.states_ = chosen_states(choice, [(rows, codes)], found.names, known)


class TreeTask(Task):
    """The task of finding trees: searches and sums for many sentences together.

    X holds :class:`Arcs`, and Y their :class:`Trees`. Arrays over all pairs of an arc and a label
    are sorted by the arc, then by the label.
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
        # Lowering the arcs of the true tree orders the trees as raising all other arcs does.
        scores[self.places(true)] -= 1
        found = self._best(scores)
        if not (self.problem.projective_ and true.crossing.any()):
            return found
        sums = [layout.sums(scores[self.places(trees)]) for trees in (true, found)]
        words = (true.crossing & (sums[0] >= sums[1]))[layout.owner]
        found.heads[words], found.labels[words] = true.heads[words], true.labels[words]
        return found

    def decode(self, w: Vector) -> Any:
        return self._best(self._scores(w))

    def losses(self, outputs: Any) -> Vector:
        return np.asarray(self.X.layout.sums(self.Y.differ(self._trees(outputs))))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        arcs, trees = self.X, [self.Y, self._trees(outputs)]
        some = np.flatnonzero(trees[0].differ(trees[1]))  # the others cancel
        weight = weights[arcs.layout.owner[some]]
        votes = np.concatenate([weight, -weight]).astype(arcs.rows.dtype)
        found = np.concatenate([self.places(t)[some] for t in trees])
        places, labels = np.divmod(found, self.problem.n_labels)
        rows = arcs.rows[places]
        if self._is_plain:
            return np.asarray(rows.T @ votes, dtype=np.float64)
        shape = self.problem.n_labels, len(votes)
        votes = sparse.csr_matrix((votes, (labels, np.arange(len(votes)))), shape)
        return np.asarray(arcs.states.rows(rows).sums(votes), dtype=np.float64)

    # ------------------------------------------------------------------ sums over all trees

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        truth, log_partition, p = self.distribution(w, mu)
        layout, places = self.X.layout, self.places(self.Y)
        # Lowering the true arcs instead of raising the others lowered every tree by 1 per word.
        values = mu * (log_partition - layout.sums(truth)) + layout.sizes
        certainty = p[places]
        p[places] = certainty - 1
        difference = -self._sums(self._weighted(p, weights))
        loss = float(weights @ (layout.sizes - layout.sums(certainty)))
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        _, _, p = self.distribution(w, mu)
        # Treat arcs as independent. Rounding errors may raise p above 1.
        variances = self._weighted(np.maximum(p * (1 - p), 0), weights)
        return self._sums(variances, square=True).astype(np.float64)

    def distribution(self, w: Vector, mu: float) -> tuple[Vector, Vector, Vector]:
        """Return the distribution of the soft oracle.

        Returns
        -------
        truth : ndarray of shape (n_words,)
            The scores of the true arcs, without losses, in units of mu.
        log_partition : ndarray of shape (n,)
        p : ndarray
            The probabilities of all labels of all arcs.
        """
        layout, scores, places = self.X.layout, self._scores(w, mu), self.places(self.Y)
        # Take these scores before the loss is added: the value is relative to the plain score of
        # the truth.
        truth = scores[places].astype(np.float64)
        scores[places] -= 1 / mu
        log_partition, p = self._marginals(scores)
        crossing = self.Y.crossing if self.problem.projective_ else np.zeros(1, dtype=bool)
        if crossing.any():  # add the true tree
            own = np.where(crossing, layout.sums(scores[places]), -np.inf)
            log_partition, alone = np.logaddexp(log_partition, own), log_partition
            p = self._weighted(p, np.exp(alone - log_partition))
            p[places] += np.exp(own - log_partition)[layout.owner]
        return truth, log_partition, p

    def probabilities(self, w: Vector, temperature: float) -> list[Vector]:
        """Return the probabilities of all arcs, an array of shape (m, m + 1) for each sentence.

        If arcs have labels, the arrays have a third axis, with an entry for each label. The
        probability of a tree is proportional to exp(<w, Psi> / temperature).
        """
        _, p = self._marginals(self._scores(w, temperature))
        labels = () if self.problem.classes_ is None else (self.problem.n_labels,)
        p, layout = p.reshape(-1, *labels), self.X.layout
        return [
            p[layout.arcs.rows(i)].reshape(m, m + 1, *labels) for i, m in enumerate(layout.sizes)
        ]

    def probabilities_of_truth(self, w: Vector, temperature: float) -> Vector:
        """Return, for each word, the probability of its true arc and label."""
        _, p = self._marginals(self._scores(w, temperature))
        return np.asarray(p[self.places(self.Y)])

    def places(self, trees: Trees) -> Indices:
        """Return, for each word, the index of its labelled arc among all labelled arcs."""
        return np.asarray(trees.places(self.X.layout) * self.problem.n_labels + trees.labels)

    # ------------------------------------------------------------------ arcs as parts

    def part_names(self, i: int) -> list[Any]:
        m, classes = int(self.X.layout.sizes[i]), self.problem.classes_
        heads = range(m + 1)
        return [[*(heads if classes is None else product(heads, classes.tolist()))]] * m

    def part_places(self, outputs: Any) -> list[Indices]:
        layout, places = self.X.layout, self.places(self._trees(outputs))
        places -= layout.arcs.starts[layout.owner] * self.problem.n_labels
        return [places[layout.rows(i)] for i in range(self.n)]

    def decode_with(self, w: Vector, places: Sequence[int]) -> Any:
        scores, layout = self._scores(w).astype(np.float64), self.X.layout
        large = 1 + 2 * np.abs(scores).max() * layout.sizes.max()  # decides any tree
        scores[layout.arcs.starts[:-1] * self.problem.n_labels + places] += large
        return self._best(scores)

    def max_marginals(self, w: Vector) -> list[Vector]:
        problem, layout = self.problem, self.X.layout
        with_arcs = projective_max_marginals if problem.projective_ else tree_max_marginals
        table = self._scores(w).astype(np.float64).reshape(-1, problem.n_labels)
        for _, arcs in layout.by_length:
            best = table[arcs].max(axis=3)
            table[arcs] += (with_arcs(best, problem.single_root) - best)[..., None]
        return [table[layout.arcs.rows(i)].reshape(m, -1) for i, m in enumerate(layout.sizes)]

    # ------------------------------------------------------------------ inside

    @property
    def _is_plain(self) -> bool:
        """Whether w has exactly one weight for each feature."""
        return self.problem.n_labels == 1 and isinstance(self.problem.states_, AllStates)

    def _trees(self, outputs: Any) -> Trees:
        return self.problem.trees(outputs, self.X.layout)

    def _scores(self, w: Vector, mu: float = 1.0) -> Vector:
        """Return the scores of all labels of all arcs, divided by ``mu``."""
        X = self.X
        weights = (w if mu == 1 else w / mu).astype(X.rows.dtype, copy=False)
        if self._is_plain:
            return np.asarray(X.rows @ weights)
        once = self.Y is None  # to predict
        found = X.states.scores(X.rows, weights) if once else X.features.scores(weights)
        return np.reshape(found.T, -1)

    def _sums(self, p: Vector, square: bool = False) -> Vector:
        """Sum the features of arcs, or their squares, with weights for each label of each arc."""
        arcs = self.X
        p = p.astype(arcs.rows.dtype, copy=False)
        if self._is_plain:
            rows = squared(arcs.rows) if square else arcs.rows
            return np.asarray(rows.T @ p)
        features = arcs.features.squared() if square else arcs.features
        return np.asarray(features.sums(p.reshape(-1, self.problem.n_labels).T))

    def _weighted(self, p: Vector, weights: Vector) -> Vector:
        """Multiply ``p``, an entry for each label of each arc, by the weights of the sentences."""
        return p * np.repeat(weights, self.X.layout.arcs.sizes * self.problem.n_labels)

    def _best(self, scores: Vector) -> Trees:
        """Return the trees of highest score, with the best label of each arc."""
        problem, layout = self.problem, self.X.layout
        table = scores.reshape(-1, problem.n_labels)
        heads = best_heads(table.max(axis=1), layout, problem.single_root, problem.projective_)
        labels = table[layout.from_root + heads].argmax(axis=1)
        return Trees(heads, layout, labels, problem.classes_)

    def _marginals(self, scores: Vector) -> tuple[Vector, Vector]:
        """Return the log-partition functions, and the probabilities of every label of every arc."""
        problem = self.problem
        table = scores.reshape(-1, problem.n_labels)
        highest = table.max(axis=1, keepdims=True)
        shares = np.exp(table - highest)
        sums = shares.sum(axis=1, keepdims=True)
        of_arcs = (highest + np.log(sums))[:, 0]
        log_partition, p = arc_marginals(
            of_arcs, self.X.layout, problem.single_root, problem.projective_
        )
        return log_partition, (shares / sums * p[:, None]).ravel()


def best_heads(
    scores: Vector, layout: ArcLayout, single_root: bool, projective: bool = False
) -> Indices:
    """Return the heads of all words in the best trees; ``scores`` holds the score of each arc."""
    best = best_projective_trees if projective else best_trees
    heads = np.empty(len(layout.owner), dtype=np.intp)
    for group in layout.by_length:
        words = layout.rows_of(group.sentences)
        heads[words] = best(scores[group.arcs], single_root).ravel()
    return heads


def arc_marginals(
    scores: Vector, layout: ArcLayout, single_root: bool, projective: bool = False
) -> tuple[Vector, Vector]:
    """Return the log-partition function of each sentence, and the probabilities of all arcs."""
    marginals_of = projective_marginals if projective else tree_marginals
    log_partition, p = np.empty(len(layout)), np.empty(layout.n_arcs)
    for group in layout.by_length:
        found = marginals_of(scores[group.arcs], single_root)
        log_partition[group.sentences], p[group.arcs] = found
    return log_partition, p
