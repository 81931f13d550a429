"""The data sets of the tables of two papers on maximum margin clustering, and a few more.

The papers are CPM3C (Zhao, Wang & Zhang, ICML 2008) and MMC with a multivariate loss (Zhao, Kwok &
Zhang). Pixels, letters and satellite bands are scaled to [0, 1]; ionosphere and ringnorm are
taken as they come. Sizes here and in the papers, n x d:

    name               here            papers
    digits 3v8         357 x 64        357 x 64
    digits 1v7         361 x 64        361 x 64
    digits 2v7         356 x 64        356 x 64
    digits 8v9         354 x 64        354 x 64
    letter AvB        1555 x 16       1555 x 16
    satellite         2236 x 36       2236 x 36
    ionosphere         351 x 34        354 x 64, surely a slip: UCI has 351 x 34
    ringnorm          1000 x 20       1000 x 20
    text-1            1986 x 16175    1980 x 8014
    text-2            1993 x 16175    1989 x 8014
    rec               3979 x 16175    3970 x 8014
    webkb cornell      867 x 7289      827 x 4134
    webkb texas        827 x 6082      814 x 4029
    webkb washington  1205 x 8348     1166 x 4165
    webkb wisconsin   1261 x 8801     1210 x 4189
    digits            1797 x 64       1797 x 64
    mnist            70000 x 784     70000 x 784

The articles here are from 20news-bydate, in the papers from 20news-18828. The papers prepare them
as Zhou et al. (NIPS 2003) do, whose vocabulary is smaller: without subject lines, numbers and words
of fewer than six articles, 3973 x 8207 remain here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from html.parser import HTMLParser
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.texts import newsgroups, webkb
from structsvm.datasets import digits, load_file, ringnorm

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
#: The sets of two clusters.
PAIRS = (
    *("digits 3v8", "digits 1v7", "digits 2v7", "digits 8v9"),
    *("ionosphere", "ringnorm", "letter AvB", "satellite", "text-1", "text-2"),
)
#: The sets of more clusters.
SEVERAL = (
    *("digits 0689", "digits 1279", "digits", "letter ABCD", "rec"),
    *(f"webkb {name}" for name in UNIVERSITIES),
)
REC = ("rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey")
DIGIT_PAIRS = tuple(combinations(range(10), 2))


class Set(NamedTuple):
    """A data set: name, dense or CSR rows, their classes, and the number of clusters."""

    name: str
    X: Any
    y: Any
    n_clusters: int


def named(name: str) -> Set:
    """One of :data:`BUILDERS`."""
    X, y = BUILDERS[name]()
    return Set(name, X, y, len(np.unique(y)))


def loaders(names: Iterable[str]) -> dict[str, Callable[[], Set]]:
    return {name: partial(named, name) for name in names}


def some_digits(*chosen: int) -> tuple[Any, Any]:
    return _of_classes(*digits(), chosen)


def some_letters(*chosen: int) -> tuple[Any, Any]:
    data = load_file("letter")
    X, y = _of_classes(data["X"], data["y"], chosen)
    return X / 15, y


def satellite() -> tuple[Any, Any]:
    data = load_file("satimage")
    X, y = _of_classes(data["X"], data["y"], (1, 2))
    return X / 255, y


def ionosphere() -> tuple[Any, Any]:
    data = load_file("ionosphere")
    return data["X"].astype(float), data["y"]


def some_mnist(*chosen: int) -> tuple[Any, Any]:
    data = _mnist()
    X, y = _of_classes(data["X"], data["y"], chosen)
    return X / np.float32(255), y


def some_rec(*chosen: int) -> tuple[Any, Any]:
    return _of_classes(*_rec(), chosen)


def pages(university: str) -> tuple[Any, Any]:
    htmls, y, _ = webkb(university)
    return tfidf([page_text(html) for html in htmls], y)


def tfidf(texts: list[str], y: Any) -> tuple[Any, Any]:
    """Unit rows in CSR form; print the number of texts dropped for lack of known words."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=3, max_df=0.5, stop_words="english")
    X = vectorizer.fit_transform(texts)
    filled = X.getnnz(axis=1) > 0
    if not filled.all():
        print(f"dropped {np.sum(~filled)} of {len(texts)} texts: no word of the vocabulary")
    return X[filled], y[filled]


def article_text(article: str) -> str:
    """The subject and the body; other lines of the header can name the group."""
    header, _, body = article.partition("\n\n")
    subject = re.search(r"^Subject:(.*)$", header, re.MULTILINE)
    return f"{subject[1] if subject else ''}\n{body}"


def page_text(page: str) -> str:
    """The text between the tags, without the HTTP header that most pages have."""
    collector = _TextCollector()
    collector.feed(re.sub(r"\A[^<]*?\n\r?\n", "", page))
    collector.close()
    return " ".join(collector.texts)


class _TextCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@cache
def _mnist() -> dict[str, Any]:
    return load_file("mnist")


@cache
def _rec() -> tuple[Any, Any]:
    """All four groups; the pairs use their common vocabulary, too, as in the papers."""
    texts, y = newsgroups(REC)
    return tfidf([article_text(text) for text in texts], y)


def _of_classes(X: Any, y: Any, chosen: Iterable[int]) -> tuple[Any, Any]:
    rows = np.isin(y, tuple(chosen))
    return X[rows], y[rows]


BUILDERS: dict[str, Callable[[], tuple[Any, Any]]] = {
    **{f"digits {a}v{b}": partial(some_digits, a, b) for a, b in DIGIT_PAIRS},
    **{f"mnist {a}v{b}": partial(some_mnist, a, b) for a, b in DIGIT_PAIRS},
    "ionosphere": ionosphere,
    "ringnorm": ringnorm,
    "letter AvB": partial(some_letters, 0, 1),
    "satellite": satellite,
    "text-1": partial(some_rec, 0, 1),
    "text-2": partial(some_rec, 2, 3),
    "digits 0689": partial(some_digits, 0, 6, 8, 9),
    "digits 1279": partial(some_digits, 1, 2, 7, 9),
    "digits": partial(some_digits, *range(10)),
    "letter ABCD": partial(some_letters, *range(4)),
    "rec": partial(some_rec, *range(4)),
    **{f"webkb {name}": partial(pages, name) for name in UNIVERSITIES},
    "mnist": partial(some_mnist, *range(10)),
}
