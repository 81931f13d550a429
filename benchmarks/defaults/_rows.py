"""Labelled rows that the defaults are compared on: they played no part in any choice.

A set comes in two forms: raw, and prepared as scikit-learn advises for linear models, which is
standardised, or for counts of words tf-idf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from benchmarks.defaults._scores import Score, cross_validated
from benchmarks.reproduction._sets import article_text
from benchmarks.texts import newsgroups
from structsvm.datasets import load_file
from structsvm.datasets.files import how_to_supply, locate, read_arrays

#: Rows of a set of the comparison, at most: a larger one is sampled.
MOST = 2000
#: The same for a file on which LinearSVC takes a minute for each fit.
FEW = {"mnist": 500}
#: Files of the comparison that hold rows X and their labels y.
FILES = ("australian", "diabetes", "heart", "ionosphere", "vote", "letter", "satimage", "mnist")
#: Files of the comparison whose rows count words.
WORDS = ("webkb_linqs", "cora")
#: Newsgroups, of which some are near to each other.
GROUPS = (
    *("comp.graphics", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    *("rec.autos", "sci.space", "talk.religion.misc"),
)

REMEDY = how_to_supply(
    "promoters.npz",
    "with numpy.savez, arrays seq of shape (106,), 57 letters of acgt each, and y, 1 for promoters "
    "and 0 for others (Harley, Reynolds & Noordewier 1990, UCI)",
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
        """What the features of a form are."""
        if sparse.issparse(self.X):
            return "tf-idf" if form == "prepared" else "counts"
        if form == "prepared":
            return "standardised"
        return "0 and 1" if np.isin(self.X, (0, 1)).all() else "raw"


Load = Callable[[], Rows]


def confirmation() -> dict[str, Load]:
    """The sets of the comparison, of files in STRUCTSVM_DATA."""
    return {
        **{name: partial(_file, name, np.asarray) for name in FILES},
        **{"promoters": _promoters, "ocr letters": _letters},
        **{name: partial(_file, name, sparse.csr_matrix) for name in WORDS},
        "newsgroups": _news,
    }


def in_forms(loaders: dict[str, Load]) -> dict[tuple[str, str], Callable[[], tuple[Rows, str]]]:
    """What loads each set in each form."""
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
    """The letters of each position as zeros and ones."""
    data = read_arrays(locate("promoters.npz", None, REMEDY), ("seq", "y"), REMEDY)
    texts = [s.decode() if isinstance(s, bytes) else str(s) for s in data["seq"]]
    codes = np.array([["acgt".index(letter) for letter in text] for text in texts])
    return Rows("promoters", np.eye(4)[codes].reshape(len(codes), -1), data["y"].astype(int))


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
    """Counts of the words that are in two texts at least, but for common English words."""
    counts = CountVectorizer(min_df=2, stop_words="english", dtype=np.float64)
    return counts.fit_transform(texts)


def sample(X: Any, y: Any, most: int) -> tuple[Any, Any]:
    """Draw at most ``most`` rows at random, and their labels."""
    chosen = np.random.default_rng(0).permutation(len(y))[:most]
    return X[chosen], y[chosen]
