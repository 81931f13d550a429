"""The time of the semidefinite program on pairs of classes of real data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.report import Row, cpu_seconds
from benchmarks.reproduction._baselines import error
from structsvm.datasets import load_file
from structsvm.problems import SDPMMC
from structsvm.problems.relatives.sdp_mmc.divisions import graph_divisions
from structsvm.problems.relatives.sdp_mmc.groups import linked
from structsvm.problems.relatives.sdp_mmc.relaxation import Relaxation

#: File, its two classes, and the largest value of a feature.
PAIRS = {
    "mnist 3v8": ("mnist", (3, 8), 255),
    "mnist 1v7": ("mnist", (1, 7), 255),
    "letter AvB": ("letter", (0, 1), 15),
}
SIZES = (100, 200, 400)


def pair_rows(name: str, n: int) -> tuple[Any, Any]:
    """n random rows, about half of each class, and which of the two it is."""
    file, classes, largest = PAIRS[name]
    data = load_file(file)
    rows = np.flatnonzero(np.isin(data["y"], classes))
    rows = np.random.default_rng(0).permutation(rows)[:n]
    return data["X"][rows] / largest, (data["y"][rows] == classes[1]).astype(int)


def pair_time_row(name: str, n: int) -> Row:
    X, y = pair_rows(name, n)
    seconds, sdp = cpu_seconds(lambda: SDPMMC(random_state=0).fit(X), repeats=1)
    K = sdp._kernel.training_matrix(X)
    relaxation = Relaxation(K, sdp.C, sdp.balance, linked(n, np.full(n, -1), None, None))
    candidates, _ = cpu_seconds(lambda: graph_divisions(relaxation))
    row = {
        "data": name,
        "n": n,
        "status": sdp.result_.status.name,
        "passes": sdp.n_iter_,
        "CPU s": seconds,
        "candidates, CPU s": candidates,
        "lower bound": sdp.lower_bound_,
        "f of the labels": sdp.label_objective_,
        "error": error(sdp.labels_, y),
    }
    print(row, flush=True)
    return row


def pair_time_rows() -> Iterator[Row]:
    for n in SIZES:
        for name in PAIRS:
            try:
                yield pair_time_row(name, n)
            except FileNotFoundError as reason:
                print(f"skipped: {name} ({reason})")


def pairs_table(rows: list[Row]) -> list[Row]:
    digits = {"CPU s": 1, "candidates, CPU s": 2, "lower bound": 2, "f of the labels": 2}
    return [
        {"": row["data"], "n": row["n"], "passes": row["passes"]}
        | {key: f"{row[key]:.{places}f}" for key, places in digits.items()}
        for row in rows
    ]
