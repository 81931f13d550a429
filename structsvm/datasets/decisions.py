"""Costs of decisions that depend on features: shortest paths, knapsacks and tours."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_generator, require_integer, require_number

#: Examples, features, nodes or items, at most: more would not fit in memory.
MOST = 1_000_000
#: The largest degree: powers of more would overflow.
MOST_DEGREES = 100


def shortest_path_costs(
    n: int = 1000,
    n_features: int = 5,
    rows: int = 5,
    columns: int = 5,
    degree: int = 1,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Vector, Vector]:
    r"""Draw features and costs of the edges of a grid, as Elmachtoub & Grigas [1]_ do.

    The features are standard normal. The cost of edge j is
    :math:`((s_j + 3)^k + 1)\, e_j / 3.5^k` with the degree k, where :math:`s = B x / \sqrt p` for
    the p features x, B holds 0 or 1 with equal probabilities, and :math:`e_j` is uniform on
    [1 - noise, 1 + noise] for every example and edge. Every call draws another B, so split the
    examples of one call into training and test data.

    Parameters
    ----------
    n : int, default=1000
        Number of examples.
    n_features : int, default=5
        Number of features p.
    rows, columns : int, default=5
        Numbers of nodes of the grid.
    degree : int, default=1
        The degree of the costs in the features, from 1 to 100. For 1 they are linear.
    noise : float, default=0.0
        Half of the width of the noise, from 0 to 1.
    random_state : int, Generator or None
        The same int gives the same data.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    costs : ndarray of shape (n, m)
        The costs of the m = rows (columns - 1) + columns (rows - 1) edges, in the order of
        ``structsvm.problems.decisions.optimizers.GridPaths(rows, columns)``.

    Raises
    ------
    ValueError
        A parameter is out of range.

    References
    ----------
    .. [1] A. N. Elmachtoub and P. Grigas, "Smart 'Predict, then Optimize'", Management Science
       68(1), 2022, section 6.1. The constants are those of B. Tang and E. B. Khalil, "PyEPO: a
       PyTorch-based end-to-end predict-then-optimize library", Mathematical Programming
       Computation 16, 2024.

    Examples
    --------
    >>> from structsvm.datasets import shortest_path_costs
    >>> X, costs = shortest_path_costs(degree=6, noise=0.5)
    >>> X.shape, costs.shape
    ((1000, 5), (1000, 40))
    """
    _require_common(n, n_features, degree, noise)
    require_integer("rows", rows, 1, MOST)
    require_integer("columns", columns, 1, MOST)
    rng = checked_generator(random_state)
    m = rows * (columns - 1) + columns * (rows - 1)
    if m == 0:
        raise ValueError("a grid has at least two nodes; got rows=1 and columns=1")
    X, powers = _powers(n, m, n_features, degree, rng)
    return X, powers * _noise(powers.shape, noise, rng)


def knapsack_values(
    n: int = 1000,
    n_features: int = 5,
    n_items: int = 32,
    n_dimensions: int = 2,
    degree: int = 1,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Vector, Vector, Vector]:
    r"""Draw features and values of items, and their weights, as Tang & Khalil [1]_ do.

    The value of item j is :math:`5 ((s_j + 3)^k + 1)\, e_j / 3.5^k`, rounded up to an integer, with
    the names of :func:`shortest_path_costs`. The weights are the same for all examples: multiples
    of 0.01 from 3 to 7.99, with equal probabilities.

    Parameters
    ----------
    n : int, default=1000
        Number of examples.
    n_features : int, default=5
        Number of features.
    n_items : int, default=32
        Number of items.
    n_dimensions : int, default=2
        Number of weights of an item, each with a capacity of its own.
    degree : int, default=1
        The degree of the values in the features, from 1 to 100.
    noise : float, default=0.0
        Half of the width of the noise, from 0 to 1.
    random_state : int, Generator or None
        The same int gives the same data.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    values : ndarray of shape (n, n_items)
    weights : ndarray of shape (n_dimensions, n_items)
        For ``structsvm.problems.decisions.optimizers.Knapsack(weights, capacities)``. The paper's
        capacities are 20 in each of one to three dimensions.

    Raises
    ------
    ValueError
        A parameter is out of range.

    References
    ----------
    .. [1] B. Tang and E. B. Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize
       library", Mathematical Programming Computation 16, 2024.

    Examples
    --------
    >>> from structsvm.datasets import knapsack_values
    >>> X, values, weights = knapsack_values(degree=4)
    >>> X.shape, values.shape, weights.shape
    ((1000, 5), (1000, 32), (2, 32))
    """
    _require_common(n, n_features, degree, noise)
    require_integer("n_items", n_items, 1, MOST)
    require_integer("n_dimensions", n_dimensions, 1, MOST)
    rng = checked_generator(random_state)
    weights = rng.integers(300, 800, (n_dimensions, n_items)) / 100
    X, powers = _powers(n, n_items, n_features, degree, rng)
    return X, np.ceil(5 * powers * _noise(powers.shape, noise, rng)), weights


def tour_distances(
    n: int = 1000,
    n_features: int = 10,
    n_cities: int = 20,
    degree: int = 1,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Vector, Vector]:
    r"""Draw features and distances of the pairs of cities, as Tang & Khalil [1]_ do.

    The distance of pair j is :math:`d_j + (s_j + 3)^k e_j / 3^{k - 1}`, rounded to four decimals,
    with the names of :func:`shortest_path_costs`, except that nonzero entries of B are uniform on
    [-2, 2]. d are the distances of points in the plane, the same for all examples: half
    of the points, rounded down, are uniform on [-2, 2]^2, and the others standard normal.

    Parameters
    ----------
    n : int, default=1000
        Number of examples.
    n_features : int, default=10
        Number of features.
    n_cities : int, default=20
        Number of cities, at least 3.
    degree : int, default=1
        The degree of the distances in the features, from 1 to 100.
    noise : float, default=0.0
        Half of the width of the noise, from 0 to 1.
    random_state : int, Generator or None
        The same int gives the same data.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    distances : ndarray of shape (n, m)
        The distances of the m = n_cities (n_cities - 1) / 2 pairs, in the order of
        ``itertools.combinations``, as ``structsvm.problems.decisions.optimizers.Tours(n_cities)``
        takes them. Some are negative where the degree is odd.

    Raises
    ------
    ValueError
        A parameter is out of range.

    References
    ----------
    .. [1] B. Tang and E. B. Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize
       library", Mathematical Programming Computation 16, 2024. The rounding is that of its code.

    Examples
    --------
    >>> from structsvm.datasets import tour_distances
    >>> X, distances = tour_distances(degree=4)
    >>> X.shape, distances.shape
    ((1000, 10), (1000, 190))
    """
    _require_common(n, n_features, degree, noise)
    require_integer("n_cities", n_cities, 3, MOST)
    rng = checked_generator(random_state)
    half = n_cities // 2
    points = np.vstack([rng.uniform(-2, 2, (half, 2)), rng.normal(size=(n_cities - half, 2))])
    planar = pdist(points)
    B = _zeros_and_ones(len(planar), n_features, rng)
    B *= rng.uniform(-2, 2, B.shape)
    X, s = _scores(n, B, rng)
    distances = planar + 3 * ((s + 3) / 3) ** degree * _noise(s.shape, noise, rng)
    return X, distances.round(4)


def _require_common(n: int, n_features: int, degree: int, noise: float) -> None:
    require_integer("n", n, 1, MOST)
    require_integer("n_features", n_features, 1, MOST)
    require_integer("degree", degree, 1, MOST_DEGREES)
    require_number("noise", noise, ">= 0")
    if noise > 1:
        raise ValueError(f"noise must be a number from 0 to 1; got {noise!r}")


def _powers(
    n: int, m: int, n_features: int, degree: int, rng: np.random.Generator
) -> tuple[Vector, Vector]:
    """The features, and ((s + 3)^degree + 1) / 3.5^degree."""
    X, s = _scores(n, _zeros_and_ones(m, n_features, rng), rng)
    return X, ((s + 3) / 3.5) ** degree + 3.5**-degree


def _zeros_and_ones(m: int, n_features: int, rng: np.random.Generator) -> Vector:
    return rng.integers(0, 2, (m, n_features)).astype(np.float64)


def _scores(n: int, B: Vector, rng: np.random.Generator) -> tuple[Vector, Vector]:
    """The features x, and s = B x / sqrt(p)."""
    X = rng.normal(size=(n, B.shape[1]))
    return X, X @ B.T / np.sqrt(B.shape[1])


def _noise(shape: Any, width: float, rng: np.random.Generator) -> Vector:
    return rng.uniform(1 - width, 1 + width, shape)
