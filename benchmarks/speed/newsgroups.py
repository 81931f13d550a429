"""Classification of the 20 newsgroups, beside scikit-learn's linear classifiers.

The 11,314 articles of the training part are TF-IDF vectors of 130,107 words
(benchmarks/newsgroups.py). Every run has a process of its own; its CPU seconds are those of
training, one thread, and its memory is the largest that the process held, data included. C is that
of the table for every example, structsvm's is n times that. The suboptimality is that of the
objective of Crammer & Singer, relative to the lowest value for the same C and the same rows, which
end with the constant of MulticlassSVM or have none. LinearSVC with multi_class='crammer_singer'
minimises it too; one-vs-rest and SGDClassifier have other objectives.

Measured when SmoothedLBFGS still made the first steps on mini-batches itself; the plan of 'auto'
now makes them by DualCoordinateAscent.

    python -m benchmarks.speed.newsgroups    # needs the articles in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.newsgroups import articles
from benchmarks.report import one_thread, report
from benchmarks.speed._memory import peak
from benchmarks.store import Row
from structsvm import choose_solver
from structsvm.data.intercepts import BIAS, with_constant
from structsvm.problems import Multiclass

WEIGHTS = (0.1, 1.0)
CRAMMER_SINGER = "LinearSVC, Crammer-Singer"
#: Trainers, each with the tolerances that it is run with.
TOLERANCES = {
    "structsvm": (1e-2, 1e-3),
    CRAMMER_SINGER: (1e-1, 1e-2, 1e-3),
    "LinearSVC, one-vs-rest": (1e-4,),
    "SGDClassifier": (1e-3,),
}


#: The same with an intercept.
WITH_INTERCEPT = {"structsvm": (1e-2, 1e-3), CRAMMER_SINGER: (1e-1, 1e-2)}


def main() -> None:
    rows = []
    for C, (intercept, runs) in product(WEIGHTS, (("no", TOLERANCES), ("yes", WITH_INTERCEPT))):
        some = [
            _run(trainer, str(C), str(tolerance), intercept)
            for trainer, tolerances in runs.items()
            for tolerance in tolerances
        ]
        best = min(row["objective"] for row in some if "objective" in row)
        for row in some:
            if "objective" in row:
                row["suboptimality"] = row.pop("objective") / best - 1
        rows += some
    report("speed/newsgroups", {"CPU seconds, one thread, and accuracy in percent": rows})


def _run(*arguments: str) -> Row:
    command = [sys.executable, "-m", "benchmarks.speed.newsgroups", "--one", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def train(trainer: str, C: float, tolerance: float, intercept: str) -> Row:
    """The time, the objective and the accuracy of one run."""
    (X, y), (X_test, y_test) = articles().values()
    if intercept == "yes":
        X, X_test = (with_constant(rows, BIAS) for rows in (X, X_test))
    classes, codes = np.unique(y, return_inverse=True)
    started = time.process_time()
    W, gap = _trainers(C, tolerance)[trainer](X, y)
    row: Row = {"trainer": trainer, "C": C, "intercept": intercept, "tolerance": tolerance}
    row |= {"CPU s": time.process_time() - started, "peak GB": peak()}
    if gap is not None:
        row["certified gap"] = gap
    if trainer in ("structsvm", CRAMMER_SINGER):
        row["objective"] = _objective(X, codes, W, C)
    predicted = classes[(X_test @ W.T).argmax(axis=1)]
    return row | {"test": 100 * float(np.mean(predicted == y_test))}


def _trainers(C: float, tol: float) -> dict[str, Callable[[Any, Any], tuple[Any, float | None]]]:
    """Functions that return the weights, a row for each class, and the certified relative gap."""
    svc = partial(LinearSVC, fit_intercept=False, C=C, tol=tol, max_iter=100_000, random_state=0)

    def ours(X: Any, y: Any) -> tuple[Any, float]:
        solver = choose_solver(Multiclass(), X, y).solver.set_params(rtol=tol)
        result = solver.solve(Multiclass(), X, y, C * len(y))
        return result.w.reshape(-1, X.shape[1]), result.gap / result.primal

    def sgd(X: Any, y: Any) -> tuple[Any, None]:
        alpha = 1 / (C * len(y))
        model = SGDClassifier(fit_intercept=False, alpha=alpha, tol=tol, random_state=0)
        return model.fit(X, y).coef_, None

    return {
        "structsvm": ours,
        CRAMMER_SINGER: lambda X, y: (svc(multi_class="crammer_singer").fit(X, y).coef_, None),
        "LinearSVC, one-vs-rest": lambda X, y: (svc().fit(X, y).coef_, None),
        "SGDClassifier": sgd,
    }


def _objective(X: Any, codes: Any, W: Any, C: float) -> float:
    scores = X.astype(np.float64) @ W.T.astype(np.float64)
    own = np.arange(len(codes)), codes
    truth = scores[own]
    scores += 1
    scores[own] -= 1
    slacks = scores.max(axis=1) - truth
    return float(0.5 * np.sum(np.square(W, dtype=np.float64)) + C * slacks.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", nargs=4)
    arguments = parser.parse_args()
    with one_thread():
        if arguments.one:
            warnings.simplefilter("ignore")
            trainer, C, tolerance, intercept = arguments.one
            print(json.dumps(train(trainer, float(C), float(tolerance), intercept)))
        else:
            main()
