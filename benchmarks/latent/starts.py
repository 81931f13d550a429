"""The starts of LatentSVM: all to the tolerance, or all to a gap of 10 % and the lowest from there.

Problems are drawn: digits at unknown places of images, with random first places or the places of
most ink, classes of which a fraction is known, and rows that show a class at an unknown place.
Passes over the data are of all starts together; the objective and the fraction of right classes of
other examples belong to the result.

    python -m benchmarks latent/starts
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import CCCP, LatentProblem
from structsvm.estimators import latent
from structsvm.problems import Multiclass

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
from hidden_place import HiddenPlace, MostInk, hidden_digits, windows

#: C, and the number of examples to learn from.
CS, LEARNT = (10.0, 100.0), 200


class SemiSupervised(LatentProblem, Multiclass):
    """Classes, some of them unknown."""


class Drawn(NamedTuple):
    """A problem with examples to learn from, and others with their classes."""

    problem: Any
    X: Any
    Y: Any
    X_new: Any
    classes: Any


def digits(kind: type, classes: int, draw: int) -> Drawn:
    images, y, _ = hidden_digits(side=12, random_state=10 + draw)
    images, y = windows(images[y < classes]), y[y < classes]
    learnt, new = np.split(np.random.default_rng(10 + draw).permutation(len(y))[:600], [LEARNT])
    return Drawn(kind(classes), images[learnt], y[learnt], images[new], y[new])


def some_classes(load: Callable[..., Any], known: float, draw: int) -> Drawn:
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(10 + draw)
    chosen = rng.permutation(len(X))[:600]
    X, y = ((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9))[chosen], y[chosen]
    given = [int(label) if rng.random() < known else None for label in y]
    return Drawn(SemiSupervised(), X, given, X, y)


def places(m: int, d: int, length: float, draw: int) -> Drawn:
    rng = np.random.default_rng(10 + draw)
    y, X = rng.integers(3, size=2 * LEARNT), rng.normal(size=(2 * LEARNT, m, d))
    means = rng.normal(size=(3, d))
    means *= length / np.linalg.norm(means, axis=1)[:, None]
    X[np.arange(len(y)), rng.integers(m, size=len(y))] += means[y]
    return Drawn(HiddenPlace(3), X[:LEARNT], y[:LEARNT], X[LEARNT:], y[LEARNT:])


class Passes:
    """A callback that counts the passes."""

    number = 0

    def __call__(self, iteration: Any, w: Any) -> None:
        self.number += 1


def run(data: Drawn, rough: float) -> Row:
    """The means over C."""
    rows = []
    for C in CS:
        latent.ROUGH, passes = rough, Passes()
        svm = latent.LatentSVM(data.problem, C=C, n_init=5, solver=CCCP(), callback=passes)
        svm.fit(data.X, data.Y)
        found = np.reshape(np.array(svm.predict(data.X_new)), (len(data.classes), -1))[:, 0]
        right = float(np.mean(found == data.classes))
        rows.append({"objective": svm.result_.primal, "passes": passes.number, "right": right})
    latent.ROUGH = 0.1
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def compared(fits: Any, data: Drawn) -> Row:
    every, roughly = (fits[name].found for name in STARTED)
    return {
        "objective": roughly["objective"] / every["objective"],
        "passes": roughly["passes"] / every["passes"],
        "seconds": fits["roughly"].seconds / fits["all"].seconds,
        "right": 100 * roughly["right"],
        "right, all": 100 * every["right"],
    }


STARTED = {"all": partial(run, rough=0.0), "roughly": partial(run, rough=0.1)}
EXPERIMENTS = (
    Experiment(
        "roughly beside all to the tolerance",
        ("problem",),
        {
            "digits, random places": partial(digits, HiddenPlace, 4),
            "digits, most ink": partial(digits, MostInk, 10),
            "wine, a tenth known": partial(some_classes, load_wine, 0.1),
            "tumours, a twentieth known": partial(some_classes, load_breast_cancer, 0.05),
            "digits, a fifth known": partial(some_classes, load_digits, 0.2),
            "rows, 6 places": partial(places, 6, 8, 6.0),
            "rows, 10 places": partial(places, 10, 20, 4.0),
        },
        STARTED,
        compared,
        wide=True,
        draws=3,
    ),
)
