"""Every script of the benchmarks can be imported, as it must be to start."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = [p for p in sorted(BENCHMARKS.rglob("*.py")) if not p.name.startswith("_")]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_imported(path):
    importlib.import_module(".".join(path.relative_to(BENCHMARKS.parent).with_suffix("").parts))
