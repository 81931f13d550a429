"""The number of labels that reach the accuracy of all labels, by the choice of examples.

A pool of examples, of which some drawn at random are known; in each round a quarter more are
labelled, and an estimator of all known ones predicts a test part. They are chosen by the least
margin of this estimator, as ``suggest`` of ``Conformal(estimator, cv=...)`` does; by the sizes of
prediction sets, or the least ``predict_confidence`` of their parts, both calibrated on a random
third of what is known and trained on the rest; or at random. The coverage is low because the rest
may lack labels of the third at first, and no sets cover these. "Needed" are the examples, and
"labels" the single labels of these, at which the mean curve of five draws comes within one
percentage point of the score of the whole pool. Other columns are scores after a quarter and half
of it.

    python -m benchmarks worth/label_next    # needs files in STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import _safe_indexing

from benchmarks.experiment import Experiment
from benchmarks.label_sets._data import label_sets
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, matrices
from structsvm.conformal import Conformal
from structsvm.conformal.deficits import Deficits, margins_of
from structsvm.problems import ChainSVM, MulticlassSVM, MultiLabelSVM

DRAWS, GROWTH = 5, 1.25
#: What is known at first, of the pool.
START = 1 / 6


class Pool(NamedTuple):
    """Examples to choose from, and to test on; a new estimator, and the number of the draw."""

    make: Callable[[], Any]
    X: Any
    y: Any
    test: tuple[Any, Any]
    draw: int

    def some(self, places: Any) -> tuple[Any, Any]:
        return _safe_indexing(self.X, places), _safe_indexing(self.y, places)

    def fitted(self, places: Any) -> Any:
        return self.make().fit(*self.some(places))

    def conformal(self, places: Any) -> Conformal:
        """Calibrated on a third of these."""
        order = np.random.default_rng(0).permutation(places)
        third = len(places) // 3
        fitted = self.fitted(order[third:])
        return Conformal(fitted, coverage=0.8).fit(*self.some(order[:third]))


def divided(make: Callable[[], Any], X: Any, y: Any, n: int, draw: int) -> Pool:
    """A pool of n of the examples, and all others to test on."""
    order = np.random.default_rng(draw).permutation(len(y))
    return Pool(make, X[order[:n]], y[order[:n]], (X[order[n:]], y[order[n:]]), draw)


def scene(draw: int) -> Pool:
    X, Y, _ = label_sets("scene")
    return divided(MultiLabelSVM, X, Y, 1200, draw)


def handwriting(draw: int) -> Pool:
    return Pool(ChainSVM, *letter_words(draw), letter_words(9), draw)


def tags(draw: int) -> Pool:
    X, y, columns = matrices(first_sentences("train", 4000))
    places = np.random.default_rng(draw).permutation(len(X))[:600]
    test = matrices(first_sentences("test", 500), columns)[:2]
    make = partial(ChainSVM, all_possible_states=False)
    return Pool(make, [X[i] for i in places], [y[i] for i in places], test, draw)


# ------------------------------------------------------------------ which of the rest, by place


def at_random(pool: Pool, known: Any, rest: Any, n: int) -> Any:
    return np.arange(n)  # the rest is in random order


def largest_sets(pool: Pool, known: Any, rest: Any, n: int) -> Any:
    """Return the examples with the largest sets, and among equal sizes with the least margins."""
    sets = pool.conformal(known).predict_set(pool.some(rest)[0])
    sizes, margins = ([getattr(own, name) for own in sets] for name in ("n_doubtful", "margin"))
    return np.lexsort([margins, np.negative(sizes)])[:n]


def least_confident(pool: Pool, known: Any, rest: Any, n: int) -> Any:
    found = pool.conformal(known).predict_confidence(pool.some(rest)[0])
    return np.argsort([p.min() for p in found], kind="stable")[:n]


def suggested(pool: Pool, known: Any, rest: Any, n: int) -> Any:
    tables = Deficits(pool.fitted(known), pool.some(rest)[0]).tables or []
    return np.argsort([margins_of(table).min() for table in tables], kind="stable")[:n]


def curve(pool: Pool, choose: Any) -> Row:
    """Scores by the number of examples, and of their labels."""
    rest = np.random.default_rng(100 + pool.draw).permutation(n := len(pool.y))
    known, rest = np.split(rest, [round(START * n)])
    row: Row = {"examples": [], "labels": [], "score": [], "all": score(pool, np.arange(n))}
    while True:
        row["examples"].append(len(known))
        row["labels"].append(sum(np.size(pool.y[i]) for i in known))
        row["score"].append(score(pool, known))
        if not len(rest):
            return row
        more = choose(pool, known, rest, min(round((GROWTH - 1) * len(known)), len(rest)))
        known, rest = np.append(known, rest[more]), np.delete(rest, more)


def score(pool: Pool, places: Any) -> float:
    return float(pool.fitted(places).score(*pool.test))


def summary(draws: list[Row]) -> Row:
    """The mean curve, and where it is within one percentage point of the end for the first time."""
    curves = {name: np.mean([row[name] for row in draws], axis=0) for name in draws[0]}
    n, scores, least = curves["examples"], curves["score"], curves["all"] - 0.01
    i = max(1, int(np.argmax(scores >= least)))
    share = np.clip((least - scores[i - 1]) / (scores[i] - scores[i - 1]), 0, 1)
    needed = {
        name: float(curves[column][i - 1] + share * (curves[column][i] - curves[column][i - 1]))
        for name, column in (("needed", "examples"), ("labels", "labels"))
    }
    parts = {"1/4": 4, "1/2": 2}
    at = {name: float(np.interp(n[-1] / part, n, scores)) for name, part in parts.items()}
    return {**needed, "pool": float(n[-1]), "all labels": float(curves["labels"][-1]), **at,
            "all": float(curves["all"])}  # fmt: skip


EXPERIMENTS = (
    Experiment(
        "examples needed to come within one percentage point of all",
        ("data", "choice"),
        {
            "digits": partial(divided, MulticlassSVM, *load_digits(return_X_y=True), 1000),
            "scene": scene,
            "handwritten words": handwriting,
            "parts of speech": tags,
        },
        {
            "suggest": partial(curve, choose=suggested),
            "largest sets": partial(curve, choose=largest_sets),
            "least confidence": partial(curve, choose=least_confident),
            "random": partial(curve, choose=at_random),
        },
        draws=DRAWS,
        summary=summary,
    ),
)
