"""Costs of knapsacks and tours that depend on features, as PyEPO draws them.

B. Tang and E. B. Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize library",
Mathematical Programming Computation 16, 2024.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from structsvm.data.arrays import Vector
from structsvm.datasets.decisions import draw_powers, draw_scores, uniform_noise, zeros_and_ones


def knapsack_values(
    n: int = 1000,
    n_features: int = 5,
    n_items: int = 32,
    n_dimensions: int = 2,
    degree: int = 1,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Vector, Vector, Vector]:
    r"""Draw features and values of items, and their weights, as Tang & Khalil do.

    The value of item j is :math:`5 ((s_j + 3)^k + 1)\, e_j / 3.5^k`, rounded up to an integer, with
    the names of :func:`structsvm.datasets.shortest_path_costs`. The weights are the same for all
    examples: multiples of 0.01 from 3 to 7.99, with equal probabilities.

    The other parameters are those of :func:`structsvm.datasets.shortest_path_costs`, unchecked.

    Parameters
    ----------
    n_items : int, default=32
        Number of items.
    n_dimensions : int, default=2
        Number of weights of an item, each with a capacity of its own.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    values : ndarray of shape (n, n_items)
    weights : ndarray of shape (n_dimensions, n_items)
        For ``structsvm.problems.decisions.optimizers.Knapsack(weights, capacities)``. The paper's
        capacities are 20 in each of one to three dimensions.
    """
    rng = np.random.default_rng(random_state)
    weights = rng.integers(300, 800, (n_dimensions, n_items)) / 100
    X, powers = draw_powers(n, n_items, n_features, degree, rng)
    return X, np.ceil(5 * powers * uniform_noise(powers.shape, noise, rng)), weights


def tour_distances(
    n: int = 1000,
    n_features: int = 10,
    n_cities: int = 20,
    degree: int = 1,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Vector, Vector]:
    r"""Draw features and distances of the pairs of cities, as Tang & Khalil do.

    The distance of pair j is :math:`d_j + (s_j + 3)^k e_j / 3^{k - 1}`, rounded to four decimals
    as in their code, with the names of :func:`structsvm.datasets.shortest_path_costs`, except that
    nonzero entries of B are uniform on [-2, 2]. d are the distances of points in the plane, the
    same for all examples: half of the points, rounded down, are uniform on [-2, 2]^2, and the
    others standard normal.

    The other parameters are those of :func:`structsvm.datasets.shortest_path_costs`, unchecked.

    Parameters
    ----------
    n_cities : int, default=20
        Number of cities, at least 3.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    distances : ndarray of shape (n, m)
        The distances of the m = n_cities (n_cities - 1) / 2 pairs, in the order of
        ``itertools.combinations``, as ``structsvm.problems.decisions.optimizers.Tours(n_cities)``
        takes them. Some are negative where the degree is odd.
    """
    rng = np.random.default_rng(random_state)
    half = n_cities // 2
    points = np.vstack([rng.uniform(-2, 2, (half, 2)), rng.normal(size=(n_cities - half, 2))])
    planar = pdist(points)
    B = zeros_and_ones(len(planar), n_features, rng)
    B *= rng.uniform(-2, 2, B.shape)
    X, s = draw_scores(n, B, rng)
    distances = planar + 3 * ((s + 3) / 3) ** degree * uniform_noise(s.shape, noise, rng)
    return X, distances.round(4)
