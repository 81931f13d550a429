"""MMC() and CPM3C(k) with some known labels, and LabelSpreading and LogisticRegression.

A share of the rows, drawn at random, is known, and one more row of each class that has none.
LogisticRegression learns only from these rows. All settings are defaults, except the second kernel
of LabelSpreading. A set has at most 800 rows, in two forms: raw, and standardised. Accuracy is
measured on the unknown rows, in percent, and averaged over five draws.

The constants were chosen on the sets of :data:`CHOOSING`, with other draws. The sets of
:data:`CONFIRMING` were measured after everything was fixed; a first run, in which an error left out
all known labels, was stopped after two of them.

    python -m benchmarks clustering/known    # half an hour

Sets are read from the folder in STRUCTSVM_DATA, and from a package: see _packages.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading

from benchmarks.clustering._measures import ours
from benchmarks.clustering._sets import BUILDERS, of_keel
from benchmarks.clustering._tasks import Task, forms, task
from benchmarks.experiment import Experiment
from benchmarks.store import Row

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


class Known(NamedTuple):
    """A task, and its labels, which are -1 where they are unknown."""

    task: Task
    labels: Any


def drawn(part: str, name: str, form: str, share: float, draw: int) -> Known:
    """Draw a share of known labels, and one more row of each class without a known label."""
    given = task(name, form, PARTS[part])
    y = given.y
    order = np.random.default_rng(draw).permutation(len(y))
    count = round(share * len(y))
    classes, first = np.unique(y[order[count:]], return_index=True)
    missing = ~np.isin(classes, y[order[:count]])
    known = np.full(len(y), -1)
    rows = np.concatenate([order[:count], order[count:][first[missing]]])
    known[rows] = y[rows]
    return Known(given, known)


def logistic_regression(data: Known) -> Any:
    rows = data.labels >= 0
    model = LogisticRegression().fit(data.task.X[rows], data.labels[rows])
    return model.predict(data.task.X)


def label_spreading(data: Known, **settings: Any) -> Any:
    return LabelSpreading(**settings).fit(data.task.X, data.labels).transduction_


def accuracy(fit: Any, data: Known) -> Row:
    """Return the accuracy on the unknown rows, in percent."""
    unknown = data.labels < 0
    right = fit.found[unknown] == data.task.y[unknown]
    return {"accuracy": 100 * float(np.mean(right)), "CPU s": fit.seconds}


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("part", "task", "form", "known", "method"),
        {
            (part, name, form, share): partial(drawn, part, name, form, share)
            for part, builders in PARTS.items()
            for name in builders
            for form in forms(name)
            for share in SHARES
        },
        {
            "structsvm": lambda data: ours(data.task, data.labels).labels_,
            "LogisticRegression": logistic_regression,
            "LabelSpreading": label_spreading,
            "LabelSpreading, knn": partial(label_spreading, kernel="knn"),
        },
        accuracy,
        draws=5,
    ),
)
