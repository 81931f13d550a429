"""Imports structsvm before pytest does, and leaves no picture open.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

import structsvm.problems  # noqa: F401

os.environ.setdefault("MPLBACKEND", "Agg")
if find_spec("matplotlib") is None:
    collect_ignore_glob = ["structsvm/displays/*"]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
