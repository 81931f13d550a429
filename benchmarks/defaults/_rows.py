"""Labelled rows in two collections: one to choose the defaults on, one to compare them on.

A set comes in two forms: raw, and prepared as scikit-learn advises for linear models, which is
standardised, or for counts of words tf-idf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from benchmarks.defaults._scores import Score, cross_validated
from benchmarks.latent.promoters import promoters
from benchmarks.reproduction._sets import article_text
from benchmarks.texts import newsgroups
from structsvm.datasets import load_file, ringnorm

#: Rows of a set of the comparison, at most: a larger one is sampled.
MOST = 2000
#: The same for a file on which LinearSVC takes a minute for each fit.
FEW = {"mnist": 500}
#: Arguments of make_classification for the drawn sets.
SHAPES: dict[str, dict[str, Any]] = {
    "2 classes": {"n_samples": 500, "n_informative": 5},
    "10 classes": {
        "n_samples": 1000,
        "n_informative": 12,
        "n_classes": 10,
        "n_clusters_per_class": 1,
    },
    "noise features": {"n_samples": 300, "n_features": 100, "n_informative": 5, "n_redundant": 0},
    "unbalanced": {
        "n_samples": 800,
        "n_informative": 6,
        "n_classes": 3,
        "weights": [0.85, 0.1, 0.05],
        "class_sep": 1.5,
    },
    "d > n": {"n_samples": 100, "n_features": 500, "n_informative": 20, "n_classes": 3},
    "wrong labels": {"n_samples": 600, "flip_y": 0.3},
    "off centre": {
        "n_samples": 500,
        "n_features": 10,
        "n_informative": 6,
        "n_classes": 3,
        "shift": 5.0,
        "scale": 3.0,
    },
    "10000 rows": {"n_samples": 10_000, "n_informative": 8, "n_classes": 4},
}
#: Files of the comparison that hold rows X and their labels y.
FILES = ("australian", "diabetes", "heart", "ionosphere", "vote", "letter", "satimage", "mnist")
#: Files of the comparison whose rows count words.
WORDS = ("webkb_linqs", "cora")
#: Newsgroups, of which some are near to each other.
GROUPS = (
    *("comp.graphics", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    *("rec.autos", "sci.space", "talk.religion.misc"),
)


class Rows(NamedTuple):
    """Rows of features, an array or counts of words as a CSR matrix, and their labels."""

    name: str
    X: Any
    y: Any

    def forms(self) -> dict[str, Any]:
        """The transformer of each form."""
        words = sparse.issparse(self.X)
        prepared = TfidfTransformer(sublinear_tf=True) if words else StandardScaler()
        return {"prepared": prepared, "raw": FunctionTransformer()}

    def kind(self, form: str) -> str:
        """Return the kind of features of a form."""
        if sparse.issparse(self.X):
            return "tf-idf" if form == "prepared" else "counts"
        if form == "prepared":
            return "standardised"
        return "0 and 1" if np.isin(self.X, (0, 1)).all() else "raw"


Load = Callable[[], Rows]


def choice() -> dict[str, Load]:
    """The sets that the defaults were chosen on: scikit-learn's, and drawn ones."""
    found: dict[str, Callable[[], Any]] = {
        "iris": partial(load_iris, return_X_y=True),
        "wine": partial(load_wine, return_X_y=True),
        "breast cancer": partial(load_breast_cancer, return_X_y=True),
        "digits": partial(load_digits, return_X_y=True),
        "digits, 150 rows": lambda: sample(*load_digits(return_X_y=True), 150),
        **{
            name: partial(make_classification, random_state=0, **shape)
            for name, shape in SHAPES.items()
        },
        "8 blobs that overlap": partial(
            make_blobs, 400, 10, centers=8, cluster_std=4.0, random_state=0
        ),
        "ringnorm": ringnorm,
        "words, 5 topics": partial(_documents, 600, 5, 2000, 60),
        "words, 20 topics": partial(_documents, 1500, 20, 3000, 40),
    }
    return {name: lambda name=name, load=load: Rows(name, *load()) for name, load in found.items()}


def confirmation() -> dict[str, Load]:
    """The sets of the comparison, of files in STRUCTSVM_DATA."""
    return {
        **{name: partial(_file, name, np.asarray) for name in FILES},
        **{"promoters": _promoters, "ocr letters": _letters},
        **{name: partial(_file, name, sparse.csr_matrix) for name in WORDS},
        "newsgroups": _news,
    }


def in_forms(loaders: dict[str, Load]) -> dict[tuple[str, str], Callable[[], tuple[Rows, str]]]:
    """Return functions that load each set in each form."""
    return {
        (name, form): lambda load=load, form=form: (load(), form)
        for name, load in loaders.items()
        for form in ("prepared", "raw")
    }


def scores(data: tuple[Rows, str], model: Any, score: Score) -> list[float]:
    """The score of a model of one form on each fold."""
    rows, form = data
    return cross_validated(rows.X, rows.y, rows.forms()[form], model, score)


def _file(name: str, convert: Any) -> Rows:
    data = load_file(name)
    X, y = sample(data["X"], data["y"], FEW.get(name, MOST))
    return Rows(name, convert(X.astype(np.float64)), y)


def _promoters() -> Rows:
    codes, y, _ = promoters()
    return Rows("promoters", np.eye(4)[codes].reshape(len(y), -1), y)


def _letters() -> Rows:
    data = load_file("ocr_letters")
    X, y = sample(data["X"], data["y"], MOST)
    return Rows("ocr letters", np.unpackbits(X, axis=1).astype(np.float64), y)


def _news() -> Rows:
    texts, y = newsgroups(GROUPS)
    articles = np.array([article_text(text) for text in texts], dtype=object)
    articles, y = sample(articles, y, MOST)
    return Rows("newsgroups", word_counts(articles), y)


def word_counts(texts: Any) -> sparse.csr_matrix:
    """Return counts of words in two texts at least, without common English words."""
    counts = CountVectorizer(min_df=2, stop_words="english", dtype=np.float64)
    return counts.fit_transform(texts)


def sample(X: Any, y: Any, most: int) -> tuple[Any, Any]:
    """Draw at most ``most`` rows at random, and their labels."""
    chosen = np.random.default_rng(0).permutation(len(y))[:most]
    return X[chosen], y[chosen]


def _documents(n: int, k: int, n_words: int, length: float) -> tuple[Any, Any]:
    """Counts of words of k topics; most words of a document are of the common language."""
    rng = np.random.default_rng(k)
    language = 1 / np.arange(1.0, n_words + 1)
    language /= language.sum()
    topics = [rng.permutation(language) for _ in range(k)]
    y = rng.integers(k, size=n)
    mixed = [0.7 * language + 0.3 * topics[topic] for topic in y]
    counts = [rng.multinomial(rng.poisson(length) + 5, words) for words in mixed]
    return sparse.csr_matrix(np.array(counts, dtype=np.float64)), y
