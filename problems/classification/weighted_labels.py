"""Checks of the labels of positions or nodes, and labels with unequal weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples
from structsvm.data.labels import checked_labels
from structsvm.data.matrices import checked_numbers
from structsvm.data.remedies import label_remedy
from structsvm.problems.classification.labels import require_weights


class WeightedLabels:
    """The labels of a sequence or graph, each with the loss of predicting it wrongly.

    Parameters
    ----------
    labels : sequence of length m
        The label of every position or node.
    weights : array-like of shape (m,)
        The loss of a wrong label at every position, finite and >= 0. A position of weight 0 has no
        loss, but its label still counts in the score of the true labelling. A label of weight 0 is
        not treated as unknown.

    Raises
    ------
    ValueError
        If the numbers of weights and labels differ, or if a weight is not finite and >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import Chain, WeightedLabels
    >>> y = WeightedLabels(["a", "b", "b"], [1.0, 5.0, 1.0])
    >>> chain = Chain()
    >>> chain.initialize([np.zeros((3, 1))], [y])
    >>> chain.loss(y, ["a", "a", "a"])
    6.0
    """

    def __init__(self, labels: Any, weights: Any) -> None:
        self.labels, self.weights = labels, checked_numbers("weights", weights)
        if self.weights.shape != (n_examples(labels, "labels"),):
            raise ValueError(
                f"expected a weight for each of {len(labels)} labels; got shape "
                f"{self.weights.shape}"
            )
        require_weights(self.weights)

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __getitem__(self, which: Any) -> Any:
        return self.labels[which]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.labels, dtype=dtype)

    def __repr__(self) -> str:
        return f"WeightedLabels({self.labels!r}, {self.weights!r})"


def flat_labels(lengths: Indices, Y: Any, name: str = "Y") -> Any:
    """Join the labels of all sequences; raise a ValueError if a length is not as in ``lengths``.

    ``lengths`` holds the lengths of the sequences, and ``name`` is the name of Y in messages.
    Sequences of length 0 have no labels.
    """
    labels, kinds = [], set()
    for i, length in enumerate(lengths):
        if isinstance(Y[i], str):
            raise ValueError(
                f"{name}[{i}] is the string {Y[i]!r:.60}; expected a list with a label for each of "
                f"the {length} rows of X[{i}]"
            )
        y = checked_labels(f"{name}[{i}]", Y[i])
        if y.ndim != 1 or len(y) != length:
            raise ValueError(
                f"{name}[{i}] must hold a label for each of the {length} rows of X[{i}]; got shape "
                f"{y.shape}{label_remedy(f'{name}[{i}]', Y[i], length)}"
            )
        if length:
            labels.append(y)
            kinds.add(y.dtype.kind in "USO")
    # Concatenated with strings, numbers would become strings: 1 and "1" would be one label.
    if len(kinds) > 1:
        raise ValueError(f"{name} must hold labels of one kind; it mixes strings with others")
    try:
        return np.concatenate(labels)
    except TypeError as error:
        raise ValueError(f"{name} must hold labels of one kind: {error}") from None


def flat_weights(Y: Any) -> Vector | None:
    """Return the weights of all labels in one array, or None if no labels are weighted."""
    found, weighted = [], False
    for i in range(n_examples(Y, "Y")):
        own = isinstance(Y[i], WeightedLabels)
        found.append(Y[i].weights if own else np.ones(len(Y[i])))
        weighted |= own
    return np.concatenate(found) if weighted else None
