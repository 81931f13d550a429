"""C with a prior: fractions of the default, for weights from other groups, pages, pixels and texts.

    python -m benchmarks defaults/prior    # needs the files in STRUCTSVM_DATA; ten minutes

A source is learned with the defaults, and its weights are the prior of a fit to a few examples of
the target. 'source' and 'alone' are trained on the source and on these examples only. The tasks:
the topics comp, rec, sci and talk of the 20 newsgroups, where the target has other groups of each;
the pages of the last university of WebKB, from those of the others; digits of MNIST that are moved
by two pixels down and one to the right; and the tags of three kinds of text in English Web from two
others, as in benchmarks/sequences/adaptation.py, with other orders. Accuracy in per cent, on
examples of the target that are in no fit, the mean of three draws or kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import texts, vectorizer
from benchmarks.sequences.adaptation import SOURCE, TARGETS, of_kind
from benchmarks.store import Row
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM, MulticlassSVM

FRACTIONS = (1.0, 0.3, 0.1, 0.03)
TOPICS = ("comp", "rec", "sci", "talk")
SIZES = (10, 30, 100, 300, 1000)
#: The largest number of examples to test on.
TEST = 5000


#: Features, labels, and whether a row is of the target.
Rows = tuple[Any, Any, Any]


class Task(NamedTuple):
    """Examples of the source, of the target to learn from, in order, and of the target to test."""

    source: tuple[Any, Any]
    target: tuple[Any, Any]
    test: tuple[Any, Any]


@cache
def newsgroups() -> Rows:
    parts = texts().values()
    articles = [text for texts_, _ in parts for text in texts_]
    groups = np.concatenate([groups for _, groups in parts])
    topics = np.array([group.split(".")[0] for group in groups])
    other = np.zeros(len(groups), dtype=bool)
    for topic in TOPICS:
        other |= np.isin(groups, np.unique(groups[topics == topic])[1::2])
    chosen = np.isin(topics, TOPICS)
    X = vectorizer(3).fit_transform([articles[i] for i in np.flatnonzero(chosen)])
    return X, topics[chosen], other[chosen]


@cache
def pages() -> Rows:
    data = load_file("webkb_linqs")
    university = data["university"]
    return data["X"].astype(float), data["y"], university == university.max()


@cache
def moved_digits() -> Rows:
    data = load_file("mnist")
    X, y = data["X"][:10000] / 255, data["y"][:10000]
    other = np.arange(len(X)) >= 3000
    X[other] = np.roll(X[other].reshape(-1, 28, 28), (2, 1), (1, 2)).reshape(-1, 784)
    return X, y, other


def divided(load: Callable[[], Rows], most: int, draw: int) -> Task:
    """A random order of the target, which begins with an example of each class."""
    X, y, other = load()
    order = np.random.default_rng(draw).permutation(np.flatnonzero(other))
    firsts = np.unique(y[order], return_index=True)[1]
    order = np.append(order[firsts], np.delete(order, firsts))
    learn, test = order[:most], order[most:][:TEST]
    return Task((X[~other], y[~other]), (X[learn], y[learn]), (X[test], y[test]))


def tags(draw: int) -> Task:
    kind = TARGETS[draw]
    X, y = of_kind((kind,), ("train",))
    order = np.random.default_rng(100 + draw).permutation(len(X))
    target = [X[i] for i in order], [y[i] for i in order]
    return Task(of_kind(SOURCE, ("train",)), target, of_kind((kind,), ("dev", "test")))


TASKS: dict[str, tuple[Any, Callable[[int], Task], tuple[int, ...]]] = {
    "tags": (ChainSVM, tags, SIZES),
    "newsgroups": (MulticlassSVM, partial(divided, newsgroups, 1000), SIZES),
    "pages": (MulticlassSVM, partial(divided, pages, 100), SIZES[:3]),
    "moved digits": (MulticlassSVM, partial(divided, moved_digits, 1000), SIZES),
}


@cache
def source(name: str, draw: int) -> tuple[Task, Any]:
    """A task and what is learned from its source."""
    make, load, _ = TASKS[name]
    task = load(draw)
    return task, make().fit(*task.source)


def scores(case: tuple[str, int, int]) -> Row:
    """Return scores of the source, of a few examples alone, and with fractions of the default C."""
    name, m, draw = case
    (task, prior), make = source(name, draw), TASKS[name][0]
    few = task.target[0][:m], task.target[1][:m]
    alone = make().fit(*few)
    row = {"source": prior.score(*task.test), "alone": alone.score(*task.test)}
    for fraction in FRACTIONS:
        near = make(C=fraction * alone.C_).fit(*few, w_prior=prior)
        row[f"C · {fraction:g}"] = near.score(*task.test)
    return {name: 100 * float(score) for name, score in row.items()}


def case(name: str, m: int, draw: int) -> tuple[str, int, int]:
    source(name, draw)  # or it is said what is missing
    return name, m, draw


EXPERIMENTS = (
    Experiment(
        "accuracy",
        ("task", "labelled"),
        {(name, m): partial(case, name, m) for name, (_, _, sizes) in TASKS.items() for m in sizes},
        scores,
        draws=3,
    ),
)
