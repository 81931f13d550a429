"""Sequence labelling as a structured problem, with its task for many sequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.blocks import Mapped, Stored
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.containers import n_examples, take
from structsvm.data.matrices import in_floats
from structsvm.data.mixed import MixedRows
from structsvm.networks import TensorInference
from structsvm.problems.classification.curvature_axes import AxesBefore, FeatureAxes, feature_axes
from structsvm.problems.classification.states import AllStates
from structsvm.problems.classification.weighted_labels import flat_labels, flat_weights
from structsvm.problems.sequences.chain.data import Packed, packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import (
    Marginals,
    marginals,
    max_marginals,
    n_best,
    viterbi,
)
from structsvm.problems.sequences.chain.transitions import Allowed, Rule
from structsvm.problems.sequences.problem import Labelled, SequenceProblem, SequenceTask

#: Smaller probabilities are raised to this. Their products with weights and features would be
#: subnormal numbers in float32, with which a product takes five times as long. The error is far
#: below rounding.
SMALLEST = 1e-20


class ChainTask(SequenceTask):
    """The task of a :class:`Chain` and n packed sequences."""

    problem: Chain
    Y: Any  # Packed, or annotations until ``with_labels`` if labels are partly known

    def __init__(self, problem: Chain, X: Any, Y: Any = None) -> None:
        super().__init__(problem, X, Y)
        if problem.allowed_ is not None:
            problem.allowed_.require_possible(self.X.layout.lengths)

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Packed:
        unary, transition = self.scores(w)
        # Lowering the true label by its loss orders labellings as raising all other labels does.
        unary.reshape(-1)[_own(self.Y.rows)] -= self.problem.position_losses(self.Y)
        return self._best(unary, transition)

    def losses(self, outputs: Any) -> Vector:
        return self.problem.losses(self.Y, self.problem.labelling(outputs, self.X.layout))

    # ------------------------------------------------------------------ joint features

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        if len(places) < self.n:
            return self.part(np.asarray(places)).differences(take(outputs, places), places)
        found = self.problem.labelling(outputs, self.X.layout)
        return difference_rows(self.X, self.Y.rows, found.rows)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        X, layout, k = self.X, self.X.layout, self.X.states.k
        true, found = self.Y.rows, self.problem.labelling(outputs, layout).rows
        weight = np.asarray(weights)[layout.sequence]
        unary = X.features.sums(_votes(true, found, weight, k).astype(X.rows.dtype))
        pairs = pair_counts(true, layout, k, weight) - pair_counts(found, layout, k, weight)
        return np.concatenate([unary.astype(np.float64), pairs.ravel()])

    # ------------------------------------------------------------------ the soft oracle

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        X, codes, losses = self.X, self.Y.rows, self.problem.position_losses(self.Y)
        truth, (log_partition, labels, pairs) = self._distribution(w, mu, weights)
        # Lowering the true labels instead of raising the others lowered every labelling by the
        # losses.
        values = mu * (log_partition - X.layout.sums(truth)) + X.layout.sums(losses)
        np.maximum(labels, SMALLEST, out=labels)
        own = _own(codes)
        flat = labels.reshape(-1)
        certainty = flat[own]
        flat[own] = certainty - 1
        weight = weights[X.layout.sequence]
        labels *= weight.astype(labels.dtype)
        unary = X.features.sums(labels.astype(X.rows.dtype, copy=False))
        counts = pair_counts(codes, X.layout, len(pairs), weight)
        difference = np.append(-unary, (counts - pairs).astype(unary.dtype))
        loss = float(weight @ (losses * (1 - certainty)))
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        X, (_, (_, labels, pairs)) = self.X, self._distribution(w, mu, weights)
        weight = weights[X.layout.sequence]
        # Treat the labels of different positions as independent.
        variances = np.maximum(labels * (1 - labels) * weight.astype(labels.dtype), SMALLEST)
        unary = X.features.squared().sums(variances.astype(X.rows.dtype, copy=False))
        share = pairs / max(1.0, float(weight[self.n :].sum()))
        parts = [unary, np.maximum(pairs * (1 - share), 0).ravel()]
        return np.concatenate(parts).astype(np.float64)

    def axes(self) -> Axes | None:
        if not isinstance(self.X.states, AllStates):
            return None
        features = feature_axes(self.X.rows, self.X.states.k)
        return None if features is None else ChainAxes(features, self.problem.n_features_)

    # ------------------------------------------------------------------ more than one labelling

    def n_best(self, w: Vector, n: int) -> Iterator[tuple[Any, Vector]]:
        """Yield for each input the n labellings of highest score, and their decreasing scores.

        The labels are of shape (m, length) and the scores of shape (m,), where m < n if fewer
        labellings exist.
        """
        (unary, transition), layout = self.scores(w), self.X.layout
        for i in range(self.n):
            codes, scores = n_best(unary[:, layout.rows(i)].T, transition, n)
            yield self.problem.classes_[codes], scores

    def probabilities(self, w: Vector, temperature: float) -> Packed:
        """Return the probability of every label at every position, (length, k) for each input.

        The probability of a labelling is proportional to exp(<w, Psi> / temperature).
        """
        found = marginals(*self.scores(w, temperature), self.X.layout, np.ones(self.n))
        return Packed(found.parts.T, self.X.layout)

    # ------------------------------------------------------------------ labels as parts

    def part_names(self, i: int) -> list[Any]:
        return [self.problem.classes_] * int(self.X.layout.lengths[i])

    def part_places(self, outputs: Any) -> list[Indices]:
        found, layout = self.problem.labelling(outputs, self.X.layout), self.X.layout
        places = layout.step * len(self.problem.classes_) + found.rows
        return [places[layout.rows(i)] for i in range(self.n)]

    def decode_with(self, w: Vector, places: Sequence[int]) -> Packed:
        unary, transition = self.scores(w)
        step, code = np.divmod(np.asarray(places), k := len(unary))
        here = self.X.layout.positions(np.arange(self.n), step)
        unary[:, here] = np.where(np.arange(k)[:, None] == code, unary[:, here], -np.inf)
        return self._best(unary, transition)

    def max_marginals(self, w: Vector) -> list[Vector]:
        found = max_marginals(*self.scores(w), self.X.layout).T
        return [found[self.X.layout.rows(i)] for i in range(self.n)]

    # ------------------------------------------------------------------ scores

    def scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        return self._allowed(*super().scores(w, mu))

    def _allowed(self, unary: Vector, transition: Vector) -> tuple[Vector, Vector]:
        """Return the scores, which are -inf for forbidden labels; ``unary`` may be overwritten."""
        if self.problem.allowed_ is not None:
            transition = self.problem.allowed_.forbid(unary, transition, self.X.layout)
        return unary, transition

    def _best(self, unary: Vector, transition: Vector) -> Packed:
        layout = self.X.layout
        return Packed(viterbi(unary, transition, layout), layout, self.problem.classes_)

    def _distribution(self, w: Vector, mu: float, weights: Vector) -> tuple[Vector, Marginals]:
        """Return the scores of the true labels, and the marginals.

        The weights of the examples affect only the field ``pairs`` of the marginals.
        """
        unary, transition = self.scores(w, mu)
        codes, later = self.Y.rows, slice(self.n, None)
        own, flat = _own(codes), unary.reshape(-1)
        # Take these scores before the loss is added: the value is relative to the plain score of
        # the truth.
        truth = flat[own].astype(np.float64)
        truth[later] += transition[codes[self.X.layout.before], codes[later]]
        # Lowering the true labels is less work than raising all others.
        flat[own] -= self.problem.position_losses(self.Y) / mu
        return truth, marginals(unary, transition, self.X.layout, weights)


class ScoredChainTask(ChainTask):
    """A task with given scores of every label in every row of the concatenated sequences."""

    def __init__(self, problem: Chain, scores: Vector, lengths: Indices) -> None:
        layout = ChainLayout(lengths)
        self._unary = scores if len(layout) == 1 else scores[:, layout.places]
        self.problem, self.X, self.Y, self.n = problem, Packed(None, layout), None, len(layout)
        if problem.allowed_ is not None:
            problem.allowed_.require_possible(lengths)

    def scores(self, w: Vector, mu: float = 1.0) -> tuple[Vector, Vector]:
        k = len(self.problem.classes_)
        return self._allowed(self._unary / mu, w[-k * k :].reshape(k, k) / mu)


def _own(codes: Any) -> Any:
    """Return the indices of the true labels in a flattened array of shape (k, n_positions)."""
    return codes * len(codes) + np.arange(len(codes))


@dataclass(eq=False, repr=False)
class Chain(SequenceProblem):
    """The problem of labelling sequences by a chain, with scores of labels and of transitions.

    An input is a matrix of shape (length, d), dense or scipy.sparse CSR, with a row of features for
    each position. Lengths may differ. An output is a sequence with a label for each position. Psi
    is the sum of x (x) e_y over the positions and of e_y (x) e_y' over the pairs of neighbours,
    where (x) is the outer product and e_y the unit vector of label y. A state is a pair of a
    feature and a label. The vector w has the weights of the states, feature by feature, followed by
    the (k, k) matrix of transition weights. Entry ``[a, b]`` of the matrix of transition weights is
    for label b after label a. If all states have a weight, ``w.reshape(d + k, k)`` holds the
    weights of states and of transitions. The loss is the number of wrong labels.

    The oracles are exact: Viterbi and forward-backward, for all sequences together. Products with
    float32 inputs are computed in float32. Labels may be of any sortable type. A label that
    ``initialize`` has not seen raises a ValueError. Predictions are a sequence of arrays of labels.
    ``score`` is 1 - the mean number of wrong labels in a sequence, which is often negative. The
    code under Examples also computes the fraction of right labels. The estimator :class:`ChainSVM`
    scores by the fraction of right labels, and takes more forms of features than Chain.

    Parameters
    ----------
    allowed_transitions : callable or pairs of labels, optional
        Which labels may follow each other: a function ``allowed(label, next_label)``, or the pairs
        of labels for which ``allowed`` is true. The oracles search only outputs with allowed
        transitions. A pair (None, label) means that a sequence may begin with the label, and a pair
        (label, None) that a sequence may end with the label. If no pair begins with None, a
        sequence may begin with any label. If no pair ends with None, a sequence may end with any
        label. A label that occurs in no output raises an error. Default: all transitions. For
        segment labels such as 'B-PER', pass :func:`bio_transitions`.
    class_weight : dict or 'balanced', optional
        The loss of a wrong label, for each true label, as in scikit-learn; 1 by default. With
        'balanced', the losses are inversely proportional to the frequencies of labels. If an output
        is a :class:`WeightedLabels`, the loss at each position is multiplied by the weight of the
        position.
    all_possible_states : bool or 'auto', default='auto'
        Whether sparse inputs have a weight for all pairs of a feature and a label (True), or only
        for the pairs that occur in training (False). 'auto' takes all pairs of a feature and a
        label if there are at most half a million. If there are more than half a million pairs of a
        feature and a label, 'auto' takes the pairs that occur in training. 'auto' also takes the
        pairs of the most frequent features with all labels, up to half a million pairs in total.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    class_weight_ : ndarray of shape (k,)
        The loss of each label if it is predicted wrongly.
    allowed_ : Allowed or None
        The allowed transitions, as arrays of bool: ``pairs``, ``first`` and ``last``.
    states_ : States
        The states that have a weight, and the indices of their weights in w.
    n_features_ : int
        The number of columns of every input, d.

    References
    ----------
    Altun, Tsochantaridis & Hofmann, Hidden Markov Support Vector Machines, ICML 2003. Unlike Altun
    et al., this class rescales the margin by the loss. The soft oracle is the conditional random
    field of Lafferty, McCallum & Pereira, ICML 2001, with loss-augmented scores.

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

    kind_of_task = ChainTask

    allowed_transitions: Rule | None = None
    class_weight: ClassWeight = None
    all_possible_states: bool | Auto = "auto"

    def initialize(self, X: Any, Y: Any) -> None:
        if Y is None:
            raise ValueError("Chain needs the outputs Y; it is None")
        if isinstance(X, Stored):
            self._learn_labels(next(iter(X.files))[1].names)
            self._learn(Mapped(X.files, lambda block: self._labelled(*block)))
            return
        X = packed(X)
        self._learn_labels(Y.names if isinstance(Y, Packed) else flat_labels(X.layout.lengths, Y))
        self._learn([self._labelled(X, Y)])

    def task(self, X: Any, Y: Any = None) -> ChainTask:
        return self.kind_of_task(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Any:
        k, codes = len(self.classes_), self._labels.codes(y)
        pairs = np.bincount(codes[:-1] * k + codes[1:], minlength=k * k).astype(np.float64)
        x = x.tocsr() if isinstance(x, MixedRows) else x
        return self._sum_of(in_floats(x), codes, pairs)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        codes = self._labels.codes(y)
        x = x.tocsr() if isinstance(x, MixedRows) else x
        return self._terms(range(len(codes)), in_floats(x), codes, w)

    def loss(self, y: Any, y_hat: Any) -> float:
        layout = ChainLayout(np.array([n_examples(y)]))
        return float(self.losses(self.labelling([y], layout), self.labelling([y_hat], layout))[0])

    def outputs(self, x: Any) -> Iterable[Any]:
        every, allowed = product(range(len(self.classes_)), repeat=x.shape[0]), self.allowed_
        return (
            self.classes_[list(codes)]
            for codes in every
            if allowed is None or allowed.has(np.array(codes))
        )

    def tensor_inference(self) -> TensorInference:
        """Return the inference over tensors, for layers of networks.

        Returns
        -------
        structsvm.networks.TensorInference
        """
        from structsvm.problems.sequences.chain.tensors import ChainTensors

        return ChainTensors(self)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return twenty short sequences of points in the plane, with three labels."""
        rng = np.random.default_rng(0)
        Y = [np.cumsum(rng.integers(2, size=length)) % 3 for length in rng.integers(1, 5, size=20)]
        corners = np.array([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]])
        X = [corners[y] + rng.normal(size=(len(y), 2)) for y in Y]
        return X, [np.array(["low", "mid", "top"])[y] for y in Y]

    def position_losses(self, labelling: Packed) -> Vector:
        """Return, for each position of ``labelling``, the loss of predicting another label."""
        losses: Vector = self.class_weight_[labelling.rows]
        return losses if labelling.weights is None else losses * labelling.weights

    def losses(self, true: Packed, found: Packed) -> Vector:
        """Return the loss of each of n packed labellings."""
        wrong = (true.rows != found.rows) * self.position_losses(true)
        return np.asarray(true.layout.sums(wrong))

    def labelling(self, Y: Any, layout: ChainLayout) -> Packed:
        """Pack outputs as codes of the labels that occur in training."""
        if not isinstance(Y, Packed):
            codes = self._labels.codes(flat_labels(layout.lengths, Y))
            return Packed.of(codes, layout, self.classes_, flat_weights(Y))
        if Y.names is self.classes_:
            return Y
        codes = self._labels.codes(Y.names)[Y.rows]
        return Packed(codes, layout, self.classes_, Y.weights)

    def _labelled(self, X: Packed, Y: Any) -> Labelled:
        """Return packed sequences with labels; raise a ValueError at a forbidden transition."""
        found = self.labelling(Y, X.layout)
        if self.allowed_transitions is not None:
            Allowed.by(self.allowed_transitions, self.classes_).require(found)
        return Labelled(X.rows, found.rows, X, found.weights)

    def _learn(self, blocks: Iterable[Labelled]) -> None:
        """Learn the states and the allowed transitions, from blocks with known labels."""
        self._learn_states(blocks)
        self.allowed_ = None
        if self.allowed_transitions is not None:
            self.allowed_ = Allowed.by(self.allowed_transitions, self.classes_)


class ChainAxes(AxesBefore):
    """The principal axes of the weights of features, in the layout of w.

    Parameters
    ----------
    features : FeatureAxes
    d : int
        Number of features.
    """

    def __init__(self, features: FeatureAxes, d: int) -> None:
        super().__init__(features, d * features.k)
        self._d, self._k = d, features.k

    def along(self, curvature: Vector) -> Vector:
        return super().along(self._transposed(curvature, self._d))

    def times(self, factors: Any, w: Any) -> Any:
        return self._transposed(super().times(factors, self._transposed(w, self._d)), self._k)

    def _transposed(self, w: Any, rows: int) -> Any:
        """Transpose the weights of features, a matrix of ``rows`` rows; keep all other weights."""
        features, others = np.split(w, [self._first], axis=-1)
        by_row = features.reshape(*features.shape[:-1], rows, -1).swapaxes(-1, -2)
        return np.concatenate([by_row.reshape(features.shape), others], axis=-1)


def difference_rows(X: Packed, true: Indices, found: Indices) -> Any:
    """Return Psi(true) - Psi(found) for each sequence, as a CSR matrix."""
    layout, k = X.layout, X.states.k
    rows = X.rows.tocsr() if isinstance(X.rows, MixedRows) else sparse.csr_matrix(X.rows)
    n, sequence = len(layout.lengths), layout.sequence
    wrong = np.flatnonzero(true != found)  # the others cancel
    rows = sparse.vstack(2 * [rows[wrong]], format="csr")
    codes, owner = np.append(true[wrong], found[wrong]), np.tile(sequence[wrong], 2)
    signs = np.repeat(np.array([1, -1], rows.dtype), len(wrong))
    sums = sparse.csr_matrix((signs, (owner, np.arange(len(codes)))), (n, len(codes)))
    unary = sums @ X.states.of_rows(rows, codes)
    # The first n stored positions begin a sequence; all positions from n on have a predecessor.
    codes, before = np.stack([true, found]), layout.before
    columns = (codes[:, before] * k + codes[:, n:]).ravel()
    signs, places = np.repeat([1.0, -1.0], len(before)), np.tile(sequence[n:], 2)
    of_pairs = sparse.csr_matrix((signs, (places, columns)), (n, k * k))
    return sparse.hstack([unary, of_pairs], format="csr")


def pair_counts(codes: Indices, layout: ChainLayout, k: int, weight: Any = None) -> Vector:
    """Count how often each label follows another, weighted by ``weight``; shape (k, k)."""
    later = slice(len(layout.lengths), None)
    pairs = codes[layout.before] * k + codes[later]
    weight = None if weight is None else weight[later]
    return np.bincount(pairs, weight, k * k).astype(np.float64).reshape(k, k)


def _votes(plus: Any, minus: Any, weight: Any, m: int) -> Any:
    """Return a sparse matrix: column j has weight[j] in row plus[j], -weight[j] in row minus[j]."""
    some = np.flatnonzero(plus != minus)  # the others cancel
    rows = np.concatenate([plus[some], minus[some]])
    values = np.concatenate([weight[some], -weight[some]])
    return sparse.csr_matrix((values, (rows, np.tile(some, 2))), (m, len(plus)))
