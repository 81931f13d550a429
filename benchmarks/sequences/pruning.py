"""Accuracy and files of ChainSVM() without its smallest weights, by what they may change.

Tasks as in benchmarks/sequences/scale.py. "change" is the parameter of ``pruned``; the
first row of a task is the estimator itself. Accuracy in percent. "to tag" are the CPU seconds of a
new process that imports structsvm, loads the file and tags a sentence.

    python -m benchmarks sequences/pruning    # needs the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import structsvm
from benchmarks.experiment import Experiment
from benchmarks.sequences.scale import TASKS_AND_DRAWN, data, scores
from benchmarks.store import Row
from structsvm.problems import ChainSVM

CHANGES = (None, 0.01, 0.05, 0.1, 0.2)
TAG = "import json, sys, structsvm; structsvm.load(sys.argv[1]).predict([json.loads(sys.argv[2])])"


def seconds_to_tag(path: Path, sentence: list[dict[str, str]]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", TAG, str(path), json.dumps(sentence)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@cache
def whole(task: str) -> ChainSVM:
    return ChainSVM().fit(*data(task, "train"))


def pruned(task: str, change: float | None) -> ChainSVM:
    return whole(task) if change is None else whole(task).pruned(change)


def row(fit: Any, task: str) -> Row:
    svm = fit.found
    row: Row = {"weights": len(svm.w_)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        structsvm.save(svm, path)
        row["file MB"] = path.stat().st_size / 1e6
        row["to tag"] = seconds_to_tag(path, data(task, "test")[0][0])
    for part in ("dev", "test"):
        X, Y = data(task, part)
        row |= scores(svm.predict(X), Y, task, part)
    return row


EXPERIMENTS = (
    Experiment(
        "smallest weights",
        ("task", "change"),
        {task: partial(str, task) for task in TASKS_AND_DRAWN},
        {change: partial(pruned, change=change) for change in CHANGES},
        row,
    ),
)
