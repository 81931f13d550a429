"""Sequences that the defaults are compared on: they played no part in any choice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer

from benchmarks.sequences.letters import letter_words
from benchmarks.treebank import first_sentences
from structsvm.datasets import load_file

#: Sequences of a set of the comparison, at most.
MOST = 400


class Sequences(NamedTuple):
    """Sequences of rows with a label each."""

    rows: list[Any]
    labels: list[Any]


Load = Callable[[], Sequences]


def confirmation() -> dict[str, Load]:
    """The sets of the comparison, of files in STRUCTSVM_DATA."""
    return {
        **{"ocr words": _words, "parts of speech": _sentences},
        **{f"{name} in a row": partial(_file, name) for name in ("letter", "satimage")},
    }


def _words() -> Sequences:
    rows, letters = letter_words(fold=0)
    return Sequences([_constant(x) for x in rows[:MOST]], letters[:MOST])


def _sentences() -> Sequences:
    """Sentences of the English web treebank, with words and endings as features of a word."""
    found = first_sentences("train", MOST)
    described = [[_description(word) for word in sentence.words] for sentence in found]
    vectorizer = DictVectorizer().fit([word for block in described for word in block])
    rows = [vectorizer.transform(block) for block in described]
    tags = [np.array(sentence.tags) for sentence in found]
    return Sequences(rows, tags)


def _description(word: str) -> dict[str, Any]:
    lower = word.lower()
    features = {"constant": 1, f"word {lower}": 1, f"ends {lower[-3:]}": 1, f"ends {lower[-2:]}": 1}
    return features | {"capital": int(word[0].isupper()), "digit": int(any(map(str.isdigit, word)))}


def _file(name: str) -> Sequences:
    data = load_file(name)
    return _of_table(data["X"].astype(np.float64), data["y"], n=MOST)


def _of_table(X: Any, y: Any, n: int) -> Sequences:
    """Sequences of rows of a table, whose labels follow each other by a random rule."""
    rng = np.random.default_rng(0)
    classes = np.unique(y)
    labels = _labellings(rng, n, len(classes))
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    of_class = [np.flatnonzero(y == c) for c in classes]
    rows = [_constant(X[[rng.choice(of_class[c]) for c in each]]) for each in labels]
    return Sequences(rows, [classes[each] for each in labels])


def _labellings(rng: Any, n: int, k: int) -> list[Any]:
    """Walks on labels by a random rule."""
    follow = rng.dirichlet(np.full(k, 0.3), size=k)
    found = []
    for length in rng.integers(4, 10, size=n):
        walk = [int(rng.integers(k))]
        while len(walk) < length:
            walk.append(int(rng.choice(k, p=follow[walk[-1]])))
        found.append(np.array(walk))
    return found


def _constant(x: Any) -> Any:
    return np.column_stack([x, np.ones(len(x))])


def stacked(rows: list[Any]) -> Any:
    """The rows of all examples."""
    return sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.vstack(rows)
