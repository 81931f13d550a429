"""ChainSVM and CRFsuite's L-BFGS on features of any size: time, memory and accuracy.

The tasks come from benchmarks/sequences/templates.py, and one task has drawn sentences with 100
labels. All trainers get the same dicts and have their default parameters; one ChainSVM has only the
pairs that occur. CPU seconds are for training from the dicts, with one thread; memory is the peak
of the process, in MB above the dicts. Every row has its own process.

    python -m benchmarks sequences/scale    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.crfsuite import tagger
from benchmarks.experiment import Experiment
from benchmarks.sequences.templates import TASKS, drawn
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from benchmarks.treebank import percent_right
from structsvm.problems import ChainSVM

DRAWN = "100 labels, drawn"
#: What labels sentences, and the number of its weights.
Model = tuple[Callable[[list[Any]], Any], int]


def measured(task: str, fit: Callable[[list[Any], list[Any]], Model]) -> Row:
    X, Y, new, true = (
        each
        for part in ("train", "test")
        for each in (drawn(part) if task == DRAWN else TASKS[task].data(part))
    )
    gc.collect()
    forget_peak()
    before, start = resident(), time.process_time()
    predict, weights = fit(X, Y)
    row = {"CPU s": time.process_time() - start, "MB": peak_since() - before, "weights": weights}
    return row | {"test": percent_right(predict(new), true)}


def ours(X: list[Any], Y: list[Any], **options: Any) -> Model:
    svm = ChainSVM(**options).fit(X, Y)
    return svm.predict, len(svm.w_)


def crfsuite(X: list[Any], Y: list[Any]) -> Model:
    found = tagger(zip(X, Y, strict=True), "lbfgs")
    weights = len(found.info().state_features) + len(found.info().transitions)
    return lambda new: [found.tag(x) for x in new], weights


EXPERIMENTS = (
    Experiment(
        "time, memory and accuracy",
        ("task", "trainer"),
        {task: partial(str, task) for task in (*TASKS, DRAWN)},
        {
            "CRFsuite lbfgs": partial(measured, fit=crfsuite),
            "ChainSVM()": partial(measured, fit=ours),
            "ChainSVM(all_possible_states=False)": partial(
                measured, fit=partial(ours, all_possible_states=False)
            ),
        },
        apart=True,
    ),
)
