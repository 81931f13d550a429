"""Frames of the CMU house sequence: features of pairs of landmarks, and splits of the movie."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from structsvm.datasets.files import how_to_supply, locate, read_arrays

REMEDY = how_to_supply(
    "cmu_house.npz",
    "with numpy.savez, arrays shape_context of shape (111, 30, 60), counts, and adjacency of shape "
    "(111, 30, 30), 0 or 1, where landmark i is the same in every frame (CMU VASC)",
)
#: The feature that is the sum of all others counts half: to trust them equally costs little.
SUM = 0.5


class Split(NamedTuple):
    """Numbers of the first frames of the pairs to train, to choose C and to test on."""

    train: Any
    validation: Any
    test: Any


@cache
def movie() -> dict[str, Any]:
    """Shape contexts, adjacency, and the mean shape context of the neighbours in each frame."""
    path = locate("cmu_house.npz", None, REMEDY)
    arrays = read_arrays(path, ("shape_context", "adjacency"), REMEDY)
    contexts, graphs = (arrays[key].astype(float) for key in ("shape_context", "adjacency"))
    degrees = graphs.sum(axis=2)
    around = graphs @ contexts / np.maximum(degrees, 1)[:, :, None]
    return {"contexts": contexts, "graphs": graphs, "degrees": degrees, "around": around}


def split(k: int, backwards: bool) -> Split:
    """Pairs of frames t and t + k: five of the first quarter of the movie, of the second, and half.

    ``backwards`` takes the quarters from the end of the movie.
    """
    starts = np.arange(len(movie()["contexts"]) - k)
    starts = starts[::-1] if backwards else starts
    quarter = len(starts) // 4
    train, validation = (
        starts[np.linspace(a, a + quarter - 1, 5).round().astype(int)] for a in (0, quarter)
    )
    return Split(train, validation, starts[2 * quarter :])


def pairs(starts: Any, k: int, graph: bool) -> tuple[list[Any], list[Any]]:
    """Inputs and matchings for pairs of frames k apart; the second frame's landmarks are shuffled.

    The features are the terms of the chi-square distance of two shape contexts, and their sum; with
    ``graph`` also those of the mean shape contexts of neighbours, and the difference of degrees.
    """
    frames, X, Y = movie(), [], []
    rng = np.random.default_rng(k)
    for t in starts:
        features = [chi_square(frames["contexts"][t], frames["contexts"][t + k])]
        if graph:
            degree = frames["degrees"]
            features.append(chi_square(frames["around"][t], frames["around"][t + k]))
            features.append(-np.abs(degree[t][:, None] - degree[t + k])[:, :, None])
        x = np.concatenate(features, axis=2)
        order = rng.permutation(x.shape[1])  # identities would be found by ties
        x = np.concatenate([x, SUM * x.sum(axis=2, keepdims=True)], axis=2)
        X.append(x[:, order])
        Y.append(np.argsort(order))
    return X, Y


def chi_square(a: Any, b: Any) -> Any:
    """Minus the terms of the chi-square distances of the rows of a and b, shape (m, n, d)."""
    a = a[:, None]
    return -((a - b) ** 2) / np.maximum(a + b, 1)
