"""Generated text: words by the law of Zipf, in documents with a topic and sentences with tags."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.problems import Chain, Multiclass

#: Words of a document, and features of a word in a sentence.
WORDS, FEATURES = 60, 10
TOPICS, TAGS = 20, 17


def documents(n: int, size: int) -> tuple[Any, Any]:
    """Rows of 60 words in single precision and their topics; w has some ``size`` entries."""
    rng = np.random.default_rng(0)
    X = _rows(rng, n, size // TOPICS, WORDS)
    scores = X @ rng.normal(size=(size // TOPICS, TOPICS)).astype(np.float32)
    return X, (scores + 0.5 * rng.normal(size=scores.shape)).argmax(axis=1)


def sentences(n: int, size: int) -> tuple[list[Any], list[Any]]:
    """Sentences of 5 to 35 words of ten features each, and their tags; w as above."""
    rng = np.random.default_rng(0)
    ends = np.cumsum(rng.integers(5, 36, size=n))
    columns = (size - TAGS**2) // TAGS
    X = _rows(rng, ends[-1], columns, FEATURES)
    scores = X @ rng.normal(size=(columns, TAGS)).astype(np.float32)
    tags = (scores + 0.5 * rng.normal(size=scores.shape)).argmax(axis=1)
    starts = np.concatenate([[0], ends[:-1]])
    slices = [slice(*pair) for pair in zip(starts.tolist(), ends.tolist(), strict=True)]
    return [X[own] for own in slices], [tags[own] for own in slices]


def chains(n: int, size: int) -> tuple[Any, Any, Any]:
    """The problem of the sentences, and they."""
    return Chain(), *sentences(n, size)


def topics(n: int, size: int) -> tuple[Any, Any, Any]:
    """The problem of the documents, and they."""
    return Multiclass(), *documents(n, size)


def _rows(rng: Any, n: int, columns: int, entries: int) -> Any:
    """Rows of unit length of words, of which word k is as frequent as 1 / k."""
    words = (columns ** rng.random((n, entries))).astype(np.int32) - 1
    values = np.full(words.size, entries**-0.5, dtype=np.float32)
    ends = np.arange(0, words.size + 1, entries)
    rows = sparse.csr_matrix((values, words.ravel(), ends), (n, columns))
    rows.sum_duplicates()
    return rows
