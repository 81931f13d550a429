"""Tags of one kind of text from another: weights from experience as the prior of a fit.

    python -m benchmarks sequences/adaptation    # needs the treebank in STRUCTSVM_DATA

English Web has texts of five kinds. The source is its blogs and newsgroups, whose training part is
labelled as a whole. The target is in turn its answers, its e-mails and its reviews, of which the
first sentences of the training part in a random order are labelled; the target's sentences in the
parts for development and for testing are tagged. 'alone' is trained on the target's labels,
'source' on the source's labels, 'both' on both, and 'prior' on the target's labels with the
source's weights as w_prior. These have the parameters' defaults, and nothing is chosen; for 'prior,
C' the C of each sentence is chosen among four by cross-validation in the labelled sentences of the
target. Each number is the mean of three targets and three orders; CPU seconds are of one fit, for
'prior, C' of the whole search.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import as_dicts, sentences
from structsvm.problems import ChainSVM

SOURCE = ("weblog", "newsgroup")
TARGETS = ("answers", "email", "reviews")
SIZES = (10, 30, 100, 300, 1000)
ORDERS = 3
#: C for each sentence; the last is the default.
CS = (0.1, 0.3, 1.0, 3.0)

Examples = tuple[list[Any], list[Any]]


@cache
def of_kind(kinds: tuple[str, ...], parts: tuple[str, ...]) -> Examples:
    """Sentences of some kinds of text as dicts of features, and their tags."""
    chosen = [s for part in parts for s in sentences(part) if s.genre in kinds]
    return [as_dicts(s.words) for s in chosen], [s.tags for s in chosen]


@cache
def of_source() -> ChainSVM:
    return ChainSVM().fit(*of_kind(SOURCE, ("train",)))


class Target(NamedTuple):
    """The labelled sentences of a target, and its test sentences."""

    few: Examples
    test: Examples


def target(m: int, draw: int) -> Target:
    kind, seed = TARGETS[draw // ORDERS], draw % ORDERS
    of_source()  # before any contender's time is measured
    X, y = of_kind((kind,), ("train",))
    order = np.random.default_rng(seed).permutation(len(X))[:m]
    few = [X[i] for i in order], [y[i] for i in order]
    return Target(few, of_kind((kind,), ("dev", "test")))


def both(data: Target) -> ChainSVM:
    X, y = of_kind(SOURCE, ("train",))
    return ChainSVM().fit(X + data.few[0], y + data.few[1])


def searched(data: Target) -> ChainSVM:
    """The fit with the C of best accuracy in three folds."""
    X, y = data.few
    grid = {"C": [C * len(X) for C in CS]}
    search = GridSearchCV(ChainSVM(), grid, cv=3, error_score="raise")
    return search.fit(X, y, w_prior=of_source()).best_estimator_


def row(fits: Any, data: Target) -> Row:
    row: Row = {"source": 100 * of_source().score(*data.test)}
    row |= {name: 100 * fit.found.score(*data.test) for name, fit in fits.items()}
    return row | {f"{name}, CPU s": fit.seconds for name, fit in fits.items()}


EXPERIMENTS = (
    Experiment(
        "accuracy",
        ("labelled",),
        {m: partial(target, m) for m in SIZES},
        {
            "alone": lambda data: ChainSVM().fit(*data.few),
            "both": both,
            "prior": lambda data: ChainSVM().fit(*data.few, w_prior=of_source()),
            "prior, C": searched,
        },
        row,
        wide=True,
        draws=len(TARGETS) * ORDERS,
    ),
)
