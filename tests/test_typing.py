"""Types as a user's type checker sees them: ``mypy --strict`` on a problem and its training."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent

PROBLEM = '''\
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from structsvm import OneSlackCuttingPlane, Problem, Result, StructuredSVM, check_problem

Row = npt.NDArray[np.float64]


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


X = np.random.default_rng(0).normal(size=(30, 2))
y = np.where(X[:, 0] > 0, 1, -1).tolist()
check_problem(Sign(), X, y)
svm = StructuredSVM(Sign(), C=10.0, solver=OneSlackCuttingPlane(rtol=1e-2)).fit(X, y)
result: Result = svm.result_
assert result.gap <= result.tolerance and svm.verify(X, y).matches
print(f"{svm.score(X, y):.1f}", result.status.name)
'''

ESTIMATORS = """\
from structsvm import StructuredSVM
from structsvm.datasets import digits
from structsvm.problems import (
    CPM3C, MMC, SDPMMC, BayesianMMC, ChainSVM, CorrelationClustering, GraphSVM, Multiclass,
    MulticlassSVM, MultiLabelSVM, MultivariateSVM, RankingSVM, SegmentSVM, SupervisedKMeans,
    TaxonomySVM,
)

X, y = digits()
reveal_type(MulticlassSVM().fit(X, y).predict(X))
reveal_type(TaxonomySVM(None).fit(X, y))
reveal_type(MultivariateSVM().fit(X, y).predict(X))
reveal_type(MultiLabelSVM().fit(X, y).predict(X))
reveal_type(RankingSVM().fit(X, y, qid=y).predict(X))
reveal_type(ChainSVM().fit([X], [y]).predict([X]))
reveal_type(ChainSVM().fit(X, y, groups=y).predict(X, groups=y))
reveal_type(ChainSVM().fit([X], [y]).predict_proba([X]))
reveal_type(SegmentSVM().fit([X], [y]).predict([X]))
reveal_type(GraphSVM().fit([X], [y]).predict([X]))
reveal_type(SupervisedKMeans().fit([X], [y]).predict([X]))
reveal_type(CorrelationClustering().fit([X], [y]).predict([X]))
reveal_type(MMC().fit(X).predict(X))
reveal_type(CPM3C(10).fit(X).labels_)
reveal_type(SDPMMC().fit(X).predict(X))
reveal_type(BayesianMMC().fit(X).predict(X))
reveal_type(StructuredSVM(Multiclass()).fit(X, y).result_)
"""

FLOATS, INTEGERS, LABELS = "float64]]", "signedinteger", "dtype[Any]]"
REVEALED = [
    ("ndarray", LABELS), ("TaxonomySVM", ""), ("ndarray", LABELS), ("ndarray", INTEGERS),
    ("ndarray", FLOATS), ("list[list[Any]]", ""), ("ndarray", LABELS), ("list[", FLOATS),
    ("list[list[tuple[int, int, Any]]]", ""), ("list[", LABELS), ("list[", LABELS),
    ("list[", LABELS), ("ndarray", INTEGERS), ("ndarray", INTEGERS), ("ndarray", LABELS),
    ("ndarray", INTEGERS), ("structsvm.results.result.Result", ""),
]  # fmt: skip


@pytest.fixture
def strict(tmp_path):
    """Check a script as its author does who has installed structsvm, problems and all."""
    package = tmp_path / "site" / "structsvm"
    package.mkdir(parents=True)
    for path in (ROOT / "structsvm").iterdir():
        (package / path.name).symlink_to(path)
    (package / "problems").symlink_to(ROOT / "problems")

    def check(source):
        script = tmp_path / "script.py"
        script.write_text(source)
        # What is installed is not reported on; here it is on a path of its own, as if it were not.
        options = ["--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
        command = [sys.executable, "-m", "mypy", *options, str(script)]
        paths = {"MYPYPATH": str(package.parent), "PATH": ""}
        return subprocess.run(command, capture_output=True, text=True, env=paths).stdout

    return check


def test_a_problem_of_ones_own(strict, tmp_path):
    assert PROBLEM.count("\n") > 40
    assert strict(PROBLEM).startswith("Success")
    done = subprocess.run(
        [sys.executable, "-c", PROBLEM], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "1.0 CONVERGED\n", done.stderr


def test_a_mistake_of_its_types_is_found(strict):
    assert "error" in strict(PROBLEM.replace("return float(y != y_hat)", "return str(y)"))
    assert "error" in strict(PROBLEM.replace("result: Result", "result: int"))


def test_what_predict_returns(strict):
    found = [
        line.partition("Revealed type is ")[2].strip('"')
        for line in strict(ESTIMATORS).splitlines()
        if "Revealed type is" in line
    ]
    assert len(found) == len(REVEALED) == ESTIMATORS.count("reveal_type")
    for text, (start, end) in zip(found, REVEALED, strict=True):
        text = text.replace("floating[numpy._typing._64Bit]", "float64")  # before numpy 2.2
        assert start in text and end in text, (text, start, end)
