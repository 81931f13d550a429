"""Dependency parsing as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto
from structsvm.data.matrices import in_floats
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.states import (
    AllStates,
    KnownStates,
    States,
    chosen_states,
    require_choice,
)
from structsvm.problems.trees.arborescence import are_trees, best_trees
from structsvm.problems.trees.arcs import ArcLayout, Arcs, Trees, crossings
from structsvm.problems.trees.checks import (
    flat_trees,
    is_labelled,
    n_words,
    require_projective,
    require_trees,
    stacked_arcs,
)
from structsvm.problems.trees.task import TreeTask

#: Fraction of the training trees whose arcs cross, at most, where projective='auto' is True:
#: benchmarks/trees/projective.py.
MOST_CROSSING = 0.15


@dataclass(eq=False, repr=False)
class DependencyTree(SoftByTask):
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
        self.work = stored * self.n_labels / len(arcs)

    def task(self, X: Any, Y: Any = None) -> TreeTask:
        return TreeTask(self, X, Y)

    # ------------------------------------------------------------------ one sentence

    def joint_feature(self, x: Any, y: Any) -> Any:
        trees = self.trees([y], ArcLayout(np.array([n_words(x)])))
        rows = in_floats(x if sparse.issparse(x) else x.reshape(-1, self.n_features_))
        rows = rows[trees.places(trees.layout)]
        if self._labels is None:
            return sparse.csr_matrix(rows.sum(axis=0)) if sparse.issparse(x) else rows.sum(axis=0)
        of_labels = np.eye(self.n_labels)[trees.labels]
        if sparse.issparse(x):
            joint = (rows.T @ sparse.csr_matrix(of_labels)).reshape((1, -1)).tocsr()
            return self.states_.of_joint(joint)
        return self.states_.of_matrix(rows.T @ of_labels)

    def loss(self, y: Any, y_hat: Any) -> float:
        layout = ArcLayout(np.array([len(y)]))
        return float(self.trees([y], layout).differ(self.trees([y_hat], layout)).sum())

    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
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
        """Twelve short sentences with random features, and trees that follow from them."""
        rng = np.random.default_rng(0)
        X = [rng.normal(size=(m, m + 1, 3)) for m in rng.integers(1, 5, size=12)]
        scores = [x @ np.array([2.0, -1.0, 0.5]) for x in X]
        return X, [best_trees(s[None], True)[0] for s in scores]

    # ------------------------------------------------------------------ containers

    @property
    def n_labels(self) -> int:
        """R, or 1 without labels."""
        return 1 if self.classes_ is None else len(self.classes_)

    def arcs(self, X: Any) -> Arcs:
        """The inputs in one container."""
        arcs = stacked_arcs(X)
        if arcs.rows.shape[1] != self.n_features_:
            raise ValueError(
                f"X has {arcs.rows.shape[1]} features; expected {self.n_features_}, as in training"
            )
        return Arcs(arcs.rows, arcs.layout, self.states_)

    def trees(self, Y: Any, layout: ArcLayout) -> Trees:
        """Trees in one container, with label codes."""
        names: Any = self.classes_
        if isinstance(Y, Trees) and np.array_equal(Y.names, names):
            return Y
        heads, labels = flat_trees(Y, layout, self._labels is not None)
        codes = None if self._labels is None else self._labels.codes(labels)
        return Trees(heads, layout, codes, self.classes_)

    def _chosen_states(self, arcs: Arcs, trees: Trees, labels: Any) -> States:
        """The pairs of a feature and a label that have a weight; without labels, all features."""
        if self._labels is None:
            return AllStates(self.n_features_, 1)
        own, codes = arcs.rows[trees.places(arcs.layout)], self._labels.codes(labels)
        choice, names = self.all_possible_states, self._labels.names
        return chosen_states(choice, own, codes, names, self.known_states)
