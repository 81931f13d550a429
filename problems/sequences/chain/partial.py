"""Chains trained on partly known labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.latent import LatentProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import ClassWeight
from structsvm.data.conversion import is_missing, require_ordered
from structsvm.data.validation import require_number
from structsvm.docstrings import documented
from structsvm.problems.classification.weighted_labels import WeightedLabels
from structsvm.problems.sequences.chain.data import Packed, packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.problem import Chain, ChainTask
from structsvm.problems.sequences.chain.search import viterbi
from structsvm.problems.sequences.chain.transitions import Rule
from structsvm.problems.sequences.problem import Labelled

#: The integer that stands for an unknown label, as in scikit-learn.
UNKNOWN = -1


class PartialTask(ChainTask):
    """The task of a :class:`PartialChain`; Y holds annotations until labels are imputed."""

    problem: PartialChain

    def impute(self, w: Vector) -> Packed:
        problem, layout = self.problem, self.X.layout
        unary, transition = self.scores(w)
        codes = problem.known_codes(self.Y, layout)
        known = codes >= 0
        own = unary[codes[known], known]
        unary[:, known] = -np.inf
        unary[codes[known], known] = own
        found = viterbi(unary, transition, layout)
        found[known] = codes[known]  # these differ if no allowed labelling has the known labels
        weight = problem.unknown_weight
        weights = None if weight == 1 else np.where(known, 1.0, weight)
        labelling = Packed(found, layout, problem.classes_, weights)
        if problem.allowed_ is not None:
            problem.allowed_.require(labelling)
        return labelling


@documented
class PartialChain(LatentProblem, Chain):
    """A :class:`Chain` trained on sequences whose labels may be partly or wholly unknown.

    In an annotation, an unknown label is None, or -1 if labels are integers, as in scikit-learn.
    The annotation of a sequence without any label is None. Viterbi's algorithm replaces unknown
    labels by the best labelling that has the known labels.

    A position with a known label counts fully in the loss, and a position with an unknown label
    counts with ``unknown_weight``. With ``unknown_weight=0``, the problem is a latent structural
    SVM (Yu & Joachims, ICML 2009). If ``unknown_weight`` is 0, the loss does not depend on latent
    labels, and a sequence without any label has a slack of 0. A sequence without any label still
    counts in the mean slack, which C multiplies. If ``unknown_weight`` is > 0, completed labels
    must be predicted with a margin, too, as in a transductive structural SVM.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    class_weight : dict or 'balanced', optional
        The loss of a wrong label, for each true label; 1 by default. With 'balanced', the losses
        are inversely proportional to the frequencies of the known labels.
    unknown_weight : float, default=0.0
        The factor, >= 0, that multiplies the loss at positions with an unknown label.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The known labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import LatentSVM
    >>> from structsvm.problems import PartialChain
    >>> X = [np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])]
    >>> svm = LatentSVM(PartialChain(), C=10.0).fit(X, [["walk", None, "read"], ["read", None]])
    >>> print(svm.result_.labels[0].labels)
    ['walk' 'read' 'read']
    """

    kind_of_task = PartialTask

    def __init__(
        self,
        allowed_transitions: Rule | None = None,
        class_weight: ClassWeight = None,
        unknown_weight: float = 0.0,
    ) -> None:
        # A feature may occur with a label only at positions with unknown labels.
        super().__init__(allowed_transitions, class_weight, all_possible_states=True)
        self.unknown_weight = unknown_weight

    def initialize(self, X: Any, Y: Any) -> None:
        require_number("unknown_weight", self.unknown_weight, ">= 0")
        X = packed(X)
        labels = [label for label in _flat(Y, X.layout) if label is not None]
        if not labels:
            raise ValueError(
                "PartialChain has nothing to learn from: no label in Y is known; give the labels "
                "of some positions"
            )
        self._learn_labels(np.array(labels))
        codes = self.known_codes(Y, X.layout)
        self._learn([Labelled(X.rows, codes[codes >= 0], X)])
        one_hot = (codes[:, None] == np.arange(len(self.classes_))).astype(float)
        sums, counts = X.rows.T @ one_hot, one_hot.sum(axis=0)
        self._means = np.asarray(sums / counts - sums.sum(axis=1, keepdims=True) / counts.sum())

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """Return the mean features of each known label minus the mean of all rows, plus noise."""
        k, noise = len(self.classes_), super().initial_w(X, rng)
        return np.asarray(noise + np.concatenate([self._means.ravel(), np.zeros(k * k)]))

    def complete(self, x: Any, y: Any, w: Vector) -> Any:
        return self.task([x], [y]).impute(w)[0]

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        return self.complete(x, y, w)

    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        """Return the loss at known positions; a true label that training did not have adds 1."""
        labels, classes = known_labels(y, len(y_hat)), self.classes_.tolist()
        weights = [label in classes for label in labels]
        filled = [label if label in classes else classes[0] for label in labels]
        new = sum(label is not None for label in labels) - sum(weights)
        return self.loss(WeightedLabels(filled, weights), y_hat) + new

    def known_codes(self, Y: Any, layout: ChainLayout) -> Indices:
        """Return the codes of labels in the order of the layout, with -1 for unknown labels."""
        labels = _flat(Y, layout)
        known = [i for i, label in enumerate(labels) if label is not None]
        codes = np.full(len(labels), UNKNOWN)
        if known:
            codes[known] = self._labels.codes(np.array([labels[i] for i in known]))
        return codes[layout.places]


def _flat(Y: Any, layout: ChainLayout) -> list[Any]:
    """Return the labels of all sequences in one array, with None for unknown labels."""
    sequences = [None] * len(layout.lengths) if Y is None else Y
    pairs = zip(sequences, layout.lengths.tolist(), strict=True)
    return [
        label for i, (y, length) in enumerate(pairs) for label in known_labels(y, length, f"Y[{i}]")
    ]


def known_labels(y: Any, length: int, name: str = "an annotation") -> list[Any]:
    """Return ``length`` labels from an annotation, with None for unknown labels."""
    if y is None:
        return [None] * length
    require_ordered(name, y)
    labels = list(y) if isinstance(y, (list, tuple)) else np.atleast_1d(np.asarray(y)).tolist()
    if isinstance(y, np.ndarray) and y.dtype.kind == "U" and str(UNKNOWN) in labels:
        raise ValueError(
            f"{name} is an array of strings with '{UNKNOWN}', which numpy makes of {UNKNOWN}; give "
            "a list, or an array of dtype=object, with None for a label that is not known"
        )
    missing = [i for i, y in enumerate(labels) if y is not None and is_missing(y)]
    if missing:
        raise ValueError(
            f"{name} has {labels[missing[0]]} at position {missing[0]}; write None for a label "
            "that is not known"
        )
    if len(labels) != length:
        raise ValueError(f"{name} has {len(labels)} labels for {length} positions")
    known = [label for label in labels if label is not None]
    integers = all(isinstance(label, (int, np.integer)) for label in known)
    if not integers and any(isinstance(label, (int, np.integer)) for label in known):
        raise ValueError(
            f"{name} mixes integers with labels of another kind; write None for a label that is "
            f"not known, not {UNKNOWN}"
        )
    return [None if integers and label == UNKNOWN else label for label in labels]
