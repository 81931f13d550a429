"""Random small problems, badly scaled in all ways that data are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.robustness._exact_tables import chain_table, exact_table, multiclass_table
from benchmarks.robustness._problems import (
    Case,
    Constrained,
    Latent,
    Region,
    Table,
    Undergenerating,
)
from structsvm.problems import Chain, Multiclass


def random_case(seed: int) -> Case:
    """One of the problems, in every third case with a prior of random size."""
    case, rng = _random_case(np.random.default_rng(seed)), np.random.default_rng([seed, 1])
    if seed % 3:
        return case
    features = (
        case.X
        if isinstance(case.X, np.ndarray)
        else case.X.data
        if sparse.issparse(case.X)
        else np.concatenate(case.X)
    )
    entries = np.abs(features[features != 0])
    scale = 10.0 ** rng.uniform(-3, 3) / (float(np.median(entries)) if entries.size else 1.0)
    rows, _ = case.table_for(case.Y)[0] if case.Y is not None else case.table([0] * len(case.X))[0]
    prior = scale * rng.normal(size=rows.numbers.shape[1])
    return case._replace(name=f"{case.name} prior", prior=prior)


def _random_case(rng: np.random.Generator) -> Case:
    """One of the problems: its size, scale, C, precision and container are random."""
    n, d, k = int(rng.integers(1, 21)), int(rng.integers(1, 16)), int(rng.integers(2, 5))
    C = 10.0 ** rng.uniform(-6, 6)
    kind = rng.choice(["multiclass", "chain", "table", "table"])
    if kind == "table":
        X, names = _scaled(rng, n * k, d)
        return _table(rng, names, np.asarray(X, dtype=X.dtype).reshape(n, k, d), C)
    if kind == "chain":
        return chain(rng, _scaled, min(n, 8), min(d, 6), min(k, 3), C)
    y = _labels(rng, n, k)
    if len(y) < 2:
        n, y = 2, np.array([0, 1])
    X, names = _scaled(rng, n, d)
    problem, k = Multiclass(), len(np.unique(y))
    if rng.random() < 0.3:
        cost = 10.0 ** rng.uniform(-3, 3) * rng.random((k, k))
        np.fill_diagonal(cost, 0)
        problem = Multiclass(cost=cost)
    table = multiclass_table(X, y, problem)
    if rng.random() < 0.3:
        X, names = sparse.csr_matrix(X), [*names, "sparse"]
    return Case(" ".join(["multiclass", *names]), problem, X, y, C, table)


def _labels(rng: np.random.Generator, n: int, k: int) -> Any:
    y = rng.integers(k, size=n)
    if n > 1 and rng.random() < 0.2:  # one row of the second class
        y = (np.arange(n) == 0).astype(int)
    if n > 1 and len(np.unique(y)) < 2:
        y[0] = 1 - min(y[0], 1)
    return y


#: Special data: how likely they are, and how a matrix is made so.
SPECIAL: dict[str, tuple[float, Callable[[np.random.Generator, Any], Any]]] = {
    "columns": (0.2, lambda rng, X: X * 10.0 ** rng.uniform(-4, 4, size=X.shape[1])),
    "14 decades": (0.05, lambda rng, X: X * 10.0 ** rng.uniform(-7, 7, size=X.shape[1])),
    "large row": (0.1, lambda _, X: np.vstack([1e6 * X[:1], X[1:]])),
    "offset": (0.1, lambda _, X: X + 1e9 * np.abs(X).max() * (np.arange(X.shape[1]) == 0)),
    "duplicates": (0.2, lambda rng, X: X[rng.integers(len(X), size=len(X))]),
    "zero column": (0.1, lambda _, X: X * (np.arange(X.shape[1]) > 0)),
    "integers": (0.1, lambda _, X: np.round(X)),
    "counts": (0.1, lambda rng, X: np.floor(rng.exponential(1.0, size=X.shape))),
    "near 2^63": (0.02, lambda rng, X: 2.0**63 * (1 - 0.1 * rng.random(X.shape))),
}


def _scaled(rng: np.random.Generator, n: int, d: int) -> tuple[Any, list[str]]:
    """Rows of features, and words for what is special about them."""
    decades = 30 if rng.random() < 0.1 else 8
    X, names = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-decades, decades), []
    for name, (chance, made) in SPECIAL.items():
        if rng.random() < chance:
            X, names = made(rng, X), [*names, name]
    if rng.random() < 0.25 and np.abs(X).max() < 1e14:  # larger ones are refused
        X, names = X.astype(np.float32), [*names, "float32"]
    return X, names


def _table(rng: np.random.Generator, names: Sequence[str], X: Any, C: float) -> Case:
    n, k, d = X.shape
    cost = rng.random((k, k)) + 0.01
    np.fill_diagonal(cost, 0)
    y, table = rng.integers(k, size=n), exact_table(X, cost)
    kind = rng.choice(["table", "constrained table", "undergenerating table", "latent table"])
    name, Y = " ".join([kind, *names]), y.tolist()
    if kind == "latent table":
        return Case(name, Latent(cost), list(X), None, C, table)
    if kind == "constrained table":
        region = _region(rng, d, float(np.median(np.abs(X[X != 0]))) if X.any() else 1.0)
        return Case(name, Constrained(cost, region), list(X), Y, C, table(y), region)
    problem = Table(cost) if kind == "table" else Undergenerating(cost)
    return Case(name, problem, list(X), Y, C, table(y))


def _region(rng: np.random.Generator, d: int, scale: float) -> Region:
    """Constraints, bounds or both on the w that make scores of size 1 of features of a scale."""
    m, bounded = int(rng.integers(4)), rng.random() < 0.6
    inner = rng.normal(size=d) / scale
    lower = np.full(d, -np.inf)
    if bounded:
        some = rng.random(d) < rng.choice([0.5, 1.0])
        lower[some] = rng.choice([0.0, -1.0]) * np.abs(inner[some])
        inner[some] = np.abs(inner[some])
    A = rng.normal(size=(m, d)) * 10.0 ** rng.uniform(-3, 3, size=(m, 1))
    if rng.random() < 0.5:  # cones
        A *= np.where(A @ inner > 0, -1.0, 1.0)[:, None]
        return Region(A, np.zeros(m), lower, inner)
    terms = np.abs(A) @ np.abs(inner)
    return Region(A, A @ inner + terms * 10.0 ** rng.uniform(-4, 2, size=m), lower, inner)


def chain(
    rng: np.random.Generator, scaled: Callable[..., Any], n: int, d: int, k: int, C: float
) -> Case:
    """Label sequences; ``scaled(rng, n, d)`` returns the features and words for them."""
    lengths = rng.integers(1, 4, size=n)
    rows, names = scaled(rng, int(lengths.sum()), d)
    ends = np.cumsum(lengths)[:-1]
    X = np.split(rows, ends)
    Y = np.split(rng.integers(k, size=len(rows)), ends)
    classes = np.unique(np.concatenate(Y))
    if len(classes) < 2:
        Y[0][0], classes = 1 - min(classes[0], 1), None
        classes = np.unique(np.concatenate(Y))
    if len(classes) < 2:  # one position only
        X, Y = [*X, X[0]], [*Y, Y[0] + 1]
        classes = np.unique(np.concatenate(Y))
    table = chain_table(X, Y, classes)
    return Case(" ".join(["chain", *names]), Chain(), X, Y, C, table)
