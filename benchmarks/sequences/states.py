"""How many pairs of a feature and a label should have a weight by default, and how they are kept.

Tasks and columns as in benchmarks/sequences/scale.py. "pairs" is how many pairs may have a weight
though they do not occur (MANY, in problems/classification/states), and "frequent" the fraction of
the labels with which a feature must occur, so that products have a weight for every label of it
(FREQUENT), which changes the time and memory alone. Every row has a process of its own.

    python -m benchmarks sequences/states    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

from typing import Any

from benchmarks.experiment import Experiment
from benchmarks.sequences import scale
from benchmarks.store import Row
from structsvm.problems.classification.states import choice, seen_states

PAIRS = (0, 125_000, 250_000, 500_000, 1_000_000)
FREQUENT = (0.05, 0.15, 0.5)

Case = tuple[str, int, float]


def trained(case: Case) -> scale.Trainer:
    """In a process of its own, whose defaults are changed."""
    task, choice.MANY, seen_states.FREQUENT = case
    return scale.ours(task)


def row(fits: Any, case: Case) -> Row:
    return scale.row(fits["ChainSVM"], case[0])


def experiment(title: str, cases: list[Case]) -> Experiment:
    return Experiment(
        title,
        ("task", "pairs", "frequent"),
        {case: lambda case=case: case for case in cases},
        {"ChainSVM": trained},
        row,
        wide=True,
        apart=True,
    )


TASKS, DEFAULT = scale.TASKS_AND_DRAWN, seen_states.FREQUENT
EXPERIMENTS = (
    experiment("by pairs", [(task, pairs, DEFAULT) for task in TASKS for pairs in PAIRS]),
    experiment("by frequent features", [(task, 0, share) for task in TASKS for share in FREQUENT]),
)
