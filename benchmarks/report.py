"""Measurements, results in JSON and tables in Markdown, for all benchmark scripts."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

RESULTS = Path(__file__).parent / "results"
TABLES = Path(__file__).parents[1] / "docs" / "_tables"

Row = dict[str, Any]


def one_thread() -> Any:
    """Keep BLAS to one thread: CPU time would include that of threads that spin while waiting."""
    return threadpool_limits(limits=1)


def cpu_seconds(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Median CPU time of a few runs, and the return value of the last one."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        outcome = run()
        times.append(time.process_time() - start)
    return statistics.median(times), outcome


def report(name: str, tables: dict[str, list[Row]]) -> None:
    """Print every table and write them all to results/NAME.json; the name includes the folder."""
    for title, rows in tables.items():
        print(f"\n{title}")
        columns = list(dict.fromkeys(column for row in rows for column in row))
        cells = [[_text(row.get(column, "-")) for column in columns] for row in rows]
        widths = [
            max(len(column), *(len(line[j]) for line in cells)) for j, column in enumerate(columns)
        ]
        for line in [columns, *cells]:
            print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
    _write(name, {"environment": _environment(), **tables})


def stored(name: str) -> dict[str, Any]:
    """The tables of an earlier run; empty if there was none."""
    content = _read(name)
    content.pop("environment", None)
    return content


def save(name: str, title: str, rows: list[Row]) -> None:
    """Put one table into the results, so that an interrupted run keeps what it has."""
    _write(name, _read(name) | {title: rows})


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a MyST table, the first column left-aligned."""
    columns = list(rows[0])
    lines = [columns, [":---"] + ["---:"] * (len(columns) - 1)]
    lines += [[str(row[column]) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_fragments(fragments: dict[str, str]) -> None:
    """Write tables that the documentation's pages include."""
    TABLES.mkdir(exist_ok=True)
    for name, text in fragments.items():
        (TABLES / f"{name}.txt").write_text(text)


def _path(name: str) -> Path:
    return RESULTS / f"{name}.json"


def _read(name: str) -> dict[str, Any]:
    path = _path(name)
    return json.loads(path.read_text()) if path.exists() else {}


def _write(name: str, content: dict[str, Any]) -> None:
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def _environment() -> dict[str, Any]:
    """Versions that the times depend on; BLAS kernels are named after their processor."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "blas": sorted({f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}),
    }


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
