"""Cell tracking with weights by hand, by a grid search, and learned from parts of a movie.

    python -m benchmarks programs/cell_tracking

The movies, features, constraints and weights by hand are those of docs/examples/tracking.py. Each
row is the mean over ten training movies, of which a fraction of the detections is annotated; F1 of
links and TRA are of twenty test movies together. TRA is the score of the Cell Tracking Challenge: 1
less the cost of changing the graph found to the true one, relative to the cost of making it from
nothing (Matula et al., PLoS ONE 2015).

The grid search multiplies four of the weights by hand, for cells, moves, divisions and ends, by
1/3, 1 and 3, and takes what is right for most of the variables that are known. 'learned' imputes
the unknown variables, 'ignored' is motile's objective (where all is known it is 'learned'), and
'prior' is learned with the weights by hand as w_prior; all three with the default C, which is 600
to 850 for each of the training movies of the table, 743 on average. 'C chosen' is learned with the
C, of powers of ten, that is best for ten further movies, so it has more labels than the others.
'relaxed' trains by the linear relaxation of the programs.
"""

from __future__ import annotations

import sys
import time
import warnings
from itertools import product
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
FRACTIONS = (1.0, 0.5, 0.1, 0.05)
#: The columns of the weights that the grid search multiplies together.
GROUPS = ((0,), (2, 3, 4, 13, 14, 15), (5, 6, 7, 8), (9, 10, 11, 12))
FACTORS = (1 / 3, 1.0, 3.0)


class Movies:
    """Movies and their programs, made once."""

    def __init__(self, seeds: range) -> None:
        self.movies = [tracking.movie(seed) for seed in seeds]
        self.programs = [tracking.program(movie) for movie in self.movies]

    def scores(self, w: Any) -> tuple[float, float]:
        """The F1 of the links that w finds, and TRA."""
        problem = IntegerProgram()
        found = [problem.decode(program, w) for program in self.programs]
        return tracking.f1(self.movies, found), tracking.tra(self.movies, found)


def by_grid(x: Any, y: Any) -> Any:
    """The weights by hand, times what is right for most of the known variables."""
    problem, known, found = IntegerProgram(), y != -1, []
    for factors in product(FACTORS, repeat=len(GROUPS)):
        w = tracking.BY_HAND.copy()
        for columns, factor in zip(GROUPS, factors, strict=True):
            w[list(columns)] *= factor
        right = np.mean(problem.decode(x, w)[known] == y[known])
        found.append((float(right), -len(found), w))
    return max(found, key=lambda one: one[:2])[2]


def learned(x: Any, y: Any, prior: Any = None, **parameters: Any) -> Any:
    return IntegerProgramSVM(**parameters).fit([x], [y], w_prior=prior).w_


def with_chosen_C(x: Any, y: Any, validation: Movies, **parameters: Any) -> Any:
    found = [learned(x, y, C=C, **parameters) for C in CS]
    return max(found, key=lambda w: validation.scores(w)[0])


def ways(x: Any, y: Any, validation: Movies) -> dict[str, Any]:
    """Functions that return weights, by name."""
    found = {
        "grid": lambda: by_grid(x, y),
        "learned": lambda: learned(x, y),
        "prior": lambda: learned(x, y, tracking.BY_HAND),
    }
    if (y == -1).any():
        return found | {"ignored": lambda: learned(x, y, unknown="ignored")}
    return found | {
        "relaxed": lambda: learned(x, y, relaxation=True),
        "C chosen": lambda: with_chosen_C(x, y, validation),
    }


def main() -> None:
    warnings.simplefilter("error", ConvergenceWarning)
    validation, test = Movies(range(200, 210)), Movies(range(300, 320))
    f1, tra = test.scores(tracking.BY_HAND)
    rows: list[dict[str, Any]] = [{"annotated": 0.0, "weights": "by hand", "F1": f1, "TRA": tra}]
    for fraction in FRACTIONS:
        found: dict[str, list[tuple[float, float, float]]] = {}
        for run in range(RUNS):
            movie = tracking.movie(100 + run)
            x = tracking.program(movie)
            y = tracking.annotated(movie, fraction, run)
            for name, way in ways(x, y, validation).items():
                start = time.process_time()
                w = way()
                seconds = time.process_time() - start
                found.setdefault(name, []).append((*test.scores(w), seconds))
        for name, runs in found.items():
            links, scores, seconds = np.transpose(runs)
            row: dict[str, Any] = {"annotated": fraction, "weights": name}
            row |= {"F1": links.mean(), "standard error": links.std() / np.sqrt(RUNS - 1)}
            row |= {"least F1": links.min(), "TRA": scores.mean(), "CPU s": seconds.mean()}
            rows.append(row)
    report("programs/cell_tracking", {"tracking": rows})


if __name__ == "__main__":
    with one_thread():
        main()
