"""ChainSVM on features of any size beside CRFsuite's L-BFGS: time, memory and accuracy.

The tasks come from benchmarks/sequences/templates.py, beside drawn sentences with 100 labels. All
get the same dicts and their default parameters; ChainSVM also has other parameters, which the rows
name. CPU seconds are of training from the dicts, one thread; memory is what the process held at
most, in MB above the dicts. For noun phrases F1 counts whole phrases. Every row has a process of
its own.

    python -m benchmarks sequences/scale    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.crfsuite import Trained, train
from benchmarks.experiment import Experiment
from benchmarks.sequences.templates import TASKS, drawn
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from structsvm.problems import ChainSVM, bio_segments, segment_f1_score

DRAWN = "100 labels, drawn"
TASKS_AND_DRAWN = (*TASKS, DRAWN)
#: Parameters of ChainSVM.
OURS: tuple[dict[str, Any], ...] = (
    {},
    {"rtol": 0.01},
    {"all_possible_states": False},
    {"loss": "log_loss"},
    {"loss": "log_loss", "all_possible_states": False},
)
#: C for each sentence of the tags, with features as they are given: as in benchmarks/speed/tagging.
OF_TAGS: tuple[dict[str, Any], ...] = ({"C": 0.1, "rtol": 0.01}, {"C": 0.5, "rtol": 0.01})
#: Probabilities below this count as this.
LEAST = 1e-12

Data = tuple[list[Any], list[list[str]]]


def data(task: str, part: str) -> Data:
    return drawn(part) if task == DRAWN else TASKS[task].data(part)


def scores(found: list[list[str]], true: list[list[str]], task: str, part: str) -> Row:
    """The percentage of right labels, and for noun phrases F1."""
    right = np.concatenate(found) == np.concatenate(true)
    row: Row = {part: 100 * float(np.mean(right))}
    if task.startswith("noun") and part == "test":
        segments = ([bio_segments(y) for y in labels] for labels in (true, found))
        row["F1"] = 100 * segment_f1_score(*segments)
    return row


class Trainer(NamedTuple):
    """A trained model, with its CPU seconds and memory."""

    model: Any
    costs: Row


def measured(fit: Callable[[list[Any], list[Any]], Any], task: str) -> Trainer:
    X, Y = data(task, "train")
    gc.collect()
    forget_peak()
    before, start = resident(), time.process_time()
    model = fit(X, Y)
    seconds, memory = time.process_time() - start, peak_since() - before
    return Trainer(model, {"CPU s": seconds, "MB": memory})


def ours(task: str, **options: Any) -> Trainer:
    def fit(X: list[Any], Y: list[Any]) -> ChainSVM:
        given = dict(options)
        if "C" in given:  # for features as they are given
            given["C"] *= len(X) * np.mean([len(features) for x in X for features in x])
        return ChainSVM(**given).fit(X, Y)

    return measured(fit, task)


def of_ours(svm: ChainSVM, task: str) -> Row:
    row: Row = {"weights": len(svm.w_), "gap": 100 * svm.result_.gap / svm.result_.primal}
    for part in ("dev", "test"):
        X, Y = data(task, part)
        row |= scores(svm.predict(X), Y, task, part)
    if svm.loss == "log_loss":
        p, labels = np.concatenate(svm.predict_proba(X)), np.concatenate(Y)
        codes = np.minimum(np.searchsorted(svm.classes_, labels), len(svm.classes_) - 1)
        own = np.where(svm.classes_[codes] == labels, p[np.arange(len(codes)), codes], 0.0)
        row["log loss"] = -float(np.log(np.maximum(own, LEAST)).mean())
    return row


def of_crfsuite(trained: Trained, task: str) -> Row:
    tagger = trained.tagger
    row: Row = {"weights": len(tagger.info().state_features) + len(tagger.info().transitions)}
    for part in ("dev", "test"):
        X, Y = data(task, part)
        row |= scores([tagger.tag(x) for x in X], Y, task, part)
    known, losses = set(tagger.labels()), []
    for x, labels in zip(X, Y, strict=True):
        tagger.set(x)
        for i, label in enumerate(labels):
            p = tagger.marginal(label, i) if label in known else 0.0
            losses.append(-float(np.log(max(p, LEAST))))
    return row | {"log loss": float(np.mean(losses))}


def row(fit: Any, task: str) -> Row:
    model, costs = fit.found
    return costs | (of_crfsuite if isinstance(model, Trained) else of_ours)(model, task)


def crfsuite(task: str) -> Trainer:
    return measured(lambda X, Y: train(zip(X, Y, strict=True), "lbfgs"), task)


def named(options: tuple[dict[str, Any], ...]) -> dict[str, Callable[[str], Trainer]]:
    return {
        f"ChainSVM({', '.join(f'{name}={value!r}' for name, value in one.items())})": partial(
            ours, **one
        )
        for one in options
    }


TITLE, COLUMNS = "time, memory and accuracy", ("task", "trainer")
EXPERIMENTS = (
    Experiment(
        TITLE,
        COLUMNS,
        {task: partial(str, task) for task in TASKS_AND_DRAWN},
        {"CRFsuite lbfgs": crfsuite} | named(OURS),
        row,
        apart=True,
    ),
    Experiment(
        TITLE,
        COLUMNS,
        {task: partial(str, task) for task in TASKS if task.startswith("tags")},
        named(OF_TAGS),
        row,
        apart=True,
    ),
)
