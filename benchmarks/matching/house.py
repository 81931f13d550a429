"""Matching landmarks of turning objects, learned on five pairs of frames, beside no learning.

    python -m benchmarks matching/house

The CMU house sequence has 111 frames with 30 known landmarks, matched between frames k apart; five
movies of as many landmarks on flat boxes are drawn. The features of a pair are the 60 terms of the
chi-square distance of their shape contexts. "With the graph" adds 61 features: the same terms for
the mean shape contexts of the neighbours, and the difference of the numbers of edges.

Errors are fractions of landmarks with a wrong partner, on the half of the movie that was neither
trained nor chosen on; the mean of two runs, with the training pairs from the start of the movie and
from its end. Learning is AssignmentSVM(). Its default was chosen by the script drawn, on some
distances of the house and another box; these five had no say. Five pairs of frames choose another
C, and the reward for each edge of the first graph that is an edge of the second in quadratic
assignment, which is searched by the Frank-Wolfe method from two starts. Caetano et al. (IEEE TPAMI
2009) report such curves, in which learning about closes the gap to quadratic assignment.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from benchmarks.matching._frames import Movie, Split, facade, house, pairs, split
from benchmarks.report import report
from benchmarks.store import Row
from benchmarks.tables.matching import DRAWN, HOUSE
from structsvm.problems import AssignmentSVM

DISTANCES = range(10, 100, 10)
CS = 10.0 ** np.arange(1, 6)
#: Of the drawn movies.
SEEDS = range(10, 15)
#: Weights of an edge that is kept, beside the chi-square distances.
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def error(matchings: Any, Y: Any) -> float:
    return float(np.mean([found != y for found, y in zip(matchings, Y, strict=True)]))


def unlearned(movie: Movie, starts: Split, k: int, graph: bool) -> float:
    """Assignment by the sum of all features."""
    X, Y = pairs(movie, starts.test, k, graph)
    return error([linear_sum_assignment(x.sum(axis=2), maximize=True)[1] for x in X], Y)


def learned(movie: Movie, starts: Split, k: int, graph: bool, chosen: bool = False) -> float:
    """Assignment by learned weights, with the default C or one chosen on the validation pairs."""
    train, validation, test = (pairs(movie, some, k, graph) for some in starts)
    models = [AssignmentSVM(C=C).fit(*train) for C in (CS if chosen else ("auto",))]
    best = max(models, key=lambda model: model.score(*validation)) if chosen else models[0]
    return error(best.predict(test[0]), test[1])


def quadratic(movie: Movie, starts: Split, k: int) -> float:
    """Assignment by equal weights that also counts the edges kept, by the Frank-Wolfe method."""

    def found(some: Any, edge: float) -> float:
        return error(*quadratic_matchings(movie, some, k, edge))

    return found(starts.test, min(EDGES, key=lambda edge: found(starts.validation, edge)))


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


def compared(movies: Sequence[Movie]) -> list[Row]:
    """A row for each distance of frames, the mean over the movies."""
    rows = []
    for k in DISTANCES:
        tasks = [(m, split(m, k, backwards), k) for m in movies for backwards in (False, True)]
        row: Row = {"k": k, "test pairs": sum(len(starts.test) for _, starts, _ in tasks)}
        for name, graph in (("contexts", False), ("contexts and graph", True)):
            row[f"equal, {name}"] = np.mean([unlearned(*task, graph) for task in tasks])
            row[f"learned, {name}"] = np.mean([learned(*task, graph) for task in tasks])
            row[f"C chosen, {name}"] = np.mean([learned(*task, graph, True) for task in tasks])
        row["quadratic, equal"] = np.mean([quadratic(*task) for task in tasks])
        rows.append(row)
    return rows


def main() -> None:
    try:
        house()
    except FileNotFoundError as error:
        print(f"skipped: {error}")
        return
    warnings.simplefilter("error", ConvergenceWarning)
    drawn = [facade(seed) for seed in SEEDS]
    report("matching/house", {HOUSE: compared([house()]), DRAWN: compared(drawn)})


if __name__ == "__main__":
    main()
