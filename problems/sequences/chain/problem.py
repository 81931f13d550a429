"""Sequence labelling as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.containers import n_examples
from structsvm.matrices import one_array, product_dtype, require_matrix, require_unmasked
from structsvm.problem import Problem, Vector
from structsvm.problems.classification.axes import feature_axes
from structsvm.problems.classification.labels import Labels, mixes_strings
from structsvm.problems.classification.products import combined, products, squared
from structsvm.problems.sequences.chain.axes import ChainAxes
from structsvm.problems.sequences.chain.inference import Marginals, marginals, viterbi
from structsvm.problems.sequences.chain.packed import Layout, Packed, parts, stacked
from structsvm.soft import Axes, MiniBatch, SoftOutput, SoftSum

#: Positions in a mini-batch.
POSITIONS = 5000
#: Smallest probability: below it float32 is subnormal, with which processors are slow.
SMALLEST = float(np.finfo(np.float32).tiny)


class Chain(Problem):
    """Sequence labelling by a chain: scores for labels at positions, and for transitions.

    An input is a matrix of shape (length, d), a row of features for each position, dense or
    scipy.sparse CSR; lengths may differ. An output is a sequence of as many labels. Psi sums
    x (x) e_y over the positions and e_y (x) e_y' over the pairs of neighbours; w is the (d, k)
    matrix of label weights above the (k, k) matrix of transitions, ``[a, b]`` for b after a:
    ``w.reshape(d + k, k)``. The loss is the number of wrong labels.

    The oracles are exact: Viterbi and forward-backward, over all sequences at once. With float32
    inputs the products with them are in float32. Labels may be of any sortable kind; a label that
    ``initialize`` has not seen raises ValueError. Predictions are a sequence of arrays of labels.
    ``score`` is 1 - the mean number of wrong labels in a sequence, and so is often negative; the
    last example computes the fraction of right labels.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
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

    def initialize(self, X: Any, Y: Any) -> None:
        self.n_features_ = _checked_inputs(X)
        if Y is None:
            raise ValueError("Chain needs the outputs Y; it is None")
        labels, n = _flat_labels(X, Y), n_examples(X)
        self._labels = Labels(labels)
        self.classes_, k = self._labels.names, len(self._labels)
        self.size_joint_feature = k * (self.n_features_ + k)
        numbers = sum(x.nnz if sparse.issparse(x) else x.size for x in map(X.__getitem__, range(n)))
        self.work = k * (numbers + k * len(labels)) / n

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None:  # to predict, sequences that ``initialize`` has not seen
            _checked_inputs(X)
            return self._inputs(X), None
        packed, codes = self._inputs(X), self._labels.codes(_flat_labels(X, Y))
        return packed, Packed.of(codes, packed.layout, self.classes_)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        k, codes = len(self.classes_), self._labels.codes(y)
        one_hot = np.eye(k)[codes]
        pairs = one_hot[:-1].T @ one_hot[1:]
        if sparse.issparse(x):
            unary = sparse.csr_matrix(x).T @ sparse.csr_matrix(one_hot)
            return sparse.csr_matrix(sparse.vstack([unary, pairs]).reshape(1, -1))
        return np.concatenate([(x.T @ one_hot).ravel(), pairs.ravel()])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.count_nonzero(self._labels.codes(y) != self._labels.codes(y_hat)))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.batch_separation_oracle([x], [y], w)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return self.batch_decode([x], w)[0]

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        values, difference, loss, _ = self.sum_soft_oracle([x], [y], w, mu)
        return SoftOutput(float(values[0]), difference, loss)

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y) for y in product(self.classes_.tolist(), repeat=x.shape[0]))

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
        codes = self._labellings(Y, X.layout).rows
        # Hamming loss: every label but the true one scores 1 more.
        unary += 1
        unary[codes, np.arange(len(codes))] -= 1
        return self._decoded(unary, transition, X.layout)

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        X, (unary, transition) = self._scored(X, w)
        return self._decoded(unary, transition, X.layout)

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        layout = Y.layout if isinstance(Y, Packed) else Layout(_lengths(Y))
        wrong = self._labellings(Y, layout).rows != self._labellings(Y_hat, layout).rows
        return layout.sums(wrong)

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        X, k = self._inputs(X), len(self.classes_)
        true, found = (self._labellings(y, X.layout).rows for y in (Y, Y_hat))
        n, sequence = len(X), X.layout.sequence
        # A slot is a label that occurs in a sequence, in either labelling: all other weights are 0.
        slots, which = np.unique([sequence * k + true, sequence * k + found], return_inverse=True)
        plus, minus = which.reshape(2, -1)
        votes = _votes(plus, minus, np.ones(len(true)), len(slots)).astype(X.rows.dtype)
        unary = _interleaved(votes @ X.rows, *np.divmod(slots, k), (n, k))
        # The first n stored positions begin a sequence; all from n on have a predecessor.
        pairs = [codes[X.layout.before] * k + codes[n:] for codes in (true, found)]
        ones, rows = np.ones(len(pairs[0])), np.tile(sequence[n:], 2)
        signs, columns = np.concatenate([ones, -ones]), np.concatenate(pairs)
        of_pairs = sparse.csr_matrix((signs, (rows, columns)), (n, k * k))
        return sparse.hstack([unary, of_pairs], format="csr")

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        X, k = self._inputs(X), len(self.classes_)
        true, found = (self._labellings(y, X.layout).rows for y in (Y, Y_hat))
        weight = np.asarray(weights)[X.layout.sequence]
        unary = X.rows.T @ _votes(true, found, weight, k).astype(X.rows.dtype).T
        unary = unary.toarray() if sparse.issparse(unary) else unary
        pairs = self._pairs(true, X.layout, weight) - self._pairs(found, X.layout, weight)
        return np.concatenate([unary.astype(np.float64).ravel(), pairs.ravel()])

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float) -> SoftSum:
        X, codes, truth, (log_partition, labels, pairs) = self._distribution(X, Y, w, mu)
        # Lowering the truth instead of raising the others lowered every labelling by 1 a position.
        values = mu * (log_partition - X.layout.sums(truth)) + X.layout.lengths
        np.maximum(labels, SMALLEST, out=labels)
        own = _own(codes)
        flat = labels.reshape(-1)
        certainty = flat[own]
        flat[own] = certainty - 1
        unary = combined(labels.astype(X.rows.dtype, copy=False), X.rows).T
        difference = np.empty((len(unary) + len(pairs), len(pairs)), unary.dtype)
        np.negative(unary, out=difference[: len(unary)])
        difference[len(unary) :] = self._pairs(codes, X.layout) - pairs
        loss = len(codes) - float(certainty.sum(dtype=np.float64))
        return SoftSum(values, difference.reshape(-1), loss)

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float) -> Vector:
        X, _, _, (_, labels, pairs) = self._distribution(X, Y, w, mu)
        # As if the labels of different positions were independent.
        variances = np.maximum(labels * (1 - labels), SMALLEST).astype(X.rows.dtype, copy=False)
        squares = squared(X.rows)
        share = pairs / max(1, len(X.layout.before))
        parts = [combined(variances, squares).T.ravel(), (pairs * (1 - share)).ravel()]
        return np.concatenate(parts).astype(np.float64)

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        features = feature_axes(self._inputs(X).rows, len(self.classes_))
        return None if features is None else ChainAxes(features, self.n_features_)

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        k = len(self.classes_)
        return [
            MiniBatch(places, _weights_of(features, X.rows.shape[1], k), x, Y[places])
            for places, features, x in parts(X, POSITIONS)
        ]

    # ------------------------------------------------------------------ inside

    def _inputs(self, X: Any) -> Packed:
        """The inputs packed."""
        if isinstance(X, Packed):
            return X
        arrays = [X[i] for i in range(n_examples(X))]
        for i, x in enumerate(arrays):
            if x.ndim != 2 or x.shape[1] != self.n_features_:
                raise ValueError(f"X[{i}] has shape {x.shape}; expected {self.n_features_} columns")
        rows = stacked(arrays)
        rows = rows.astype(product_dtype(rows), copy=False)
        return Packed.of(rows, Layout(np.array([x.shape[0] for x in arrays])))

    def _labellings(self, Y: Any, layout: Layout) -> Packed:
        """Labellings packed, as label codes."""
        if isinstance(Y, Packed):
            return Y
        codes = self._labels.codes(np.concatenate([np.asarray(y) for y in Y]))
        return Packed.of(codes, layout, self.classes_)

    def _scored(self, X: Any, w: Vector, mu: float = 1.0) -> tuple[Packed, tuple[Vector, Vector]]:
        """The inputs packed, and the scores of labels and transitions in units of mu."""
        X, k = self._inputs(X), len(self.classes_)
        weights, transition = np.split(w.reshape(-1, k), [-k])
        weights = np.divide(weights, mu, dtype=X.rows.dtype, casting="same_kind")
        return X, (products(weights.T, X.rows), transition / mu)

    def _distribution(
        self, X: Any, Y: Any, w: Vector, mu: float
    ) -> tuple[Packed, Any, Vector, Marginals]:
        """The inputs packed, the codes of the true labels, their scores, and the marginals."""
        X, (unary, transition) = self._scored(X, w, mu)
        codes, later = self._labellings(Y, X.layout).rows, slice(len(X), None)
        own, flat = _own(codes), unary.reshape(-1)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = flat[own].astype(np.float64)
        truth[later] += transition[codes[X.layout.before], codes[later]]
        flat[own] -= 1 / mu  # to lower the truth is less work than to raise all others
        return X, codes, truth, marginals(unary, transition, X.layout)

    def _decoded(self, unary: Vector, transition: Vector, layout: Layout) -> Packed:
        return Packed(viterbi(unary, transition, layout), layout, self.classes_)

    def _pairs(self, codes: Any, layout: Layout, weight: Any = None) -> Vector:
        """Counts, or sums of weights, of one label following another; shape (k, k)."""
        k, later = len(self.classes_), slice(len(layout.lengths), None)
        pairs = codes[layout.before] * k + codes[later]
        weight = None if weight is None else weight[later]
        return np.bincount(pairs, weight, k * k).astype(np.float64).reshape(k, k)


