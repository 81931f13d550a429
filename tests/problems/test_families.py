"""The families of problems import each other in one direction only."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PROBLEMS = Path(__file__).parents[2] / "problems"
FAMILIES = sorted(path.name for path in PROBLEMS.iterdir() if (path / "__init__.py").exists())


def families_imported(source):
    """The families that some source imports from."""
    modules = [n.module for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)]
    parts = [module.split(".") for module in modules if module.startswith("structsvm.problems")]
    return {names[2] if len(names) > 2 else "all of them" for names in parts}


def test_families_form_no_circle():
    arrows = {
        family: set().union(
            *(families_imported(path.read_text()) for path in (PROBLEMS / family).rglob("*.py"))
        )
        - {family, "by_task"}  # the base class of many
        for family in FAMILIES
    }
    order = list(TopologicalSorter(arrows).static_order())
    assert sorted(order) == FAMILIES  # and none imports from structsvm.problems itself
    assert sum(map(len, arrows.values())) < len(FAMILIES) - 1, arrows


def test_the_test_above_can_fail():
    assert families_imported("from structsvm.problems import MMC") == {"all of them"}
    assert families_imported("from structsvm.problems.sequences.chain import Chain") == {
        "sequences"
    }
    with pytest.raises(CycleError):
        list(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())


def test_the_top_folder_holds_families_and_their_base_class():
    found = {path.name for path in PROBLEMS.glob("*.py")}
    assert found == {"__init__.py", "by_task.py", "saved_names.py"}
