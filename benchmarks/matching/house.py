"""Matching landmarks of turning objects, learned on five pairs of frames, or not learned.

    python -m benchmarks matching/house

The CMU house sequence has 111 frames with 30 known landmarks, matched between frames k apart. The
features of a pair are the 60 terms of the chi-square distance of their shape contexts. "With the
graph" adds 61 features: the same terms for the mean shape contexts of the neighbours, and the
difference of the numbers of edges.

Errors are fractions of landmarks with a wrong partner, on the half of the movie that was neither
trained nor chosen on; the mean of two runs, with the training pairs from the start of the movie and
from its end. Learning is AssignmentSVM(). Its default C was chosen on some
distances of the house and on drawn points. Five pairs of frames choose another
C, and the reward for each edge of the first graph that is an edge of the second in quadratic
assignment, which is searched by the Frank-Wolfe method from two starts. Caetano et al. (IEEE TPAMI
2009) report such curves, in which learning about closes the gap to quadratic assignment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.experiment import Experiment
from benchmarks.matching._frames import Movie, Split, house, pairs, split
from benchmarks.store import Row
from benchmarks.tables.guides import HOUSE
from structsvm.problems import AssignmentSVM

CS = 10.0 ** np.arange(1, 6)
#: Weights of an edge that is kept, beside the chi-square distances.
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def error(matchings: Any, Y: Any) -> float:
    return float(np.mean([found != y for found, y in zip(matchings, Y, strict=True)]))


class Task(NamedTuple):
    """Pairs of frames k apart of one movie."""

    movie: Movie
    starts: Split
    k: int


def tasks(k: int) -> list[Task]:
    """From both ends of the movie."""
    movie = house()
    return [Task(movie, split(movie, k, end), k) for end in (False, True)]


def unlearned(task: Task, graph: bool) -> float:
    """Assignment by the sum of all features."""
    X, Y = pairs(task.movie, task.starts.test, task.k, graph)
    return error([linear_sum_assignment(x.sum(axis=2), maximize=True)[1] for x in X], Y)


def learned(task: Task, graph: bool, chosen: bool = False) -> float:
    """Assignment by learned weights, with the default C or one chosen on the validation pairs."""
    train, validation, test = (pairs(task.movie, some, task.k, graph) for some in task.starts)
    models = [AssignmentSVM(C=C).fit(*train) for C in (CS if chosen else ("auto",))]
    best = max(models, key=lambda model: model.score(*validation)) if chosen else models[0]
    return error(best.predict(test[0]), test[1])


def quadratic(task: Task) -> float:
    """Assignment by equal weights that also counts the edges kept, by the Frank-Wolfe method."""

    def found(some: Any, edge: float) -> float:
        return error(*quadratic_matchings(task.movie, some, task.k, edge))

    best = min(EDGES, key=lambda edge: found(task.starts.validation, edge))
    return found(task.starts.test, best)


def quadratic_matchings(
    movie: Movie, starts: Any, k: int, edge: float
) -> tuple[list[Any], list[Any]]:
    X, Y = pairs(movie, starts, k, graph=False)
    found = []
    for t, x, y in zip(starts, X, Y, strict=True):
        order = np.argsort(y)
        second = movie.graphs[t + k][np.ix_(order, order)]
        found.append(frank_wolfe(x.sum(axis=2), movie.graphs[t], edge * second))
    return found, Y


def frank_wolfe(S: Any, A: Any, B: Any) -> Any:
    """A matching P of large <S, P> + <A P, P B> / 2, for symmetric A and B, from two starts."""
    m, found = len(S), []
    linear = np.eye(m)[linear_sum_assignment(S, maximize=True)[1]]
    for start in (np.full(S.shape, 1 / m), linear):
        columns = linear_sum_assignment(ascended(start, S, A, B), maximize=True)[1]
        P = np.eye(m)[columns]
        found.append(((S * P).sum() + (A @ P * (P @ B)).sum() / 2, columns.tolist()))
    return np.array(max(found)[1])


def ascended(P: Any, S: Any, A: Any, B: Any, steps: int = 50) -> Any:
    """A doubly stochastic matrix from which no step to a matching leads higher."""
    for _ in range(steps):
        gradient = S + A @ P @ B
        columns = linear_sum_assignment(gradient, maximize=True)[1]
        direction = np.eye(len(S))[columns] - P
        slope, bend = (gradient * direction).sum(), (A @ direction @ B * direction).sum()
        if slope <= 1e-9:
            break
        P = P + direction * (1.0 if slope + bend >= 0 else -slope / bend)
    return P


def mean(of: Callable[[Task], float], tasks: list[Task]) -> float:
    return float(np.mean([of(task) for task in tasks]))


WAYS: dict[str, Callable[..., float]] = {
    "equal": unlearned,
    "learned": learned,
    "C chosen": partial(learned, chosen=True),
}
METHODS = {
    **{
        f"{way}, {name}": partial(mean, partial(of, graph=graph))
        for name, graph in (("contexts", False), ("contexts and graph", True))
        for way, of in WAYS.items()
    },
    "quadratic, equal": partial(mean, quadratic),
}


def row(fits: Any, tasks: list[Task]) -> Row:
    found = {name: fit.found for name, fit in fits.items()}
    return {"test pairs": sum(len(task.starts.test) for task in tasks)} | found


EXPERIMENTS = (
    Experiment(
        HOUSE,
        ("k",),
        {k: partial(tasks, k) for k in range(10, 100, 10)},
        METHODS,
        row,
        wide=True,
        strict=True,
    ),
)
