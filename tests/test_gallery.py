"""The gallery shows every estimator, and offers the files that its examples import."""

import ast
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import structsvm.problems

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("plot_*.py"))
ESTIMATORS = ["LatentSVM"] + [
    name
    for name in structsvm.problems.__all__
    if isinstance(kind := getattr(structsvm.problems, name), type)
    and issubclass(kind, BaseEstimator)
    and hasattr(kind, "fit")
    and name != "PairMap"  # a transformer
]


@pytest.fixture(scope="module")
def called():
    """The names that the examples call."""
    nodes = [node for path in EXAMPLES for node in ast.walk(ast.parse(path.read_text()))]
    return {
        node.func.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_has_an_example(name, called):
    assert name in called, f"no example in docs/gallery makes a {name}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_files_that_an_example_imports_can_be_downloaded(path):
    source = path.read_text()
    imported = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for file in (GALLERY.parent / "examples").glob("*.py"):
        linked = f":download:`{file.name} </examples/{file.name}>`" in source
        assert linked == (file.stem in imported), f"{path.name} and {file.name}"


def test_every_section_is_in_the_configuration():
    configuration = (GALLERY.parent / "conf.py").read_text()
    for header in GALLERY.glob("*/GALLERY_HEADER.rst"):
        assert f'"{header.parent.name}"' in configuration, header.parent.name
