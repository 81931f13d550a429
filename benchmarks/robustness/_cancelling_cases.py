"""Random small problems of structsvm in which large terms cancel, such as time stamps."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.robustness._exact import Exact
from benchmarks.robustness._problems import Case, ExactTable
from structsvm.problems import (
    LabellingProblem,
    Misranking,
    RankingProblem,
    RocAreaProblem,
    TopKProblem,
)
from structsvm.problems.decisions import DecisionProblem, GridPaths, best_decisions


def cancelling_case(kind: str, seed: int) -> Case:
    """A problem of a kind; offsets are from 1e2 to 1e9, spreads from 1e-3 to 1e3."""
    rng = np.random.default_rng([seed, 2])
    name, problem, X, Y, table = KINDS[kind](rng)
    return Case(f"{kind} {name}".strip(), problem, X, Y, 10.0 ** rng.uniform(-2, 5), table)


def features(rng: np.random.Generator, *shape: int) -> tuple[Any, str]:
    """Features of which some columns have an offset, in all rows or with changing signs."""
    spreads = 10.0 ** rng.uniform(-3, 3, size=shape[-1])
    offsets = 10.0 ** rng.uniform(2, 9, size=shape[-1]) * (rng.random(shape[-1]) < 0.7)
    signs = rng.choice([-1.0, 1.0], size=shape) if rng.random() < 0.3 else np.ones(shape)
    X = rng.normal(size=shape) * spreads + signs * offsets
    return (X.astype(np.float32), "float32") if rng.random() < 0.3 else (X, "")


def two_labels(rng: np.random.Generator, n: int) -> Any:
    """Boolean labels, both of them."""
    return rng.permutation(np.arange(n) < rng.integers(1, n))


def pairs_table(rows: Iterable[tuple[Any, Any]]) -> ExactTable:
    """The hinge of every difference a - b, with a margin of 1."""
    table = []
    for a, b in rows:
        exact = Exact.of([a, b])
        zero = np.zeros(len(a), dtype=object)
        numbers = np.array([zero, exact.numbers[0] - exact.numbers[1]], dtype=object)
        table.append((Exact(numbers, exact.shift), [Fraction(0), Fraction(1)]))
    return table


def roc_area(rng: np.random.Generator) -> Any:
    n, inputs = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X, name = features(rng, inputs, n, 3)
    labels = two_labels(rng, n)
    table = pairs_table((p, q) for x in X for p in x[labels] for q in x[~labels])
    return name, RocAreaProblem(), [(x, labels) for x in X], [np.zeros(n)] * inputs, table


def graded_pairs(rng: np.random.Generator) -> Any:
    n, queries = int(rng.integers(2, 8)), int(rng.integers(1, 5))
    X, name = features(rng, queries, n, 3)
    grades = two_labels(rng, n).astype(int)
    relevant = grades > 0
    table = pairs_table((p, q) for x in X for p in x[relevant] for q in x[~relevant])
    Y = [Misranking.none(n)] * queries
    return name, RankingProblem("roc_area"), [(x, grades) for x in X], Y, table


def error(rng: np.random.Generator) -> Any:
    n = int(rng.integers(2, 20))
    X, name = features(rng, n, 3)
    y = two_labels(rng, n)
    table = pairs_table((x if own else -x, 0 * x) for x, own in zip(X, y, strict=True))
    return name, LabellingProblem("error"), [X], [y], table


def weighted_rows(X: Any, weights: list[list[Fraction]]) -> Exact:
    """Sums of the rows with exact weights."""
    exact = Exact.of(X)
    numbers = np.array(weights, dtype=object).reshape(len(weights), -1) @ exact.numbers
    return Exact(numbers, exact.shift)


def average_precision(rng: np.random.Generator) -> Any:
    n, queries = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    X, name = features(rng, queries, n, 3)
    grades = two_labels(rng, n).astype(int)
    pairs = int(grades.sum() * (1 - grades).sum())
    problem, table = RankingProblem("average_precision"), []
    Y = [Misranking.none(n)] * queries
    problem.initialize([(x, grades) for x in X], Y)
    for x in X:
        outputs = list(problem.outputs((x, grades)))
        weights = [[Fraction(round(s * pairs), pairs) for s in y.shifts] for y in outputs]
        table.append((weighted_rows(x, weights), [Fraction(float(y.loss)) for y in outputs]))
    return name, problem, [(x, grades) for x in X], Y, table


def top(rng: np.random.Generator) -> Any:
    n = int(rng.integers(3, 7))
    X, name = features(rng, n, 3)
    labels = two_labels(rng, n)
    k = int(rng.integers(1, n))
    problem, (positive, negative) = TopKProblem(k), map(np.flatnonzero, (labels, ~labels))
    most = min(k, len(positive))
    weights, losses = [[Fraction(0)] * n], [Fraction(0)]
    for a in range(max(0, k - len(negative)), most):
        loss = Fraction(most - a, most)
        missed, intruding = len(positive) - a, k - a
        for out in combinations(positive, missed):
            for instead in combinations(negative, intruding):
                row = [Fraction(0)] * n
                for i in out:
                    row[i] = loss / missed
                for j in instead:
                    row[j] = -loss / intruding
                weights.append(row)
                losses.append(loss)
    return name, problem, [(X, labels)], [np.zeros(n)], [(weighted_rows(X, weights), losses)]


def paths(rng: np.random.Generator) -> Any:
    """Costs of paths in grids, with an offset in common."""
    grid, n = GridPaths(2, 3), int(rng.integers(2, 8))
    X, name = features(rng, n, 2)
    X = X.astype(np.float64)  # as the problem converts it
    offset, spread = 10.0 ** rng.uniform(2, 9), 10.0 ** rng.uniform(-2, 3)
    costs = offset * rng.choice([-1, 1]) + spread * rng.normal(size=(n, grid.n_costs))
    Y, table = best_decisions(grid, costs), []
    decisions = [[int(z) for z in decision] for decision in grid.decisions()]
    for x, y in zip(X, Y, strict=True):
        exact, c = Exact.of(x), [Fraction(float(v)) for v in y.costs]
        best = min(sum(a * b for a, b in zip(c, z, strict=True)) for z in decisions)
        changes = [2 * (np.array(z) - y.decision.astype(int)) for z in decisions]
        rows = [np.outer(change.astype(object), exact.numbers).ravel() for change in changes]
        losses = [sum(a * b for a, b in zip(c, z, strict=True)) - best for z in decisions]
        table.append((Exact(np.array(rows, dtype=object), exact.shift), losses))
    return name, DecisionProblem(grid), X, Y, table


KINDS = {
    "ROC area": roc_area,
    "pairs of grades": graded_pairs,
    "error": error,
    "average precision": average_precision,
    "top k": top,
    "paths": paths,
}
