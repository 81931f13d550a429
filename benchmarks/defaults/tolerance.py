"""Accuracy and time of ChainSVM at larger tolerances, by which its default was chosen.

The sets were used to choose ChainSVM's C (benchmarks/defaults/sequences.py), or are tasks of the
English treebank (benchmarks/sequences/templates.py), scored on the dev part. A score is the
percentage of right labels, and CPU seconds are of training, one thread.

    python -m benchmarks defaults/tolerance    # the tasks need the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.defaults._structures import Structures
from benchmarks.defaults.sequences import choice
from benchmarks.experiment import Experiment, cpu_seconds, means
from benchmarks.sequences.templates import TASKS
from benchmarks.store import Row
from structsvm.problems import ChainSVM

TOLERANCES = (0.2, 0.1, 0.05, 0.02, 0.01)

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


def mean_scores(data: Sets, rtol: float) -> Row:
    """The scores of ChainSVM with this tolerance."""
    rows = []
    for train, (X, Y) in data:
        seconds, svm = cpu_seconds(lambda train=train: ChainSVM(rtol=rtol).fit(*train), 1)
        rows.append({"score": 100 * svm.score(X, Y), "CPU s": seconds})
    return {"sets": len(rows)} | {name: round(mean, 1) for name, mean in means(rows).items()}


EXPERIMENTS = (
    Experiment(
        "hinge",
        ("kind", "rtol"),
        {kind: partial(sets, kind) for kind in KINDS},
        {rtol: partial(mean_scores, rtol=rtol) for rtol in TOLERANCES},
    ),
)
