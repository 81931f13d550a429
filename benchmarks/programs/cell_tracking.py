"""Cell tracking with weights set by hand, learned from one movie, and from half of its annotation.

    python -m benchmarks.programs.cell_tracking

The movies, features and constraints are those of docs/examples/tracking.py. Each row is the mean
over ten training movies; F1 is that of the links in twenty test movies, counted together. C is
chosen by the F1 in ten further movies, but for the default. 'relaxed' trains by the linear
relaxation of the programs.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.report import one_thread, report
from structsvm.problems import IntegerProgram, IntegerProgramSVM

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
import tracking

CS = (10.0, 100.0, 1000.0, 10000.0, 100000.0)
RUNS = 10
#: A cell: 4 contrast - 3; its move costs what it is long and changes; and so on.
BY_HAND = np.array([-3.0, 4.0, 2.0, -1.0, -2.0, 0.0, -1.0, -2.0, 1.0, -1.0, -1.0, -1.0, -1.0])


def decoded(w: Any, movies: list[Any]) -> float:
    """The F1 of the links that w finds."""
    problem = IntegerProgram()
    found = [problem.decode(tracking.program(movie), w) for movie in movies]
    return float(tracking.f1(movies, found))


def learned(
    run: int, half: bool, relaxation: bool, Cs: tuple[Any, ...], movies: dict[str, list[Any]]
) -> dict[str, Any]:
    movie = tracking.movie(100 + run)
    x = tracking.program(movie)
    y = tracking.half_annotated(movie, run) if half else tracking.truth(movie)
    start, models = time.process_time(), []
    for C in Cs:
        models.append(IntegerProgramSVM(relaxation=relaxation, C=C).fit([x], [y]))
    seconds = (time.process_time() - start) / len(Cs)
    best = max(models, key=lambda model: decoded(model.w_, movies["validation"]))
    f1 = decoded(best.w_, movies["test"])
    return {"F1": f1, "known": float(np.mean(y != -1)), "CPU s of a fit": seconds, "C": best.C_}


def main() -> None:
    warnings.simplefilter("error", ConvergenceWarning)
    movies = {
        "validation": [tracking.movie(200 + i) for i in range(10)],
        "test": [tracking.movie(300 + i) for i in range(20)],
    }
    rows: list[dict[str, Any]] = [{"weights": "by hand", "F1": decoded(BY_HAND, movies["test"])}]
    with one_thread():
        for name, half, relaxation, Cs in (
            ("learned", False, False, CS),
            ("learned, default C", False, False, ("auto",)),
            ("learned, relaxed", False, True, CS),
            ("learned from half", True, False, CS),
            ("learned from half, default C", True, False, ("auto",)),
        ):
            runs = [learned(run, half, relaxation, Cs, movies) for run in range(RUNS)]
            row: dict[str, Any] = {"weights": name, "F1": np.mean([run["F1"] for run in runs])}
            row["standard error"] = np.std([run["F1"] for run in runs]) / np.sqrt(RUNS - 1)
            row["least F1"] = min(run["F1"] for run in runs)
            for key in ("known", "CPU s of a fit"):
                row[key] = np.mean([run[key] for run in runs])
            row["median C"] = np.median([run["C"] for run in runs])
            rows.append(row)
    report("programs/cell_tracking", {"F1 of links": rows})


if __name__ == "__main__":
    main()
