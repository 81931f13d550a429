"""The exact tables of problems: all differences of joint features, and their losses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from benchmarks.robustness._exact import Exact
from benchmarks.robustness._problems import ExactTable
from structsvm.problems import Multiclass


def multiclass_table(X: Any, y: Any, problem: Multiclass) -> ExactTable:
    classes, codes = np.unique(y, return_inverse=True)
    k, exact = len(classes), Exact.of(X)
    cost = np.asarray(1.0 - np.eye(k) if problem.cost is None else problem.cost)
    table = []
    for x, true in zip(exact.numbers, codes, strict=True):
        rows = np.zeros((k, k, len(x)), dtype=object)
        rows[:, true] += x
        rows[np.arange(k), np.arange(k)] -= x
        losses = [Fraction(float(c)) for c in cost[true]]
        table.append((Exact(rows.reshape(k, -1), exact.shift), losses))
    return table


def chain_table(X: Any, Y: Any, classes: Any) -> ExactTable:
    return [_chain_rows(x, y, classes) for x, y in zip(X, Y, strict=True)]


def _chain_rows(x: Any, y: Any, classes: Any) -> tuple[Exact, list[Fraction]]:
    k, exact = len(classes), Exact.of(x)

    def psi(codes: Any) -> Any:
        one_hot = np.zeros((len(codes), k), dtype=object)
        one_hot[np.arange(len(codes)), codes] = 1
        unary = exact.numbers.T @ one_hot
        pairs = (one_hot[:-1].T @ one_hot[1:]) * 2**exact.shift
        return np.concatenate([unary.ravel(), pairs.ravel()])

    true = np.searchsorted(classes, y)
    outputs = [np.array(output) for output in product(range(k), repeat=len(true))]
    rows = np.array([psi(true) - psi(output) for output in outputs], dtype=object)
    return Exact(rows, exact.shift), [Fraction(int((true != o).sum())) for o in outputs]


def exact_table(X: Any, cost: Any) -> Callable[[Any], ExactTable]:
    """The table of a :class:`Table` with features X of shape (n, k, d), for any labels."""
    exact = Exact.of(X)

    def table(labels: Any) -> ExactTable:
        return [
            (Exact(x[true] - x, exact.shift), [Fraction(float(c)) for c in cost[true]])
            for x, true in zip(exact.numbers, labels, strict=True)
        ]

    return table
