"""A few long sequences: training and prediction, compared with CRFsuite's L-BFGS.

Labels are a Markov chain. "numbers" are five columns, the means of the label and noise, of labels
that stay for ten positions; "words" are the word of each position, of 50, and the one before.
Trainers have their default parameters, CRFsuite runs for 100 iterations at most. CPU seconds of one
thread; accuracy on new sequences, 4,000 positions together; memory is the peak of training above
the memory of the process with the data. The last table has text without spaces, whose words
SegmentSVM finds: half of them are known.

    python -m benchmarks speed/long_sequences    # needs python-crfsuite
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.crfsuite import CRFSUITE, train
from benchmarks.experiment import Experiment
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from structsvm.problems import ChainSVM, SegmentSVM

#: Numbers of sequences, their length and the number of labels.
SIZES = {
    "1 x 8,000, 3 labels": (1, 8000, 3),
    "2 x 4,000, 3 labels": (2, 4000, 3),
    "6 x 1,000, 20 labels": (6, 1000, 20),
}
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "mat",
    "and",
    "dog",
    "over",
    "red",
    "fox",
    "with",
    "big",
    "moon",
]


class Sequences(NamedTuple):
    """Sequences to learn from, with their labels, and new ones."""

    X: list[Any]
    y: list[Any]
    new: list[Any]
    true: list[Any]


def drawn(n: int, length: int, k: int, kind: str) -> Sequences:
    rng, stay = np.random.default_rng(0), 0.9 if kind == "numbers" else 0.0
    table = stay * np.eye(k) + (1 - stay) * rng.dirichlet(np.ones(k), size=k)
    means, words = rng.normal(size=(k, 5)), rng.dirichlet(np.full(50, 0.1), size=k)

    def sequence(length: int) -> tuple[Any, Any]:
        y = [0]
        while len(y) < length:
            y.append(rng.choice(k, p=table[y[-1]]))
        if kind == "numbers":
            return means[y] + rng.normal(size=(length, 5)), y
        own = [str(rng.choice(50, p=words[label])) for label in y]
        return [{"word": a, "before": b} for a, b in zip(own, ["", *own], strict=False)], y

    X, y = zip(*(sequence(length) for _ in range(n)), strict=True)
    new, true = zip(*(sequence(2000) for _ in range(2)), strict=True)
    return Sequences(list(X), list(y), list(new), list(true))


def measured(fit: Callable[[], Callable[[Any], Any]], data: Sequences) -> Row:
    """CPU seconds, memory in MB, and the percentage of right labels."""
    before, started = resident(), time.process_time()
    forget_peak()
    predict = fit()
    seconds, memory = time.process_time() - started, peak_since() - before
    started = time.process_time()
    found = predict(data.new)
    row = {"fit s": seconds, "predict ms": 1e3 * (time.process_time() - started)}
    right = np.concatenate(found).astype(int) == np.concatenate(data.true)
    return row | {"right": 100 * float(right.mean()), "MB": memory}


def ours(data: Sequences) -> Row:
    ChainSVM().fit([x[:99] for x in data.X], [y[:99] for y in data.y])  # imports
    return measured(lambda: ChainSVM().fit(data.X, data.y).predict, data)


def crfsuite(data: Sequences) -> Row:
    def items(X: list[Any]) -> list[Any]:
        if isinstance(X[0], list):
            return X
        return [[{str(j): float(v) for j, v in enumerate(row)} for row in x] for x in X]

    pairs = list(zip(items(data.X), ([str(label) for label in y] for y in data.y), strict=True))
    new = items(data.new)

    def fit() -> Callable[[Any], Any]:
        trained = train(pairs, "lbfgs", CRFSUITE["lbfgs"])
        return lambda _: trained.tags(new)

    return measured(fit, data)


def letters(n: int, length: int) -> Sequences:
    rng, found = np.random.default_rng(0), []
    for _ in range(n + 2):
        words = rng.choice(WORDS, size=length)
        stops = np.cumsum([len(word) for word in words])
        words = words[: np.searchsorted(stops, length)]
        y = [(int(b) - len(a), int(b), "word") for a, b in zip(words, stops, strict=False)]
        found.append(("".join(words), y))
    X, y = zip(*found, strict=True)
    return Sequences(list(X[2:]), list(y[2:]), list(X[:2]), list(y[:2]))


def segments(data: Sequences) -> Row:
    def features(text: str, start: int, stop: int) -> dict[str, Any]:
        return {
            "known": text[start:stop] in WORDS[::2],
            "first": text[start],
            "last": text[stop - 1],
        }

    started = time.process_time()
    svm = SegmentSVM(features, max_length=5).fit(data.X, data.y)
    seconds = time.process_time() - started
    return {"fit s": seconds, "F1": 100 * svm.score(data.new, data.true)}


EXPERIMENTS = (
    Experiment(
        "CPU seconds, accuracy in percent and memory",
        ("sequences", "features", "trainer"),
        {
            (size, kind): partial(drawn, *SIZES[size], kind)
            for size, kind in product(SIZES, ("numbers", "words"))
        },
        {"ChainSVM()": ours, "CRFsuite lbfgs": crfsuite},
        apart=True,
    ),
    Experiment(
        "words of letters",
        ("sequences",),
        {f"{n} x {length:,}": partial(letters, n, length) for n, length in ((3, 400), (1, 4000))},
        segments,
    ),
)
