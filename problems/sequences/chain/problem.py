"""Sequence labelling as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.minibatches import MiniBatch
from structsvm.contract.problem import Problem
from structsvm.contract.soft_oracle import Axes, SoftOutput, SoftSum
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Indices, Vector
from structsvm.data.batches import LazySequence, alike
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.containers import n_examples
from structsvm.data.matrices import in_floats
from structsvm.data.mixed import MixedRows
from structsvm.problems.classification.curvature_axes import feature_axes
from structsvm.problems.classification.labels import Labels, checked_class_weight
from structsvm.problems.classification.states import AllStates, KnownStates, chosen_states
from structsvm.problems.classification.weighted_labels import (
    flat_labels,
    flat_weights,
    lengths_of,
)
from structsvm.problems.sequences.chain.curvature_axes import ChainAxes
from structsvm.problems.sequences.chain.differences import (
    difference_rows,
    difference_sum,
    pair_counts,
)
from structsvm.problems.sequences.chain.inference import ChainMarginals, marginals, viterbi
from structsvm.problems.sequences.chain.n_best import n_best
from structsvm.problems.sequences.chain.packed import (
    ChainLayout,
    Packed,
    PackedFeatures,
    checked_arrays,
    in_use,
    packed,
)
from structsvm.problems.sequences.chain.transitions import Allowed, Rule, require_accepted

#: Positions in a mini-batch.
POSITIONS = 5000
#: Smallest probability: below it float32 is subnormal, with which processors are slow.
SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(eq=False, repr=False)
class Chain(Problem):
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
        labelling = self._labelling(Y, X.layout)
        if callable(self.allowed_transitions):
            require_accepted(self.allowed_transitions, labelling)
        self._measure(X, labelling.rows, labelling.weights)
        if self.allowed_ is not None:
            self.allowed_.require(labelling)

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None and not isinstance(X, Packed):  # to predict: ``initialize`` has not seen them
            X = checked_arrays(X)
        X = self._inputs(X)
        if self.allowed_ is not None:
            self.allowed_.require_possible(X.layout.lengths)
        return X, None if Y is None else self._labelling(Y, X.layout)

    # ------------------------------------------------------------------ one example

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
        return float(self.batch_loss([y], [y_hat])[0])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        values, difference, loss, _ = self.sum_soft_oracle([x], [y], w, mu, np.ones(1))
        return SoftOutput(float(values[0]), difference, loss)

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

    # ------------------------------------------------------------------ all examples at once

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        X, (unary, transition) = self._scored(X, w)
        labelling = self._labelling(Y, X.layout)
        # Every label but the true one scores more by the weight of the position.
        unary.reshape(-1)[_own(labelling.rows)] -= self.position_losses(labelling)
        return self._decoded(unary, transition, X.layout)

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        X, (unary, transition) = self._scored(X, w)
        return self._decoded(unary, transition, X.layout)

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        layout = Y.layout if isinstance(Y, Packed) else ChainLayout(lengths_of(Y))
        labelling = self._labelling(Y, layout)
        wrong = labelling.rows != self._labelling(Y_hat, layout).rows
        return layout.sums(wrong * self.position_losses(labelling))

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        X = self._inputs(X)
        true, found = (self._labelling(y, X.layout).rows for y in (Y, Y_hat))
        return difference_rows(X, true, found)

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        X = self._inputs(X)
        true, found = (self._labelling(y, X.layout).rows for y in (Y, Y_hat))
        return difference_sum(X, true, found, weights)

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        distribution = self._distribution(X, Y, w, mu, weights)
        X, labelling, truth, (log_partition, labels, pairs) = distribution
        codes, losses = labelling.rows, self.position_losses(labelling)
        # Lowering the truth instead of raising the others lowered every labelling by its losses.
        values = mu * (log_partition - X.layout.sums(truth)) + X.layout.sums(losses)
        np.maximum(labels, SMALLEST, out=labels)
        own = _own(codes)
        flat = labels.reshape(-1)
        certainty = flat[own]
        flat[own] = certainty - 1
        weight = weights[X.layout.sequence]
        labels *= weight.astype(labels.dtype)
        unary = X.features.sums(labels.astype(X.rows.dtype, copy=False))
        difference = np.empty(len(unary) + pairs.size, unary.dtype)
        np.negative(unary, out=difference[: len(unary)])
        counts = pair_counts(codes, X.layout, len(pairs), weight)
        difference[len(unary) :] = (counts - pairs).ravel()
        loss = float(weight @ (losses * (1 - certainty)))
        return SoftSum(values, difference, loss)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        X, _, _, (_, labels, pairs) = self._distribution(X, Y, w, mu, weights)
        weight = weights[X.layout.sequence]
        # As if the labels of different positions were independent.
        variances = np.maximum(labels * (1 - labels) * weight.astype(labels.dtype), SMALLEST)
        unary = X.features.squared().sums(variances.astype(X.rows.dtype, copy=False))
        share = pairs / max(1.0, float(weight[len(X) :].sum()))
        parts = [unary, np.maximum(pairs * (1 - share), 0).ravel()]
        return np.concatenate(parts).astype(np.float64)

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        if not isinstance(self.states_, AllStates):
            return None
        features = feature_axes(self._inputs(X).rows, len(self.classes_))
        return None if features is None else ChainAxes(features, self.n_features_)

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        of_pairs = np.arange(self.states_.size, self.size_joint_feature)

        def made(places: Indices) -> MiniBatch:
            states, x = in_use(X, places)
            columns = np.append(states, of_pairs.astype(states.dtype))
            return MiniBatch(places, columns, x, Y[places])

        # In one part of a sequence of steps, the sequences have the same number of steps to make.
        lengths = X.layout.lengths
        return LazySequence(made, alike(lengths, lengths, POSITIONS))

    # ------------------------------------------------------------------ more than one labelling

    def n_best(self, X: Any, w: Vector, n: int) -> Iterator[tuple[Any, Vector]]:
        """Yield for each input the n labellings of highest score, and their scores, falling.

        Labels of shape (m, length) and scores of shape (m,); m < n if fewer labellings exist.
        """
        X, (unary, transition) = self._scored(X, w)
        for i, length in enumerate(X.layout.lengths):
            places = X.layout.positions(i, np.arange(length))
            codes, scores = n_best(unary[:, places].T, transition, n)
            yield self.classes_[codes], scores

    def probabilities(self, X: Any, w: Vector, temperature: float) -> Packed:
        """The probability of every label at every position, an array (length, k) for each input.

        A labelling has a probability proportional to exp(<w, Psi> / temperature).
        """
        X, (unary, transition) = self._scored(X, w, temperature)
        alike = np.ones(len(X))
        found = marginals(unary, transition, X.layout, alike, self.allowed_ is not None)
        return Packed(found.labels.T, X.layout)

    def position_losses(self, labelling: Packed) -> Vector:
        """The loss of getting each position of a labelling, as ``prepare`` packs it, wrong."""
        losses = self.class_weight_[labelling.rows]
        return losses if labelling.weights is None else losses * labelling.weights

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

    def _inputs(self, X: Any) -> PackedFeatures:
        """The inputs packed."""
        if isinstance(X, PackedFeatures):
            return X
        if isinstance(X, Packed):
            return PackedFeatures(X.rows, X.layout, self.states_)
        arrays = [X[i] for i in range(n_examples(X))]
        for i, x in enumerate(arrays):
            if x.ndim != 2 or x.shape[1] != self.n_features_:
                raise ValueError(f"X[{i}] has shape {x.shape}; expected {self.n_features_} columns")
        X = packed(arrays)
        return PackedFeatures(X.rows, X.layout, self.states_)

    def _labelling(self, Y: Any, layout: ChainLayout) -> Packed:
        """Labellings packed, as codes of the labels known."""
        if not isinstance(Y, Packed):
            codes = self._labels.codes(flat_labels(layout.lengths, Y))
            return Packed.of(codes, layout, self.classes_, flat_weights(Y))
        if Y.names is self.classes_:
            return Y
        codes = self._labels.codes(Y.names)[Y.rows]
        return Packed(codes, layout, self.classes_, Y.weights)

    def _scored(
        self, X: Any, w: Vector, mu: float = 1.0
    ) -> tuple[PackedFeatures, tuple[Vector, Vector]]:
        """The inputs packed, and the scores of labels and transitions in units of mu."""
        X, k = self._inputs(X), len(self.classes_)
        weights, transition = np.split(w, [-k * k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        unary, transition = X.features.scores(weights), transition.reshape(k, k) / mu
        if self.allowed_ is not None:
            transition = self.allowed_.forbid(unary, transition, X.layout)
        return X, (unary, transition)

    def _distribution(
        self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector
    ) -> tuple[PackedFeatures, Packed, Vector, ChainMarginals]:
        """The inputs packed, the true labels, their scores, and the marginals.

        The weights of the examples are in the sum of the pairs only.
        """
        X, (unary, transition) = self._scored(X, w, mu)
        labelling, later = self._labelling(Y, X.layout), slice(len(X), None)
        codes = labelling.rows
        own, flat = _own(codes), unary.reshape(-1)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = flat[own].astype(np.float64)
        truth[later] += transition[codes[X.layout.before], codes[later]]
        # To lower the truth is less work than to raise all others.
        flat[own] -= self.position_losses(labelling) / mu
        found = marginals(unary, transition, X.layout, weights, self.allowed_ is not None)
        return X, labelling, truth, found

    def _decoded(self, unary: Vector, transition: Vector, layout: ChainLayout) -> Packed:
        return Packed(viterbi(unary, transition, layout), layout, self.classes_)


def _own(codes: Any) -> Any:
    """The places of the true labels in a flattened array with a row for each label."""
    return codes * len(codes) + np.arange(len(codes))


def _any(label: Any, following: Any) -> bool:
    return True
