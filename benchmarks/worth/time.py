"""CPU time of prediction sets and of predictions, for batches and for single examples.

Milliseconds for an example, by the families of benchmarks/worth/coverage.py: ``predict`` and
``predict_set`` of ``Conformal``. One thread, medians of three runs. Sets of problems without parts
are computed when their contents are asked for, and are left out.

    python -m benchmarks worth/time    # needs the files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from benchmarks.worth._families import FAMILIES, Family
from structsvm.conformal import Conformal

#: Families of problems without parts.
WHOLE = "decisions", "four methods", "four methods, greedy search"
#: Examples that are predicted one at a time, and in a batch.
ALONE, BATCH = 30, 300


def measured(family: Family) -> list[Row]:
    sets = Conformal(family.estimator).fit(family.X, family.y)
    batch = family.part(np.arange(min(BATCH, len(family.y))))[0]
    alone = [family.part([i])[0] for i in range(ALONE)]
    ways = {"one at a time": (alone, ALONE), "batch": ([batch], len(batch))}
    return [
        {"inputs": way, **beside(sets.predict, sets.predict_set, *given)}
        for way, given in ways.items()
    ]


def beside(
    predict: Callable[[Any], Any], predict_set: Callable[[Any], Any], calls: list[Any], n: int
) -> Row:
    predicting, having = (
        1000 * cpu_seconds(lambda f=f: [f(X) for X in calls])[0] / n for f in (predict, predict_set)
    )
    return {"predict, ms": predicting, "predict_set, ms": having, "ratio": having / predicting}


EXPERIMENTS = (
    Experiment(
        "CPU time of predict_set beside predict",
        ("family", "data", "inputs"),
        {key: load for key, (_, load) in FAMILIES.items() if key[0] not in WHOLE},
        measured,
    ),
)
