"""ChainSVM trained on blocks of up to a million sentences, compared with all sentences in memory.

The training sentences are drawn with replacement from the treebank. A third of their words are
replaced by words with the same tag, drawn by frequency. Features and tags are the same as in
benchmarks/sequences/tags.py. A block has 5,000 sentences, and is made when it is read. Memory is
the peak of the process in MiB; the packages, the treebank and the names of features take about 300.
CPU seconds are of one thread, and include making the features. The test sentences are the test part
of the treebank.

    python -m benchmarks sequences/blocks    # the treebank in STRUCTSVM_DATA; Linux; 15 GB; hours
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.speed._memory import peak_since
from benchmarks.store import Row
from benchmarks.treebank import described, first_sentences, percent_right
from structsvm import Blocks
from structsvm.problems import ChainSVM

#: Numbers of sentences, those of a block, and the fraction of words that are replaced.
SIZES, BLOCK, REPLACED = (10_000, 100_000, 1_000_000), 5_000, 1 / 3


@cache
def feature(name: str) -> str:
    """Return the single copy of a feature's name."""
    return sys.intern(name)


def blocks(n: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield blocks of the features of drawn sentences, and of their tags."""
    known, rng = first_sentences("train", None), np.random.default_rng(0)
    words: dict[str, list[str]] = {}
    for sentence in known:
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            words.setdefault(tag, []).append(word)
    for start in range(0, n, BLOCK):
        X, Y = [], []
        for i in rng.integers(len(known), size=min(BLOCK, n - start)):
            tags = known[i].tags
            draws = rng.random((2, len(tags))).tolist()
            drawn = [
                words[tag][int(place * len(words[tag]))] if change < REPLACED else word
                for word, tag, change, place in zip(known[i].words, tags, *draws, strict=True)
            ]
            X.append([[*map(feature, names)] for names in described(drawn)])
            Y.append(tags)
        yield X, Y


def in_blocks(n: int) -> ChainSVM:
    return ChainSVM().fit(Blocks(blocks(n)))


def at_once(n: int) -> ChainSVM:
    X, Y = (list(chain.from_iterable(part)) for part in zip(*blocks(n), strict=True))
    return ChainSVM().fit(X, Y)


def measured(n: int, fit: Any) -> Row:
    """Return the costs of a fit, its objective and gap, and the percentage of right tags."""
    start = time.process_time()
    svm = fit(n)
    seconds, memory, result = time.process_time() - start, peak_since(), svm.result_
    test = first_sentences("test", None)
    found = svm.predict([described(sentence.words) for sentence in test])
    return {
        "CPU s": seconds,
        "MB": memory,
        "passes": result.iterations,
        "objective": result.primal / svm.C_,
        "gap %": 100 * result.gap / result.primal,
        "test": percent_right(found, [sentence.tags for sentence in test]),
    }


def experiment(name: str, fit: Any, sizes: tuple[int, ...]) -> Experiment:
    return Experiment(
        "tags of many sentences",
        ("sentences", "training"),
        {n: partial(int, n) for n in sizes},
        {name: partial(measured, fit=fit)},
        apart=True,
    )


EXPERIMENTS = (
    experiment("at once", at_once, SIZES),
    experiment("in blocks", in_blocks, SIZES),
)
