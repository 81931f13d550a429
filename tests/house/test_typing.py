"""Types as a user's type checker sees them: scripts checked against the installed wheel."""

import inspect
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import numpy as np
import pytest
from documented_choices import PUBLIC, annotated
from sklearn.base import BaseEstimator

from structsvm.docstrings import entries

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

PROBLEM = '''\
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from structsvm import (
    LatentProblem, OneSlackCuttingPlane, Problem, Result, StructuredSVM, Task, check_problem,
)
from structsvm.problems import Multiclass

Row = npt.NDArray[np.float64]


class SignTask(Task):
    """All rows at once."""

    def decode(self, w: Row) -> npt.NDArray[np.intp]:
        return np.where(self.X @ w >= 0, 1, -1)


class Sign(Problem):
    """The sign of a linear function."""

    oracle_quality = "exact"

    def initialize(self, X: Any, Y: Any = None) -> None:
        self.size_joint_feature = X.shape[1]

    def joint_feature(self, x: Row, y: int) -> Row:
        return 0.5 * y * x

    def loss(self, y: int, y_hat: int) -> float:
        return float(y != y_hat)

    def decode(self, x: Row, w: Row) -> int:
        return 1 if x @ w >= 0 else -1

    def separation_oracle(self, x: Row, y: int, w: Row) -> int:
        return -y if y * (x @ w) <= 1 else y

    def outputs(self, x: Row) -> Iterable[int]:
        return (-1, 1)

    def task(self, X: Any, Y: Any = None) -> SignTask:
        return SignTask(self, X, Y)

    @staticmethod
    def example_data(n: int = 30) -> tuple[Row, list[int]]:
        X = np.random.default_rng(0).normal(size=(n, 2))
        return X, [1 if x[0] > 0 else -1 for x in X]


class SomeKnown(LatentProblem, Multiclass):
    """Classes, of which some are unknown."""


X, y = Sign.example_data()
check_problem(Sign(), X, y)
svm = StructuredSVM(Sign(), C=10.0, solver=OneSlackCuttingPlane(rtol=1e-2)).fit(X, y)
result: Result = svm.result_
assert result.gap <= result.tolerance and svm.verify(X, y).matches
print(f"{svm.score(X, y):.1f}", result.status.name)
'''

LABELS, FLOATS, INTEGERS = "dtype[Any]]", "dtype[float64]]", "signedinteger[_32Bit | _64Bit]]]"
#: Expressions, and how their types end.
REVEALED = {
    "MulticlassSVM().fit(X, y)": "MulticlassSVM",
    "MulticlassSVM().fit(X, y).fit_temperature(X, y)": "MulticlassSVM",
    "MulticlassSVM().fit(X, y).predict(X)": LABELS,
    "MulticlassSVM().set_params(C=1.0).classes_": LABELS,
    "MulticlassSVM().score(X, y)": "float",
    "MulticlassSVM().result_.gap": "float",
    "TaxonomySVM(None).fit(X, y)": "TaxonomySVM",
    "MultivariateSVM().fit(X, y).predict(X)": LABELS,
    "MultiLabelSVM().fit(X, y).predict(X)": INTEGERS,
    "RankingSVM().fit(X, y, qid=y).predict(X)": FLOATS,
    "ChainSVM().fit([X], [y]).predict([X])": "list[list[Any]]",
    "ChainSVM().fit(X, y, groups=y).predict(X, groups=y)": LABELS,
    "ChainSVM().fit([X], [y]).predict_proba([X])": f"list[ndarray[tuple[Any, ...], {FLOATS}]",
    "ChainSVM().classes_": LABELS,
    "SegmentSVM().fit([X], [y]).predict([X])": "list[list[tuple[int, int, Any]]]",
    "GraphSVM().fit([X], [y]).predict([X])": f"list[ndarray[tuple[Any, ...], {LABELS}]",
    "GraphSVM().classes_": LABELS,
    "AssignmentSVM().fit([X], [y]).predict([X])": f"{INTEGERS}]",
    "IntegerProgramSVM().fit([X], [y]).predict([X])": f"{LABELS}]",
    "DependencyParser().fit([X], [y])": "DependencyParser",
    "DecisionFocusedRegressor(None).fit(X, y)": "DecisionFocusedRegressor",
    "SupervisedKMeans().fit([X], [y]).predict([X])": f"list[ndarray[tuple[Any, ...], {LABELS}]",
    "CorrelationClustering().fit([X], [y]).predict([X])": f"{LABELS}]",
    "MMC().fit(X).predict(X)": INTEGERS,
    "MMC().fit_predict(X)": LABELS,
    "CPM3C(10).fit(X).labels_": LABELS,
    "MultivariateMMC().fit(X).result_": "Result",
    "SDPMMC().fit(X).predict(X)": LABELS,
    "SDPMMC().fit_predict(X, must_link=[(0, 1)])": LABELS,
    "BayesianMMC().fit(X).predict(X)": INTEGERS,
    "BayesianMMC().fit_predict(X)": LABELS,
    "StructuredSVM(Multiclass()).fit(X, y).result_": "Result",
    "LatentSVM(Multiclass()).fit(X, y)": "LatentSVM",
    "loaded.fit(X, y).classes_": LABELS,
}
SCRIPT = """\
from structsvm import LatentSVM, StructuredSVM, load
from structsvm.datasets import digits
from structsvm.problems import *

X, y = digits()
loaded: MulticlassSVM = load("model.npz")
"""

