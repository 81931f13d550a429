"""Points in the plane with clusters that k-means does not find."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import checked_generator, require_option

#: The shapes that :func:`plane` draws.
Shape = Literal["gaussians", "circles", "ai", "joined circles"]
SHAPES = get_args(Shape)


def plane(shape: Shape, random_state: Any = 0) -> tuple[Vector, Indices]:
    """Draw eighty points in two clusters of forty, similar to a figure of Xu et al. [1]_.

    Xu et al. show a figure of their points but do not describe how the points were drawn.
    'gaussians' are two long clouds side by side, 'circles' are two concentric rings, and 'ai' are
    the letters "a" and "i". 'joined circles' are two rings connected by a bridge of four points
    that belong to the outer ring.

    Parameters
    ----------
    shape : {'gaussians', 'circles', 'ai', 'joined circles'}
        Shape of the clusters.
    random_state : int, Generator or None
        The seed. The same integer always yields the same points.

    Returns
    -------
    X : ndarray of shape (80, 2)
    y : ndarray of shape (80,)
        The cluster of each point, 0 or 1.

    Raises
    ------
    ValueError
        The shape is unknown.

    References
    ----------
    .. [1] L. Xu, J. Neufeld, B. Larson and D. Schuurmans, "Maximum Margin Clustering", NIPS 2004,
       figure 1.

    Examples
    --------
    >>> from structsvm.datasets import plane
    >>> X, y = plane("circles")
    >>> X.shape
    (80, 2)
    """
    require_option("shape", shape, SHAPES)
    return np.vstack(_MAKERS[shape](checked_generator(random_state))), np.repeat([0, 1], 40)


def _gaussians(rng: np.random.Generator) -> tuple[Any, ...]:
    cloud = rng.normal(size=(80, 2)) * (0.3, 0.12)
    return cloud[:40], cloud[40:] + np.array([0.0, 0.6])


def _circles(rng: np.random.Generator) -> tuple[Any, ...]:
    return _ring(rng, 0.5, 40, 0.04), _ring(rng, 1.4, 40, 0.04)


def _joined(rng: np.random.Generator) -> tuple[Any, ...]:
    bridge = np.column_stack([np.linspace(0.41, 0.59, 4), rng.normal(0, 0.02, 4)])
    return _ring(rng, 0.3, 40, 0.02), bridge, _ring(rng, 0.7, 36, 0.02)


def _letters(rng: np.random.Generator) -> tuple[Any, ...]:
    strokes = (
        ((0.0, -0.6), (0.5, 0.6), 17),
        ((0.5, 0.6), (1.0, -0.6), 17),
        ((0.27, -0.1), (0.73, -0.1), 6),
        ((1.3, -0.6), (1.3, 0.6), 40),
    )
    return tuple(_stroke(rng, *stroke) for stroke in strokes)


def _ring(rng: np.random.Generator, radius: float, n: int, noise: float) -> Any:
    angles = (np.arange(n) + rng.uniform(size=n)) * 2 * np.pi / n
    radii = radius + rng.normal(0, noise, n)
    return radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def _stroke(rng: np.random.Generator, start: Any, end: Any, n: int) -> Any:
    along = (np.arange(n) + rng.uniform(size=n))[:, None] / n
    return start + along * np.subtract(end, start) + rng.normal(0, 0.02, (n, 2))


_MAKERS = dict(zip(SHAPES, (_gaussians, _circles, _letters, _joined), strict=True))
