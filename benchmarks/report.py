"""CPU time, and the report at the end of a script: its results in JSON, its tables in print."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks.store import Content, write
from benchmarks.tables.pages import show


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


def report(name: str, content: Content) -> None:
    """Write all results of a script to results/NAME.json, and print its tables."""
    write(name, {"environment": environment(), **content})
    show(name)


def environment() -> dict[str, Any]:
    """Versions that the times depend on; BLAS kernels are named after their processor."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "blas": sorted({f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}),
    }