ESTIMATORS = {
    name.rpartition(".")[2]: kind
    for name, kind in PUBLIC.items()
    if inspect.isclass(kind) and issubclass(kind, BaseEstimator) and hasattr(kind, "predict")
}
#: Attributes with any type: arrays or sparse matrices, kernels, problems.
ANY = {"coef_", "intercept_", "kernel_", "problem_"}


class Found(NamedTuple):
    """What a checker finds in a script: the types that it reveals, and errors by their line."""

    revealed: list[str]
    errors: dict[int, str]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python in which the wheel is installed, beside all that is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    for name in ("structsvm", "problems"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, check=True)
    venv.create(folder / "venv", symlinks=True)
    base = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
    site = Path(sysconfig.get_path("purelib", "venv", vars=base))
    (wheel,) = folder.glob("*.whl")
    ZipFile(wheel).extractall(site)
    (site / "others.pth").write_text(str(Path(np.__file__).parents[1]))
    return Path(sysconfig.get_path("scripts", "venv", vars=base)) / "python"


def mypy(python, folder):
    """The findings of mypy by the name of a script."""
    # What it knows of the packages serves the scripts of the other folders.
    cache = f"--cache-dir={folder.parent.parent / 'cache'}"
    out = run(folder, "mypy", "--strict", cache, f"--python-executable={python}")
    found = {path.name: Found([], {}) for path in folder.iterdir()}
    for name, line, kind, text in re.findall(r"^(\w+.py):(\d+): (note|error): (.*)$", out, re.M):
        if kind == "error":
            found[name].errors[int(line)] = text
        found[name].revealed.extend(re.findall(r'Revealed type is "(.*)"$', text))
    return found


def pyright(python, folder):
    """The findings of pyright by the name of a script."""
    found = {path.name: Found([], {}) for path in folder.iterdir()}
    out = run(folder, "pyright", "--outputjson", f"--pythonpath={python}")
    for report in json.loads(out)["generalDiagnostics"]:
        own = found[Path(report["file"]).name]
        own.revealed.extend(re.findall(r'" is "(.*)"$', report["message"]))
        if report["severity"] == "error":
            own.errors[report["range"]["start"]["line"] + 1] = report["message"]
    return found


def run(folder, checker, *options):
    """What a checker prints; in the folder of the scripts it finds no configuration."""
    scripts = sorted(path.name for path in folder.iterdir())
    command = [sys.executable, "-m", checker, *options, *scripts]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode < 2, done.stdout + done.stderr
    return done.stdout


def listed(name):
    """The attributes in the docstrings of an estimator and of its base classes."""
    return {
        attribute
        for base in ESTIMATORS[name].__mro__
        if base.__module__.startswith("structsvm.")
        for attribute in entries(base, "Attributes")
    }


def call(name, called, parameter, word):
    """The source of a call with a choice, and anything for the parameters without a default."""
    parameters = inspect.signature(called).parameters.values()
    required = [p.name for p in parameters if p.default is p.empty and p.name != parameter]
    arguments = [f"{name}=anything" for name in required] + [f"{parameter}={word!r}"]
    return f"{name}({', '.join(arguments)})"


