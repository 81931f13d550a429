"""Displays."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from matplotlib import pyplot

from benchmarks.robustness._pool import Make, Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, PLAIN
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Target,
)
from structsvm import displays, problems


def display_targets() -> list[Target]:
    @cache
    def result() -> Any:
        return problems.MulticlassSVM().fit(rows(), labels()).result_

    def drawn(name: str, draw: Any, good: dict[str, Make], pools: dict[str, Pool]) -> Target:
        def call(given: Arguments) -> None:
            draw(**given)
            pyplot.close("all")

        pools = {"ax": PLAIN, **pools}
        return Target(name, {"ax": lambda: None, **good}, pools, call)

    def clusters(ax: Any, n_columns: Any, n_rows: Any, **given: Any) -> None:
        displays.ClusterDisplay(**given).plot(ax=ax, n_columns=n_columns, n_rows=n_rows)

    def similarity(ax: Any, scale: Any, **given: Any) -> None:
        displays.SimilarityDisplay(**given).plot(ax=ax, scale=scale)

    def transitions(ax: Any, **given: Any) -> None:
        displays.TransitionDisplay(**given).plot(ax=ax)

    arrays: Pool = {**MATRICES, **ANYTHING}
    convergence, time = displays.ConvergenceDisplay, displays.OracleTimeDisplay
    square: dict[str, Make] = {"labels": lambda: list("abcd")}
    return [
        drawn(
            "ConvergenceDisplay", convergence.from_result,
            {"result": result, "kind": lambda: "gap", "x": lambda: "seconds"},
            {"result": PLAIN, "kind": PLAIN, "x": PLAIN},
        ),
        drawn("OracleTimeDisplay", time.from_result, {"result": result}, {"result": PLAIN}),
        drawn(
            "ClusterDisplay", clusters,
            {
                "images": lambda: np.abs(rows(12, 4)).reshape(12, 2, 2) % 1,
                "scores": lambda: rows()[:, 0], "mistakes": lambda: None,
                "n_columns": lambda: 4, "n_rows": lambda: 3,
            },
            {
                "images": arrays, "scores": {**LABELS, **arrays},
                "mistakes": {**LABELS, **ANYTHING}, "n_columns": PLAIN, "n_rows": PLAIN,
            },
        ),
        drawn(
            "SimilarityDisplay", similarity,
            {"similarity": lambda: rows(4, 4), "scale": lambda: "rank", **square},
            {"similarity": arrays, "scale": PLAIN, "labels": {**LABELS, **ANYTHING}},
        ),
        drawn(
            "TransitionDisplay", transitions,
            {"transitions": lambda: rows(4, 4), "start": lambda: rows(4, 1)[:, 0], **square},
            {"transitions": arrays, "start": arrays, "labels": {**LABELS, **ANYTHING}},
        ),
    ]  # fmt: skip
