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

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.newsgroups import texts, vectorizer
from benchmarks.report import one_thread, report
from benchmarks.sequences.adaptation import SOURCE, TARGETS, of_kind
from benchmarks.store import Row
from structsvm.datasets.files import locate
from structsvm.problems import ChainSVM, MulticlassSVM

FRACTIONS = (1.0, 0.3, 0.1, 0.03)
TOPICS = ("comp", "rec", "sci", "talk")
SIZES = (10, 30, 100, 300, 1000)
#: The largest number of examples to test on.
TEST = 5000


class Task(NamedTuple):
    """Examples of the source, those of the target to learn from, in order, and those to test on."""

    source: tuple[Any, Any]
    target: tuple[Any, Any]
    test: tuple[Any, Any]


def newsgroups() -> Iterator[Task]:
    parts = texts().values()
    articles = [text for texts_, _ in parts for text in texts_]
    groups = np.concatenate([groups for _, groups in parts])
    topics = np.array([group.split(".")[0] for group in groups])
    other = np.zeros(len(groups), dtype=bool)
    for topic in TOPICS:
        other |= np.isin(groups, np.unique(groups[topics == topic])[1::2])
    chosen = np.isin(topics, TOPICS)
    X = vectorizer(3).fit_transform([articles[i] for i in np.flatnonzero(chosen)])
    yield from divided(X, topics[chosen], other[chosen])


def pages() -> Iterator[Task]:
    data = np.load(locate("webkb_linqs.npz", None, ""))
    university = data["university"]
    yield from divided(data["X"].astype(float), data["y"], university == university.max(), 100)


def moved_digits() -> Iterator[Task]:
    data = np.load(locate("mnist.npz", None, ""))
    X, y = data["X"][:10000] / 255, data["y"][:10000]
    other = np.arange(len(X)) >= 3000
    X[other] = np.roll(X[other].reshape(-1, 28, 28), (2, 1), (1, 2)).reshape(-1, 784)
    yield from divided(X, y, other)


def divided(X: Any, y: Any, other: Any, most: int = max(SIZES)) -> Iterator[Task]:
    """Tasks with three orders of the target, each of which begins with an example of each class."""
    rows = np.flatnonzero(other)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(rows)
        firsts = np.unique(y[order], return_index=True)[1]
        order = np.append(order[firsts], np.delete(order, firsts))
        learn, test = order[:most], order[most:][:TEST]
        yield Task((X[~other], y[~other]), (X[learn], y[learn]), (X[test], y[test]))


def tags() -> Iterator[Task]:
    source = of_kind(SOURCE, ("train",))
    for seed, kind in enumerate(TARGETS, 100):
        X, y = of_kind((kind,), ("train",))
        order = np.random.default_rng(seed).permutation(len(X))
        target = [X[i] for i in order], [y[i] for i in order]
        yield Task(source, target, of_kind((kind,), ("dev", "test")))


def compared(make: Any, tasks: Iterator[Task]) -> list[Row]:
    """A row for each number of labelled examples of the target."""
    found: dict[int, list[Row]] = {}
    for task in tasks:
        source = make().fit(*task.source)
        for m in (m for m in SIZES if m <= len(task.target[1])):
            few = task.target[0][:m], task.target[1][:m]
            alone = make().fit(*few)
            row = {"source": source.score(*task.test), "alone": alone.score(*task.test)}
            for fraction in FRACTIONS:
                near = make(C=fraction * alone.C_).fit(*few, w_prior=source)
                row[f"C · {fraction:g}"] = near.score(*task.test)
            found.setdefault(m, []).append(row)
    return [
        {"labelled": m} | {name: 100 * float(np.mean([row[name] for row in rows])) for name in row}
        for m, rows in found.items()
        for row in rows[:1]
    ]


TASKS: dict[str, tuple[Any, Callable[[], Iterator[Task]]]] = {
    "tags": (ChainSVM, tags),
    "newsgroups": (MulticlassSVM, newsgroups),
    "pages": (MulticlassSVM, pages),
    "moved digits": (MulticlassSVM, moved_digits),
}


def main() -> None:
    rows = [
        {"task": name} | row
        for name, (make, tasks) in TASKS.items()
        for row in compared(make, tasks())
    ]
    report("defaults/prior", {"accuracy": rows})


if __name__ == "__main__":
    with one_thread():
        main()
