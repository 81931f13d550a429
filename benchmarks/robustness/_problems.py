"""Small problems defined by tables of joint features and losses, and cases of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from benchmarks.robustness._exact import Exact
from structsvm import Problem, SelfLabelledProblem, SoftOutput, WeightConstraints

ExactTable = list[tuple[Exact, list[Fraction]]]


class Region(NamedTuple):
    """The w with A w <= b and w >= lower, one of which is ``inner``."""

    A: Any
    b: Any
    lower: Any
    inner: Any

    def contains(self, w: Any) -> bool:
        """Return whether w is in the region, in exact arithmetic."""
        numbers = Exact.of(w)
        exact = [numbers.scaled(number) for number in numbers.numbers]
        within = all(x >= low for x, low in zip(exact, self.lower, strict=True))
        rows = ([Fraction(a) for a in row] for row in self.A)
        return within and all(
            sum(a * x for a, x in zip(row, exact, strict=True)) <= Fraction(b)
            for row, b in zip(rows, self.b, strict=True)
        )


class Case(NamedTuple):
    """A problem, its data and C, and its table for ``benchmarks.robustness._exact.objective``.

    The objective of a problem with latent outputs depends on the labels that a solver imputed.
    """

    name: str
    problem: Problem
    X: Any
    Y: Any
    C: float
    table: ExactTable | Callable[[Any], ExactTable]
    region: Region | None = None
    prior: Any = None

    def table_for(self, labels: Any) -> ExactTable:
        return self.table(labels) if callable(self.table) else self.table


class Table(Problem):
    """A problem defined by joint features, x[y] for output y, and a table of losses."""

    def __init__(self, cost: Any) -> None:
        self.cost = cost

    def joint_feature(self, x: Any, y: int) -> Any:
        return x[y]

    def loss(self, y: int, y_hat: int) -> float:
        return self.cost[y, y_hat]

    def separation_oracle(self, x: Any, y: int, w: Any) -> int:
        return int(np.argmax(x @ w + self.cost[y]))

    def slack_oracle(self, x: Any, y: int, w: Any) -> int:
        scores = x @ w
        return int(np.argmax(self.cost[y] * (1 - (scores[y] - scores))))

    def decode(self, x: Any, w: Any) -> int:
        return int(np.argmax(x @ w))

    def soft_oracle(self, x: Any, y: int, w: Any, mu: float) -> SoftOutput:
        s = self.cost[y] - (x[y] - x) @ w
        value = mu * logsumexp(s / mu)
        p = np.exp((s - value) / mu)
        p /= p.sum()
        return SoftOutput(value, p @ (x[y] - x), float(p @ self.cost[y]))


class Constrained(Table):
    """A table with constraints and bounds on w."""

    def __init__(self, cost: Any, region: Region) -> None:
        super().__init__(cost)
        self.region = region

    def constraints(self) -> WeightConstraints:
        bounded = np.isfinite(self.region.lower).any()
        return WeightConstraints(
            self.region.A, self.region.b, self.region.lower if bounded else None
        )


class Undergenerating(Table):
    """A table whose oracle searches half of the outputs only."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x: Any, y: int, w: Any) -> int:
        searched = np.union1d(np.arange((len(x) + 1) // 2), [y])
        return int(searched[np.argmax((x @ w + self.cost[y])[searched])])


class Latent(SelfLabelledProblem, Table):
    """A table without outputs: they are imputed."""

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = X[0].shape[1]
