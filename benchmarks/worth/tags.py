"""Sets of tags for whole sentences, by several scores of how far the true tags are from the best.

The parts of speech of the English treebank, ten features a word; the dev part calibrates, and the
test part is new. All scores are split conformal, so that their coverage is as asked; they differ in
the number of tags for a word. "The largest deficit" is the score of ``Conformal``. "The gap" is the
distance of the whole true output from the best output; its set allows the tags that occur in any
output of the set. "Marginals" are -log p of ``predict_proba``, after ``fit_temperature`` on half of
the dev part for the hinge loss; the other half calibrates. With "risk" 5 % of the tags of a
sentence are missed on average, and the column of coverage has those that are not.

    python -m benchmarks worth/tags    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, matrices
from structsvm.conformal.deficits import Deficits
from structsvm.conformal.levels import Levels, least_weight
from structsvm.problems import ChainSVM

#: What is asked: a coverage, or a risk.
ASKED = (("coverage", 0.8), ("coverage", 0.9), ("coverage", 0.95), ("risk", 0.05))


class Sentences(NamedTuple):
    """The measurements of sentences by an estimator.

    Attributes
    ----------
    gaps : ndarray of shape (n,)
    deficits, surprises : lists of n ndarrays of shape (words, tags)
        The deficits of tags, and minus the logarithms of their marginals.
    places : list of n ndarrays of shape (words,)
        The places of the true tags in these tables.
    """

    gaps: Any
    deficits: list[Any]
    surprises: list[Any]
    places: list[Any]

    @property
    def lengths(self) -> Any:
        return np.array([len(places) for places in self.places])


class Scored(NamedTuple):
    """Scores of the tags of each sentence, of the true ones and of the whole true output."""

    tags: list[Any]
    true: list[Any]
    whole: Any


def data(n: int | None, loss: str) -> tuple[Sentences, Sentences]:
    """The sentences to calibrate on and the new ones, by a ChainSVM of n sentences."""
    X, y, columns = matrices(first_sentences("train", n))
    svm = ChainSVM(all_possible_states=False, loss=loss).fit(X, y)
    dev, test = (matrices(first_sentences(part, None), columns)[:2] for part in ("dev", "test"))
    if loss == "hinge":
        svm.fit_temperature(*(given[::2] for given in dev))
        dev = tuple(given[1::2] for given in dev)
    return sentences(svm, *dev), sentences(svm, *test)


def sentences(svm: ChainSVM, X: Any, y: Any) -> Sentences:
    deficits = Deficits(svm, X)
    tables, places = deficits.tables, deficits.of_outputs(X, y).places
    deficits.tables = None  # then whole outputs are measured
    gaps = np.concatenate(deficits.of_outputs(X, y).of_truth)
    surprises = [-np.log(np.maximum(p, 1e-300)) for p in svm.predict_proba(X)]
    return Sentences(gaps, tables or [], surprises, places)


def by_parts(tables: list[Any], given: Sentences) -> Scored:
    true = [table.ravel()[own] for table, own in zip(tables, given.places, strict=True)]
    return Scored(tables, true, np.array([own.max() for own in true]))


def largest_deficit(given: Sentences) -> Scored:
    return by_parts(given.deficits, given)


def marginals(given: Sentences) -> Scored:
    return by_parts(given.surprises, given)


def gap(given: Sentences) -> Scored:
    return largest_deficit(given)._replace(whole=given.gaps)


def gap_by_length(given: Sentences) -> Scored:
    roots = np.sqrt(given.lengths)
    tables = [table / root for table, root in zip(given.deficits, roots, strict=True)]
    return by_parts(tables, given)._replace(whole=given.gaps / roots)


class Found(NamedTuple):
    """Scores of the sentences to calibrate on and of new ones, and the kind of each."""

    old: Scored
    new: Scored
    kinds: tuple[Any, Any]


def scored(given: Any, score: Any, apart: bool = False) -> Found:
    """All sentences are of one kind; ``apart`` calibrates each third of the lengths by itself."""
    old, new = given
    kinds = thirds(given) if apart else tuple(np.zeros(len(one.places), int) for one in given)
    return Found(score(old), score(new), kinds)


def thirds(given: Any) -> Any:
    """The third of the lengths of the first sentences in which each sentence is."""
    ends = np.quantile(given[0].lengths, [1 / 3, 2 / 3])
    return tuple(np.searchsorted(ends, one.lengths) for one in given)


def threshold(old: Scored, some: Any, kind: str, miss: float) -> float:
    """The threshold that these sentences give."""
    scores, weights = old.whole[some], np.ones(len(some))
    if kind == "risk":
        own = [old.true[i] for i in some]
        sizes = np.array([*map(len, own)])
        scores, weights = np.concatenate(own), np.repeat(1 / sizes, sizes)
    return Levels(scores, weights).threshold(least_weight(miss, len(some)))


def rows(fit: Any, given: Any) -> list[Row]:
    old, new, kinds = fit.found
    of_length, n = thirds(given)[1], len(new.whole)
    found = []
    for kind, value in ASKED:
        miss = value if kind == "risk" else 1 - value
        limits = np.empty(n)
        for one in np.unique(kinds[0]):
            limits[kinds[1] == one] = threshold(old, np.flatnonzero(kinds[0] == one), kind, miss)
        held = new.whole <= limits
        if kind == "risk":
            held = np.array([np.mean(new.true[i] <= limits[i]) for i in range(n)])
        sizes = np.concatenate([(new.tags[i] <= limits[i]).sum(axis=1) for i in range(n)])
        row: Row = {"asked": f"{kind} {value}", "coverage": float(held.mean())}
        row |= {"tags a word": float(sizes.mean()), "one tag": float(np.mean(sizes == 1))}
        names = "short", "middle", "long"
        found.append(row | {s: float(held[of_length == k].mean()) for k, s in enumerate(names)})
    return found


EXPERIMENTS = (
    Experiment(
        "coverage of sentences, and tags for a word",
        ("sentences", "loss", "score", "asked"),
        {
            (n, loss): partial(data, None if n == "all" else n, loss)
            for n, losses in ((4000, ("hinge", "log_loss")), ("all", ("hinge", "softmax_margin")))
            for loss in losses
        },
        {
            "the gap": partial(scored, score=gap),
            "the gap / sqrt(length)": partial(scored, score=gap_by_length),
            "the largest deficit": partial(scored, score=largest_deficit),
            "the largest deficit, by thirds of length": partial(
                scored, score=largest_deficit, apart=True
            ),
            "marginals": partial(scored, score=marginals),
        },
        rows,
    ),
)
