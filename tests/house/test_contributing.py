"""The recipes of CONTRIBUTING.md, carried out in a copy of the clone as a person would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^`([\w./]+)`:\n\n```(python|diff)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def recipe(heading):
    """The blocks of a section: the path of a file, whether it is a change, and the text."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [(path, kind == "diff", text) for path, kind, text in BLOCK.findall(section)]


@pytest.fixture
def clone(tmp_path):
    folders = ("structsvm", "problems", "tests", "docs", "benchmarks", "paper")
    unwanted = shutil.ignore_patterns("__pycache__", "_build", "auto_gallery")
    for name in folders:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=unwanted)
    for name in ("conftest.py", "pyproject.toml", "setup.cfg", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def follow(heading, clone):
    """Write the files of a recipe, and return how many there are."""
    blocks = recipe(heading)
    for path, is_change, text in blocks:
        file = clone / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(changed(file.read_text(), text) if is_change else text)
    run(clone, "-m", "ruff", "check", *(path for path, *_ in blocks if path.endswith(".py")))
    run(clone, "-m", "docs.writers")
    return len({path for path, *_ in blocks})


def changed(text, change):
    """A text after a change, whose parts are of lines that begin with ' ', '-' or '+'."""
    for part in change.split("@@\n"):
        lines = part.splitlines(keepends=True)
        before, after = ("".join(x[1:] for x in lines if x[0] in kept) for kept in (" -", " +"))
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def run(clone, *command):
    environment = os.environ | {"PYTHONPATH": str(clone), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=clone, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def test_a_problem_with_an_estimator(clone):
    assert follow("A problem with an estimator", clone) <= 5
    run(clone, "-m", "structsvm", "check", "structsvm.problems:Grades")
    files = ["laws", "problems/grades", "saving/test_models.py"]
    files += [f"pages/test_{name}.py" for name in ("docs", "writers", "gallery")]
    named = "Grade or grade or declare or stored or lists or reference or guide_has"
    # Its own test runs scikit-learn's checks, too.
    twice = "test_estimator_keeps_to_scikit_learn"
    paths = [f"tests/{file}" for file in files]
    run(clone, "-m", "pytest", "-q", *paths, "-k", f"({named}) and not {twice}")


def test_an_option_of_all_estimators(clone):
    assert follow("An option of all estimators", clone) == 1
    code = (
        "import structsvm; from structsvm import problems; "
        "kinds = [k for n in problems.__all__ if hasattr(k := getattr(problems, n), 'about')]; "
        "kinds += [structsvm.StructuredSVM, structsvm.LatentSVM]; assert len(kinds) > 20; "
        "print(*(k.__name__ for k in kinds if 'warn : bool' not in k.__doc__))"
    )
    assert run(clone, "-c", code).split() == []
    named = "parameters and (MulticlassSVM or MMC or GraphSVM)"
    run(clone, "-m", "pytest", "-q", "tests/laws/test_estimators.py", "-k", named)


def test_a_solver(clone):
    assert follow("A solver", clone) <= 4
    files = ["solvers/test_dual_averaging.py", "laws/test_solvers.py", "pages/test_docs.py"]
    named = "bounds_hold or public or lists or reference"
    run(clone, "-m", "pytest", "-q", *(f"tests/{f}" for f in files), "-k", named)
