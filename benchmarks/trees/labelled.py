"""Labelled parsing of the English treebank, together and with labels after the tree.

Data and features as in benchmarks/trees/parsing.py, with the relations as labels. Without labels in
the parser a user would parse, then classify the arcs found: here LinearSVC at its defaults learns
that from the same features of the arcs of the true trees. A word is right if its head and label
are, punctuation included. CPU seconds of one thread, with the features; memory is the peak of the
process beyond the sentences, in GB. Every row has its own process.

    python -m benchmarks trees/labelled    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from benchmarks.treebank import Sentence, first_sentences, tagged
from structsvm.problems import DependencyParser
from structsvm.problems.trees.data import Trees

Parts = dict[str, list[Sentence]]
Measured = Callable[[Parts], Row]


def parts() -> Parts:
    return {part: first_sentences(part, None) for part in ("train", "dev", "test")}


def measured(train: Callable[[Parts], Measured], given: Parts) -> Row:
    """Return the scores of a parser, with the time and memory of its training."""
    gc.collect()
    forget_peak()
    before, start = resident(), time.process_time()
    found = train(given)
    costs = {"CPU s": time.process_time() - start, "GB": (peak_since() - before) / 1024}
    return found(given) | costs


def _parser(given: Parts) -> Measured:
    parser = DependencyParser()
    parser.fit(tagged(given["train"]), _pairs(given["train"]))

    def found(parts: Parts) -> Row:
        result = parser.result_
        row: Row = {"weights": len(parser.w_), "passes": result.iterations}
        row["gap"] = 100 * result.gap / result.primal
        for part in ("dev", "test"):
            trees = parser.predict(tagged(parts[part]))
            heads, labels = ([[arc[k] for arc in tree] for tree in trees] for k in (0, 1))
            row |= _attachment(heads, labels, parts[part], part)
        return row

    return found


def _labels_after_heads(given: Parts) -> Measured:
    heads = [np.array(s.heads) for s in given["train"]]
    parser = DependencyParser().fit(tagged(given["train"]), heads)
    rows = _rows_of_arcs(parser, given["train"], heads)
    classifier = LinearSVC().fit(rows, np.concatenate([s.relations for s in given["train"]]))

    def found(parts: Parts) -> Row:
        row: Row = {"weights": len(parser.w_) + classifier.coef_.size}
        row["passes"] = parser.result_.iterations
        for part in ("dev", "test"):
            trees = parser.predict(tagged(parts[part]))
            labels = classifier.predict(_rows_of_arcs(parser, parts[part], trees))
            ends = np.cumsum([len(tree) for tree in trees])[:-1]
            row |= _attachment(trees, np.split(labels, ends), parts[part], part)
        return row

    return found


def _pairs(sentences: list[Sentence]) -> list[list[tuple[int, str]]]:
    return [list(zip(s.heads, s.relations, strict=True)) for s in sentences]


def _rows_of_arcs(parser: DependencyParser, sentences: list[Sentence], trees: Any) -> Any:
    """The features of the arcs of trees, a row for each word."""
    arcs = parser._encoding.describe(tagged(sentences))
    heads = np.concatenate([np.asarray(heads) for heads in trees])
    return arcs.rows[Trees(heads, arcs.layout).places(arcs.layout)]


def _attachment(heads: Any, labels: Any, sentences: list[Sentence], part: str) -> Row:
    """The percentages of right heads, and of right heads with right labels."""
    right = np.concatenate([np.equal(h, s.heads) for h, s in zip(heads, sentences, strict=True)])
    both = np.concatenate(
        [np.array(own) == s.relations for own, s in zip(labels, sentences, strict=True)]
    )
    found = {"heads": right, "labels": right & both}
    return {f"{part}, {name}": 100 * float(np.mean(each)) for name, each in found.items()}


EXPERIMENTS = (
    Experiment(
        "labelled attachment",
        ("parser",),
        {(): parts},
        {
            "DependencyParser()": partial(measured, _parser),
            "DependencyParser() of heads, then LinearSVC() of labels": partial(
                measured, _labels_after_heads
            ),
        },
        apart=True,
    ),
)
