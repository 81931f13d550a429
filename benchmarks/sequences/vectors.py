"""Tags of words with embeddings besides other features.

The English treebank with the ten features of benchmarks/treebank.py, without and with a vector for
each word. The vectors are trained on the words of the whole training part, without the tags: the
100 first singular vectors of positive pointwise mutual information with the words at -2 to 2, of
length 1; unknown words have 0. The first sentences of the training part are learned from.

For CRFsuite every number of a vector has a name. CPU seconds of training from the dicts, one
thread; trainers have their default parameters.

    python -m benchmarks sequences/vectors    # needs the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from benchmarks.crfsuite import tagger
from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from benchmarks.treebank import Sentence, as_dicts, first_sentences
from structsvm.problems import ChainSVM

SENTENCES = (300, 1500, 12_544)
#: Numbers of a word's vector, the places around it that it counts, and occurrences of a word.
LENGTH, WINDOW, LEAST = 100, 2, 2

Vectors = dict[str, Any]


def trained_vectors(sentences: Sequence[Sentence]) -> Vectors:
    """A vector for each word that occurs twice."""
    counts = Counter(word.lower() for s in sentences for word in s.words)
    names = [word for word, count in counts.items() if count >= LEAST]
    numbers = {word: i for i, word in enumerate(names)}
    rows, columns = [], []
    for s in sentences:
        own = [numbers.get(word.lower(), -1) for word in s.words]
        for i, word in enumerate(own):
            for j in range(max(0, i - WINDOW), min(len(own), i + WINDOW + 1)):
                if i != j and min(word, own[j]) >= 0:
                    rows.append(word)
                    columns.append((j - i + WINDOW) * len(names) + own[j])
    shape = len(names), (2 * WINDOW + 1) * len(names)
    together = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape)
    together.sum_duplicates()
    of_rows, of_columns = (together.sum(axis=axis).A1 for axis in (1, 0))
    independent = of_rows[together.row] * of_columns[together.col] / len(rows)
    together.data = np.maximum(np.log(together.data / independent), 0)
    found = TruncatedSVD(LENGTH, random_state=0).fit_transform(together.tocsr())
    return dict(zip(names, normalize(found).astype(np.float32), strict=True))


def with_vectors(sentence: Sentence, vectors: Vectors) -> list[dict[str, Any]]:
    unknown = np.zeros(LENGTH, dtype=np.float32)
    pairs = zip(as_dicts(sentence.words), sentence.words, strict=True)
    return [item | {"vector": vectors.get(word.lower(), unknown)} for item, word in pairs]


class Parts(NamedTuple):
    """Sentences to learn from and to tag, as dicts without the vectors and with them."""

    train: dict[str, list[Any]]
    test: dict[str, list[Any]]
    tags: list[Any]
    true: Any


def parts(n: int) -> Parts:
    everything, test = first_sentences("train", None), first_sentences("test", None)
    vectors = trained_vectors(everything)
    train, new = (
        {
            "plain": [as_dicts(s.words) for s in some],
            "vectors": [with_vectors(s, vectors) for s in some],
        }
        for some in (everything[:n], test)
    )
    true = np.concatenate([s.tags for s in test])
    return Parts(train, new, [s.tags for s in everything[:n]], true)


def by_ours(X: list[Any], Y: list[Any]) -> Callable[[list[Any]], list[Any]]:
    return ChainSVM().fit(X, Y).predict


def by_crfsuite(X: list[Any], Y: list[Any]) -> Callable[[list[Any]], list[Any]]:
    trained = tagger(zip(map(named, X), map(list, Y), strict=True), "lbfgs")
    return lambda new: [trained.tag(named(x)) for x in new]


def named(x: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items as CRFsuite takes them."""
    return [{key: _named(value) for key, value in item.items()} for item in x]


def _named(value: Any) -> Any:
    return {str(j): float(v) for j, v in enumerate(value)} if np.ndim(value) else value


def with_both(data: Parts, train: Callable[..., Callable[[list[Any]], list[Any]]]) -> Row:
    """The percentage of right tags without and with vectors, and the seconds of training."""
    row: Row = {}
    for form, X in data.train.items():
        seconds, tag = cpu_seconds(partial(train, X, data.tags), 1)
        right = np.concatenate(tag(data.test[form])) == data.true
        row |= {form: 100 * float(np.mean(right)), f"{form}, CPU s": seconds}
    return row


EXPERIMENTS = (
    Experiment(
        "tags, percent right",
        ("sentences", "trainer"),
        {n: partial(parts, n) for n in SENTENCES},
        {
            "ChainSVM()": partial(with_both, train=by_ours),
            "CRFsuite lbfgs": partial(with_both, train=by_crfsuite),
        },
    ),
)
