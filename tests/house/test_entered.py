"""How much of the package a small fit enters: what is not asked for costs nobody anything.

The numbers may fall. Where they rise, something new lies on the way of every fit: let only those
enter it who ask for it.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import structsvm
from structsvm import OneSlackCuttingPlane, Problem, StructuredSVM, problems
from structsvm.problems import ChainSVM, MulticlassSVM

FOLDERS = tuple(str(Path(module.__file__).parent) for module in (structsvm, problems))


class FourMethods(Problem):
    """Two classes of points in space."""

    def initialize(self, X, Y):
        self.size_joint_feature = 6

    def joint_feature(self, x, y):
        psi = np.zeros(6)
        psi[3 * y : 3 * y + 3] = x
        return psi

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def separation_oracle(self, x, y, w):
        return int(np.argmax([w[:3] @ x + (y != 0), w[3:] @ x + (y != 1)]))

    def decode(self, x, w):
        return int(w[3:] @ x > w[:3] @ x)


def four_methods():
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = [int(x > 0) for x in X[:, 0]]
    StructuredSVM(FourMethods(), solver=OneSlackCuttingPlane()).fit(X, y)


def classes():
    X = np.random.default_rng(0).normal(size=(200, 20))
    MulticlassSVM().fit(X, (X[:, 0] > 0).astype(int))


def chains():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(5, 3)) for _ in range(12)]
    Y = [rng.integers(0, 3, 5) for _ in range(12)]
    ChainSVM(solver=OneSlackCuttingPlane(max_iter=50)).fit(X, Y)


def entered(fit):
    """The files and the functions of the package that a second fit enters."""
    seen = set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(FOLDERS):
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit()
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            fit()
        finally:
            sys.setprofile(before)
    return seen


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs co_qualname")
@pytest.mark.parametrize(
    ("fit", "modules", "functions"),
    [(four_methods, 45, 230), (classes, 59, 319), (chains, 67, 358)],
)
def test_a_small_fit_enters_little(fit, modules, functions):
    seen = entered(fit)
    files = {file for file, _ in seen}
    assert len(files) <= modules, "\n".join(sorted(files))
    assert len(seen) <= functions, "\n".join(sorted(f"{file} {name}" for file, name in seen))


#: Files of features that are asked for by a parameter, by several jobs, or by an error.
ASKED_FOR = (
    "task/weighted", "task/shifted", "task/rescaled", "task/smoothed", "task/faults",
    "task/contradictions", "task/likeness", "oracle/workers", "oracle/processes", "oracle/remote",
    "oracle/cheap_search", "oracle/relabelled", "oracle/support", "oracle/memory",
    "solvers/shared/checkpoint", "solvers/shared/early_stopping", "solvers/shared/code",
    "saving/archive", "results/callbacks", "estimators/fit_task",
)  # fmt: skip


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs co_qualname")
@pytest.mark.parametrize("fit", [four_methods, classes, chains])
def test_what_is_not_asked_for_is_not_entered(fit):
    folder = Path(structsvm.__file__).parent
    files = [folder / f"{name}.py" for name in ASKED_FOR]
    assert all(file.exists() for file in files)
    assert not {str(file) for file in files} & {file for file, _ in entered(fit)}
