"""Frames of landmarks on turning objects: features of their pairs, and splits of the movies."""

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


class Movie(NamedTuple):
    """Landmarks in every frame; landmark i is the same in all.

    Attributes
    ----------
    contexts : ndarray of shape (n_frames, n_landmarks, 60)
        Shape contexts, counts.
    graphs : ndarray of shape (n_frames, n_landmarks, n_landmarks)
        1 for neighbours.
    """

    contexts: Any
    graphs: Any

    @property
    def degrees(self) -> Any:
        return self.graphs.sum(axis=2)

    @property
    def around(self) -> Any:
        """The mean shape context of the neighbours."""
        return self.graphs @ self.contexts / np.maximum(self.degrees, 1)[:, :, None]


class Split(NamedTuple):
    """Numbers of the first frames of the pairs to train, to choose an edge's reward, to test on."""

    train: Any
    validation: Any
    test: Any


@cache
def house() -> Movie:
    """The CMU house."""
    path = locate("cmu_house.npz", None, REMEDY)
    arrays = read_arrays(path, ("shape_context", "adjacency"), REMEDY)
    return Movie(*(arrays[key].astype(float) for key in ("shape_context", "adjacency")))


def split(movie: Movie, k: int, backwards: bool) -> Split:
    """Pairs of frames t and t + k: five of the first quarter of the movie, of the second, and half.

    ``backwards`` takes the quarters from the end of the movie.
    """
    starts = np.arange(len(movie.contexts) - k)
    starts = starts[::-1] if backwards else starts
    quarter = len(starts) // 4
    train, validation = (
        starts[np.linspace(a, a + quarter - 1, 5).round().astype(int)] for a in (0, quarter)
    )
    return Split(train, validation, starts[2 * quarter :])


def pairs(movie: Movie, starts: Any, k: int, graph: bool) -> tuple[list[Any], list[Any]]:
    """Inputs and matchings for pairs of frames k apart; the second frame's landmarks are shuffled.

    The features are the terms of the chi-square distance of two shape contexts; with ``graph`` also
    the terms of the mean shape contexts of neighbours, and the difference of degrees.
    """
    X, Y = [], []
    rng = np.random.default_rng(k)
    around, degrees = movie.around, movie.degrees
    for t in starts:
        x = chi_square(movie.contexts[t], movie.contexts[t + k])
        if graph:
            more = chi_square(around[t], around[t + k])
            fewer = -np.abs(degrees[t][:, None] - degrees[t + k])[:, :, None]
            x = np.concatenate([x, more, fewer], axis=2)
        order = rng.permutation(x.shape[1])  # identities would be found by ties
        X.append(x[:, order])
        Y.append(np.argsort(order))
    return X, Y


def chi_square(a: Any, b: Any) -> Any:
    """Minus the terms of the chi-square distances of the rows of a and b, shape (m, n, d)."""
    a = a[:, None]
    return -((a - b) ** 2) / np.maximum(a + b, 1)
