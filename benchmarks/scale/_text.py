"""Generated sentences: words by the law of Zipf, and their tags."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: Features of a word, and tags.
FEATURES, TAGS = 10, 17


def sentences(n: int, size: int) -> tuple[list[Any], list[Any]]:
    """Sentences of 5 to 35 words of ten features, and their tags; w has some ``size`` entries."""
    rng = np.random.default_rng(0)
    ends = np.cumsum(rng.integers(5, 36, size=n))
    columns = (size - TAGS**2) // TAGS
    X = _rows(rng, ends[-1], columns, FEATURES)
    scores = X @ rng.normal(size=(columns, TAGS)).astype(np.float32)
    tags = (scores + 0.5 * rng.normal(size=scores.shape)).argmax(axis=1)
    starts = np.concatenate([[0], ends[:-1]])
    slices = [slice(*pair) for pair in zip(starts.tolist(), ends.tolist(), strict=True)]
    return [X[own] for own in slices], [tags[own] for own in slices]


def _rows(rng: Any, n: int, columns: int, entries: int) -> Any:
    """Rows of unit length of words, of which word k is as frequent as 1 / k."""
    words = (columns ** rng.random((n, entries))).astype(np.int32) - 1
    values = np.full(words.size, entries**-0.5, dtype=np.float32)
    ends = np.arange(0, words.size + 1, entries)
    rows = sparse.csr_matrix((values, words.ravel(), ends), (n, columns))
    rows.sum_duplicates()
    return rows
