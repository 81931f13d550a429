"""Examples that explain wrong predictions: without them, does the prediction change?

ChainSVM with its defaults learns from a few hundred sequences. Of the first 20 new sequences in
which a label is wrong, the first such label is explained, against the best labelling with the true
one. Ten training examples are left out, the model is trained again, and the label is predicted
again: the ten whose parts in the margin are largest, the ten that have the most features in common
with the new sequence, or ten at random (the mean of five draws).

    python -m benchmarks worth/reasons    # needs ocr_letters and the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from benchmarks.experiment import Experiment
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from benchmarks.treebank import as_dicts, first_sentences
from structsvm.problems import ChainSVM
from structsvm.reasons import explain_by_examples

WRONG, LEFT_OUT, DRAWS = 20, 10, 5


class Case(NamedTuple):
    """A wrong label of a new sequence."""

    x: Any
    position: int
    predicted: Any
    true: Any


class Data(NamedTuple):
    """Sequences to learn from, the learned model, and wrong labels of other sequences."""

    X: list[Any]
    y: list[Any]
    svm: ChainSVM
    cases: list[Case]

    def changed(self, case: Case, left_out: Any) -> bool:
        """Return whether the label changes if some sequences are left out."""
        kept = np.setdiff1d(np.arange(len(self.X)), left_out)
        svm = ChainSVM().fit([self.X[i] for i in kept], [self.y[i] for i in kept])
        return bool(svm.predict([case.x])[0][case.position] != case.predicted)


def wrong_labels(svm: ChainSVM, X: list[Any], y: list[Any]) -> Iterator[Case]:
    """The first wrong label of each sequence, if there is one."""
    for x, true, found in zip(X, y, svm.predict(X), strict=True):
        places = np.flatnonzero(np.asarray(found) != np.asarray(true))
        if len(places):
            yield Case(x, int(places[0]), found[places[0]], true[places[0]])


def learned(X: list[Any], y: list[Any], new: list[Any], true: list[Any]) -> Data:
    svm = ChainSVM().fit(X, y)
    return Data(X, y, svm, list(wrong_labels(svm, new, true))[:WRONG])


def words() -> Data:
    """Tags of the words of 500 sentences."""
    some, others = first_sentences("train", 500), first_sentences("dev", 200)
    given = ([as_dicts(s.words) for s in own] for own in (some, others))
    tags = ([s.tags for s in own] for own in (some, others))
    (X, new), (y, true) = given, tags
    return learned(X, y, new, true)


def letters() -> Data:
    """300 handwritten words."""
    X, y = letter_words(0)
    return learned(X[:300], y[:300], *letter_words(1))


def named(data: Data, case: Case) -> Any:
    """The examples of the largest parts in the margin."""
    found = explain_by_examples(
        data.svm, case.x, data.X, data.y, instead={case.position: case.true}
    )
    return found.order[:LEFT_OUT]


def alike(data: Data, case: Case) -> Any:
    """Return the examples of any length with the most features in common with the new example."""
    rows = [data.svm._encoded([x]).X.rows for x in (case.x, *data.X)]
    sums = sparse.csr_matrix(np.array([np.asarray(own.sum(axis=0)).ravel() for own in rows]))
    norms = np.sqrt(np.asarray(sums.multiply(sums).sum(axis=1)).ravel())
    cosines = (sums[1:] @ sums[0].T).toarray().ravel() / norms[1:]
    return np.argsort(-cosines, kind="stable")[:LEFT_OUT]


def share(choose: Callable[[Data, Case], Any]) -> Callable[[Data], Row]:
    """A contender: the labels that change without the examples chosen."""

    def counted(data: Data) -> Row:
        changed = sum(data.changed(case, choose(data, case)) for case in data.cases)
        return {"changed": changed, "wrong labels": len(data.cases)}

    return counted


def at_random(data: Data) -> Row:
    """Return the number of labels that change without ten random examples, a mean of some draws."""
    rng, n = np.random.default_rng(0), len(data.X)
    changed = [
        data.changed(case, rng.choice(n, LEFT_OUT, replace=False))
        for case in data.cases
        for _ in range(DRAWS)
    ]
    return {"changed": sum(changed) / DRAWS, "wrong labels": len(data.cases)}


EXPERIMENTS = (
    Experiment(
        "wrong labels that change without ten examples",
        ("data", "left out"),
        {"words": words, "letters": letters},
        {"named by the explanation": share(named), "most alike": share(alike), "random": at_random},
    ),
)