ATTRIBUTES = [(name, attribute) for name in ESTIMATORS for attribute in sorted(listed(name))]
CHOICES = [
    (name, called, parameter, words)
    for name, called in PUBLIC.items()
    for parameter, words in annotated(called).items()
]
MODULES = ("datasets", "displays", "features", "problems.decisions")
START = ["import typing", *(f"import structsvm.{name}" for name in MODULES)]
START += ["anything: typing.Any = None"]
TAKES = [
    name
    for name, kind in PUBLIC.items()
    if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
]
SCRIPTS = {
    "problem.py": PROBLEM,
    "loss.py": PROBLEM.replace("return float(y != y_hat)", "return str(y)"),
    "result.py": PROBLEM.replace("result: Result", "result: int"),
    "revealed.py": SCRIPT + "".join(f"reveal_type({expression})\n" for expression in REVEALED),
    "attributes.py": SCRIPT
    + "\n".join(f"reveal_type({name}.__new__({name}).{own})" for name, own in ATTRIBUTES),
    "unknown.py": SCRIPT + "ChainSVM().clases_\nMMC().lables_",
    "choices.py": "\n".join([
        *START,
        *(call(*of, "no such choice") for *of, _ in CHOICES),
        *(call(*of, word) for *of, words in CHOICES for word in words),
    ]),
    "misspelt.py": "\n".join([
        "import structsvm, structsvm.features", "structsvm.ChainSVM(C=1.0)",
        *(f"{name}(misspelt=1)" for name in TAKES),
        "from structsvm import GraphCRF", "structsvm.misspelt",
    ]),
}  # fmt: skip


@pytest.fixture(scope="module", params=[mypy, pyright], ids=lambda checker: checker.__name__)
def found(request, python, tmp_path_factory):
    """The findings in all scripts, checked as their author does who has installed structsvm."""
    pytest.importorskip(request.param.__name__)
    folder, found = tmp_path_factory.mktemp("scripts"), {}
    for name, source in SCRIPTS.items():
        # What a script imports of the package, pyright takes for known in the others.
        own = folder / (name if name in ("choices.py", "misspelt.py") else "others")
        own.mkdir(exist_ok=True)
        (own / name).write_text(source)
    for own in folder.iterdir():
        found |= request.param(python, own)
    return found


def test_a_problem_of_ones_own(found, tmp_path):
    assert found["problem.py"].errors == {}
    assert found["loss.py"].errors and found["result.py"].errors
    command = [sys.executable, "-c", PROBLEM]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "1.0 CONVERGED\n", done.stderr


@pytest.mark.skipif(not (ROOT / ".mypy").exists(), reason="not a clone, whose mypy has the link")
def test_a_mistake_between_files_of_problems_is_found_in_a_clone(tmp_path):
    for name in ("structsvm", "problems", ".mypy", ".mypy_cache"):  # `make test` leaves the cache
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with open(tmp_path / "problems" / "sequences" / "chain" / "partial.py", "a") as file:
        file.write("\nmistaken: int = viterbi\n\ndef untyped(x):\n    return x\n")
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    for code in ("assignment", "no-untyped-def"):  # the second is found with strict = true alone
        pattern = rf"^.mypy/.*/chain/partial.py:\d+: error: .*\[{code}\]$"
        assert re.search(pattern, done.stdout, re.MULTILINE), done.stdout


def test_what_methods_and_attributes_are(found):
    revealed, errors = found["revealed.py"]
    assert errors == {}
    for expression, text, end in zip(REVEALED, revealed, REVEALED.values(), strict=True):
        text = re.sub(r"(\w+\.)+", "", text).replace("floating[_64Bit]", "float64")
        assert text.endswith(end), (expression, text, end)
    revealed, errors = found["attributes.py"]
    assert errors == {}
    for (name, attribute), text in zip(ATTRIBUTES, revealed, strict=True):
        assert "Unknown" not in text and (text != "Any" or attribute in ANY), (name, attribute)
    assert len(found["unknown.py"].errors) == 2


def test_wrong_choices_and_misspelt_names_are_found_and_right_ones_are_not(found):
    assert len(CHOICES) > 100 and len(TAKES) > 50
    assert sorted(found["choices.py"].errors) == [len(START) + 1 + i for i in range(len(CHOICES))]
    # The last two are names that there are not.
    assert sorted(found["misspelt.py"].errors) == [*range(3, len(TAKES) + 5)]
