"""Labelled parsing of the whole English treebank, beside labels that are found after the tree.

Data and features as in benchmarks/trees/parsing.py, with the relations as labels. Without labels in
the parser a user would parse, then classify the arcs found: here LinearSVC at its defaults learns
that from the same features of the arcs of the true trees. A word is right if its head and label
are, punctuation included. CPU seconds of one thread, with the features; memory is what the process
held at most beyond the sentences, in GB. Every row has a process of its own.

    python -m benchmarks trees/labelled    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.report import one_thread, report
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from benchmarks.treebank import Sentence, first_sentences, tagged
from structsvm.problems import DependencyParser
from structsvm.problems.trees.data import Trees

RESULTS = "trees/labelled"

Parts = dict[str, list[Sentence]]


def main() -> None:
    rows = []
    for parser in PARSERS:
        command = [sys.executable, "-m", "benchmarks.trees.labelled", parser]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(rows[-1], flush=True)
    report(RESULTS, {"labelled attachment": rows})


def measured(parser: str) -> Row:
    """What a parser finds, with the time and memory of training."""
    parts = {part: first_sentences(part, None) for part in ("train", "dev", "test")}
    gc.collect()
    forget_peak()
    before, start, row = resident(), time.process_time(), {"parser": parser}
    ended = PARSERS[parser](parts, row)
    return row | {"CPU s": ended - start, "GB": (peak_since() - before) / 1024}


def _parser(parts: Parts, row: Row) -> float:
    parser = DependencyParser()
    parser.fit(tagged(parts["train"]), _pairs(parts["train"]))
    ended, result = time.process_time(), parser.result_
    row |= {"weights": len(parser.w_), "passes": result.iterations}
    row["gap"] = 100 * result.gap / result.primal
    for part in ("dev", "test"):
        found = parser.predict(tagged(parts[part]))
        heads = [[head for head, _ in tree] for tree in found]
        labels = [[label for _, label in tree] for tree in found]
        row |= _attachment(heads, labels, parts[part], part)
    return ended


def _labels_after_heads(parts: Parts, row: Row) -> float:
    heads = [np.array(s.heads) for s in parts["train"]]
    parser = DependencyParser().fit(tagged(parts["train"]), heads)
    rows = _rows_of_arcs(parser, parts["train"], heads)
    classifier = LinearSVC().fit(rows, np.concatenate([s.relations for s in parts["train"]]))
    ended = time.process_time()
    row |= {"weights": len(parser.w_) + classifier.coef_.size, "passes": parser.result_.iterations}
    for part in ("dev", "test"):
        found = parser.predict(tagged(parts[part]))
        labels = classifier.predict(_rows_of_arcs(parser, parts[part], found))
        ends = np.cumsum([len(tree) for tree in found])[:-1]
        row |= _attachment(found, np.split(labels, ends), parts[part], part)
    return ended


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


PARSERS: dict[str, Any] = {
    "DependencyParser()": _parser,
    "DependencyParser() of heads, then LinearSVC() of labels": _labels_after_heads,
}


if __name__ == "__main__":
    with one_thread():
        if len(sys.argv) == 1:
            main()
        else:
            print(json.dumps(measured(sys.argv[1])))
