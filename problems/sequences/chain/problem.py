"""Sequence labelling as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.containers import n_examples
from structsvm.data.matrices import in_floats
from structsvm.data.mixed import MixedRows
from structsvm.networks import TensorInference
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.states import KnownStates, chosen_states
from structsvm.problems.classification.weighted_labels import (
    flat_labels,
    flat_weights,
)
from structsvm.problems.sequences.chain.packed import ChainLayout, Packed, checked_arrays, packed
from structsvm.problems.sequences.chain.task import ChainTask
from structsvm.problems.sequences.chain.transitions import Allowed, Rule, require_accepted


@dataclass(eq=False, repr=False)
class Chain(SoftByTask):
    """Sequence labelling by a chain: scores for labels at positions, and for transitions.

    An input is a matrix of shape (length, d), a row of features for each position, dense or
    scipy.sparse CSR; lengths may differ. An output is a sequence of as many labels. Psi sums
    x (x) e_y over the positions and e_y (x) e_y' over the pairs of neighbours; w has the weights of
    the states, which are pairs of a feature and a label, feature by feature, and then the (k, k)
    matrix of transitions, ``[a, b]`` for b after a. If all states have a weight, it is
    ``w.reshape(d + k, k)``. The loss is the number of wrong labels.

    The oracles are exact: Viterbi and forward-backward, over all sequences at once. With float32
    inputs the products with them are in float32. Labels may be of any sortable kind; a label that
    ``initialize`` has not seen raises ValueError. Predictions are a sequence of arrays of labels.
    ``score`` is 1 - the mean number of wrong labels in a sequence, which is often negative; the
    last example computes the fraction of right labels instead. :class:`ChainSVM` is an estimator
    with this score, and takes features in more forms.

    Parameters
    ----------
    allowed_transitions : callable or pairs of labels, optional
        Which labels may follow each other, in all outputs that the oracles search: a function
        ``allowed(label, next_label)``, or the pairs for which it is true. None stands before the
        first label and after the last; where no pair begins with None, a sequence may begin with
        any label, and so for its end. A label that no output has is an error. Default: all
        transitions. :func:`bio_transitions` is a rule for segments.
    class_weight : dict or 'balanced', optional
        The loss of getting a label wrong, by true label, as in scikit-learn; 1 by default.
        'balanced' is inversely proportional to the frequencies. The loss of single positions is
        set by outputs that are :class:`WeightedLabels`, and multiplied by this.
    all_possible_states : bool or 'auto', default='auto'
        Which pairs of a feature and a label, the states, have a weight, where inputs are sparse:
        True, all; False, those that occur in training. 'auto' is all, if they are at most half a
        million; else those that occur, and of the most frequent features all, up to half a million.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    class_weight_ : ndarray of shape (k,)
        The loss of getting each label wrong.
    allowed_ : Allowed or None
        The transitions that are allowed, as arrays of bool: ``pairs``, ``first`` and ``last``.
    states_ : States
        Which states have a weight, and where it is in w.
    n_features_ : int
        d, the number of columns of every input.

    References
    ----------
    Altun, Tsochantaridis & Hofmann, Hidden Markov Support Vector Machines, ICML 2003. We differ in
    that the loss rescales the margin. The soft oracle is the conditional random field of Lafferty,
    McCallum & Pereira, ICML 2001, with loss-augmented scores.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Chain
    >>> X = [np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])]
    >>> Y = [["walk", "read", "read"], ["read", "walk"]]
    >>> svm = StructuredSVM(Chain(), C=10.0).fit(X, Y)
    >>> print(svm.predict(X)[0])
    ['walk' 'read' 'read']
    >>> Y[0] = ["read", "read", "walk"]
    >>> svm.score(X, Y)
    0.0
    >>> right = np.concatenate(list(svm.predict(X))) == np.concatenate(Y)
    >>> float(right.mean())
    0.6
    """

    parallelism = "threads"
    kind_of_task = ChainTask

    #: States that have a weight though they may not occur; an estimator with a prior sets them.
    known_states: KnownStates | None = field(init=False, default=None)

    allowed_transitions: Rule | None = None
    class_weight: ClassWeight = None
    all_possible_states: bool | Auto = "auto"

    def initialize(self, X: Any, Y: Any) -> None:
        if Y is None:
            raise ValueError("Chain needs the outputs Y; it is None")
        X = X if isinstance(X, Packed) else packed(checked_arrays(X))
        self._learn_labels(Y.names if isinstance(Y, Packed) else flat_labels(X.layout.lengths, Y))
        labelling = self.labelling(Y, X.layout)
        if callable(self.allowed_transitions):
            require_accepted(self.allowed_transitions, labelling)
        self._measure(X, labelling.rows, labelling.weights)
        if self.allowed_ is not None:
            self.allowed_.require(labelling)

    def task(self, X: Any, Y: Any = None) -> ChainTask:
        return self.kind_of_task(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Any:
        x = in_floats(x.tocsr() if isinstance(x, MixedRows) else x)
        k, codes = len(self.classes_), self._labels.codes(y)
        one_hot = np.eye(k)[codes]
        pairs = one_hot[:-1].T @ one_hot[1:]
        if sparse.issparse(x):
            unary = (x.T @ sparse.csr_matrix(one_hot)).reshape(1, -1).tocsr()
            parts = [self.states_.of_joint(unary), sparse.csr_matrix(pairs.reshape(1, -1))]
            return sparse.hstack(parts, format="csr")
        return np.concatenate([self.states_.of_matrix(x.T @ one_hot), pairs.ravel()])

    def loss(self, y: Any, y_hat: Any) -> float:
        layout = ChainLayout(np.array([n_examples(y)]))
        return float(self.losses(self.labelling([y], layout), self.labelling([y_hat], layout))[0])

    def outputs(self, x: Any) -> Iterable[Any]:
        rule = _any if self.allowed_transitions is None else self.allowed_transitions
        every = Allowed.by(rule, self.classes_)
        return (self.classes_[list(codes)] for codes in every.labellings(x.shape[0]))

    def tensor_inference(self) -> TensorInference:
        from structsvm.problems.sequences.chain.tensors import ChainTensors

        return ChainTensors(self)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Twenty short sequences of points in the plane, with three labels."""
        rng = np.random.default_rng(0)
        Y = [np.cumsum(rng.integers(2, size=length)) % 3 for length in rng.integers(1, 5, size=20)]
        corners = np.array([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]])
        X = [corners[y] + rng.normal(size=(len(y), 2)) for y in Y]
        return X, [np.array(["low", "mid", "top"])[y] for y in Y]

    def position_losses(self, labelling: Packed) -> Vector:
        """The loss of getting each position of a packed labelling wrong."""
        losses = self.class_weight_[labelling.rows]
        return losses if labelling.weights is None else losses * labelling.weights

    def losses(self, true: Packed, found: Packed) -> Vector:
        """The loss of each of n packed labellings."""
        return true.layout.sums((true.rows != found.rows) * self.position_losses(true))

    def labelling(self, Y: Any, layout: ChainLayout) -> Packed:
        """Outputs packed, as codes of the labels known."""
        if not isinstance(Y, Packed):
            codes = self._labels.codes(flat_labels(layout.lengths, Y))
            return Packed.of(codes, layout, self.classes_, flat_weights(Y))
        if Y.names is self.classes_:
            return Y
        codes = self._labels.codes(Y.names)[Y.rows]
        return Packed(codes, layout, self.classes_, Y.weights)

    # ------------------------------------------------------------------ inside

    def _learn_labels(self, labels: Any) -> None:
        """Store the labels that outputs may have, from those that are known."""
        known = self.known_states
        self._labels = Labels(labels if known is None else known.and_labels(labels))
        self.classes_ = self._labels.names

    def _measure(self, X: Packed, codes: Indices, weights: Any) -> None:
        """Store the sizes, and the losses and transitions of the labels.

        ``codes`` are the known labels, ``weights`` their weights, or None.
        """
        self.n_features_, k = X.rows.shape[1], len(self.classes_)
        self.class_weight_ = checked_class_weight(self.class_weight, codes, self.classes_, weights)
        self.allowed_ = None
        if self.allowed_transitions is not None:
            self.allowed_ = Allowed.by(self.allowed_transitions, self.classes_)
        choice = self.all_possible_states
        self.states_ = chosen_states(choice, X.rows, codes, self.classes_, self.known_states)
        self.size_joint_feature = self.states_.size + k * k
        numbers = X.rows.size if isinstance(X.rows, np.ndarray) else X.rows.nnz
        self.work = k * (numbers + k * len(X.layout.step)) / len(X)


def _any(label: Any, following: Any) -> bool:
    return True
