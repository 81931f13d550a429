"""Sequence labelling as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.containers import n_examples
from structsvm.matrices import one_array, product_dtype, require_matrix, require_unmasked
from structsvm.problem import Problem, SoftOutput, SoftSum, Vector
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.products import combined, products
from structsvm.problems.sequences.chain.inference import marginals, viterbi
from structsvm.problems.sequences.chain.packed import Layout, Packed, stacked

#: Multiplications in a block of sequences, at least: less work does not pay for a task of its own.
LEAST = 32_000_000
#: Smallest probability: below it float32 is subnormal, with which processors are slow.
SMALLEST = float(np.finfo(np.float32).tiny)


class Chain(Problem):
    """Sequence labelling by a chain: scores for labels at positions, and for transitions.

    An input is a matrix of shape (length, d), a row of features for each position, dense or
    scipy.sparse CSR; lengths may differ. An output is a sequence of as many labels. Psi sums
    e_y (x) x over the positions and e_y (x) e_y' over the pairs of neighbours; w is the (k, d)
    matrix of label weights and the (k, k) matrix of transitions, ``[a, b]`` for b after a, both
    flattened row by row, one after the other. The loss is the number of wrong labels.

    The oracles are exact: Viterbi and forward-backward, over all sequences at once. With float32
    inputs the products with them are in float32. Labels may be of any sortable kind; a label that
    ``initialize`` has not seen raises ValueError. Predictions are a sequence of arrays of labels.

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
    """

    parallelism = "threads"

    def initialize(self, X: Any, Y: Any) -> None:
        self.n_features_ = _checked_inputs(X)
        if Y is None:
            raise ValueError("Chain needs the outputs Y; it is None")
        labels = _flat_labels(X, Y)
        self._labels = Labels(labels)
        self.classes_, k = self._labels.names, len(self._labels)
        self.size_joint_feature = k * (self.n_features_ + k)
        work = self.size_joint_feature * len(labels) / n_examples(X)
        self.block_size = int(LEAST // work) + 1

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        if Y is None:  # to predict, sequences that ``initialize`` has not seen
            _checked_inputs(X)
        X = self._inputs(X)
        return X, None if Y is None else self._labellings(Y, X.layout)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Vector:
        k, codes = len(self.classes_), self._labels.codes(y)
        one_hot = np.eye(k)[codes]
        unary = (sparse.csr_matrix(x).T @ one_hot).T if sparse.issparse(x) else one_hot.T @ x
        return np.concatenate([unary.ravel(), (one_hot[:-1].T @ one_hot[1:]).ravel()])

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
        # A slot is a label that occurs in a sequence, in either labelling: all other blocks are 0.
        slots, which = np.unique([sequence * k + true, sequence * k + found], return_inverse=True)
        plus, minus = which.reshape(2, -1)
        votes = _votes(plus, minus, np.ones(len(true)), len(slots)).astype(X.rows.dtype)
        unary = _blocks_of_rows(votes @ X.rows, *np.divmod(slots, k), (n, k))
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
        unary = _votes(true, found, weight, k).astype(X.rows.dtype) @ X.rows
        unary = unary.toarray() if sparse.issparse(unary) else unary
        pairs = self._pairs(true, X.layout, weight) - self._pairs(found, X.layout, weight)
        return np.concatenate([unary.astype(np.float64).ravel(), pairs.ravel()])

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float) -> SoftSum:
        X, (unary, transition) = self._scored(X, w / mu)
        layout, codes = X.layout, self._labellings(Y, X.layout).rows
        own, later = codes * len(codes) + np.arange(len(codes)), slice(len(X), None)
        flat = unary.reshape(-1)
        # Taken before the loss enters: the value is relative to the plain score of the truth.
        truth = flat[own]
        truth[later] += transition[codes[layout.before], codes[later]]
        flat[own] -= 1 / mu  # to lower the truth is less work than to raise all others
        log_partition, labels, pairs = marginals(unary, transition, layout)
        # Lowering the truth instead of raising the others lowered every labelling by 1 a position.
        values = mu * (log_partition - layout.sums(truth)) + layout.lengths
        np.maximum(labels, SMALLEST, out=labels)
        flat = labels.reshape(-1)
        certainty = flat[own]
        flat[own] = certainty - 1
        rows = combined(labels.astype(X.rows.dtype), X.rows)
        difference = [-rows.ravel(), (self._pairs(codes, layout) - pairs).ravel()]
        return SoftSum(values, np.concatenate(difference), len(codes) - float(certainty.sum()))

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

    def _scored(self, X: Any, w: Vector) -> tuple[Packed, tuple[Vector, Vector]]:
        """The inputs packed, and the scores of labels and transitions."""
        X, k = self._inputs(X), len(self.classes_)
        W, transition = w[: k * self.n_features_].reshape(k, -1), w[-k * k :].reshape(k, k)
        W = W.astype(X.rows.dtype, copy=False)
        return X, (products(W, X.rows).astype(np.float64, copy=False), transition)

    def _decoded(self, unary: Vector, transition: Vector, layout: Layout) -> Packed:
        return Packed(viterbi(unary, transition, layout), layout, self.classes_)

    def _pairs(self, codes: Any, layout: Layout, weight: Any = None) -> Vector:
        """Counts, or sums of weights, of one label following another; shape (k, k)."""
        k, later = len(self.classes_), slice(len(layout.lengths), None)
        pairs = codes[layout.before] * k + codes[later]
        weight = None if weight is None else weight[later]
        return np.bincount(pairs, weight, k * k).astype(np.float64).reshape(k, k)


def _blocks_of_rows(values: Any, rows: Any, blocks: Any, shape: tuple[int, int]) -> Any:
    """A CSR matrix with ``shape[1]`` blocks of columns: values[j] in row rows[j], block blocks[j].

    The values are sorted by row, and by block within a row.
    """
    n, m = shape
    d = values.shape[1]
    values = sparse.csr_matrix(values)
    columns = values.indices + np.repeat(blocks, np.diff(values.indptr)) * d
    first = np.searchsorted(rows, np.arange(n + 1))
    return sparse.csr_matrix((values.data, columns, values.indptr[first]), (n, m * d))


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
        if y.dtype.kind in "US" and not all(isinstance(label, (str, bytes)) for label in Y[i]):
            raise ValueError(f"Y[{i}] must hold labels of one kind; it mixes strings with others")
        labels.append(y)
    # Concatenated with strings, numbers would become strings: 1 and "1" would be one label.
    if len({y.dtype.kind in "USO" for y in labels}) > 1:
        raise ValueError("Y must hold labels of one kind; it mixes strings with others")
    return np.concatenate(labels)


def _lengths(sequences: Any) -> Any:
    n = n_examples(sequences)
    return np.array([n_examples(sequences[i]) for i in range(n)], dtype=np.intp)
