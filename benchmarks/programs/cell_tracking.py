"""Cell tracking with weights by hand, by a grid search, and learned from parts of a movie.

    python -m benchmarks programs/cell_tracking

The movies, features, constraints and hand-set weights come from docs/examples/tracking.py. Each row
is the mean over ten training movies, of which a fraction of the detections is annotated; F1 of
links and TRA are of twenty test movies together. TRA is the score of the Cell Tracking Challenge: 1
less the cost of changing the graph found to the true one, relative to the cost of making it from
nothing (Matula et al., PLoS ONE 2015).

The grid search multiplies four of the weights by hand, for cells, moves, divisions and ends, by
1/3, 1 and 3, and takes what is right for most of the variables that are known. 'learned' imputes
the unknown variables, 'ignored' is motile's objective (where all is known it is 'learned'), and
'prior' is learned with the weights by hand as w_prior; all three with the default C, which is 600
to 850 for each of the training movies of the table, 743 on average.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment, means
from benchmarks.store import Row
from structsvm.problems import IntegerProgram, IntegerProgramSVM

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
import tracking

RUNS = 10
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


class Movie(NamedTuple):
    """The program of a movie to learn from, and the known part of its solution."""

    x: Any
    y: Any


def annotated(fraction: float, draw: int) -> Movie:
    movie = tracking.movie(100 + draw)
    return Movie(tracking.program(movie), tracking.annotated(movie, fraction, draw))


@cache
def testing_movies() -> Movies:
    return Movies(range(300, 320))


def scores(fit: Any, data: Any) -> Row:
    f1, tra = testing_movies().scores(fit.found)
    return {"F1": f1, "TRA": tra, "CPU s": fit.seconds}


def summary(movies: list[Row]) -> Row:
    links = np.array([row["F1"] for row in movies])
    return means(movies) | {"standard error": links.std() / np.sqrt(RUNS - 1)}


#: Ways to learn from any movies, from whole and from partly annotated ones.
ALWAYS = {
    "grid": lambda data: by_grid(*data),
    "learned": lambda data: learned(*data),
    "prior": lambda data: learned(*data, tracking.BY_HAND),
}
PARTLY = {"ignored": lambda data: learned(*data, unknown="ignored")}


def of_fractions(fractions: tuple[float, ...], ways: dict[str, Any]) -> Experiment:
    return Experiment(
        "tracking",
        ("annotated", "weights"),
        {fraction: partial(annotated, fraction) for fraction in fractions},
        ways,
        scores,
        draws=RUNS,
        summary=summary,
        strict=True,
    )


EXPERIMENTS = (
    Experiment(
        "tracking",
        ("annotated", "weights"),
        {0.0: lambda: None},
        {"by hand": lambda _: tracking.BY_HAND},
        lambda fit, data: dict(zip(("F1", "TRA"), testing_movies().scores(fit.found), strict=True)),
    ),
    of_fractions((1.0,), ALWAYS),
    of_fractions((0.5, 0.1), ALWAYS | PARTLY),
)
