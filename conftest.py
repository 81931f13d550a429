"""Imports structsvm before pytest does, leaves out what needs a missing package, closes pictures.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.

The folder itself comes last on the path, for the benchmarks: an installed structsvm comes before.
"""

import os
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import structsvm.problems  # noqa: F401

ROOT = Path(__file__).parent
os.environ.setdefault("MPLBACKEND", "Agg")

#: Modules that cannot be imported without a package, and are left out where it is missing.
NEEDING = {
    "matplotlib": ["structsvm/displays/*"],
    "motile": ["docs/examples/from_motile.py"],
    "ortools": ["docs/examples/rosters.py"],
    "pytoulbar2": ["docs/examples/cost_networks.py"],
    "torch": ["structsvm/torch/*", "problems/*/tensors.py", "docs/examples/handwriting.py"],
}
collect_ignore_glob = [
    path for package, paths in NEEDING.items() if find_spec(package) is None for path in paths
]
#: Tests of packages that ``make test`` does not install; ``make test-all`` installs some and runs
#: them after it.
OPTIONAL = [
    "structsvm/torch/*.py", "docs/networks.md", "docs/or_tools.md", "docs/toulbar2.md",
    "docs/examples/test_*.py", "tests/networks/*.py",
    "tests/problems/**/test_tensors.py", "tests/problems/programs/test_motile.py",
    "tests/experiments/test_rivals.py", "tests/house/test_docstrings.py",
    "tests/pages/test_docs.py", "tests/pages/test_doors.py", "tests/pages/test_gallery.py",
]  # fmt: skip


def is_optional(path: Path) -> bool:
    return any(fnmatch(str(path.relative_to(ROOT)), pattern) for pattern in OPTIONAL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem):  # examples show what users are warned of
            item.add_marker(pytest.mark.filterwarnings("ignore::UserWarning"))
        if is_optional(item.path):
            item.add_marker("optional")


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
