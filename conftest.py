"""Imports structsvm before pytest does, leaves out what needs a missing package, closes pictures.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.

The folder itself comes last on the path, for the benchmarks: an installed structsvm comes before.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import structsvm.problems  # noqa: F401

os.environ.setdefault("MPLBACKEND", "Agg")

#: Modules that cannot be imported without a package; their test files are skipped, with the reason.
NEEDING = {
    "matplotlib": ["structsvm/displays/*"],
    "motile": ["docs/examples/from_motile.py"],
    "torch": ["structsvm/torch/*", "problems/*/tensors.py", "docs/examples/handwriting.py"],
}
collect_ignore_glob = [
    path for package, paths in NEEDING.items() if find_spec(package) is None for path in paths
]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
