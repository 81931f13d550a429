"""The example of docs/write_a_problem.md: short, correct, certified and better than a baseline."""

import ast
import doctest
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Status, StructuredSVM

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples"
FILE = EXAMPLES / "matching.py"

spec = importlib.util.spec_from_file_location("matching", FILE)
assert spec is not None and spec.loader is not None
matching = importlib.util.module_from_spec(spec)
spec.loader.exec_module(matching)
Matching = matching.Matching

SOLVERS = [OneSlackCuttingPlane(rtol=1e-5), NSlackCuttingPlane(rtol=1e-5)]


@pytest.fixture(scope="module")
def data():
    return Matching.example_data()


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("write_a_problem", "matching"),
        ("speed_up_a_problem", "grades"),
        ("extend_a_problem", "bounds"),
    ],
)
def test_the_classes_on_the_page_are_those_of_the_file_to_download(page, file):
    examples = doctest.DocTestParser().get_examples((DOCS / f"{page}.md").read_text())
    shown = classes("\n".join(example.source for example in examples))
    for name, code in classes((EXAMPLES / f"{file}.py").read_text()).items():
        assert shown[name] == code


def test_the_class_has_at_most_40_lines_of_code():
    code = classes(FILE.read_text())["Matching"].splitlines()
    assert 10 < len([line for line in code if line]) <= 40


def classes(source):
    """The code of each class without docstrings, by name."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            for part in (node, *node.body):
                if isinstance(part, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(part):
                    del part.body[0]
            found[node.name] = ast.unparse(node)
    return found


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_a_fit_is_certified_and_beats_the_least_distance(solver, data):
    svm = StructuredSVM(Matching(), C=10.0, solver=solver).fit(*data)
    result = svm.result_
    assert result.status is Status.CONVERGED
    assert 0 <= result.gap <= 1e-5 * result.primal
    assert result.verify(Matching(), *data).matches

    X, Y = Matching.example_data(n=200, random_state=1)
    nearest = [Matching().decode(x, np.ones(X.shape[-1])) for x in X]
    baseline = 1 - np.mean([Matching().loss(y, found) for y, found in zip(Y, nearest, strict=True)])
    assert svm.score(X, Y) > baseline + 0.05


def test_the_command_checks_the_file_from_its_folder():
    command = [sys.executable, "-m", "structsvm", "check", "matching:Matching"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Matching:")
