"""Run benchmarks/solvers or benchmarks/qp by benchopt, and store the rows of their tables.

    python -m benchmarks.from_benchopt qp
    python -m benchmarks.from_benchopt solvers -d digits -s LinearSVC -s structsvm

Options go to ``benchopt run``. Both are benchmarks of benchopt, which reads only their folders:
your own solver is one more file in ``solvers/``, or ``-s path/to/it.py``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd

from benchmarks.store import Row, merge
from benchmarks.tables.pages import show

FOLDER = Path(__file__).parent
#: Relative suboptimality.
TARGETS = (1e-2, 1e-3)
RACE = "CPU and wall seconds, one thread, to a relative suboptimality"
PROGRAMS = "Restricted dual QPs of growing sequences, CPU seconds"


def main(benchmark: str, options: list[str]) -> None:
    frame = measured(benchmark, options)
    if benchmark == "qp":
        merge("speed/qp", PROGRAMS, programs(frame), "sequence", "method")
    else:
        merge("speed/race", RACE, race(frame), "data", "target", "solver")
    show(f"speed/{'qp' if benchmark == 'qp' else 'race'}")


def measured(benchmark: str, options: list[str]) -> pd.DataFrame:
    """The runs of benchopt: a row for each solver, data set, tolerance and repetition."""
    script = str(Path(sys.executable).with_name("benchopt"))
    command = [script, "run", benchmark, "--no-plot", "--output", "measured", *options]
    subprocess.run(command, cwd=FOLDER, check=True)
    frame = pd.read_parquet(FOLDER / benchmark / "outputs" / "measured.parquet")
    return frame.rename(columns={"dataset_name": "data", "solver_name": "solver"})


def race(frame: pd.DataFrame) -> list[Row]:
    """The least median CPU time in which a solver comes within each target of the best objective.

    LinearSVC and others certify nothing, so that their tolerances are chosen by their objectives;
    ours are chosen by the gap that they certify.
    """
    runs = frame.groupby(["data", "solver", "stop_val"], as_index=False).median(numeric_only=True)
    best = runs.groupby("data")["objective_value"].transform("min")
    runs["suboptimality"] = runs["objective_value"] / best - 1
    reached = runs["objective_gap"].fillna(runs["suboptimality"])
    rows = []
    for target in TARGETS:
        for (data, solver), some in runs[reached <= target].groupby(["data", "solver"]):
            run = some.loc[some["objective_CPU s"].idxmin()]
            rows.append(
                {
                    "data": data,
                    "target": target,
                    "solver": solver,
                    "CPU s": run["objective_CPU s"],
                    "suboptimality": run["suboptimality"],
                    "certified": None if pd.isna(run["objective_gap"]) else run["objective_gap"],
                }
            )
    return rows


def programs(frame: pd.DataFrame) -> list[Row]:
    """Return the CPU seconds of each solver for a sequence of programs, and of cvxopt."""
    frame["data"] = [
        "{p_dataset_slacks} slack, n = {p_dataset_n}, C = {p_dataset_C_of_n:g} n, "
        "{p_dataset_passes} passes".format(**run)
        for run in frame.to_dict("records")
    ]
    runs = frame.groupby(["data", "solver"], as_index=False).median(numeric_only=True)
    unit = runs[runs["solver"] == "cvxopt[G=dense]"].set_index("data")["objective_CPU s"]
    return [
        {
            "sequence": run["data"],
            "QPs": int(run["objective_QPs"]),
            "m": int(run["objective_m"]),
            "method": run["solver"],
            "CPU s": run["objective_CPU s"],
            "ratio": run["objective_CPU s"] / unit[run["data"]],
            "worst relative gap": run["objective_value"],
        }
        for _, run in runs.iterrows()
    ]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