def _own(codes: Any) -> Any:
    """The places of the true labels in a flattened array with a row for each label."""
    return codes * len(codes) + np.arange(len(codes))


def _weights_of(features: Any, d: int, k: int) -> Any:
    """The places in w of the weights of some of d features, and of the transitions."""
    rows = np.concatenate([features, d + np.arange(k)])
    return (rows[:, None] * k + np.arange(k)).ravel()


def _interleaved(values: Any, rows: Any, labels: Any, shape: tuple[int, int]) -> Any:
    """A CSR matrix of shape (n, d k): values[j] in row rows[j], in the columns of labels[j].

    The values are sorted by row, and by label within a row.
    """
    n, k = shape
    d = values.shape[1]
    values = sparse.csr_matrix(values)
    columns = values.indices * k + np.repeat(labels, np.diff(values.indptr))
    first = np.searchsorted(rows, np.arange(n + 1))
    return sparse.csr_matrix((values.data, columns, values.indptr[first]), (n, d * k))


def _votes(plus: Any, minus: Any, weight: Any, m: int) -> Any:
    """A sparse (m, n) matrix: column j has weight[j] in row plus[j], -weight[j] in row minus[j]."""
    some = np.flatnonzero(plus != minus)  # the others cancel
    rows = np.concatenate([plus[some], minus[some]])
    values = np.concatenate([weight[some], -weight[some]])
    return sparse.csr_matrix((values, (rows, np.tile(some, 2))), (m, len(plus)))


