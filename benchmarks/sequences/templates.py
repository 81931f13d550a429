"""Tasks of labelling the words of the English treebank, with templates of features of any size.

``TASKS`` are the tasks: a template of features, and the labels. ``rich`` is the template of
CRFsuite's example for chunking, with words in small letters; ``simple`` has six features. The ten
features of words alone come from benchmarks/treebank.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.treebank import Sentence, as_dicts, first_sentences

#: Relations of what precedes the head of a noun phrase in it.
BEFORE_HEAD = {"det", "amod", "nummod", "compound", "nmod:poss", "advmod", "flat"}
#: Tags of the heads of noun phrases.
NOMINAL = {"NOUN", "PROPN", "PRON"}

Features = list[dict[str, str]]


def simple(sentence: Sentence) -> Features:
    """Word and tag at -1, 0 and 1."""
    return _described(sentence, [(0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)])


def rich(sentence: Sentence) -> Features:
    """Words and tags at -2 to 2, two bigrams of words, four of tags, and three trigrams of tags."""
    single = [(kind, place) for kind in (0, 1) for place in range(-2, 3)]
    words = [(0, -1, 0), (0, 0, 1)]
    tags = [(1, place, place + 1) for place in range(-2, 2)]
    return _described(
        sentence, [*single, *words, *tags, *((1, p, p + 1, p + 2) for p in range(-2, 1))]
    )


def _described(sentence: Sentence, templates: list[tuple[int, ...]]) -> Features:
    """Features that join the words, or the tags, at some places around each word."""
    lower = [word.lower() for word in sentence.words]
    padded = [["<s2>", "<s1>", *values, "</s1>", "</s2>"] for values in (lower, sentence.tags)]
    names = [",".join(map(str, template)) for template in templates]
    return [
        {
            name: "|".join(padded[kind][i + place] for place in places)
            for name, (kind, *places) in zip(names, templates, strict=True)
        }
        for i in range(2, 2 + len(lower))
    ]


def noun_phrases(sentence: Sentence) -> list[str]:
    """Noun phrases up to their heads, as B, I and O."""
    labels = ["O"] * len(sentence.words)
    for head, (tag, relation) in enumerate(zip(sentence.tags, sentence.relations, strict=True)):
        if tag not in NOMINAL or relation in ("compound", "flat", "nmod:poss"):
            continue
        start = head
        while start and _leads_to(sentence, start - 1, head):
            start -= 1
        labels[start : head + 1] = ["B", *["I"] * (head - start)]
    return labels


def _leads_to(sentence: Sentence, word: int, head: int) -> bool:
    """Return whether arcs of BEFORE_HEAD lead from a word to the head of its phrase."""
    while word < head and sentence.relations[word] in BEFORE_HEAD:
        word = sentence.heads[word] - 1
    return word == head


def drawn(part: str, k: int = 100, vocabulary: int = 20_000) -> tuple[list[Any], list[list[str]]]:
    """Sentences of drawn words with one of k labels each, which the word and its neighbours tell.

    As many labels as the tags with morphology of a language rich in forms.
    """
    rng = np.random.default_rng(0)
    follow = rng.dirichlet(np.full(k, 0.05), size=k)
    frequencies = 1 / np.arange(1.0, vocabulary + 1)
    words = np.cumsum(frequencies * rng.dirichlet(np.full(k, 0.02), size=vocabulary).T, axis=1)
    rng = np.random.default_rng({"train": 1, "dev": 2, "test": 3}[part])
    X, Y = [], []
    for length in rng.integers(5, 30, size={"train": 6000}.get(part, 1000)).tolist():
        y = [int(rng.integers(k))]
        while len(y) < length:
            y.append(int(rng.choice(k, p=follow[y[-1]])))
        x = [int(np.searchsorted(words[c], rng.random() * words[c, -1])) for c in y]
        padded = ["<s>", *map(str, x), "</s>"]
        places = range(1, length + 1)
        X.append([{"-1": padded[i - 1], "0": padded[i], "1": padded[i + 1]} for i in places])
        Y.append([f"label {c}" for c in y])
    return X, Y


class Task(NamedTuple):
    """Features of words and their labels, as functions of a sentence."""

    features: Callable[[Sentence], Any]
    labels: Callable[[Sentence], list[str]]

    def data(self, part: str, n: int | None = None) -> tuple[list[Any], list[list[str]]]:
        """Features and labels of the first n sentences of a part of the treebank."""
        given = first_sentences(part, n)
        return list(map(self.features, given)), list(map(self.labels, given))


def _relations(sentence: Sentence) -> list[str]:
    return sentence.relations


TASKS = {
    "tags, 10 features": Task(lambda s: as_dicts(s.words), lambda s: s.tags),
    "relations, 6 features": Task(simple, _relations),
    "relations, 19 features": Task(rich, _relations),
    "noun phrases, 6 features": Task(simple, noun_phrases),
    "noun phrases, 19 features": Task(rich, noun_phrases),
}
