"""Vectors beside other features: embeddings of words for tags, and pixels of letters.

*Tags*: the English treebank with the ten features of benchmarks/treebank.py, alone and with a
vector for each word. The vectors are trained on the words of the whole training part, without the
tags: the 100 first singular vectors of positive pointwise mutual information with the words at -2
to 2, of length 1; unknown words have 0. The first sentences of the training part are learned from.

*Letters*: the handwritten words of benchmarks/sequences/letters.py, as matrices of 128 pixels, as
dicts with the pixels as a vector, and with the place in the word and the number of dark pixels of
the neighbours beside it.

For CRFsuite every number of a vector has a name. CPU seconds of training from the dicts, one
thread; trainers have their default parameters.

    python -m benchmarks sequences/vectors    # needs the treebank and ocr_letters in STRUCTSVM_DATA
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from benchmarks.crfsuite import tagger
from benchmarks.report import one_thread, report
from benchmarks.sequences.letters import words
from benchmarks.store import Row
from benchmarks.treebank import Sentence, as_dicts, first_sentences
from structsvm.problems import ChainSVM

RESULTS = "sequences/vectors"
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


def named(x: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items as CRFsuite takes them."""
    return [{key: _named(value) for key, value in item.items()} for item in x]


def _named(value: Any) -> Any:
    return {str(j): float(v) for j, v in enumerate(value)} if np.ndim(value) else value


def by_ours(X: list[Any], Y: list[Any], new: list[Any]) -> tuple[list[Any], float]:
    start = time.process_time()
    svm = ChainSVM().fit(X, Y)
    return svm.predict(new), time.process_time() - start


def by_crfsuite(X: list[Any], Y: list[Any], new: list[Any]) -> tuple[list[Any], float]:
    X, new = list(map(named, X)), list(map(named, new))
    start = time.process_time()
    trained = tagger(zip(X, map(list, Y), strict=True), "lbfgs")
    seconds = time.process_time() - start
    return [trained.tag(x) for x in new], seconds


Trainer = Callable[[list[Any], list[Any], list[Any]], tuple[list[Any], float]]


def trainers() -> dict[str, Trainer]:
    found: dict[str, Trainer] = {"ChainSVM()": by_ours}
    if importlib.util.find_spec("pycrfsuite"):
        found["CRFsuite lbfgs"] = by_crfsuite
    return found


def tags() -> list[Row]:
    everything, test = first_sentences("train", None), first_sentences("test", None)
    vectors, rows = trained_vectors(everything), []
    for n in SENTENCES:
        for name, train in trainers().items():
            row: Row = {"sentences": n, "trainer": name}
            for title, describe in (
                ("plain", lambda s: as_dicts(s.words)),
                ("vectors", lambda s: with_vectors(s, vectors)),
            ):
                X, new = (list(map(describe, some)) for some in (everything[:n], test))
                found, seconds = train(X, [s.tags for s in everything[:n]], new)
                right = np.concatenate(found) == np.concatenate([s.tags for s in test])
                row |= {title: 100 * float(np.mean(right)), f"{title}, CPU s": seconds}
            rows.append(row)
            print(row, flush=True)
    return rows


def described(pixels: Any) -> list[dict[str, Any]]:
    """Pixels as vectors, the place in the word, and how dark the neighbours are."""
    dark = [0, *pixels.sum(axis=1).astype(int).tolist(), 0]
    last = len(pixels) - 1
    return [
        {
            "pixels": row, "first": i == 0, "last": i == last, "place": str(i),
            "before": str(dark[i] // 8), "after": str(dark[i + 2] // 8),
        }
        for i, row in enumerate(pixels)
    ]  # fmt: skip


def letters() -> list[Row]:
    X, Y, fold = words()
    forms: dict[str, Callable[[Any], Any]] = {
        "matrices": lambda x: x,
        "dicts with a vector": lambda x: [{"pixels": row} for row in x],
        "dicts with 128 names": lambda x: named([{"pixels": row} for row in x]),
        "dicts with a vector, and more": described,
    }
    rows = []
    for title, form in forms.items():
        errors, spent = [], 0.0
        for k in range(10):
            train, test = (np.flatnonzero((fold == k) == chosen) for chosen in (True, False))
            found, seconds = by_ours(
                [form(X[i]) for i in train], [Y[i] for i in train], [form(X[i]) for i in test]
            )
            true = np.concatenate([Y[i] for i in test])
            errors.append(100 * float(np.mean(np.concatenate(found) != true)))
            spent += seconds / 10
        rows.append({"features": title, "error": float(np.mean(errors)), "CPU s a fold": spent})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    report(RESULTS, {"tags, percent right": tags(), "error of a letter, percent": letters()})


if __name__ == "__main__":
    with one_thread():
        main()
