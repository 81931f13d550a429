"""Letters to words: sentences of the English treebank without their spaces, divided into words.

Trained on 2,000 sentences. F1 counts words found; *sentences* are without a mistake; in percent.

``SegmentSVM`` sees whole candidates: the word if it is known, how often it occurs, its length, its
ends and the letters around it. ``ChainSVM`` and CRFsuite label letters as first or inner ones from
the letters around them, as one would without segments; "most frequent words" finds the segmentation
of highest likelihood where words are drawn independently, unknown ones by their length. All have
their default parameters.

    python -m benchmarks sequences/words    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.crfsuite import tagger
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import sentences
from structsvm.problems import ChainSVM, SegmentSVM, segment_f1_score

#: Letters of a word, at most; sentences with longer ones are left out.
LONGEST = 15
#: Sentences to learn from, and to divide.
TRAIN, TEST = 2000, 1000
#: A word that occurs fewer times counts as unknown, so that unknown words are learned from.
LEAST_COUNT = 2

Sentences = list[list[str]]
Divide = Callable[[list[str]], list[Any]]


def drawn(part: str, n: int) -> Sentences:
    """The words of the first n sentences of a part, in small letters."""
    found = []
    for sentence in sentences(part):
        words = [word.lower() for word in sentence.words]
        if len(words) > 2 and max(map(len, words)) <= LONGEST:
            found.append(words)
        if len(found) == n:
            break
    return found


def segments(words: list[str]) -> list[tuple[int, int, str]]:
    stops = np.cumsum([len(word) for word in words]).tolist()
    return [(stop - len(word), stop, "word") for stop, word in zip(stops, words, strict=True)]


class Candidate:
    """Features of candidate words, given how often each word occurs."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts

    def __call__(self, letters: str, start: int, stop: int) -> dict[str, Any]:
        word = letters[start:stop]
        before, after = letters[max(0, start - 1) : start], letters[stop : stop + 1]
        count = self._counts[word]
        features: dict[str, Any] = {
            "begin": before + "|" + word[:2], "end": word[-2:] + "|" + after,
            "boundary": word[-1] + "|" + after,
        }  # fmt: skip
        if count < LEAST_COUNT:
            kind = "number" if word.isdigit() else "word" if word.isalpha() else "other"
            return features | {"unknown": f"{kind} {len(word)}"}
        return features | {"word": word, "known": True, "log count": math.log(count)}


def by_segments(train: Sentences) -> Divide:
    counts = Counter(word for words in train for word in words)
    svm = SegmentSVM(Candidate(counts), max_length=LONGEST)
    svm.fit(["".join(words) for words in train], [segments(words) for words in train])
    return svm.predict


def windows(letters: str) -> list[dict[str, Any]]:
    """Return the letters around each position, as single letters and in groups of two to four."""
    padded = f"    {letters}    "
    return [
        {
            f"{first} {size}": padded[i + first : i + first + size]
            for size in range(1, 5)
            for first in range(-3, 5 - size)
        }
        for i in range(4, 4 + len(letters))
    ]


def tags(words: list[str]) -> list[str]:
    return [tag for word in words for tag in ["B"] + ["I"] * (len(word) - 1)]


def divided(labels: Any) -> list[tuple[int, int, str]]:
    starts = [0, *(i for i, tag in enumerate(labels) if i and tag == "B"), len(labels)]
    return [(a, b, "word") for a, b in pairwise(starts)]


def by_chain(train: Sentences) -> Divide:
    svm = ChainSVM().fit([windows("".join(words)) for words in train], [tags(w) for w in train])
    return lambda texts: [divided(y) for y in svm.predict([windows(text) for text in texts])]


def by_crfsuite(train: Sentences) -> Divide:
    pairs = ((windows("".join(words)), tags(words)) for words in train)
    found = tagger(pairs, "averaged-perceptron")
    return lambda texts: [divided(found.tag(windows(text))) for text in texts]


def by_frequency(train: Sentences) -> Divide:
    counts = Counter(word for words in train for word in words)
    total = sum(counts.values())
    unseen = sum(1 for count in counts.values() if count == 1) / total
    letters = len({letter for word in counts for letter in word})

    def score(word: str) -> float:
        if word in counts:
            return math.log(counts[word] / total)
        return math.log(unseen) - len(word) * math.log(letters)

    def divide(text: str) -> list[tuple[int, int, str]]:
        best, starts = [0.0], [0]
        for stop in range(1, len(text) + 1):
            options = [
                (best[start] + score(text[start:stop]), start)
                for start in range(max(0, stop - LONGEST), stop)
            ]
            value, start = max(options)
            best.append(value)
            starts.append(start)
        stop, found = len(text), []
        while stop:
            found.append((starts[stop], stop, "word"))
            stop = starts[stop]
        return found[::-1]

    return lambda texts: list(map(divide, texts))


class Parts(NamedTuple):
    """Sentences to learn from and to divide."""

    train: Sentences
    test: Sentences


def measured(fit: Any, data: Parts) -> Row:
    divide, seconds = fit
    true = [segments(words) for words in data.test]
    found = divide(["".join(words) for words in data.test])
    whole = np.mean([y == z for y, z in zip(true, found, strict=True)])
    f1 = 100 * segment_f1_score(true, found)
    return {"F1": f1, "sentences": 100 * float(whole), "CPU s": seconds}


EXPERIMENTS = (
    Experiment(
        "words found, percent",
        ("method",),
        {(): lambda: Parts(drawn("train", TRAIN), drawn("test", TEST))},
        {
            "SegmentSVM": lambda data: by_segments(data.train),
            "ChainSVM": lambda data: by_chain(data.train),
            "most frequent words": lambda data: by_frequency(data.train),
            "CRFsuite averaged-perceptron": lambda data: by_crfsuite(data.train),
        },
        measured,
    ),
)
