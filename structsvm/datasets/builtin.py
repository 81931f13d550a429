"""Data that need no file: scikit-learn's digits, and a distribution to draw from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state


def digits() -> tuple[Any, Any]:
    """The 1797 handwritten digits that come with scikit-learn.

    Returns
    -------
    X : ndarray of shape (1797, 64)
        Images of 8 x 8 pixels, row by row, scaled to [0, 1].
    y : ndarray of shape (1797,)
        The digit.
    """
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def digits_pair(first: int, second: int) -> tuple[Any, Any]:
    """The rows of :func:`digits` that show one of two digits.

    Parameters
    ----------
    first, second : int

    Examples
    --------
    >>> from structsvm.datasets import digits_pair
    >>> X, y = digits_pair(3, 8)
    >>> X.shape
    (357, 64)
    >>> sorted(set(y.tolist()))
    [3, 8]
    """
    X, y = digits()
    rows = (y == first) | (y == second)
    return X[rows], y[rows]


def ringnorm(n: int = 1000, random_state: Any = 0) -> tuple[Any, Any]:
    """A draw from ringnorm: a wide Gaussian in 20 dimensions, and a narrow one inside it.

    Class 0 is N(0, 4 I), class 1 is N((a, ..., a), I) with a = 1 / sqrt(20), both as likely [1]_.

    Parameters
    ----------
    n : int
        How many rows.
    random_state : int, RandomState instance or None
        The same int gives the same rows.

    Returns
    -------
    X : ndarray of shape (n, 20)
    y : ndarray of shape (n,)
        The class, 0 or 1.

    References
    ----------
    .. [1] L. Breiman, "Bias, variance, and arcing classifiers", Technical report 460, University
       of California, Berkeley, 1996.

    Examples
    --------
    >>> from structsvm.datasets import ringnorm
    >>> X, y = ringnorm()
    >>> X.shape
    (1000, 20)
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n)
    noise = rng.standard_normal((n, 20))
    return np.where(y[:, None] == 1, noise + 1 / np.sqrt(20), 2 * noise), y
