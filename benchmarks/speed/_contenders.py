"""The contenders of the race: each trains on one data set to a target accuracy.

Libraries that are not installed are named and left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.speed._data import Data, inputs, objective
from structsvm import (
    BlockCoordinateFrankWolfe,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    choose_solver,
)
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


class Outcome(NamedTuple):
    """The result of a fit: w, the certified relative gap and passes, None where not reported."""

    w: Any
    gap: float | None
    passes: float | None


class Contender(NamedTuple):
    """A solver: whether it can train on the data, and its fit to a relative suboptimality.

    ``train`` gets the optimum, too, for solvers whose tolerance is in other units.
    """

    name: str
    takes: Callable[[Data], bool]
    train: Callable[[Data, float, float], Outcome]


def ours(
    name: str, solver: type | None, most: float = np.inf, kinds: Any = (Multiclass, Chain)
) -> Contender:
    """One of our solvers, or for None the plan that 'auto' makes for the data.

    ``most`` limits the number of examples times the length of the joint features.
    """

    def takes(data: Data) -> bool:
        problem = data.kind()
        problem.initialize(data.X, data.y)
        return data.kind in kinds and data.n * problem.size_joint_feature <= most

    def train(data: Data, target: float, best: float) -> Outcome:
        X, y = inputs(data), data.y
        made = solver() if solver else choose_solver(data.kind(), X, y).solver
        result = made.set_params(rtol=target).solve(data.kind(), X, y, data.C * data.n)
        return Outcome(result.w, result.gap / result.primal, result.oracle_calls / data.n)

    return Contender(name, takes, train)


def linear_svc(data: Data, tolerance: float) -> Outcome:
    svc = LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, C=data.C, tol=tolerance,
        max_iter=100_000, random_state=0,
    )  # fmt: skip
    return Outcome(svc.fit(data.X, data.y).coef_.ravel(), None, None)


def loosest_tolerance(data: Data, target: float, best: float) -> float:
    """The loosest tolerance of the grid with which LinearSVC reaches the target."""
    for tolerance in TOLERANCES:
        if objective(data, linear_svc(data, tolerance).w) <= (1 + target) * best:
            return tolerance
    raise RuntimeError(
        f"LinearSVC does not reach {target} on {data.name} at any tolerance of the grid"
    )


def contenders() -> list[Contender]:
    """Our solvers and those of other installed libraries; print the names of missing ones."""
    found = [
        ours("auto", None),
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
    """dlib's structural_svm_problem on our problem's methods for one example.

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
