"""Random data for decision problems: features, and costs that depend on the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_generator, require_integer, require_number

#: Largest number of examples, features, nodes or items: more would not fit in memory.
MOST = 1_000_000
#: Largest degree: higher powers would overflow.
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
    r"""Draw features and the costs of a grid's edges, by the method of Elmachtoub & Grigas [1]_.

    The features have a standard normal distribution. The random matrix B has a row for each edge;
    its entries are 0 or 1 with equal probabilities. The scores of the edges are the entries of
    :math:`s = B x / \sqrt p`, for the random matrix B and the p features x of an example. The cost
    of an edge with the score :math:`s_j` is :math:`((s_j + 3)^k + 1)\, e_j / 3.5^k`, where k is the
    degree and :math:`e_j` is a random factor. The random factors are uniform on [1 - noise, 1 +
    noise]. Training and test data need the same random matrix B: draw all data in one call, and
    split the examples.

    Parameters
    ----------
    n : int, default=1000
        Number of examples.
    n_features : int, default=5
        Number of features p.
    rows, columns : int, default=5
        Number of rows and of columns of nodes in the grid.
    degree : int, default=1
        The degree of the costs as a polynomial of the features, from 1, for linear costs, to 100.
    noise : float, default=0.0
        The size of the noise, from 0 to 1: costs are multiplied by random factors from [1 - noise,
        1 + noise].
    random_state : int, Generator or None
        The seed. The same integer always yields the same data.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    costs : ndarray of shape (n, m)
        The costs of the m = rows (columns - 1) + columns (rows - 1) edges, in the order of
        ``structsvm.problems.decisions.optimizers.GridPaths(rows, columns)``.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    .. [1] A. N. Elmachtoub and P. Grigas, "Smart 'Predict, then Optimize'", Management Science
       68(1), 2022, section 6.1. The constants in the cost formula are from B. Tang and E. B.
       Khalil, "PyEPO: a PyTorch-based end-to-end predict-then-optimize library", Mathematical
       Programming Computation 16, 2024.

    Examples
    --------
    >>> from structsvm.datasets import shortest_path_costs
    >>> X, costs = shortest_path_costs(degree=6, noise=0.5)
    >>> X.shape, costs.shape
    ((1000, 5), (1000, 40))
    """
    require_integer("n", n, 1, MOST)
    require_integer("n_features", n_features, 1, MOST)
    require_integer("degree", degree, 1, MOST_DEGREES)
    require_number("noise", noise, ">= 0")
    if noise > 1:
        raise ValueError(f"noise must be a number from 0 to 1; got {noise!r}")
    require_integer("rows", rows, 1, MOST)
    require_integer("columns", columns, 1, MOST)
    rng = checked_generator(random_state)
    m = rows * (columns - 1) + columns * (rows - 1)
    if m == 0:
        raise ValueError("a grid has at least two nodes; got rows=1 and columns=1")
    X, powers = draw_powers(n, m, n_features, degree, rng)
    return X, powers * uniform_noise(powers.shape, noise, rng)


def draw_powers(
    n: int, m: int, n_features: int, degree: int, rng: np.random.Generator
) -> tuple[Vector, Vector]:
    """Draw features x and scores s, and return x and ((s + 3)^degree + 1) / 3.5^degree."""
    X, s = draw_scores(n, zeros_and_ones(m, n_features, rng), rng)
    return X, ((s + 3) / 3.5) ** degree + 3.5**-degree


def zeros_and_ones(m: int, n_features: int, rng: np.random.Generator) -> Vector:
    """Draw a matrix of zeros and ones, with equal probabilities."""
    return rng.integers(0, 2, (m, n_features)).astype(np.float64)


def draw_scores(n: int, B: Vector, rng: np.random.Generator) -> tuple[Vector, Vector]:
    """Draw n rows of features, and return the rows and the scores of the edges."""
    X = rng.normal(size=(n, B.shape[1]))
    return X, X @ B.T / np.sqrt(B.shape[1])


def uniform_noise(shape: Any, width: float, rng: np.random.Generator) -> Vector:
    """Draw numbers that are uniform on [1 - width, 1 + width]."""
    return np.asarray(rng.uniform(1 - width, 1 + width, shape))
