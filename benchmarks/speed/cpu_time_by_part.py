"""The CPU time of a fit by part of the library, in percent.

A sampling profiler: a signal arrives every half millisecond of CPU time, and the innermost function
of the library on the stack determines the part. The data are those of the race, the target 1e-3.

    python -m benchmarks.speed.cpu_time_by_part

Letter, mnist and OCR are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import structsvm
from benchmarks.report import one_thread, report
from benchmarks.speed._contenders import contenders
from benchmarks.speed._data import Data, data_sets

TARGET = 1e-3
#: CPU seconds between samples.
EVERY = 0.0005
#: A fit is repeated until it has taken this many CPU seconds.
LEAST = 2.0
ROOT = Path(structsvm.__file__).parent
#: Folders and files of the library, by part.
PARTS = {
    "the problem": ("problems",),
    "dispatch, validation": ("oracle",),
    "descent": (
        "lbfgs",
        "dual_ascent",
        "cached_planes",
        "restricted.py",
        "example_planes.py",
    ),
    "quadratic program": ("qp", "working_set.py", "recent.py"),
}
OURS = ("auto", "OneSlackCuttingPlane", "SmoothedCuttingPlane")


def main() -> None:
    field = [contender for contender in contenders() if contender.name in OURS]
    rows = [
        by_part(contender, data)
        for data in data_sets()
        for contender in field
        if contender.takes(data)
    ]
    report("speed/cpu_time_by_part", {"CPU time in percent, to 1e-3": rows})


def by_part(contender: Any, data: Data) -> dict[str, Any]:
    """The percentage of a fit's CPU time in each part."""
    seen: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, lambda number, frame: seen.update([part_of(frame)]))
    contender.train(data, TARGET, 1.0)
    runs, started = 0, time.process_time()
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    while time.process_time() - started < LEAST:
        contender.train(data, TARGET, 1.0)
        runs += 1
    signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = (time.process_time() - started) / runs
    row = {"data": data.name, "solver": contender.name, "CPU s": seconds}
    total = sum(seen.values())
    print(row, flush=True)
    return row | {part: 100 * seen[part] / total for part in (*PARTS, "the rest")}


def part_of(frame: Any) -> str:
    """The part of the innermost function of the library."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if "problems" in path.parts:
            return "the problem"
        if path.is_relative_to(ROOT):
            inside = path.relative_to(ROOT).parts
            return next(
                (part for part, names in PARTS.items() if set(names) & set(inside)), "the rest"
            )
        frame = frame.f_back
    return "the rest"


if __name__ == "__main__":
    with one_thread():
        main()
