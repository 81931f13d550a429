"""Sequences and rankings in two collections: one to choose C on, one to compare it on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.feature_extraction import DictVectorizer

from benchmarks.sequences.letters import letter_words
from benchmarks.treebank import first_sentences
from structsvm.datasets import load_file

#: Sequences of a set of the comparison, at most.
MOST = 400
#: Rankings of a set of the comparison.
QUERIES = 100


class Structures(NamedTuple):
    """Examples of rows with a label each, in their order or to be ranked."""

    kind: str  # 'chain' or 'ranking'
    rows: list[Any]
    labels: list[Any]


Load = Callable[[], Structures]


def choice() -> dict[str, Load]:
    """The sets that C was chosen on: drawn ones, and scikit-learn's digits."""
    digits = partial(load_digits, return_X_y=True)
    found: dict[str, Load] = {}
    for draw in range(3):
        drawn: dict[str, Load] = {
            "few labels": partial(_drawn, draw, 60, 4, 6, noise=1.0, stay=0.3),
            "noise": partial(_drawn, draw, 150, 6, 8, noise=3.0, stay=0.5),
            "12 sequences": partial(_drawn, draw, 12, 3, 4, noise=1.5, stay=0.6),
            "long": partial(_drawn, draw, 40, 5, 10, noise=3.0, stay=0.7, lengths=(50, 150)),
            "many features": partial(_drawn, draw, 60, 5, 100, noise=4.0, stay=0.3),
            "words": partial(tagged, draw),
        }
        found |= {f"{name} {draw + 1}": load for name, load in drawn.items()}
    return found | {
        "digits in a row": lambda: _of_table(*digits(), n=150),
        "few digits in a row": lambda: _of_table(*digits(), n=40),
    }


def confirmation() -> dict[str, Load]:
    """The sets of the comparison, of files in STRUCTSVM_DATA."""
    return {
        **{"ocr words": _words, "parts of speech": _sentences},
        **{f"{name} in a row": partial(_file, name) for name in ("letter", "satimage")},
        "mq2008": _queries,
    }


def _words() -> Structures:
    rows, letters = letter_words(fold=0)
    return Structures("chain", [_constant(x) for x in rows[:MOST]], letters[:MOST])


def _sentences() -> Structures:
    """Sentences of the English web treebank, with words and endings as features of a word."""
    found = first_sentences("train", MOST)
    described = [[_description(word) for word in sentence.words] for sentence in found]
    vectorizer = DictVectorizer().fit([word for block in described for word in block])
    rows = [vectorizer.transform(block) for block in described]
    tags = [np.array(sentence.tags) for sentence in found]
    return Structures("chain", rows, tags)


def _description(word: str) -> dict[str, Any]:
    lower = word.lower()
    features = {"constant": 1, f"word {lower}": 1, f"ends {lower[-3:]}": 1, f"ends {lower[-2:]}": 1}
    return features | {"capital": int(word[0].isupper()), "digit": int(any(map(str.isdigit, word)))}


def _file(name: str) -> Structures:
    data = load_file(name)
    return _of_table(data["X"].astype(np.float64), data["y"], n=MOST)


def _queries() -> Structures:
    """Documents of MQ2008, relevant or not."""
    data = load_file("mq2008")
    cuts = np.flatnonzero(np.diff(data["qid"])) + 1
    rows, labels = np.split(data["X"].astype(np.float64), cuts), np.split(data["y"] > 0, cuts)
    both = [i for i, y in enumerate(labels) if y.any() and not y.all()][:QUERIES]
    return Structures("ranking", [rows[i] for i in both], [labels[i] for i in both])


def _of_table(X: Any, y: Any, n: int) -> Structures:
    """Sequences of rows of a table, whose labels follow each other by a random rule."""
    rng = np.random.default_rng(0)
    classes = np.unique(y)
    labels = labellings(rng, n, len(classes), 0.0, (4, 10))
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    of_class = [np.flatnonzero(y == c) for c in classes]
    rows = [_constant(X[[rng.choice(of_class[c]) for c in each]]) for each in labels]
    return Structures("chain", rows, [classes[each] for each in labels])


def _drawn(
    draw: int,
    n: int,
    k: int,
    d: int,
    noise: float,
    stay: float,
    lengths: Any = (5, 15),
) -> Structures:
    rng = np.random.default_rng([draw, n])
    centres = rng.normal(size=(k, d))
    labels = labellings(rng, n, k, stay, lengths)
    rows = [_constant(centres[y] + noise * rng.normal(size=(len(y), d))) for y in labels]
    return Structures("chain", rows, labels)


def tagged(draw: int, n: int = 200, vocabulary: int = 1000) -> Structures:
    """Sentences of words, each of which has mostly one of eight tags; rows say which word it is."""
    rng = np.random.default_rng(draw)
    k = 8
    frequencies = 1 / np.arange(1.0, vocabulary + 1)
    likely = frequencies * rng.dirichlet(np.full(k, 0.2), size=vocabulary).T
    likely /= likely.sum(axis=1, keepdims=True)
    labels = labellings(rng, n, k, 0.0, (5, 25))
    words = [[rng.choice(vocabulary, p=likely[label]) for label in y] for y in labels]
    one_hot = sparse.hstack([sparse.eye_array(vocabulary), np.ones((vocabulary, 1))], format="csr")
    return Structures("chain", [one_hot[w] for w in words], labels)


def labellings(rng: Any, n: int, k: int, stay: float, lengths: Any) -> list[Any]:
    """Walks on labels, which stay with this probability or follow a random rule."""
    follow = stay * np.eye(k) + (1 - stay) * rng.dirichlet(np.full(k, 0.3), size=k)
    found = []
    for length in rng.integers(*lengths, size=n):
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
