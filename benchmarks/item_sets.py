"""The data of the tables of supervised k-means (Finley & Joachims), as item sets.

    collection       sets                  k    items a set          node / pair features
                     here (paper)               here (paper)         here (paper)
    synth            5 (5)                 5    100 (100)            0 / 750 (0 / 750)
    webkb-n          4 (4)                 6    827-1262 (1041)      54748 (41131) / 0
    webkb-l          4 (4)                 6    827-1262 (1041)      54748 (50397) / 109498 (100796)
    news             7 (7)                 10   150 (150)            0 / 30 (0 / 30)

WebKB: one set for each university, its classes the clusters. The single department page of each
university counts as 'other', which leaves the six classes of the paper. The features of a page are
its words, of the page as served: the HTTP header with it, markup without. A word counts once,
whatever its number, and rows are scaled to norm 1. `tfidf=True` is nearer to the paper's
'TFIDF-scaled unigram word count vectors': words by count and inverse document frequency, without
the header.

News: the paper's articles, of Google News on three days of 2004, are not available. Here each set
has 15 articles of each of 10 newsgroups, drawn at random from the twenty; no article is in two
sets. The features of a pair are cosines of tf-idf vectors, as in section 6.1.1: of single words,
pairs and triples of words, each raw and stemmed (Porter), in five parts of the texts: the subject,
the article without quotes, the quotes, subject and article, and all. These are 30.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import networkx
import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import normalize
from snowballstemmer import stemmer

from benchmarks.reproduction._sets import UNIVERSITIES
from benchmarks.texts import GROUPS, newsgroups, webkb, webkb_links
from structsvm.datasets import synth
from structsvm.problems import ItemSet


class Collection(NamedTuple):
    """Item sets with their partitions."""

    name: str
    sets: tuple[str, ...]
    X: list[ItemSet]
    y: list[Any]


def synth_sets(noise: float, draw: int, **sizes: int) -> Collection:
    """A draw of SYNTH at a noise."""
    triples, y = synth(noise, random_state=draw, **sizes)
    X = [
        ItemSet(pairs=triple, n_items=len(labels))
        for triple, labels in zip(triples, y, strict=True)
    ]
    names = tuple(f"set {i + 1}" for i in range(len(X)))
    return Collection(f"synth {noise:g}, draw {draw + 1}", names, X, y)


# ---------------------------------------------------------------------- WebKB


def webkb_sets(links: bool = False, tfidf: bool = False) -> Collection:
    """The universities at full size, with or without features of links."""
    sets = [_shuffled_pages(university) for university in UNIVERSITIES]
    vectors = _tfidf(sets) if tfidf else _binary(sets)
    X = []
    for (_, _, adjacency), nodes in zip(sets, vectors, strict=True):
        X.append(ItemSet.from_graph(_graph(adjacency), nodes) if links else ItemSet(nodes))
    name = f"webkb-{'l' if links else 'n'}{' tf-idf' if tfidf else ''}"
    return Collection(name, UNIVERSITIES, X, [y for _, y, _ in sets])


@cache
def _shuffled_pages(university: str) -> tuple[list[str], Any, Any]:
    """Pages, classes and links of a university, the pages in a random order.

    Eigenvectors of tied eigenvalues come in an order that may follow the order of the items.
    """
    pages, y, classes = webkb(university)
    links = webkb_links(university)
    y = np.where(y == classes.index("department"), classes.index("other"), y)
    order = np.random.default_rng(0).permutation(len(pages))
    place = np.argsort(order)
    adjacency = sparse.csr_matrix(
        (np.ones(len(links)), place[links].T), shape=(len(pages), len(pages))
    )
    return [pages[i] for i in order], y[order], adjacency


def _graph(adjacency: Any) -> Any:
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(adjacency.shape[0]))
    graph.add_edges_from(zip(*adjacency.nonzero(), strict=True))
    return graph


def _text(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def _body(page: str) -> str:
    return page.split("\n\n", 1)[-1]


def _binary(sets: Any) -> list[Any]:
    texts = [_text(page) for pages, _, _ in sets for page in pages]
    words = CountVectorizer(binary=True, token_pattern=r"[a-z0-9]+", dtype=np.float64)
    return _divided(normalize(words.fit_transform(texts)), sets)


def _tfidf(sets: Any) -> list[Any]:
    texts = [_text(_body(page)) for pages, _, _ in sets for page in pages]
    return _divided(TfidfVectorizer(token_pattern=r"[a-z0-9]+").fit_transform(texts), sets)


def _divided(rows: Any, sets: Any) -> list[Any]:
    ends = np.cumsum([len(pages) for pages, _, _ in sets])
    return [rows[end - len(pages) : end] for end, (pages, _, _) in zip(ends, sets, strict=True)]


# ---------------------------------------------------------------------- news


def news_sets(n_sets: int = 7, n_groups: int = 10, n_articles: int = 15) -> Collection:
    """Random newsgroups instead of the stories of a day."""
    texts, groups = newsgroups(GROUPS)
    rng = np.random.default_rng(0)
    unused = [rng.permutation(np.flatnonzero(groups == g)).tolist() for g in range(len(GROUPS))]
    chosen = []
    for _ in range(n_sets):
        some = rng.permutation(len(GROUPS))[:n_groups]
        chosen.append(rng.permutation([unused[g].pop() for g in some for _ in range(n_articles)]))
    every = np.concatenate(chosen)
    cosines = [_cosines(rows, chosen) for rows in _news_vectors([texts[i] for i in every])]
    X = [ItemSet(pairs=np.dstack(features)) for features in zip(*cosines, strict=True)]
    names = tuple(f"set {i + 1}" for i in range(n_sets))
    return Collection("news", names, X, [groups[rows] for rows in chosen])


def _news_vectors(texts: list[str]) -> Iterator[Any]:
    """Thirty matrices of tf-idf vectors of the same articles."""
    parts = [_parts(text) for text in texts]
    stem = cache(stemmer("porter").stemWord)
    for part, stemmed in product(range(5), (False, True)):
        tokens = [re.findall(r"[a-z0-9]+", article[part].lower()) for article in parts]
        if stemmed:
            tokens = [[stem(token) for token in article] for article in tokens]
        for length in (1, 2, 3):
            yield _ngrams(tokens, length)


def _ngrams(tokens: list[list[str]], length: int) -> Any:
    runs = [list(zip(*(t[i:] for i in range(length)), strict=False)) for t in tokens]
    if not any(runs):
        return sparse.csr_matrix((len(tokens), 1))
    return TfidfVectorizer(analyzer=lambda run: run, dtype=np.float64).fit_transform(runs)


def _cosines(rows: Any, chosen: list[Any]) -> list[Any]:
    ends = np.cumsum([len(part) for part in chosen])
    blocks = [rows[end - len(part) : end] for end, part in zip(ends, chosen, strict=True)]
    return [(block @ block.T).toarray() for block in blocks]


def _parts(text: str) -> tuple[str, str, str, str, str]:
    """Subject, article without quotes, quotes, the first two, and all."""
    header, _, body = text.partition("\n\n")
    found = re.search(r"^Subject:(.*)$", header, re.MULTILINE)
    subject = found.group(1) if found else ""
    lines = body.split("\n")
    quoted = [bool(re.match(r"\s*[>|:]", line)) for line in lines]
    own = "\n".join(line for line, is_quote in zip(lines, quoted, strict=True) if not is_quote)
    quotes = "\n".join(line for line, is_quote in zip(lines, quoted, strict=True) if is_quote)
    return subject, own, quotes, f"{subject}\n{own}", f"{subject}\n{body}"
