"""Wrong labels found: examples whose outputs score far below the best, when held out.

Of 5 % of the examples one label, drawn at random, is exchanged for another. Examples are sorted by
``Conformal(estimator, cv=5).fit(X, y).doubts_``, or by scores of cleanlab for the probabilities of
the same folds, of the estimator with the logarithmic loss. The table has the percentage of the
exchanged labels among the first 10 % of the examples; the rest of these are right, or wrong in the
data as they came. Means of five draws, and the lowest one.

    python -m benchmarks worth/wrong_labels    # needs files in STRUCTSVM_DATA; cleanlab
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from benchmarks.experiment import Experiment
from benchmarks.label_sets._data import label_sets
from benchmarks.newsgroups import articles
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, matrices
from benchmarks.worth._families import letter_codes
from structsvm.conformal import Conformal
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM, MulticlassSVM, MultiLabelSVM

DRAWS, SHARE, FIRST = 5, 0.05, 0.1


class Noisy(NamedTuple):
    """Examples, some with a wrong label, and a function that makes an estimator with a loss.

    ``cleanlab`` is the module of cleanlab for such outputs.
    """

    make: Callable[..., Any]
    X: Any
    y: Any
    is_wrong: Any
    cleanlab: str

    def some(self, places: Any) -> tuple[Any, Any]:
        return _safe_indexing(self.X, places), _safe_indexing(self.y, places)


def classes(X: Any, y: Any, draw: int) -> Noisy:
    rng, y = np.random.default_rng(draw), np.unique(y, return_inverse=True)[1]
    k, is_wrong = int(y.max()) + 1, some(rng, len(y))
    shifts = np.where(is_wrong, rng.integers(1, k, size=len(y)), 0)
    return Noisy(MulticlassSVM, X, (y + shifts) % k, is_wrong, "rank")


def some(rng: Any, n: int) -> Any:
    """Return whether each example gets a wrong label."""
    return np.isin(np.arange(n), rng.choice(n, size=round(SHARE * n), replace=False))


def of_file(name: str, n: int, draw: int) -> Noisy:
    data = load_file(name)
    order = np.random.default_rng(draw).permutation(len(data["y"]))[:n]
    return classes(data["X"][order].astype(float), data["y"][order], draw)


@cache
def training_articles() -> Any:
    return articles(min_df=3)["train"]


def newsgroups(draw: int) -> Noisy:
    X, y = training_articles()
    order = np.random.default_rng(draw).permutation(len(y))[:3000]
    return classes(X[order], y[order], draw)


def scene(draw: int) -> Noisy:
    X, Y, _ = label_sets("scene")
    rng, Y = np.random.default_rng(draw), Y.copy()
    is_wrong = some(rng, len(Y))
    rows = np.flatnonzero(is_wrong)
    Y[rows, rng.integers(Y.shape[1], size=len(rows))] ^= 1
    return Noisy(MultiLabelSVM, X, Y, is_wrong, "multilabel_classification.rank")


def handwriting(draw: int) -> Noisy:
    X, y = letter_words(1 + draw)
    return sequences(ChainSVM, X, [letter_codes(word) for word in y], draw)


def tags(draw: int) -> Noisy:
    X, y, _ = matrices(first_sentences("dev", 1000))
    names = np.unique(np.concatenate(y))
    make = partial(ChainSVM, all_possible_states=False)
    return sequences(make, X, [np.searchsorted(names, own) for own in y], draw)


def sequences(make: Callable[..., Any], X: Any, y: Any, draw: int) -> Noisy:
    """Sequences of codes, of which some have a wrong one."""
    rng, k = np.random.default_rng(draw), 1 + max(own.max() for own in y)
    is_wrong = some(rng, len(y))
    for i in np.flatnonzero(is_wrong):
        j = rng.integers(len(y[i]))
        y[i][j] = (y[i][j] + rng.integers(1, k)) % k
    return Noisy(make, X, y, is_wrong, "token_classification.rank")


def folds(data: Noisy) -> Any:
    """The folds of ``cv=5``."""
    return KFold(5, shuffle=True, random_state=0).split(data.y)


def conformal(data: Noisy, loss: str) -> Any:
    return -Conformal(data.make(loss=loss), cv=5).fit(data.X, data.y).doubts_


def cleanlab(data: Noisy, **method: str) -> Any:
    """The quality of the outputs, by probabilities of examples that were held out."""
    probabilities: list[Any] = [None] * len(data.y)
    for train, held_out in folds(data):
        model = data.make(loss="log_loss").fit(*data.some(train))
        found = model.predict_proba(data.some(held_out)[0])
        for i, p in zip(held_out, found, strict=True):
            probabilities[i] = p
    module = importlib.import_module(f"cleanlab.{data.cleanlab}")
    if data.cleanlab.startswith("token"):
        method = {f"token_score_{name}": value for name, value in method.items()}
        return module.get_label_quality_scores([*map(list, data.y)], probabilities, **method)[0]
    y = [np.flatnonzero(own).tolist() for own in data.y] if np.ndim(data.y) == 2 else data.y
    return module.get_label_quality_scores(y, np.array(probabilities), **method)


def found(fit: Any, data: Noisy) -> Row:
    first = np.argsort(fit.found, kind="stable")[: round(FIRST * len(data.y))]
    return {"found": 100 * data.is_wrong[first].sum() / data.is_wrong.sum(), "CPU s": fit.seconds}


def summary(draws: list[Row]) -> Row:
    shares = [row["found"] for row in draws]
    seconds = float(np.mean([row["CPU s"] for row in draws]))
    return {"found": float(np.mean(shares)), "lowest": float(min(shares)), "CPU s": seconds}


EXPERIMENTS = (
    Experiment(
        "percentage of wrong labels among the first tenth of the examples",
        ("data", "method"),
        {
            "digits": partial(classes, *load_digits(return_X_y=True)),
            "letter, 4,000 rows": partial(of_file, "letter", 4000),
            "satimage, 3,000 rows": partial(of_file, "satimage", 3000),
            "20 newsgroups, 3,000 articles": newsgroups,
            "scene": scene,
            "handwritten words": handwriting,
            "parts of speech, 1,000 sentences": tags,
        },
        {
            "Conformal, hinge": partial(conformal, loss="hinge"),
            "Conformal, log_loss": partial(conformal, loss="log_loss"),
            "cleanlab, self-confidence": partial(cleanlab, method="self_confidence"),
            "cleanlab, normalized margin": partial(cleanlab, method="normalized_margin"),
        },
        found,
        draws=DRAWS,
        summary=summary,
    ),
)
