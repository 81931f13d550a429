"""Validators that solvers, problems and estimators share.

A ``require_*`` function raises errors, and a ``checked_*`` function returns the checked value.
Every error names the argument, the expected values and the actual value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers

#: Largest number of jobs. A larger number is a mistake, and would start too many processes.
MOST_JOBS = 10_000
#: Largest number of restarts of a search. With a larger number, which is a mistake, it would not
#: end.
MOST_STARTS = 1_000_000

#: Types of numbers. Other types, such as Fraction, would make arrays of objects.
NUMBERS = (int, float, np.integer, np.floating)
#: The smallest number above 0.
SMALLEST = math.ulp(0.0)
#: Weights of examples are huge above this number, and tiny below its inverse.
HUGE_WEIGHT = 1e150


def require_number(name: str, value: Any, wanted: str) -> None:
    """Raise a ValueError unless the value is a finite number in a range.

    The argument ``wanted`` names the range: '> 0', '>= 0', '> 0 and < 1' or '>= 0 and < 1'.
    """
    try:
        number = float(value) if isinstance(value, NUMBERS) else math.nan
    except OverflowError:
        number = math.inf
    least = 0.0 if wanted.startswith(">=") else SMALLEST
    below = 1.0 if wanted.endswith("< 1") else math.inf
    if isinstance(value, bool) or not least <= number < below:
        kind = "number" if below == 1 else "finite number"
        raise ValueError(f"{name} must be a {kind} {wanted}; got {_shown(value)}")


def require_integer(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise a ValueError unless the value is an integer from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {_shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}; got {_shown(value)}")


def require_option(name: str, value: Any, options: Iterable[str]) -> None:
    """Raise a ValueError unless the value is one of the options.

    All options are strings.
    """
    if not isinstance(value, str) or value not in [*options]:
        known = ", ".join(map(repr, options))
        raise ValueError(f"{name} must be one of {known}; got {_shown(value)}")


def require_n_jobs(value: Any) -> None:
    """Raise a ValueError unless the value is None or a valid number of processes."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if value is not None and not (is_integer and 0 < abs(int(value)) <= MOST_JOBS):
        raise ValueError(
            f"n_jobs must be None, the number of jobs, from 1 to {MOST_JOBS}, or -1 for all "
            f"processors; got {_shown(value)}"
        )


def require_flag(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {_shown(value)}")


def require_callable(name: str, value: Any) -> None:
    """Raise a TypeError unless the value is None or callable."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be callable; got {value!r}")


def checked_w(name: str, value: Any, size: int) -> Vector:
    """Return a copy of the value as a weight vector.

    Raise a ValueError if the value is not a valid weight vector.
    """
    last = " (with warm_start=True it is the solution of the last fit; set warm_start=False for "
    last += "features or labels of another number)"
    expected = f"{name} must be finite and of shape ({size},){last if name == 'w0' else ''}"
    try:
        if hasattr(value, "w"):
            raise ValueError("give its w")
        w = np.array(checked_numbers(name, value))
    except Exception as error:
        raise ValueError(f"{expected}; got {_shown(value)}: {error}") from error
    if w.shape != (size,):
        raise ValueError(f"{expected}; got shape {w.shape}")
    if not np.isfinite(w).all():
        raise ValueError(f"{expected}; it contains NaN or infinity")
    return w


def checked_sample_weight(value: Any, n: int) -> Vector:
    """Return the weights of n examples.

    For None, all weights are 1.

    Raises a ValueError unless the weights are n finite numbers >= 0 that are not all 0. If weights
    are very large or very small, all weights are divided by the largest weight.
    """
    if value is None:
        return np.ones(n)
    expected = f"sample_weight must hold a number >= 0 for each of {n} examples"
    weights = checked_numbers("sample_weight", value)
    if weights.shape != (n,):
        raise ValueError(f"{expected}; got shape {weights.shape}")
    wrong = ~((weights >= 0) & np.isfinite(weights))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{expected}; sample_weight[{i}] is {weights[i]:g}")
    if not weights.any():
        raise ValueError(f"{expected}; sample_weight is zero for all of them")
    largest = float(weights.max())
    # Sums and products of such weights may overflow or underflow; common factors change nothing.
    return weights if 1 / HUGE_WEIGHT <= largest <= HUGE_WEIGHT else weights / largest


def checked_generator(random_state: Any) -> np.random.Generator:
    """Return a random generator of numpy.

    Raise a ValueError if the seed is invalid.
    """
    try:
        if isinstance(random_state, np.ndarray):  # a numpy.matrix would crash the interpreter
            raise TypeError("it is an array")
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer >= 0, a numpy Generator or None; got "
            f"{_shown(random_state)}"
        ) from None


def checked_random_state(random_state: Any) -> np.random.RandomState:
    """Return a RandomState, as in scikit-learn.

    Raise a ValueError if the seed is invalid.
    """
    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer from 0 to 2^32 - 1, a numpy RandomState or None; got "
            f"{_shown(random_state)}"
        ) from None
    return generator


def _shown(value: Any) -> str:
    """Return a text for a value in a message, with advice if the number's type is unusual."""
    unusual = isinstance(value, Real) and not isinstance(value, (*NUMBERS, np.bool_))
    return f"{value!r:.80}" + ("; convert it with float()" if unusual else "")
