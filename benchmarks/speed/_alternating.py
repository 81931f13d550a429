"""CPU time of two functions, in runs that alternate."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def alternating(
    ours: Callable[[], Any], other: Callable[[], Any], repeats: int
) -> tuple[float, float, float]:
    """Median CPU seconds of both, and the median of their ratios."""
    times: list[tuple[float, float]] = []
    for _ in range(repeats):
        marks = [time.process_time()]
        for run in (ours, other):
            run()
            marks.append(time.process_time())
        times.append((marks[1] - marks[0], marks[2] - marks[1]))
    first, second = (statistics.median(column) for column in zip(*times, strict=True))
    return first, second, statistics.median(a / b for a, b in times)
