"""How accurate ChainSVM is at larger tolerances, and what they save: how its default was chosen.

The sets are those that ChainSVM's C was chosen on (benchmarks/defaults/sequences.py), and the tasks
of the English treebank (benchmarks/sequences/templates.py), of which the dev part is scored. Each
has 'hinge' and 'log_loss' as the loss. A score is the percentage of right labels, the log loss is
for a position, and CPU seconds are of training, one thread.

    python -m benchmarks defaults/tolerance    # the tasks need the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.averages import averaged
from benchmarks.defaults.sequences import choice
from benchmarks.report import one_thread, report
from benchmarks.sequences.templates import TASKS
from benchmarks.store import Row
from structsvm.problems import ChainSVM

RESULTS = "defaults/tolerance"
TOLERANCES = (0.2, 0.1, 0.05, 0.02, 0.01)
#: Probabilities below this count as this.
LEAST = 1e-12

Sets = tuple[str, str, tuple[list[Any], list[Any]], tuple[list[Any], list[Any]]]


def sets() -> Iterator[Sets]:
    """Yield kind and name, what is trained on and what is scored."""
    for data in choice():
        n, rng = len(data.rows), np.random.default_rng(0)
        order = rng.permutation(n)
        train, test = (
            ([data.rows[i] for i in some], [data.labels[i] for i in some])
            for some in (order[: n // 2], order[n // 2 :])
        )
        yield "words, drawn" if "words" in data.name else "others", data.name, train, test
    if "STRUCTSVM_DATA" in os.environ:
        for name, task in TASKS.items():
            yield "treebank", name, task.data("train"), task.data("dev")


def log_loss(svm: ChainSVM, X: list[Any], Y: list[Any]) -> float:
    p, labels = np.concatenate(svm.predict_proba(X)), np.concatenate(Y)
    own = p[np.arange(len(labels)), np.searchsorted(svm.classes_, labels) % p.shape[1]]
    known = np.isin(labels, svm.classes_)
    return -float(np.log(np.maximum(np.where(known, own, 0), LEAST)).mean())


def row(given: Sets, named: Row, **parameters: Any) -> Row:
    """The score of ChainSVM with these parameters, beside their names in the table."""
    kind, name, train, (X, Y) = given
    start = time.process_time()
    svm = ChainSVM(**parameters).fit(*train)
    seconds = time.process_time() - start
    found: Row = {"kind": kind, "data": name} | named
    found |= {"score": 100 * svm.score(X, Y), "CPU s": seconds}
    found |= {"100 log loss": 100 * log_loss(svm, X, Y)} if svm.loss == "log_loss" else {}
    print(found, flush=True)
    return found


def main() -> None:
    warnings.simplefilter("ignore")  # of labels that are not in training
    rows = []
    for given in sets():
        for loss in ("hinge", "log_loss"):
            for rtol in TOLERANCES:
                named = {"loss": loss, "rtol": rtol}
                rows.append(row(given, named, **named))
    hinge = [r for r in rows if r["loss"] == "hinge"]
    soft = [r for r in rows if r["loss"] == "log_loss"]
    report(RESULTS, {
        "hinge": averaged(hinge, ["kind", "rtol"], ["score", "CPU s"]),
        "log loss": averaged(soft, ["kind", "rtol"], ["score", "100 log loss", "CPU s"]),
        "every set": rows,
    })  # fmt: skip


if __name__ == "__main__":
    with one_thread():
        main()
