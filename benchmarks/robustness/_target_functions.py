"""Functions, and the readers of data files."""

from __future__ import annotations

import io
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness._pool import Make, Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS, PLAIN
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Insane,
    Target,
    dense,
    require_sane,
)
from structsvm import datasets, features


def feature_map() -> Target:
    good: dict[str, Make] = {
        "kernel": lambda: "rbf", "X": rows, "gamma": lambda: "scale", "degree": lambda: 3,
        "n_components": lambda: None, "random_state": lambda: 0, "query": rows,
    }  # fmt: skip
    pools = {name: {**PLAIN, **FUNCTIONS} for name in good}
    pools |= {name: {**MATRICES, **ANYTHING} for name in ("X", "query")}

    def call(given: Arguments) -> None:
        X, query = given["X"], given.pop("query")
        transformer = features.feature_map(**given)
        require_sane(dense(transformer.fit_transform(X)))
        require_sane(dense(transformer.transform(query)))

    return Target("feature_map", good, pools, call)


def function_target(function: Any, **good: Any) -> Target:
    pools = {name: {**PLAIN, "n large": lambda: 10**9} for name in good}

    def call(given: Arguments) -> None:
        function(**given)

    makes: dict[str, Make] = {name: (lambda v=value: v) for name, value in good.items()}
    return Target(function.__name__, makes, pools, call)


@cache
def folder() -> Path:
    """A folder of data files, removed at the end of the process by its finaliser."""
    holder = tempfile.TemporaryDirectory()
    _HOLDERS.append(holder)
    return Path(holder.name)


_HOLDERS: list[Any] = []


def _archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def load_file() -> Target:
    whole = _archive(X=rows(), y=labels())
    contents: Pool = {
        **{f"cut at {k}": lambda k=k: whole[:k] for k in range(0, len(whole), 17)},
        **{f"byte {k}": lambda k=k: whole[:k] + b"\xff" + whole[k + 1 :]
           for k in range(0, len(whole), 5)},
        "text": lambda: b"text", "empty archive": lambda: _archive(),
        "objects": lambda: _archive(X=np.array([None, {}]), y=np.arange(2)),
        "numbers": lambda: _archive(X=1.0, y=2.0),
        "lengths": lambda: _archive(X=rows(5), y=labels()),
        "dates": lambda: _archive(X=np.zeros((2, 2), "M8[D]"), y=np.zeros(2)),
    }  # fmt: skip
    names = {**PLAIN, **texts("../own", "/etc/passwd", ".", "..", "a/b", "own\0", "letter")}
    pools: dict[str, Pool] = {
        "content": contents, "name": names,
        "folder": {**PLAIN, **texts("/nowhere", "\0", "x" * 5000)},
    }  # fmt: skip
    good: dict[str, Make] = {
        "content": lambda: whole, "name": lambda: "own", "folder": folder
    }  # fmt: skip

    def call(given: Arguments) -> None:
        (folder() / "own.npz").write_bytes(given["content"])
        arrays = datasets.load_file(given["name"], given["folder"])
        if len(arrays["X"]) != len(arrays["y"]):
            raise Insane("X and y differ in length")

    return Target("load_file", good, pools, call)


def texts(*values: str) -> Pool:
    return {repr(value): (lambda value=value: value) for value in values}
