"""Pools of bad values, each made by a function, and the good data beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

Make = Callable[[], Any]
Pool = dict[str, Make]


def rows(n: int = 12, d: int = 3, seed: int = 0) -> Any:
    """Gaussian rows about two centres."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * (np.arange(n) % 2)[:, None] - 2


def labels(n: int = 12) -> Any:
    """A label for each of the rows."""
    return np.arange(n) % 2


def mapped(array: Any) -> Any:
    """The array, mapped from a file that can only be read."""
    with tempfile.TemporaryFile() as file:
        array.tofile(file)
        file.flush()
        return np.memmap(file, array.dtype, mode="r", shape=array.shape)
