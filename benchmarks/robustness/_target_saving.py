"""Models and passes that are saved, and loaded from a file that is not whole."""

from __future__ import annotations

from pathlib import Path

import structsvm
from benchmarks.robustness._pool import Make, Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS, PLAIN
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Target,
)
from benchmarks.robustness._target_functions import folder, texts
from structsvm import problems, solvers


def saving_targets() -> list[Target]:
    """Saving anything, and loading a file that is not whole."""
    values: Pool = {**PLAIN, **MATRICES, **FUNCTIONS, **ANYTHING}

    def path() -> Path:
        return folder() / "model.npz"

    def save(given: Arguments) -> None:
        structsvm.save(problems.MulticlassSVM(C=given["C"]), path())
        structsvm.load(path())

    structsvm.save(problems.MulticlassSVM().fit(rows(), labels()), path())
    whole = path().read_bytes()
    contents: Pool = {
        **{f"cut at {k}": lambda k=k: whole[:k] for k in range(0, len(whole), 199)},
        **{f"byte {k}": lambda k=k: whole[:k] + b"\xff" + whole[k + 1 :]
           for k in range(0, len(whole), 97)},
    }  # fmt: skip

    def load(given: Arguments) -> None:
        path().write_bytes(given["content"])
        structsvm.load(path(), given["trusted"])

    def write(given: Arguments) -> None:
        writer = structsvm.PassWriter(given["path"])
        solvers.OneSlackCuttingPlane(max_iter=2).solve(
            problems.Multiclass(), rows(), labels(), callback=writer
        )

    good: dict[str, Make] = {"content": lambda: whole, "trusted": tuple}
    names = {**PLAIN, **texts("/nowhere/a.csv", "a", "\0.csv")}
    csv: dict[str, Make] = {"path": lambda: str(folder() / "passes.csv")}
    return [
        Target("save", {"C": lambda: 1.0}, {"C": values}, save),
        Target("load", good, {"content": contents, "trusted": PLAIN}, load),
        Target("PassWriter", csv, {"path": names}, write),
    ]
