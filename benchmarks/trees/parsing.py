"""Dependency parsing of English text, compared with an averaged perceptron.

The data are the Universal Dependencies English Web Treebank with its own tags. Attachment is the
percentage of words with the right head, punctuation included. The perceptron (Collins, EMNLP 2002)
has the same features and decoder; it certifies nothing. CPU seconds are for one thread; a fit
includes the features.

    python -m benchmarks trees/parsing    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, tagged
from structsvm.problems import DependencyParser, DependencyTree
from structsvm.problems.trees.arborescence import best_tree
from structsvm.problems.trees.data import crossings
from structsvm.problems.trees.features import Described

#: Epochs of the perceptron.
EPOCHS = 5


class Treebank(NamedTuple):
    """Tagged words and heads of sentences, by part."""

    X: dict[str, list[Any]]
    y: dict[str, list[Any]]

    def attachment(self, found: Any, part: str) -> float:
        """The percentage of right heads."""
        return 100 * float(np.mean(np.concatenate(found) == np.concatenate(self.y[part])))


def treebank() -> Treebank:
    parts = {part: first_sentences(part, None) for part in ("train", "dev", "test")}
    y = {part: [np.array(s.heads) for s in found] for part, found in parts.items()}
    return Treebank({part: tagged(found) for part, found in parts.items()}, y)


def right_neighbour(data: Treebank) -> Row:
    """Every word is headed by the next one, the last by the root."""
    found = {
        part: [np.append(np.arange(2, len(heads) + 1), 0) for heads in data.y[part]]
        for part in ("dev", "test")
    }
    return {part: data.attachment(heads, part) for part, heads in found.items()}


def parser(data: Treebank, **options: Any) -> Row:
    """Our parser; with projective=True it is trained on the sentences whose trees are."""
    model = DependencyParser(**options)
    pairs = zip(data.X["train"], data.y["train"], strict=True)
    kept = [(x, y) for x, y in pairs if model.projective is not True or not crossings(y).any()]
    seconds, _ = cpu_seconds(lambda: model.fit(*map(list, zip(*kept, strict=True))), 1)
    row: Row = {"CPU s": seconds, "passes": model.result_.iterations}
    row["gap"] = model.result_.gap / model.result_.primal
    return row | {part: 100 * model.score(data.X[part], data.y[part]) for part in ("dev", "test")}


def perceptron(data: Treebank) -> Row:
    """An averaged perceptron, which updates the weights after each sentence."""
    started = time.process_time()
    describe = Described(data.X["train"], np.concatenate(data.y["train"]))
    arcs, problem = describe(data.X["train"]), DependencyTree()
    described = time.process_time() - started
    problem.initialize(arcs, data.y["train"])
    rng, steps = np.random.default_rng(0), 0
    w, weighted = np.zeros((2, arcs.rows.shape[1]))
    for _ in range(EPOCHS):
        for i in rng.permutation(len(arcs)).tolist():
            rows, heads = arcs[i], data.y["train"][i]
            m = len(heads)
            scores = (rows @ w).reshape(m, m + 1)
            found = best_tree(scores, True)
            steps += 1
            for j in np.flatnonzero(found != heads).tolist():
                for head, sign in ((heads[j], 1), (found[j], -1)):
                    row = j * (m + 1) + head
                    columns = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
                    w[columns] += sign
                    weighted[columns] += sign * steps
    averaged = w - weighted / (steps + 1)
    row: Row = {"CPU s": time.process_time() - started, "features": described}
    for part in ("dev", "test"):
        found = problem.task(describe(data.X[part])).decode(averaged)
        row[part] = data.attachment(found, part)
    return row


EXPERIMENTS = (
    Experiment(
        "attachment in percent, and CPU seconds",
        ("parser",),
        {(): treebank},
        {
            "right neighbour": right_neighbour,
            f"averaged perceptron, {EPOCHS} epochs": perceptron,
            "DependencyParser()": parser,
            "DependencyParser(projective=False)": partial(parser, projective=False),
            "DependencyParser(projective=True)": partial(parser, projective=True),
        },
    ),
)
