"""MMC() and CPM3C(k) with some labels known, beside LabelSpreading and LogisticRegression.

A share of the rows, drawn at random, is known, and one more row of each class that has none.
LogisticRegression learns from these rows alone. All settings are defaults, but for the second
kernel of LabelSpreading. A set has at most 800 rows, in two forms: raw, and standardised. Accuracy
is measured on the unknown rows, in percent, and averaged over five draws.

No constant was chosen on these sets.

    python -m benchmarks clustering/known    # half an hour

Sets are read from the folder in STRUCTSVM_DATA, and from a package: see _packages.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from benchmarks.clustering._measures import Task, ours
from benchmarks.clustering._packages import keel
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.datasets import load_file

#: Rows of a set, at most: more are sampled.
MOST = 800
KEEL = (
    *("bands", "bupa", "contraceptive", "german", "led7digit", "mammographic", "monk-2"),
    *("mushroom", "penbased", "ring", "segment", "spambase", "tae", "tic-tac-toe", "twonorm"),
    "vowel",
)
FILES = ("australian", "heart", "ionosphere", "letter HKLN", "satimage", "vote")
LETTERS = (7, 10, 11, 13)
#: Shares of the rows whose label is known.
SHARES = (0.05, 0.1, 0.2)


class Known(NamedTuple):
    """A task, and its labels where they are known, else -1."""

    task: Task
    labels: Any


def task(name: str, form: str) -> Task:
    """Some rows of a set, raw or standardised."""
    if name in KEEL:
        X, y = keel(name)
    else:
        data = load_file(name.split()[0])
        rows = np.isin(data["y"], LETTERS) if name == "letter HKLN" else slice(None)
        X, y = data["X"][rows], data["y"][rows]
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
    X, y = X[rows].astype(np.float64), np.unique(y[rows], return_inverse=True)[1]
    return Task(StandardScaler().fit_transform(X) if form == "standardised" else X, y)


def drawn(name: str, form: str, share: float, draw: int) -> Known:
    """A share of the labels is known, and one more row of each class without any."""
    given = task(name, form)
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
    """On the unknown rows, in percent."""
    unknown = data.labels < 0
    right = fit.found[unknown] == data.task.y[unknown]
    return {"accuracy": 100 * float(np.mean(right)), "CPU s": fit.seconds}


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("part", "task", "form", "known", "method"),
        {
            ("confirming", name, form, share): partial(drawn, name, form, share)
            for name in (*KEEL, *FILES)
            for form in ("raw", "standardised")
            if (name, form) != ("mushroom", "standardised")
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
