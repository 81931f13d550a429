"""Table II of the paper: errors of all methods, with calibration and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import error, kmeans, nearest_neighbour_cut
from benchmarks.reproduction._bayesian_calibration import calibration_error, confidence, curve
from benchmarks.reproduction._bayesian_draws import draws
from benchmarks.reproduction._protocol import PAPERS
from benchmarks.store import Row, save
from benchmarks.tables.bayesian import RESULTS
from structsvm.problems import MMC, BayesianMMC

#: Random draws of rows.
DRAWS = 10
#: Multiples of the default width in the grid of the protocol of the paper.
WIDTHS = (0.5, 1.0, 2.0, 4.0)
SETS = (
    ("heart", None, True),
    ("ionosphere", None, True),
    ("mnist 5v8", 400, True),
    ("mnist 3v8", 400, True),
    ("mnist 5v8", 1000, False),
    ("mnist 3v8", 1000, False),
    ("news 6v14", 600, True),
    ("news 9v10", 600, True),
)


def grid(X: Any) -> Iterator[BayesianMMC]:
    yield BayesianMMC(kernel="graph")
    for kernel in ("rbf", "diffusion"):
        default = BayesianMMC(kernel=kernel).fit(X).length_scale_
        for multiple in WIDTHS:
            yield BayesianMMC(kernel=kernel, length_scale=multiple * default)


def set_row(name: str, n: int | None, with_grid: bool = True) -> tuple[Row, list[Row]]:
    """The errors of all methods, and the calibration curve."""
    methods: dict[str, Callable[[], Any]] = {
        "Bayesian": BayesianMMC,
        "`'rbf'`": partial(BayesianMMC, kernel="rbf"),
        "`'graph'`": partial(BayesianMMC, kernel="graph"),
    }
    found: list[dict[str, float]] = []
    confidences: list[tuple[Any, Any]] = []
    for X, y in draws(name, n, DRAWS):
        one: dict[str, float] = {}
        for method, make in methods.items():
            seconds, fit = cpu_seconds(lambda make=make, X=X: make().fit(X), repeats=1)
            one |= {method: error(fit.labels_, y), f"{method}, CPU s": seconds}
            one |= {f"{method}, ECE": calibration_error(*confidence(fit, y))}
            one |= {f"{method}, collapsed": float(fit.collapsed_)}
            if method == "Bayesian":
                confidences.append(confidence(fit, y))
        one["k-means"], one["cut"] = error(kmeans(X, 2, 0), y), error(nearest_neighbour_cut(X), y)
        one["MMC"] = error(MMC(random_state=0, **PAPERS).fit_predict(X), y)
        if with_grid:
            one["scored"] = min(error(model.fit_predict(X), y) for model in grid(X))
        found.append(one)
    row: Row = {"data": name, "n": len(y), "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    row |= {"worst": max(one["Bayesian"] for one in found)}
    row |= {"best": min(one["Bayesian"] for one in found)}
    print(row, flush=True)
    p, right = (np.concatenate(parts) for parts in zip(*confidences, strict=True))
    return row, curve(f"{name}, n = {len(y)}", p, right)


def sets() -> None:
    rows: list[Row] = []
    curves: list[Row] = []
    for name, n, with_grid in SETS:
        try:
            row, points = set_row(name, n, with_grid)
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
            continue
        rows.append(row)
        curves += points
        save(RESULTS, "sets", rows)
        save(RESULTS, "calibration", curves)
