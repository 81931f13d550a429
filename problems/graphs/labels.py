"""Labels of the nodes of many graphs, packed, and what an oracle found for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import ExampleContainer
from structsvm.data.ragged import Ragged
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.weighted_labels import flat_labels, flat_weights
from structsvm.problems.graphs.inference import Relaxed


class Labellings(ExampleContainer):
    """Labels of the nodes of n graphs; ``labellings[i]`` is the array of labels of graph i.

    Parameters
    ----------
    codes : Ragged
        The code of the label of every node.
    names : ndarray of shape (k,)
        The labels by code.
    weights : Ragged or None
        The loss of getting each node wrong, None where all are 1.
    """

    def __init__(self, codes: Ragged, names: Any, weights: Ragged | None = None) -> None:
        self.codes, self.names, self.weights = codes, names, weights

    @classmethod
    def of(cls, Y: Any, sizes: Indices, labels: Labels) -> Labellings:
        """Pack outputs of graphs with these numbers of nodes; a ValueError unless they fit."""
        codes, weights = labels.codes(flat_labels(sizes, Y)), flat_weights(Y)
        packed = None if weights is None else Ragged(weights, sizes)
        return cls(Ragged(codes, sizes), labels.names, packed)

    def __len__(self) -> int:
        return len(self.codes)

    def example(self, i: int) -> Any:
        return self.names[self.codes[i]]

    def part(self, which: Any) -> Labellings:
        weights = None if self.weights is None else self.weights[which]
        return Labellings(self.codes[which], self.names, weights)


def marginals_of(outputs: Sequence[Any], sizes: Indices, labels: Labels) -> Vector:
    """The marginals of nodes, shape (n_nodes, k); some labellings may be relaxed."""
    return np.concatenate([
        y.nodes if isinstance(y, Relaxed) else _one_hot(y, m, labels)
        for y, m in zip(outputs, sizes, strict=True)
    ])  # fmt: skip


def pair_marginals_of(
    outputs: Sequence[Any], sizes: Indices, ends: Ragged, labels: Labels
) -> Vector:
    """The marginals of edges, shape (n_edges, k, k); some labellings may be relaxed."""
    found = []
    for i, (y, m) in enumerate(zip(outputs, sizes, strict=True)):
        if isinstance(y, Relaxed):
            found.append(y.edges)
        else:
            first, second = _one_hot(y, m, labels)[ends[i]].transpose(1, 0, 2)
            found.append(first[:, :, None] * second[:, None, :])
    return np.concatenate(found)


def _one_hot(y: Any, m: int, labels: Labels) -> Vector:
    return np.eye(len(labels))[labels.codes(flat_labels(np.array([m]), [y]))]
