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
from pathlib import Path

import structsvm
from benchmarks.report import one_thread, report
from benchmarks.sequences.scale import DRAWN, data, scores
from benchmarks.sequences.templates import TASKS
from benchmarks.store import Row
from structsvm.problems import ChainSVM

RESULTS = "sequences/pruning"
CHANGES = (None, 0.01, 0.05, 0.1, 0.2)
TAG = "import json, sys, structsvm; structsvm.load(sys.argv[1]).predict([json.loads(sys.argv[2])])"


def seconds_to_tag(path: Path, sentence: list[dict[str, str]]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", TAG, str(path), json.dumps(sentence)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows_of(task: str) -> list[Row]:
    whole, rows = ChainSVM().fit(*data(task, "train")), []
    for change in CHANGES:
        svm = whole if change is None else whole.pruned(change)
        row: Row = {"task": task, "change": change, "weights": len(svm.w_)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.npz"
            structsvm.save(svm, path)
            row["file MB"] = path.stat().st_size / 1e6
            row["to tag"] = seconds_to_tag(path, data(task, "test")[0][0])
        for part in ("dev", "test"):
            X, Y = data(task, part)
            row |= scores(svm.predict(X), Y, task, part)
        rows.append(row)
        print(row, flush=True)
    return rows


def main() -> None:
    report(RESULTS, {"smallest weights": [row for t in (*TASKS, DRAWN) for row in rows_of(t)]})


if __name__ == "__main__":
    with one_thread():
        main()
