"""Imports structsvm before pytest does, and leaves no picture open.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.

The folder itself comes last on the path, for the benchmarks: first on it, its structsvm would hide
an installed one, and has no structsvm.problems inside.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
sys.path = [*(entry for entry in sys.path if Path(entry).resolve() != ROOT), str(ROOT)]

import structsvm.problems  # noqa: E402, F401

os.environ.setdefault("MPLBACKEND", "Agg")
if find_spec("matplotlib") is None:
    collect_ignore_glob = ["structsvm/displays/*"]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
