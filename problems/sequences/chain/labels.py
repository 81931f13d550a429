"""Labels of sequences: their checks, and labels that are not all of the same weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from structsvm.containers import n_examples
from structsvm.exceptions import warn_user
from structsvm.matrices import checked_numbers, one_array, require_unmasked
from structsvm.problem import Indices, Vector
from structsvm.problems.classification.labels import mixes_strings


class WeightedLabels:
    """The labels of a sequence, each with the loss of getting it wrong.

    Parameters
    ----------
    labels : sequence of length m
    weights : array-like of shape (m,)
        Finite and >= 0. With weight 0 a position has no loss, but its label still counts in the
        score of the true labelling: a weight of 0 does not make a label unknown.

    Raises
    ------
    ValueError
        The weights are not as many as the labels, or not finite and >= 0.

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


def require_weights(weights: Vector, name: str = "weights") -> None:
    """Raise a ValueError unless all are finite and >= 0."""
    wrong = ~((weights >= 0) & np.isfinite(weights))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(f"{name} must be finite and >= 0; {name}[{place}] is {weights[place]:g}")


def flat_labels(lengths: Indices, Y: Any) -> Any:
    """The labels of all sequences in one array; a ValueError unless they have these lengths."""
    labels = []
    for i, length in enumerate(lengths):
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
    try:
        return np.concatenate(labels)
    except TypeError as error:
        raise ValueError(f"Y must hold labels of one kind: {error}") from None


def flat_weights(Y: Any) -> Vector | None:
    """The weights of all labels in one array, or None where all are 1."""
    sequences = [Y[i] for i in range(n_examples(Y, "Y"))]
    if not any(isinstance(y, WeightedLabels) for y in sequences):
        return None
    return np.concatenate(
        [y.weights if isinstance(y, WeightedLabels) else np.ones(len(y)) for y in sequences]
    )


def lengths_of(sequences: Any) -> Indices:
    """The lengths of sequences, shape (n,)."""
    n = n_examples(sequences)
    return np.array([n_examples(sequences[i]) for i in range(n)], dtype=np.intp)


def checked_class_weight(class_weight: Any, codes: Indices, names: Any, weights: Any) -> Vector:
    """The loss of getting each label wrong, shape (k,).

    ``codes`` are the labels of all positions, and ``weights`` those of the positions, or None.
    """
    if not (class_weight is None or class_weight == "balanced" or isinstance(class_weight, dict)):
        raise ValueError(
            "class_weight must be a dict of label and weight, 'balanced' or None; got "
            f"{class_weight!r}"
        )
    if isinstance(class_weight, dict):
        unknown = [label for label in class_weight if label not in names.tolist()]
        if unknown:
            warn_user(f"class_weight has labels that Y has not: {unknown}; they are ignored")
        found = np.array([class_weight.get(label, 1.0) for label in names.tolist()])
    else:
        found = compute_class_weight(class_weight, classes=names, y=names[codes])
    found = checked_numbers("class_weight", found)
    require_weights(found, "class_weight")
    if not np.any(found[codes] * (1.0 if weights is None else weights)):
        raise ValueError("every label has the weight 0; at least one must have a loss")
    return found