def _checked_inputs(X: Any) -> int:
    """The number of features; raises unless every input is a matrix with that many columns."""
    d = None
    for i in range(n_examples(X)):
        x = X[i]
        try:
            require_matrix(x)
        except ValueError as error:
            raise ValueError(f"X[{i}], one sequence: {error}") from None
        if x.shape[0] == 0:
            raise ValueError(f"X[{i}] has no rows; a sequence has at least one position")
        d = x.shape[1] if d is None else d
        if x.shape[1] != d:
            raise ValueError(f"X[{i}] has {x.shape[1]} columns but X[0] has {d}")
    return int(d or 0)


def _flat_labels(X: Any, Y: Any) -> Any:
    """The labels of all sequences in one array."""
    labels = []
    for i, length in enumerate(_lengths(X)):
        require_unmasked(f"Y[{i}]", Y[i])
        y = one_array(f"Y[{i}]", Y[i])
        if y.ndim != 1 or len(y) != length:
            raise ValueError(
                f"Y[{i}] must hold a label for each of the {length} rows of X[{i}]; got shape "
                f"{y.shape}"
            )
        if mixes_strings(Y[i], y):
            raise ValueError(f"Y[{i}] must hold labels of one kind; it mixes strings with others")
        labels.append(y)
    # Concatenated with strings, numbers would become strings: 1 and "1" would be one label.
    if len({y.dtype.kind in "USO" for y in labels}) > 1:
        raise ValueError("Y must hold labels of one kind; it mixes strings with others")
    return np.concatenate(labels)


def _lengths(sequences: Any) -> Any:
    n = n_examples(sequences)
    return np.array([n_examples(sequences[i]) for i in range(n)], dtype=np.intp)
