"""Early stopping beside training to a relative gap of 1e-3: CPU time, and accuracy on test data.

A tenth of the training data is held out, and is not trained on in either run. Both accuracies
count single labels, on test data that neither run has seen. The table gives C for one example;
structsvm gets n times as much. Runs to the certificate end after 300 seconds. The time of the
scores counts the held-out predictions and their losses. In the stored results `SmoothedLBFGS`
includes the first steps on mini-batches, which `solver="auto"` now plans before it.

    python -m benchmarks speed/early_stopping    # needs the files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.experiment import one_thread
from benchmarks.newsgroups import articles
from benchmarks.sequences.letters import letter_words
from benchmarks.speed._hidden_shift import HiddenShift, signals
from benchmarks.store import Row, save
from benchmarks.treebank import first_sentences, matrices
from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    EarlyStopping,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    choose_solver,
)
from structsvm.data.containers import take
from structsvm.datasets import digits, load_file
from structsvm.oracle.examples import Examples
from structsvm.problems import Chain, Multiclass

TITLE = "CPU seconds and accuracy in percent, with and without early stopping"
#: Seconds after which a run to the certificate ends.
LONGEST = 300


class Split(NamedTuple):
    """Data to train on, to hold out and to test on, each as inputs and outputs."""

    name: str
    kind: type
    train: tuple[Any, Any]
    held_out: tuple[Any, Any]
    test: tuple[Any, Any]
    C: float


#: Stands for the plan that 'auto' makes for the data.
AUTO = None
#: Data and C, with the solvers that are run on them.
RUNS: dict[tuple[str, float], tuple[type | None, ...]] = {
    ("digits", 0.1): (AUTO, OneSlackCuttingPlane, SmoothedCuttingPlane),
    ("digits", 1.0): (AUTO, OneSlackCuttingPlane),
    ("letter", 0.01): (AUTO, OneSlackCuttingPlane),
    ("mnist", 0.01): (AUTO, OneSlackCuttingPlane),
    ("newsgroups", 0.1): (AUTO, OneSlackCuttingPlane),
    ("newsgroups", 1.0): (AUTO, OneSlackCuttingPlane),
    ("OCR, 704 words", 0.1): (
        AUTO,
        OneSlackCuttingPlane,
        SmoothedCuttingPlane,
        BlockCoordinateFrankWolfe,
    ),
    ("OCR, 6251 words", 0.1): (AUTO, OneSlackCuttingPlane),
    ("EWT, 2000 sentences", 0.5): (AUTO, OneSlackCuttingPlane),
    ("EWT, 12544 sentences", 0.1): (AUTO,),
    ("EWT, 12544 sentences", 0.5): (AUTO,),
    ("hidden shifts", 0.1): (CCCP,),
}


def main() -> None:
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    for (name, C), solvers in RUNS.items():
        split = divided(name, C)
        for solver in solvers:
            rows.append(compared(split, solver))
            print(rows[-1], flush=True)
            save("speed/early_stopping", TITLE, rows)


def compared(split: Split, solver: type | None) -> Row:
    """A row for a data set and a solver: both runs."""
    rule = EarlyStopping(*split.held_out)
    stopped, early = _timed(split, solver, rule)
    certified, whole = _timed(split, solver, None, time_limit=LONGEST)
    scores = sum(iteration.validation_score is not None for iteration in stopped.history)
    problem = split.kind()
    problem.initialize(*split.train)
    return {
        "data": split.name,
        "C": split.C,
        "solver": solver.__name__ if solver else "auto",
        "status": stopped.status.name,
        "status without": certified.status.name,
        "passes": stopped.iterations,
        "passes without": certified.iterations,
        "CPU s": early,
        "CPU s without": whole,
        "scores": scores,
        "of the time": scores * _seconds_of_score(problem, split.held_out, stopped.w) / early,
        "gap": stopped.gap / stopped.primal,
        "gap without": certified.gap / certified.primal,
        "held out": _accuracy(problem, split.held_out, stopped.w),
        "held out without": _accuracy(problem, split.held_out, certified.w),
        "test": _accuracy(problem, split.test, stopped.w),
        "test without": _accuracy(problem, split.test, certified.w),
        "test examples": len(split.test[1]),
    }


def _timed(
    split: Split, solver: type | None, rule: EarlyStopping | None, **limits: Any
) -> tuple[Any, float]:
    X, Y = split.train
    started = time.process_time()
    made = solver() if solver else choose_solver(split.kind(), X, Y).solver
    result = made.set_params(**limits).solve(
        split.kind(), X, Y, split.C * len(Y), early_stopping=rule
    )
    return result, time.process_time() - started


def _seconds_of_score(problem: Any, data: tuple[Any, Any], w: Any) -> float:
    examples = Examples(problem, *data)
    started = time.process_time()
    examples.score(w)
    return time.process_time() - started


def _accuracy(problem: Any, data: tuple[Any, Any], w: Any) -> float:
    """The labels that are right, in percent."""
    X, Y = data
    found = Examples(problem, X).decode(w)
    if problem.__class__ is HiddenShift:
        found = [label for label, _ in found]
    pairs = list(zip(found, Y, strict=True))
    right = sum(int(np.sum(np.asarray(a) == np.asarray(b))) for a, b in pairs)
    return 100 * right / sum(np.size(b) for _, b in pairs)


# ---------------------------------------------------------------------- data


def divided(name: str, C: float) -> Split:
    """A data set of the table, a tenth of its training data held out."""
    kind, (X, Y), test = _data(name)
    labels = Y if kind is Multiclass else None
    parts = train_test_split(np.arange(len(Y)), test_size=0.1, random_state=0, stratify=labels)
    train, held_out = ((take(X, rows), take(Y, rows)) for rows in map(np.sort, parts))
    return Split(name, kind, train, held_out, test, C)


def _data(name: str) -> tuple[type, tuple[Any, Any], tuple[Any, Any]]:
    """The problem, and inputs and outputs to train on and to test on."""
    if name == "digits":
        X, Y = digits()
        rows = train_test_split(np.arange(len(Y)), test_size=0.25, random_state=0, stratify=Y)
        return Multiclass, *((X[part], Y[part]) for part in rows)
    if name in ("letter", "mnist"):
        data = load_file(name)
        n, first = (15_000, 15_000) if name == "letter" else (10_000, 60_000)
        X = (data["X"] / data["X"].max()).astype(np.float32)
        return Multiclass, (X[:n], data["y"][:n]), (X[first:], data["y"][first:])
    if name == "newsgroups":
        return Multiclass, *articles(min_df=2).values()
    if name.startswith("OCR"):
        return Chain, _words(range(1, 10) if "6251" in name else (1,)), _words((0,))
    if name.startswith("EWT"):
        X, Y, columns = matrices(first_sentences("train", int(name.split()[1])))
        return Chain, (X, Y), matrices(first_sentences("test", None), columns)[:2]
    X, Y = signals(1000)
    return HiddenShift, (X[:200], Y[:200]), (X[200:], Y[200:])


def _words(folds: Any) -> tuple[list[Any], list[Any]]:
    parts = [letter_words(fold) for fold in folds]
    X = [x.astype(np.float32) for words, _ in parts for x in words]
    return X, [y for _, Y in parts for y in Y]


if __name__ == "__main__":
    with one_thread():
        main()
