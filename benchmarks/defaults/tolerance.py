"""How accurate ChainSVM is at larger tolerances, and what they save: how its default was chosen.

The sets are those that ChainSVM's C was chosen on (benchmarks/defaults/sequences.py), and the tasks
of the English treebank (benchmarks/sequences/templates.py), of which the dev part is scored. Each
has 'hinge' and 'log_loss' as the loss. A score is the percentage of right labels, the log loss is
for a position, and CPU seconds are of training, one thread.

    python -m benchmarks defaults/tolerance    # the tasks need the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.defaults._structures import Structures
from benchmarks.defaults.sequences import choice
from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.sequences.templates import TASKS
from benchmarks.store import Row
from structsvm.problems import ChainSVM

TOLERANCES = (0.2, 0.1, 0.05, 0.02, 0.01)
#: Probabilities below this count as this.
LEAST = 1e-12

Examples = tuple[list[Any], list[Any]]
#: What is trained on and what is scored, of several sets.
Sets = list[tuple[Examples, Examples]]
KINDS = ("words, drawn", "others", "treebank")


def sets(kind: str) -> Sets:
    if kind == "treebank":
        return [(task.data("train"), task.data("dev")) for task in TASKS.values()]
    return [
        halves(load())
        for name, load in choice().items()
        if ("words" in name) == (kind == "words, drawn")
    ]


def halves(data: Structures) -> tuple[Examples, Examples]:
    n = len(data.rows)
    order = np.random.default_rng(0).permutation(n)
    train, test = (
        ([data.rows[i] for i in some], [data.labels[i] for i in some])
        for some in (order[: n // 2], order[n // 2 :])
    )
    return train, test


def log_loss(svm: ChainSVM, X: list[Any], Y: list[Any]) -> float:
    p, labels = np.concatenate(svm.predict_proba(X)), np.concatenate(Y)
    own = p[np.arange(len(labels)), np.searchsorted(svm.classes_, labels) % p.shape[1]]
    known = np.isin(labels, svm.classes_)
    return -float(np.log(np.maximum(np.where(known, own, 0), LEAST)).mean())


def mean_scores(data: Sets, factor: float | None = None, **parameters: Any) -> Row:
    """The scores of ChainSVM with these parameters; ``factor`` is C for each sequence."""
    rows = []
    for train, (X, Y) in data:
        given = parameters if factor is None else parameters | {"C": factor * len(train[0])}
        seconds, svm = cpu_seconds(
            lambda given=given, train=train: ChainSVM(**given).fit(*train), 1
        )
        row: Row = {"score": 100 * svm.score(X, Y), "CPU s": seconds}
        if svm.loss == "log_loss":
            row["100 log loss"] = 100 * log_loss(svm, X, Y)
        rows.append(row)
    means = {name: round(float(np.mean([row[name] for row in rows])), 1) for name in rows[0]}
    return {"sets": len(rows)} | means


def experiment(title: str, column: str, contenders: dict[float, Any]) -> Experiment:
    """A row for each kind of sets and value of a parameter."""
    kinds = {kind: partial(sets, kind) for kind in KINDS}
    return Experiment(title, ("kind", column), kinds, contenders)


EXPERIMENTS = tuple(
    experiment(
        title, "rtol", {rtol: partial(mean_scores, loss=loss, rtol=rtol) for rtol in TOLERANCES}
    )
    for title, loss in (("hinge", "hinge"), ("log loss", "log_loss"))
)
