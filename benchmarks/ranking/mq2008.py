"""Rankings of MQ2008 by every measure of RankingSVM, and by the usual alternatives.

    python -m benchmarks ranking/mq2008

784 queries with 15211 documents of three grades and 46 features that are scaled by query (Qin & Liu
2013). In each of five folds three parts train, one chooses the parameters by its mean average
precision (MAP), and one tests. The 220 queries without a relevant document count 0, as in the
evaluation of LETOR. "Chosen" are C, the penalty of Ridge, and the number of trees, their leaves and
the learning rate of LightGBM; other columns have the defaults of the estimators. The single
feature has the largest MAP in training, the same one in all folds. "Beside one feature" is the mean
difference of the chosen MAP from the single feature, with its standard error over the queries; the
CPU time is for a fit with default parameters, in one thread. The folds differ five times as much
as the methods.

LightGBM is left out where it is not installed. Reads mq2008.npz in the folder STRUCTSVM_DATA.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.ranking._folds import FOLDS, Documents, Fold, fold, precisions
from benchmarks.store import Row
from structsvm.problems import RankingSVM

#: Scores of documents, by a model that was fitted to others.
Scores = Callable[[Any], Any]

MEASURES: list[tuple[str, dict[str, Any]]] = [
    ("average precision", {"measure": "average_precision"}),
    ("NDCG@10", {"measure": "ndcg", "k": 10}),
    ("NDCG", {"measure": "ndcg"}),
    ("precision at 10", {"measure": "precision_at_k", "k": 10}),
    ("precision at the relevant", {"measure": "precision_at_k"}),
    ("pairs", {}),
]
#: Measures that tell no grades apart.
BINARY = ("average_precision", "precision_at_k")
#: Factors of the automatic C, to choose from.
FACTORS = 10.0 ** np.arange(-3, 1)


def ours(train: Documents, factor: float, parameters: dict[str, Any]) -> Scores:
    svm, (X, y, qid) = RankingSVM(**parameters), train
    if svm.measure in BINARY:
        y = y > 0
    if factor != 1:
        svm.set_params(C=factor * RankingSVM().fit(X, y, qid=qid).C_)
    return svm.fit(X, y, qid=qid).predict


def single_feature(train: Documents) -> Scores:
    """The feature, or its negative, of largest mean average precision in training."""
    signed = [(sign, j) for sign in (1, -1) for j in range(train.X.shape[1])]
    means = [precisions(train, sign * train.X[:, j]).mean() for sign, j in signed]
    sign, j = signed[int(np.argmax(means))]
    return lambda X: sign * X[:, j]


def ridge(train: Documents, alpha: float) -> Scores:
    return Ridge(alpha=alpha).fit(train.X, train.y).predict


def pairwise(train: Documents, C: float) -> Scores:
    """LinearSVC on the differences of documents of one query and different grades."""
    better, worse = pairs(train)
    signs = np.where(np.arange(len(better)) % 2, 1.0, -1.0)
    rows = signs[:, None] * (train.X[better] - train.X[worse])
    svm = LinearSVC(C=C, loss="hinge", fit_intercept=False, random_state=0, max_iter=100_000)
    weights = svm.fit(rows, signs).coef_[0]
    return lambda X: X @ weights


def pairs(train: Documents) -> tuple[Any, Any]:
    found = []
    for q in np.unique(train.qid):
        rows = np.flatnonzero(train.qid == q)
        i, j = np.nonzero(train.y[rows][:, None] > train.y[rows])
        found.append((rows[i], rows[j]))
    better, worse = (np.concatenate(part) for part in zip(*found, strict=True))
    return better, worse


def lambdarank(train: Documents, **parameters: Any) -> Scores:
    ranker = importlib.import_module("lightgbm").LGBMRanker(
        n_jobs=1, random_state=0, verbose=-1, **parameters
    )
    ranker.fit(train.X, train.y, group=train.sizes)
    return partial(ranker.predict, validate_features=False)


Learn = Callable[[Documents], Scores]
#: Fits with default parameters, and with those to choose from.
METHODS: dict[str, tuple[Learn, list[Learn]]] = {
    "single feature": (single_feature, []),
    "Ridge": (
        partial(ridge, alpha=1.0),
        [partial(ridge, alpha=alpha) for alpha in 10.0 ** np.arange(-2, 5)],
    ),
    "LinearSVC of pairs": (
        partial(pairwise, C=1.0),
        [partial(pairwise, C=C) for C in 10.0 ** np.arange(-6, 0)],
    ),
    "LightGBM lambdarank": (
        lambdarank,
        [
            partial(lambdarank, n_estimators=n, num_leaves=leaves, learning_rate=rate)
            for n, leaves, rate in product((50, 100, 300), (7, 31), (0.03, 0.1))
        ],
    ),
    **{
        f"RankingSVM, {name}": (
            partial(ours, factor=1.0, parameters=parameters),
            [partial(ours, factor=factor, parameters=parameters) for factor in FACTORS],
        )
        for name, parameters in MEASURES
    },
}


def chosen(fits: list[Scores], data: Fold) -> Scores:
    """The fit of largest mean average precision on the validation part."""
    means = [precisions(data.validation, fit(data.validation.X)).mean() for fit in fits]
    return fits[int(np.argmax(means))]


def tested(data: Fold, method: str) -> dict[str, Any]:
    """Precisions of all test queries, and CPU seconds of a default fit."""
    default, others = METHODS[method]
    seconds, model = cpu_seconds(partial(default, data.train), repeats=1)
    best = chosen([fit(data.train) for fit in others], data) if others else model
    return {
        "seconds": seconds,
        "default": precisions(data.test, model(data.test.X)),
        "chosen": precisions(data.test, best(data.test.X)),
    }


def summary(folds: list[dict[str, Any]]) -> Row:
    """Means over folds, their range, and the difference from one feature with its error."""
    row: Row = {}
    for choice in ("default", "chosen"):
        row[f"MAP, {choice}"] = float(np.mean([fold[choice].mean() for fold in folds]))
    difference = np.concatenate([fold["chosen"] - fold["control"] for fold in folds])
    row["MAP - single feature"] = float(difference.mean())
    row["standard error"] = float(difference.std(ddof=1) / len(difference) ** 0.5)
    row["CPU s of a fit"] = float(np.median([fold["seconds"] for fold in folds]))
    return row


def beside_one_feature(fit: Any, data: Fold) -> dict[str, Any]:
    return fit.found | {"control": precisions(data.test, single_feature(data.train)(data.test.X))}


EXPERIMENTS = (
    Experiment(
        "MQ2008",
        ("method",),
        {(): fold},
        {name: partial(tested, method=name) for name in METHODS},
        beside_one_feature,
        draws=len(FOLDS),
        summary=summary,
        strict=True,
    ),
)
