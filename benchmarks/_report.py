"""What the benchmark scripts share: one thread, CPU time, a table, and JSON beside it."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

RESULTS = Path(__file__).parent / "results"


def one_thread() -> Any:
    """Keep BLAS to one thread; the CPU time of several would add up spinning ones."""
    return threadpool_limits(limits=1)


def cpu_seconds(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Median CPU time of a few runs, and what the last one returned."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        outcome = run()
        times.append(time.process_time() - start)
    return statistics.median(times), outcome


def report(name: str, tables: dict[str, list[dict[str, Any]]]) -> None:
    """Print every table and write them all to results/NAME.json."""
    for title, rows in tables.items():
        print(f"\n{title}")
        columns = list(rows[0])
        cells = [[_text(row[column]) for column in columns] for row in rows]
        widths = [
            max(len(column), *(len(line[j]) for line in cells)) for j, column in enumerate(columns)
        ]
        for line in [columns, *cells]:
            print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
    RESULTS.mkdir(exist_ok=True)
    content = {"environment": _environment(), **tables}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def _environment() -> dict[str, Any]:
    """What the times depend on: the kernels of BLAS are named by the processor they are for."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "blas": sorted({f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}),
    }


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
