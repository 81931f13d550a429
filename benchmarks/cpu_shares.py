"""Where a training's time goes: shares of CPU time by what the code at work is for.

A signal comes every half millisecond of CPU time; the innermost function of the library that is
running then says what the time was for. The data and the targets are those of the race, 1e-3.

    python benchmarks/cpu_shares.py  # letter, mnist and OCR need the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from _race import Data, contenders, data_sets
from _report import one_thread, report

import structsvm

TARGET = 1e-3
EVERY = 0.0005
#: CPU seconds that each training is repeated for.
REPEATED = 2.0
ROOT = Path(structsvm.__file__).parent
KINDS = {
    "the problem": ("problems",),
    "asking, checking": (
        "part.py",
        "calls.py",
        "oracle.py",
        "workers.py",
        "shards.py",
        "separation.py",
    ),
    "descent": ("smoothing.py", "lbfgs.py", "cache.py"),
    "quadratic program": ("qp", "planes.py"),
}
OURS = ("SmoothedLBFGS", "OneSlackCuttingPlane", "SmoothedCuttingPlane")


def main() -> None:
    field = [contender for contender in contenders() if contender.name in OURS]
    rows = [
        shares(contender, data)
        for data in data_sets()
        for contender in field
        if contender.takes(data)
    ]
    report("cpu_shares", {"Shares of CPU time in percent, to 1e-3": rows})


def shares(contender: Any, data: Data) -> dict[str, Any]:
    """How the CPU time of a training divides among the kinds."""
    seen: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, lambda number, frame: seen.update([kind_of(frame)]))
    contender.train(data, TARGET, 1.0)
    runs, started = 0, time.process_time()
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    while time.process_time() - started < REPEATED:
        contender.train(data, TARGET, 1.0)
        runs += 1
    signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = (time.process_time() - started) / runs
    row = {"data": data.name, "solver": contender.name, "CPU s": seconds}
    total = sum(seen.values())
    print(row, flush=True)
    return row | {kind: 100 * seen[kind] / total for kind in (*KINDS, "the rest")}


def kind_of(frame: Any) -> str:
    """What the innermost function of the library is for."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if "problems" in path.parts:
            return "the problem"
        if path.is_relative_to(ROOT):
            inside = path.relative_to(ROOT).parts
            return next((k for k, names in KINDS.items() if set(names) & set(inside)), "the rest")
        frame = frame.f_back
    return "the rest"


if __name__ == "__main__":
    with one_thread():
        main()
