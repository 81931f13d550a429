"""Few wide rows: training times where columns outnumber rows, and classes can be separated.

    python -m benchmarks speed/few_wide_rows    # MNIST needs the folder in STRUCTSVM_DATA

CPU seconds of one thread for a fit with the default parameters, medians of three. MulticlassSVM
ends at a certified gap of 0.1 %; the others certify nothing. *Crammer-Singer* is LinearSVC on
MulticlassSVM's objective, without the constant feature. The second table has sequences, rankings
and label sets with wide features, and LinearSVC on their single tokens, pairs and labels. Drawn
data are class centers and noise: *images* are smooth, with 256 grey levels; *animals* are binary
columns as of the UCI zoo; *profiles* are not wide, but their columns are far from 0; *chance* are
labels drawn for noise. The third table compares the solver chosen with SmoothedLBFGS, which is next
in the plan, also at a C at which the training rows are not separated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.experiment import Data, Experiment, cpu_seconds
from benchmarks.store import Row
from structsvm import SmoothedLBFGS
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import ColumnScales
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM, MulticlassSVM, MultiLabelSVM, RankingSVM

#: Iterations of Crammer-Singer, at most; it may need tens of thousands.
MOST = 2000
#: Values of C for a row, of which the second leaves errors in the training rows.
OF_A_ROW = (1.0, 0.1)


def noisy_centers(n: int, d: int, k: int, noise: float) -> tuple[Any, Any]:
    rng, y = np.random.default_rng(0), np.arange(n) % k
    return rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d)), y


def images() -> tuple[Any, Any]:
    """40 persons, 10 images of 28 x 23 pixels of each: sums of waves, the coarse ones largest."""
    rng, waves = np.random.default_rng(0), 150
    i, j = np.mgrid[0:28, 0:23]
    frequencies = rng.normal(size=(waves, 2)) * np.linspace(1, 7, waves)[:, None]
    phases = 7 * rng.random(waves)
    basis = np.cos(np.multiply.outer(frequencies[:, 0], i / 14) + phases[:, None, None])
    basis *= np.cos(np.multiply.outer(frequencies[:, 1], j / 12) + phases[:, None, None])
    parts, y = noisy_centers(400, waves, 40, 0.6)
    X = parts / np.sqrt(np.arange(1, waves + 1)) @ basis.reshape(waves, -1)
    X += 0.05 * rng.normal(size=X.shape)
    return np.round(255 * (X - X.min()) / np.ptp(X)), y


def animals() -> tuple[Any, Any]:
    rng, y = np.random.default_rng(0), np.arange(101) % 7
    X = (rng.random((7, 16)) < 0.5)[y] ^ (rng.random((101, 16)) < 0.05)
    return X.astype(float), y


def chance(n: int, d: int, k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.normal(size=(n, d)), rng.integers(k, size=n)


def profiles() -> tuple[Any, Any]:
    parts, y = noisy_centers(2000, 64, 10, 0.55)
    rng = np.random.default_rng(1)
    mixed = parts @ (rng.normal(size=(64, 216)) / np.arange(1, 65)[:, None] ** 0.4)
    return np.round(600 + 120 * (mixed + 0.3 * rng.normal(size=mixed.shape))), y


def mnist(divisor: float) -> tuple[Any, Any]:
    data = load_file("mnist")
    X, y = data["X"][:700].astype(float), data["y"][:700].astype(int)
    return X[:, X.any(axis=0)] / divisor, y


CLASSES = {
    "noise, 400 x 644, 40 classes": partial(noisy_centers, 400, 644, 40, 3.0),
    "images, 400 x 644, 40 classes": images,
    "animals, 101 x 16, 7 classes": animals,
    "profiles, 2000 x 216, 10 classes": profiles,
    "MNIST, 700 x 784, 10 classes": partial(mnist, 1.0),
    "MNIST / 255, the same": partial(mnist, 255.0),
}
CHANCE = {
    "chance, 200 x 1000, 5 classes": partial(chance, 200, 1000, 5),
    "chance, 300 x 400, 3 classes": partial(chance, 300, 400, 3),
}


def timed(fit: Any) -> Any:
    """A contender that fits three times, and returns the seconds and the model."""
    return lambda data: cpu_seconds(lambda: fit(*data))


def crammer_singer(data: tuple[Any, Any]) -> Any:
    """With the C of a row that MulticlassSVM chooses."""
    X, y = data
    scales = ColumnScales.learned(ColumnMoments.of(X, np.ones(len(y))), centred=True, constant=True)
    C = MulticlassSVM().fit(X, y).result_.C / len(y)
    svm = LinearSVC(C=C, multi_class="crammer_singer", fit_intercept=False, max_iter=MOST)
    return timed(svm.fit)((scales.applied(X), y))


def ended(svm: Any) -> Row:
    """Return how our training ended."""
    result = svm.result_
    return {
        "solver": result.solver.partition("; chosen")[0],
        "relative gap": result.gap / result.primal,
    }


def times(fits: Any, data: Any) -> Row:
    """Return the seconds of all fits, and the ratio of the first to the second."""
    seconds = {name: fit.found[0] for name, fit in fits.items()}
    ours, other, *_ = seconds.values()
    _, svm = next(iter(fits.values())).found
    return {**seconds, "ratio": ours / other, **ended(svm)}


def with_C(data: tuple[Any, Any, float], solver: Any) -> Any:
    X, y, C = data
    return timed(MulticlassSVM(C=C * len(y), solver=solver).fit)((X, y))


def with_passes(fits: Any, data: Any) -> Row:
    auto, other = (svm.n_iter_ for _, svm in (fit.found for fit in fits.values()))
    return times(fits, data) | {"passes": auto, "passes of SmoothedLBFGS": other}


def pairs() -> Iterator[tuple[str, Any, Any]]:
    """Yield the name of each task, our fit and the alternative fit."""
    for d, noise in ((600, 4.0), (5000, 20.0)):
        X, y = noisy_centers(320, d, 5, noise)
        yield (
            f"40 sequences of 8 x {d}, 5 tags",
            partial(ChainSVM(rtol=1e-3).fit, np.split(X, 40), np.split(y, 40)),
            partial(LinearSVC().fit, X, y),
        )
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 600))
    queries, relevance = np.repeat(np.arange(20), 10), (rows[:, :9].sum(axis=1) > 0).astype(int)
    unequal = [
        (i, j)
        for i, j in np.argwhere(np.subtract.outer(relevance, relevance) > 0)
        if queries[i] == queries[j]
    ]
    signs = np.where(np.arange(len(unequal)) % 2, 1, -1)
    differences = np.array([rows[i] - rows[j] for i, j in unequal]) * signs[:, None]
    yield (
        "20 rankings of 10 x 600",
        lambda: RankingSVM(rtol=1e-3).fit(rows, relevance, qid=queries),
        lambda: LinearSVC(fit_intercept=False).fit(differences, signs),
    )
    for wide in (rows, np.random.default_rng(1).normal(size=(200, 5000))):
        d = wide.shape[1]
        labels = (wide @ rng.normal(size=(d, 8)) > 0).astype(int)
        yield (
            f"200 label sets, 200 x {d}, 8 labels",
            partial(MultiLabelSVM(rtol=1e-3).fit, wide, labels),
            partial(OneVsRestClassifier(LinearSVC()).fit, wide, labels),
        )


def structures() -> Data:
    return {name: lambda fits=fits: fits for name, *fits in pairs()}


EXPERIMENTS = (
    Experiment(
        "classes, CPU s",
        ("data",),
        CLASSES,
        {
            "MulticlassSVM": timed(MulticlassSVM().fit),
            "LinearSVC": timed(LinearSVC().fit),
            "Crammer-Singer": crammer_singer,
            "LogisticRegression": timed(LogisticRegression().fit),
        },
        times,
        wide=True,
    ),
    Experiment(
        "structures, CPU s",
        ("data",),
        structures,
        {
            "CPU s": lambda fits: cpu_seconds(fits[0]),
            "LinearSVC": lambda fits: cpu_seconds(fits[1]),
        },
        times,
        wide=True,
    ),
    Experiment(
        "plans, CPU s",
        ("data", "C of a row"),
        {
            (name, C): lambda load=load, C=C: (*load(), C)
            for (name, load), C in product((CLASSES | CHANCE).items(), OF_A_ROW)
        },
        {
            "auto": partial(with_C, solver="auto"),
            "SmoothedLBFGS": partial(with_C, solver=SmoothedLBFGS()),
        },
        with_passes,
        wide=True,
    ),
)
