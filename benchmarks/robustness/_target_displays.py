"""Displays."""

from __future__ import annotations

from functools import cache
from typing import Any

from matplotlib import pyplot

from benchmarks.robustness._pool import labels, rows
from benchmarks.robustness._pool_anything import PLAIN
from benchmarks.robustness._target import Arguments, Target
from structsvm import displays, problems


def display_targets() -> list[Target]:
    @cache
    def result() -> Any:
        return problems.MulticlassSVM().fit(rows(), labels()).result_

    def call(given: Arguments) -> None:
        displays.ConvergenceDisplay.from_result(result(), **given)
        pyplot.close("all")

    good = {"ax": lambda: None, "kind": lambda: "gap", "x": lambda: "seconds"}
    return [Target("ConvergenceDisplay", good, dict.fromkeys(good, PLAIN), call)]
