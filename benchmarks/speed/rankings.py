"""RankingSVM on many documents, compared with LightGBM's ranker.

A thousand drawn queries of a hundred documents, with five grades by a score that is linear except
for one product and noise. CPU seconds of training with the defaults, one thread, and NDCG at 10 on
as many new documents.

    python -m benchmarks speed/rankings    # LightGBM where it is installed
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment, Fit
from benchmarks.store import Row
from structsvm.problems import RankingSVM
from structsvm.problems.ranking.measures import ranking_measure

QUERIES, OF_A_QUERY = 1000, 100


class Documents(NamedTuple):
    """Rows to train on, with grades and queries; and new rows of as many queries."""

    X: Any
    y: Any
    qid: Any
    new: Any
    true: Any


def documents(d: int) -> Documents:
    rng, n = np.random.default_rng(0), QUERIES * OF_A_QUERY
    X, w = rng.normal(size=(2 * n, d)), rng.normal(size=d)
    scores = X @ w + 2 * X[:, 0] * X[:, 1] + 4 * rng.normal(size=2 * n)
    y = np.digitize(scores, np.quantile(scores, [0.5, 0.75, 0.9, 0.97]))
    return Documents(X[:n], y[:n], np.arange(n) // OF_A_QUERY, X[n:], y[n:])


def ours(data: Documents, **parameters: Any) -> Any:
    return RankingSVM(**parameters).fit(data.X, data.y, qid=data.qid)


def lightgbm(data: Documents) -> Any:
    from lightgbm import LGBMRanker

    sizes = np.full(QUERIES, OF_A_QUERY)
    return LGBMRanker(n_jobs=1, verbose=-1).fit(data.X, data.y, group=sizes)


def measured(fit: Fit, data: Documents) -> Row:
    scores = getattr(fit.found, "decision_function", fit.found.predict)(data.new)
    sizes = np.full(QUERIES, OF_A_QUERY)
    ndcg = ranking_measure("ndcg", 10).values(data.true, sizes, np.asarray(scores, dtype=float))
    return {"CPU s": fit.seconds, "NDCG at 10": float(np.mean(ndcg))}


EXPERIMENTS = (
    Experiment(
        "100,000 documents",
        ("features", "ranker"),
        {d: partial(documents, d) for d in (10, 40, 136)},
        {
            "RankingSVM()": ours,
            "RankingSVM(measure='ndcg')": partial(ours, measure="ndcg"),
            "LGBMRanker()": lightgbm,
        },
        measured,
    ),
)
