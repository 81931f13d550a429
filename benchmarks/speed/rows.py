"""Short texts by default: seconds, memory and accuracy of MulticlassSVM and LinearSVC.

    python -m benchmarks speed/rows    # needs ud_en_ewt_*.conllu.gz in the folder STRUCTSVM_DATA

The 5,452 sentences of English Web Treebank are drawn at random, and their words or letters are
counted. Classes are the genre, of 5, or the part of speech of the root with the relation of the
first word, the 50 most frequent pairs. CPU seconds are for training, with one thread; MB is the
peak memory that training adds to the memory of its process after loading. MulticlassSVM ends at a
certified gap of 0.1 %.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, Fit
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from structsvm.problems import MulticlassSVM

N, CLASSES = 5452, 50


def sentences(part: str) -> Iterator[tuple[str, str, str]]:
    """Yield text, genre, and the root's part of speech with the first word's relation."""
    path = Path(os.environ.get("STRUCTSVM_DATA", "")) / f"ud_en_ewt_{part}.conllu.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            lines = block.splitlines()
            values = dict(line[2:].split(" = ", 1) for line in lines if " = " in line[:20])
            words = [line.split("\t") for line in lines if line[0] != "#"]
            root = next(word[3] for word in words if word[7] == "root")
            yield values["text"], values["sent_id"].split("-")[0], f"{root} {words[0][7]}"


def counts(genre: bool, **options: Any) -> tuple[Any, ...]:
    """Counts and classes to learn from and to test on."""
    train, test = (list(sentences(part)) for part in ("train", "test"))
    of = 1 if genre else 2
    names, found = np.unique([each[of] for each in train], return_counts=True)
    kept = set(names[np.argsort(-found)][:CLASSES])
    train, test = ([each for each in part if each[of] in kept] for part in (train, test))
    train = [train[i] for i in np.random.default_rng(0).permutation(len(train))[:N]]
    words = CountVectorizer(**options)
    X, X_test = words.fit_transform(t[0] for t in train), words.transform(t[0] for t in test)
    return X, np.array([t[of] for t in train]), X_test, np.array([t[of] for t in test])


def trained(make: Callable[[], Any], data: tuple[Any, ...]) -> tuple[Any, float]:
    forget_peak()
    before = resident()
    svm = make().fit(*data[:2])
    return svm, peak_since() - before


def row(fit: Fit, data: tuple[Any, ...]) -> Row:
    svm, added = fit.found
    passes = int(np.max(svm.n_iter_))
    return {"CPU s": fit.seconds, "MB": added, "test": svm.score(*data[2:]), "passes": passes}


EXPERIMENTS = (
    Experiment(
        "counts of short texts, by default",
        ("texts", "trainer"),
        {
            "words, 5 genres": partial(counts, True),
            "words and pairs, 5 genres": partial(counts, True, ngram_range=(1, 2)),
            "up to 3 letters, 5 genres": partial(counts, True, analyzer="char", ngram_range=(1, 3)),
            "words, 50 classes": partial(counts, False),
        },
        {
            "MulticlassSVM": partial(trained, MulticlassSVM),
            "LinearSVC": partial(trained, LinearSVC),
            "Crammer-Singer": partial(trained, partial(LinearSVC, multi_class="crammer_singer")),
        },
        row,
        apart=True,
    ),
)
