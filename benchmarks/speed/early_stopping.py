"""Early stopping and training to a relative gap of 1e-3: CPU time, and accuracy on test data.

A tenth of the training data is held out, and is not trained on in either run. Both accuracies
count single labels, on test data that neither run has seen. The table gives C for one example;
structsvm gets n times as much. Runs to the certificate end after 300 seconds. In the stored results
`SmoothedLBFGS` includes the first steps on mini-batches, which `solver="auto"` now plans before it.

    python -m benchmarks speed/early_stopping    # needs the files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import articles
from benchmarks.sequences.letters import letter_words
from benchmarks.speed._hidden_shift import HiddenShift, signals
from benchmarks.store import Row
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

#: Seconds after which a run to the certificate ends.
LONGEST = 300


class Split(NamedTuple):
    """Data to train on, to hold out and to test on, each as inputs and outputs."""

    kind: type
    train: tuple[Any, Any]
    held_out: tuple[Any, Any]
    test: tuple[Any, Any]
    C: float
    solver: Callable[..., Any]


def auto(kind: type, X: Any, Y: Any) -> Any:
    """The plan that 'auto' makes for the data."""
    return choose_solver(kind(), X, Y).solver


#: Data and C, with the solvers that are run on them.
RUNS: dict[tuple[str, float], tuple[Any, ...]] = {
    ("digits", 0.1): (auto, OneSlackCuttingPlane, SmoothedCuttingPlane),
    ("digits", 1.0): (auto, OneSlackCuttingPlane),
    ("letter", 0.01): (auto, OneSlackCuttingPlane),
    ("mnist", 0.01): (auto, OneSlackCuttingPlane),
    ("newsgroups", 0.1): (auto, OneSlackCuttingPlane),
    ("newsgroups", 1.0): (auto, OneSlackCuttingPlane),
    ("OCR, 704 words", 0.1): (
        auto,
        OneSlackCuttingPlane,
        SmoothedCuttingPlane,
        BlockCoordinateFrankWolfe,
    ),
    ("OCR, 6251 words", 0.1): (auto, OneSlackCuttingPlane),
    ("EWT, 2000 sentences", 0.5): (auto, OneSlackCuttingPlane),
    ("EWT, 12544 sentences", 0.1): (auto,),
    ("EWT, 12544 sentences", 0.5): (auto,),
    ("hidden shifts", 0.1): (CCCP,),
}


def trained(split: Split, stopping: bool) -> Any:
    """The result of a run that may stop early, or to the certificate."""
    X, Y = split.train
    solver = split.solver(split.kind, X, Y) if split.solver is auto else split.solver()
    if not stopping:
        solver.set_params(time_limit=LONGEST)
    rule = EarlyStopping(*split.held_out) if stopping else None
    return solver.solve(split.kind(), X, Y, split.C * len(Y), early_stopping=rule)


def compared(fits: Any, split: Split) -> Row:
    """Columns of the run that stops, and with the word 'without' of the other one."""
    problem, row = split.kind(), {}
    problem.initialize(*split.train)
    for (result, seconds), suffix in zip(fits.values(), ("", " without"), strict=True):
        row |= {
            f"status{suffix}": result.status.name,
            f"passes{suffix}": result.iterations,
            f"CPU s{suffix}": seconds,
            f"gap{suffix}": result.gap / result.primal,
            f"held out{suffix}": accuracy(problem, split.held_out, result.w),
            f"test{suffix}": accuracy(problem, split.test, result.w),
        }
    history = fits["stopping"].found.history
    scores = sum(iteration.validation_score is not None for iteration in history)
    return row | {"scores": scores, "test examples": len(split.test[1])}


def accuracy(problem: Any, data: tuple[Any, Any], w: Any) -> float:
    """The labels that are right, in percent."""
    X, Y = data
    found = Examples(problem, X).decode(w)
    if problem.__class__ is HiddenShift:
        found = [label for label, _ in found]
    pairs = list(zip(found, Y, strict=True))
    right = sum(int(np.sum(np.asarray(a) == np.asarray(b))) for a, b in pairs)
    return 100 * right / sum(np.size(b) for _, b in pairs)


# ---------------------------------------------------------------------- data


def divided(name: str, C: float, solver: Callable[..., Any]) -> Split:
    """A data set of the table, a tenth of its training data held out."""
    kind, (X, Y), test = _data(name)
    labels = Y if kind is Multiclass else None
    parts = train_test_split(np.arange(len(Y)), test_size=0.1, random_state=0, stratify=labels)
    train, held_out = ((take(X, rows), take(Y, rows)) for rows in map(np.sort, parts))
    return Split(kind, train, held_out, test, C, solver)


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


EXPERIMENTS = (
    Experiment(
        "CPU seconds and accuracy in percent, with and without early stopping",
        ("data", "C", "solver"),
        {
            (name, C, solver.__name__): partial(divided, name, C, solver)
            for (name, C), solvers in RUNS.items()
            for solver in solvers
        },
        {
            "stopping": partial(trained, stopping=True),
            "to the certificate": partial(trained, stopping=False),
        },
        compared,
        wide=True,
    ),
)
