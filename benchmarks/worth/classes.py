"""Sizes of sets of classes, ours and MAPIE's, at the same coverage.

Estimators are trained once, with their defaults; the rest of the data is divided at random ten
times, one half to calibrate on, and the rows of the table are means. MAPIE's scores are LAC, one
minus the probability of the class, and APS, the probability of all classes that are at least as
likely. LAC may leave a set empty. ``Conformal`` has the predicted class in every set, so that its
coverage is above the one asked where the prediction is true more often.

    python -m benchmarks worth/classes    # needs files in STRUCTSVM_DATA; mapie
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import articles
from benchmarks.store import Row
from structsvm.conformal import Conformal
from structsvm.datasets import load_file
from structsvm.problems import MulticlassSVM

ASKED = (0.9, 0.95, 0.99)
DRAWS = 10


class Rows(NamedTuple):
    """Rows to train on, and others, with their classes."""

    X: Any
    y: Any
    others: Any
    classes: Any


def drawn(X: Any, y: Any, n: int) -> Rows:
    """n rows to train on, drawn at random."""
    order = np.random.default_rng(0).permutation(len(y))
    train, rest = order[:n], order[n:]
    return Rows(X[train], y[train], X[rest], y[rest])


def of_file(name: str, n: int) -> Rows:
    data = load_file(name)
    return drawn(data["X"].astype(float), data["y"], n)


def newsgroups() -> Rows:
    (X, y), (others, classes) = articles(min_df=3).values()
    return Rows(X, y, others, classes)


def ours(data: Rows, loss: Any) -> Any:
    return MulticlassSVM(loss=loss).fit(data.X, data.y)


def logistic(data: Rows) -> Any:
    model = make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=1000))
    return model.fit(data.X, data.y)


class OfNumbers(ClassifierMixin, BaseEstimator):
    """A fitted classifier of rows by their numbers, since MAPIE takes no sparse matrices."""

    def __init__(self, model: Any, X: Any) -> None:
        self.classes_, self.probabilities = model.classes_, model.predict_proba(X)

    def predict_proba(self, numbers: Any) -> Any:
        return self.probabilities[numbers[:, 0]]

    def predict(self, numbers: Any) -> Any:
        return self.classes_[self.predict_proba(numbers).argmax(axis=1)]


def held(model: Any, data: Rows, asked: float, old: Any, new: Any) -> Any:
    """Return whether each class is in the set of each new row, by the deficits."""
    classes, X = list(model.classes_), data.others
    found = Conformal(model, coverage=asked).fit(X[old], data.classes[old]).predict_set(X[new])
    inside = np.zeros((len(found), len(classes)), dtype=bool)
    for row, own in zip(inside, found, strict=True):
        row[[classes.index(part) for part in own.parts[0]]] = True
    return inside


def mapie(model: Any, data: Rows, asked: float, old: Any, new: Any, score: str) -> Any:
    """Return whether each class is in the set of each new row, by MAPIE."""
    sets = importlib.import_module("mapie.classification").SplitConformalClassifier(
        OfNumbers(model, data.others),
        confidence_level=asked,
        conformity_score=score,
        random_state=0,
    )
    fitted = sets.conformalize(old[:, None], data.classes[old])
    return fitted.predict_set(new[:, None])[1][:, :, 0]


def measured(data: Rows, train: Any, find: Any) -> list[Row]:
    model, n = train(data), len(data.classes)
    codes = np.searchsorted(model.classes_, data.classes)
    found = []
    for asked in ASKED:
        draws = []
        for seed in range(DRAWS):
            old, new = np.array_split(np.random.default_rng(seed).permutation(n), 2)
            inside = find(model, data, asked, old, new)
            sizes = inside.sum(axis=1)
            right = inside[np.arange(len(new)), codes[new]]
            draws.append((right.mean(), sizes.mean(), np.mean(sizes == 0)))
        names = "covered", "classes in a set", "empty"
        found.append(
            {"asked": asked} | dict(zip(names, np.mean(draws, axis=0).tolist(), strict=True))
        )
    return found


hinge, log_loss = partial(ours, loss="hinge"), partial(ours, loss="log_loss")
EXPERIMENTS = (
    Experiment(
        "coverage and size of sets of classes",
        ("data", "sets", "asked"),
        {
            "digits": lambda: drawn(*load_digits(return_X_y=True), 600),
            "satimage": partial(of_file, "satimage", 3000),
            "letter": partial(of_file, "letter", 10_000),
            "20 newsgroups": newsgroups,
        },
        {
            "MulticlassSVM, hinge, Conformal": partial(measured, train=hinge, find=held),
            "MulticlassSVM, log_loss, Conformal": partial(measured, train=log_loss, find=held),
            "LogisticRegression, MAPIE LAC": partial(
                measured, train=logistic, find=partial(mapie, score="lac")
            ),
            "LogisticRegression, MAPIE APS": partial(
                measured, train=logistic, find=partial(mapie, score="aps")
            ),
            "MulticlassSVM, log_loss, MAPIE LAC": partial(
                measured, train=log_loss, find=partial(mapie, score="lac")
            ),
            "MulticlassSVM, log_loss, MAPIE APS": partial(
                measured, train=log_loss, find=partial(mapie, score="aps")
            ),
        },
    ),
)
