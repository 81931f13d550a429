"""A race to the same objective: ours, LinearSVC, and dlib and pystruct where they are installed.

The objective is 1/2 |w|^2 + C sum_i xi_i, so structsvm's C is n times that of the table. Each
contender trains until it is within 1e-2, then 1e-3, of the optimum. Our solvers stop by their own
certificate, on float32 data, and on float64 for digits with C >= 1. LinearSVC gives no certificate:
it runs with the loosest tolerance of a grid at which its objective, computed afterwards, is within
the target. Ratios are to LinearSVC's time on the same data; on chains, which LinearSVC cannot train
on, to its time on digits with C = 1. The suboptimality is computed in float64 for all contenders.
Passes are the calls of an oracle, soft ones included, divided by the number of examples. The peak
is the growth in memory of a new process. dlib is called through its Python binding, with our oracle
on one example at a time.

Stored rows stay as they are for data that are not named, and for dlib and pystruct where they are
not installed: those of the chain and of dlib are older than the others.

    python -m benchmarks.speed.race             # letter, mnist and OCR need STRUCTSVM_DATA
    python -m benchmarks.speed.race digits      # only data whose names begin with one of these
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.report import one_thread, report
from benchmarks.speed._contenders import Contender, contenders, linear_svc, loosest_tolerance
from benchmarks.speed._data import Data, data_sets, objective, optimum
from benchmarks.speed._memory import resident
from benchmarks.store import Row, stored

TARGETS = (1e-2, 1e-3)
#: Repetitions, all contenders in turn.
REPEATS = 5
#: CPU seconds above which a fit is not run again.
LONG = 3.0
#: LinearSVC's time on this set is the unit of the ratios for data that it cannot train on.
UNIT = "digits/16 C=1"
LIBRARIES = "dlib", "pystruct"
TITLE = "CPU and wall seconds, one thread, to a relative suboptimality"


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    before = stored("speed/race").get(TITLE, [])
    units = {row["target"]: row["CPU s"] / row["ratio"] for row in before if row["data"] == UNIT}
    rows, field = [], contenders()
    for data in data_sets():
        if names and not data.name.startswith(tuple(names)):
            continue
        best = optimum(data)
        for target in TARGETS:
            rows += _race(data, target, best, field, units)
            print(f"{data.name} to {target:g}: done", flush=True)
    report("speed/race", {TITLE: _joined(before, rows)})


def _joined(before: list[Row], rows: list[Row]) -> list[Row]:
    """The rows, and those measured before of other data and of libraries that are missing now."""
    data, solvers = ({row[key] for row in rows} for key in ("data", "solver"))
    kept = [
        row
        for row in before
        if row["data"] not in data or (row["solver"] in LIBRARIES and row["solver"] not in solvers)
    ]
    order = list(dict.fromkeys(row["data"] for row in before + rows))
    return sorted(rows + kept, key=lambda row: (order.index(row["data"]), -row["target"]))


def _race(
    data: Data, target: float, best: float, field: list[Contender], units: dict[float, float]
) -> list[dict]:
    runs: dict[str, Callable[[], Any]] = {}
    if data.X.__class__ is not list:
        tolerance = loosest_tolerance(data, target, best)
        runs[f"LinearSVC tol={tolerance:g}"] = partial(linear_svc, data, tolerance)
    for contender in field:
        if contender.takes(data):
            runs[contender.name] = partial(contender.train, data, target, best)
    times, outcomes = _in_turn(runs)
    if data.name == UNIT:
        units[target] = times[next(iter(runs))][0]
    unit = times[next(iter(runs))][0] if data.X.__class__ is not list else units[target]
    return [
        {
            "data": data.name,
            "target": target,
            "solver": name,
            "CPU s": times[name][0],
            "wall s": times[name][1],
            "ratio": times[name][0] / unit,
            "suboptimality": objective(data, outcomes[name].w) / best - 1,
            "certified": "-" if outcomes[name].gap is None else outcomes[name].gap,
            "passes": "-" if outcomes[name].passes is None else outcomes[name].passes,
            "peak MB": _peak(data, name, target, best),
        }
        for name in runs
    ]


def _in_turn(runs: dict[str, Callable[[], Any]]) -> tuple[dict, dict]:
    """Median CPU and wall seconds of each contender, and its last outcome."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    outcomes = {}
    for _ in range(REPEATS):
        for name, run in runs.items():
            if times[name] and times[name][0][0] > LONG:
                continue
            started = time.process_time(), time.perf_counter()
            outcomes[name] = run()
            ended = time.process_time(), time.perf_counter()
            times[name].append((ended[0] - started[0], ended[1] - started[1]))
    medians = {
        name: tuple(statistics.median(kind) for kind in zip(*found, strict=True))
        for name, found in times.items()
    }
    return medians, outcomes


# ---------------------------------------------------------------------- memory


def _peak(data: Data, solver: str, target: float, best: float) -> Any:
    """The growth in memory, in MB, of a new process that trains after it has loaded the data."""
    if not sys.platform.startswith("linux"):
        return "-"
    numbers = str(target), str(best)
    command = [sys.executable, "-m", "benchmarks.speed.race", "--peak", data.name, solver, *numbers]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _print_peak(name: str, solver: str, target: float, best: float) -> None:
    data = next(data for data in data_sets() if data.name == name)
    run: Callable[[], Any]
    if solver.startswith("LinearSVC"):
        run = partial(linear_svc, data, float(solver.partition("=")[2]))
    else:
        found: Contender = next(c for c in contenders() if c.name == solver)
        run = partial(found.train, data, target, best)
    before, peak, ended = resident(), 0.0, threading.Event()
    training = threading.Thread(target=lambda: (run(), ended.set()))
    training.start()
    while not ended.wait(0.001):
        peak = max(peak, resident() - before)
    print(peak)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--peak", nargs=4)
    arguments = parser.parse_args()
    with one_thread():
        if arguments.peak:
            warnings.simplefilter("ignore")
            name, solver, target, best = arguments.peak
            _print_peak(name, solver, float(target), float(best))
        else:
            main(arguments.names)
