"""The contenders of the race: each trains on one data set to a target, and tells how far it got.

A contender is found or not found: those that are not installed are named and left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from structsvm import (
    BlockCoordinateFrankWolfe,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.datasets import digits, load_file
from structsvm.problems import Chain, Multiclass

#: LinearSVC gives no certificate: the loosest of these that reaches the target is chosen for it.
TOLERANCES = (
    1.0,
    0.5,
    0.3,
    0.2,
    0.1,
    0.05,
    0.03,
    0.02,
    0.01,
    0.005,
    0.002,
    0.001,
    1e-4,
    1e-5,
    1e-6,
)


class Data(NamedTuple):
    """A data set, what to train on it and at which C, which weighs the sum of the slacks."""

    name: str
    kind: type
    X: Any
    y: Any
    C: float

    @property
    def n(self) -> int:
        return len(self.y)


class Outcome(NamedTuple):
    """What a training reached: w, the certified relative gap and passes, None where not told."""

    w: Any
    gap: float | None
    passes: float | None


class Contender(NamedTuple):
    """A solver: whether it takes the data, and its training to a relative suboptimality.

    The training is told the optimum, from which a gap in other units follows.
    """

    name: str
    takes: Callable[[Data], bool]
    train: Callable[[Data, float, float], Outcome]


def data_sets() -> Iterator[Data]:
    """Those of the table; the names of files that are missing are printed."""
    X, y = digits()
    for C in (0.1, 1.0, 10.0, 100.0):
        yield Data(f"digits/16 C={C:g}", Multiclass, X, y, C)
    for name, rows, scale in (("letter", None, 15.0), ("mnist", 10_000, 255.0)):
        try:
            data = load_file(name)
        except FileNotFoundError as error:
            print(f"{name} skipped: {error}")
            continue
        X, y = data["X"][:rows] / scale, data["y"][:rows].astype(int)
        yield Data(f"{name}/{scale:.0f} C=0.01", Multiclass, X, y, 0.01)
    try:
        X, y = letter_words(fold=1)
    except FileNotFoundError as error:
        print(f"ocr_letters skipped: {error}")
        return
    yield Data("OCR chain C=0.1", Chain, X, y, 0.1)


def letter_words(fold: int) -> tuple[list[Any], list[Any]]:
    """The words of one fold of the handwritten letters: 128 pixels a letter, and the letters."""
    data = load_file("ocr_letters")
    kept = data["fold"] == fold
    cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
    pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float64)
    return np.split(pixels, cuts), np.split(data["classes"][data["y"][kept]], cuts)


def objective(data: Data, w: Any) -> float:
    """1/2 |w|^2 + C sum_i xi_i in double precision, whatever trained w."""
    problem = data.kind()
    problem.initialize(data.X, data.y)
    X, y = problem.prepare(data.X, data.y)
    y_hat = problem.batch_separation_oracle(X, y, w)
    ones = np.ones(data.n)
    psi = problem.sum_joint_feature_difference(X, y, y_hat, ones)
    return float(0.5 * w @ w + data.C * (problem.batch_loss(y, y_hat).sum() - psi @ w))


def optimum(data: Data) -> float:
    """The optimum, between a primal value and a dual one that differ by 1e-5 of it."""
    result = OneSlackCuttingPlane(rtol=3e-5).solve(data.kind(), data.X, data.y, data.C * data.n)
    return 0.5 * (result.primal + result.dual)


def ours(
    name: str, solver: Any, most: float = np.inf, kinds: Any = (Multiclass, Chain)
) -> Contender:
    """One of our solvers, on data of so many numbers in the joint features at most."""

    def takes(data: Data) -> bool:
        problem = data.kind()
        problem.initialize(data.X, data.y)
        return data.kind in kinds and data.n * problem.size_joint_feature <= most

    def train(data: Data, target: float, best: float) -> Outcome:
        made = solver(rtol=target)
        result = made.solve(data.kind(), single(data.X), data.y, data.C * data.n)
        return Outcome(result.w, result.gap / result.primal, result.oracle_calls / data.n)

    return Contender(name, takes, train)


def single(X: Any) -> Any:
    return X.astype(np.float32) if hasattr(X, "astype") else [x.astype(np.float32) for x in X]


def linear_svc(data: Data, tolerance: float) -> Outcome:
    svc = LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, C=data.C, tol=tolerance,
        max_iter=100_000, random_state=0,
    )  # fmt: skip
    return Outcome(svc.fit(data.X, data.y).coef_.ravel(), None, None)


def loosest_tolerance(data: Data, target: float, best: float) -> float:
    """The one of the grid with which LinearSVC reaches the target."""
    for tolerance in TOLERANCES:
        if objective(data, linear_svc(data, tolerance).w) <= (1 + target) * best:
            return tolerance
    raise RuntimeError(f"LinearSVC reaches {target} on {data.name} at no tolerance of the grid")


def contenders() -> list[Contender]:
    """Ours and those of other libraries that are installed; the others are named."""
    found = [
        ours("SmoothedLBFGS", SmoothedLBFGS),
        ours("OneSlackCuttingPlane", OneSlackCuttingPlane),
        ours("SmoothedCuttingPlane", SmoothedCuttingPlane, most=1e7),
        ours("BlockCoordinateFrankWolfe", BlockCoordinateFrankWolfe, kinds=(Chain,)),
    ]
    for library, make in (("dlib", _dlib), ("pystruct", _pystruct)):
        try:
            found.append(make(importlib.import_module(library)))
        except ImportError as error:
            print(f"{library} skipped: {error}")
    return found


def _dlib(dlib: Any) -> Contender:
    """dlib's structural_svm_problem on our problem's single forms.

    Its objective is 1/2 |w|^2 + C times the mean slack, and it stops by the gap in the mean slack.
    """

    class Adapter:
        def __init__(self, data: Data, target: float, best: float) -> None:
            self.problem = data.kind()
            self.problem.initialize(data.X, data.y)
            self.X, self.y = data.X, data.y
            self.C = data.C * data.n
            self.epsilon = target * best / self.C
            self.num_samples, self.num_dimensions = data.n, self.problem.size_joint_feature
            self.calls = 0

        def get_truth_joint_feature_vector(self, i: int) -> Any:
            return dlib.vector(self.problem.joint_feature(self.X[i], self.y[i]).tolist())

        def separation_oracle(self, i: int, w: Any) -> Any:
            self.calls += 1
            y_hat = self.problem.separation_oracle(self.X[i], self.y[i], np.array(w))
            psi = self.problem.joint_feature(self.X[i], y_hat)
            return self.problem.loss(self.y[i], y_hat), dlib.vector(psi.tolist())

    def train(data: Data, target: float, best: float) -> Outcome:
        adapter = Adapter(data, target, best)
        w = np.array(dlib.solve_structural_svm_problem(adapter))
        return Outcome(w, None, adapter.calls / data.n)

    def takes(data: Data) -> bool:
        return data.kind is Chain or (data.X.size < 1e6 and data.C <= 1)

    return Contender("dlib", takes, train)


def _pystruct(pystruct: Any) -> Contender:
    learners = importlib.import_module("pystruct.learners")
    models = importlib.import_module("pystruct.models")

    def train(data: Data, target: float, best: float) -> Outcome:
        names, codes = np.unique(data.y, return_inverse=True)
        model = models.MultiClassClf(n_features=data.X.shape[1], n_classes=len(names))
        learner = learners.OneSlackSSVM(model, C=data.C, tol=target, max_iter=10_000)
        learner.fit(data.X, codes)
        return Outcome(learner.w, None, None)

    return Contender("pystruct", lambda data: data.kind is Multiclass, train)
