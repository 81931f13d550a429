"""Real data: scikit-learn's digits, and optional files that the user supplies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

#: The environment variable that names the folder of the optional files.
FOLDER_VARIABLE = "STRUCTSVM_DATA"


class DataFile(NamedTuple):
    """What an optional file holds: its X, its y, and whose data they are."""

    shape: tuple[int, int]
    labels: str
    creator: str


FILES = {
    "letter": DataFile((20000, 16), "0..25, the letters A..Z", "Frey & Slate 1991, UCI"),
    "mnist": DataFile((70000, 784), "the digits, the 60000 training rows first", "LeCun 1998"),
    "satimage": DataFile((6435, 36), "the soil classes 1, 2, 3, 4, 5 and 7", "Statlog, UCI"),
}


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


def load_file(name: str, folder: str | Path | None = None) -> dict[str, Any]:
    """The arrays of an optional data file, ``<folder>/<name>.npz``.

    Parameters
    ----------
    name : str
        Such as 'letter', 'mnist' or 'satimage'; any file with arrays X and y of equal length.
    folder : path, optional
        Default: the folder named by the environment variable STRUCTSVM_DATA.

    Returns
    -------
    dict of str to ndarray
        X, y and whatever else the file holds, as stored: integers are not scaled.

    Raises
    ------
    FileNotFoundError
        No folder or no such file; the message says what is missing and how to supply it.
    ValueError
        The file does not hold the arrays that it should.
    """
    path = _folder(name, folder) / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist. {_how_to_supply(name)}")
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    missing = {"X", "y"} - arrays.keys()
    if missing:
        raise ValueError(f"{path} lacks {' and '.join(sorted(missing))}. {_how_to_supply(name)}")
    shape, n_labels = arrays["X"].shape, len(arrays["y"])
    if shape[0] != n_labels or (name in FILES and shape != FILES[name].shape):
        raise ValueError(
            f"{path} holds X of shape {shape} and y of length {n_labels}. {_how_to_supply(name)}"
        )
    return arrays


def _folder(name: str, folder: str | Path | None) -> Path:
    chosen = folder or os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        raise FileNotFoundError(f"No folder of data files is named. {_how_to_supply(name)}")
    return Path(chosen)


def _how_to_supply(name: str) -> str:
    """What the file must hold and where to put it."""
    holds = "arrays X and y of equal length"
    if name in FILES:
        (n, d), labels, creator = FILES[name]
        holds = f"arrays X of shape ({n}, {d}) and y of shape ({n},), {labels} ({creator})"
    return (
        f"Write {name}.npz with numpy.savez, {holds}, and name its folder in the environment "
        f"variable {FOLDER_VARIABLE} or by folder=..."
    )
