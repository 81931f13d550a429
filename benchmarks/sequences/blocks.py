"""Tags of a million sentences, trained on in blocks, beside training with all in memory.

The sentences are drawn from those of the treebank for training, with a third of the words replaced
by others of the same tag, drawn as often as they occur; features and tags are those of
benchmarks/sequences/tags.py. A block has 5,000 sentences, and is made when it is read. Memory is
what the process held at most, in MB, the packages included; CPU seconds are of one thread, and of
training include making and reading the features. The test sentences are those of the treebank.

    python -m benchmarks sequences/blocks    # needs the treebank in STRUCTSVM_DATA; Linux; hours
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
#: Number of sentences up to which the features of all fit in 24 GB.
MOST_AT_ONCE = 100_000


@cache
def feature(name: str) -> str:
    """The one copy of the name of a feature."""
    return sys.intern(name)


def blocks(n: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield blocks of drawn sentences, described, and their tags."""
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
    """What a fit takes, and how well it tags."""
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


EXPERIMENTS = (
    Experiment(
        "tags of many sentences",
        ("sentences", "training"),
        {n: partial(int, n) for n in SIZES},
        {"in blocks": partial(measured, fit=in_blocks), "at once": partial(measured, fit=at_once)},
        apart=True,
    ),
)
