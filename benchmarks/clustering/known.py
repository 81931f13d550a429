"""MMC() and CPM3C(k) with some labels known, beside LabelSpreading and LogisticRegression.

A share of the rows, drawn at random, is known, and one more row of each class that has none.
LogisticRegression learns from these rows alone. All settings are defaults, but for the second
kernel of LabelSpreading. A set has at most 800 rows, in two forms: raw, and standardised. Accuracy
is measured on the unknown rows, in percent, and averaged over five draws.

The constants were chosen on the sets of :data:`CHOOSING`, with other draws. The sets of
:data:`CONFIRMING` were measured after everything was fixed; a first run, in which an error left out
all known labels, was stopped after two of them.

    python -m benchmarks.clustering.known    # half an hour

Sets are read from the folder in STRUCTSVM_DATA, and from a package: see _packages.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading

from benchmarks.clustering._sets import BUILDERS, of_keel
from benchmarks.clustering._tasks import Task, tasks
from benchmarks.report import cpu_seconds, one_thread
from benchmarks.store import Row, save
from benchmarks.tables.pages import show
from structsvm.problems import CPM3C, MMC

RESULTS = "clustering/known"
CHOOSING = of_keel(
    *("banana", "breast", "chess", "crx", "hayes-roth", "magic", "marketing", "movement_libras"),
    *("optdigits", "phoneme", "saheart", "sonar", "splice", "texture", "titanic", "vehicle"),
    "wisconsin",
) | {name: BUILDERS[name] for name in ("breast cancer", "digits", "iris", "wine")}
CONFIRMING = of_keel(
    *("bands", "bupa", "contraceptive", "german", "led7digit", "mammographic", "monk-2"),
    *("mushroom", "penbased", "ring", "segment", "spambase", "tae", "tic-tac-toe", "twonorm"),
    "vowel",
) | {
    name: BUILDERS[name]
    for name in ("australian", "heart", "ionosphere", "letter HKLN", "satimage", "vote")
}
PARTS = {"choosing": CHOOSING, "confirming": CONFIRMING}
#: Shares of the rows whose label is known.
SHARES = (0.05, 0.1, 0.2)
DRAWS = range(5)


def drawn(y: Any, share: float, rng: np.random.Generator) -> Any:
    """y with -1 for all but a share of the rows, and one more row of each class without any."""
    order = rng.permutation(len(y))
    count = round(share * len(y))
    classes, first = np.unique(y[order[count:]], return_index=True)
    missing = ~np.isin(classes, y[order[:count]])
    known = np.full(len(y), -1)
    rows = np.concatenate([order[:count], order[count:][first[missing]]])
    known[rows] = y[rows]
    return known


def structsvm(task: Task, known: Any) -> Any:
    clusterer = MMC() if task.n_clusters == 2 else CPM3C(task.n_clusters)
    return clusterer.set_params(random_state=0).fit_predict(task.X, known)


def logistic_regression(task: Task, known: Any) -> Any:
    rows = known >= 0
    return LogisticRegression().fit(task.X[rows], known[rows]).predict(task.X)


def label_spreading(task: Task, known: Any, **settings: Any) -> Any:
    return LabelSpreading(**settings).fit(task.X, known).transduction_


METHODS: dict[str, Callable[[Task, Any], Any]] = {
    "structsvm": structsvm,
    "LogisticRegression": logistic_regression,
    "LabelSpreading": label_spreading,
    "LabelSpreading, knn": lambda task, known: label_spreading(task, known, kernel="knn"),
}


def task_rows(task: Task, part: str) -> list[Row]:
    """A row for each share and method."""
    rows = []
    for share in SHARES:
        draws = [drawn(task.y, share, np.random.default_rng(draw)) for draw in DRAWS]
        for name, method in METHODS.items():
            found = [_measured(method, task, known) for known in draws]
            row = {"part": part, "task": task.name, "form": task.form, "known": share}
            accuracy, seconds = np.mean(found, axis=0).tolist()
            rows.append(row | {"method": name, "accuracy": accuracy, "CPU s": seconds})
    print(*(f"{row['method']} {row['accuracy']:.1f}" for row in rows), task.name, flush=True)
    return rows


def _measured(method: Callable[[Task, Any], Any], task: Task, known: Any) -> tuple[float, float]:
    """The accuracy on unknown rows, in percent, and CPU seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, labels = cpu_seconds(lambda: method(task, known), repeats=1)
    unknown = known < 0
    return 100 * float(np.mean(labels[unknown] == task.y[unknown])), seconds


def main() -> None:
    rows: list[Row] = []
    with one_thread():
        for part, builders in PARTS.items():
            for task in tasks(builders, builders):
                rows += task_rows(task, part)
                save(RESULTS, "tasks", rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
