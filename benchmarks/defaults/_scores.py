"""Scores of contenders on the parts of a data set, and rows of tables made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from benchmarks.store import Row

#: Folds of a cross-validation.
FOLDS = 5
#: The score of a fitted model on rows X with labels y.
Score = Callable[..., float]
#: The scores of each contender, one for each fold or held-out set.
Scores = Mapping[str, Sequence[float]]


def cross_validated(rows: Any, y: Any, prepare: Any, contender: Any, score: Score) -> list[float]:
    """``score(fitted, X, y)`` of a contender on each of the folds."""
    found = []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows, y):
        model = make_pipeline(clone(prepare), clone(contender)).fit(rows[train], y[train])
        found.append(score(model, rows[test], y[test]))
    return found


def line(scores: Scores, **first: Any) -> Row:
    """Mean scores in percent, the first contender's being ours, and the standard error.

    The standard error belongs to the difference between ours and the best of the others.
    """
    means = {name: float(np.mean(values)) for name, values in scores.items()}
    ours, *others = means
    best = max(others, key=lambda name: means[name])
    difference = np.subtract(scores[ours], scores[best])
    error = float(np.std(difference, ddof=1) / np.sqrt(len(difference)))
    percent = {name: round(100 * mean, 1) for name, mean in means.items()}
    return first | percent | {"standard error": round(100 * error, 1)}


def by_seed(found: Sequence[Row]) -> Row:
    """One row for several seeds, which has lists of their values."""
    return {column: [row[column] for row in found] for column in found[0]}
