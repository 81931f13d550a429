"""Dependency parsing of English text, beside an averaged perceptron; and the oracle's time.

The data are the Universal Dependencies English Web Treebank with its own tags. Attachment is the
percentage of words with the right head, punctuation included. The perceptron (Collins, EMNLP 2002)
has the same features and decoder; it certifies nothing. The rule for C was chosen by the dev part.
CPU seconds are those of one thread; those of a fit include the features. The arborescence is
compared with networkx on random scores.

    python -m benchmarks trees/parsing    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import networkx
import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, tagged
from structsvm.problems import DependencyParser, DependencyTree
from structsvm.problems.trees.arborescence import best_tree
from structsvm.problems.trees.data import crossings
from structsvm.problems.trees.features import Described

RESULTS = "trees/parsing"
#: C of fits of the first sentences, as multiples of the default, and the numbers of sentences.
FACTORS, SENTENCES = (0.25, 1.0, 4.0), (300, 1500, 12_544)
#: Epochs of the perceptron.
EPOCHS = 5
#: Words of the sentences that the arborescence is timed on, and their numbers.
SIZES = {10: 200, 30: 100, 60: 30}


def main() -> None:
    parts = {part: first_sentences(part, None) for part in ("train", "dev", "test")}
    X = {part: tagged(found) for part, found in parts.items()}
    Y = {part: [np.array(s.heads) for s in found] for part, found in parts.items()}
    rows: list[Row] = [_right_neighbour(Y), _perceptron(X, Y)]
    rows += [_parser(X, Y), _parser(X, Y, projective=False), _parser(X, Y, projective=True)]
    by_C = [_compared(X, Y, n) for n in SENTENCES]
    report(
        RESULTS,
        {
            "attachment in percent, and CPU seconds": rows,
            "attachment on the dev part by C": by_C,
            "milliseconds for the tree of highest score": [_oracle(m) for m in SIZES],
        },
    )


def _right_neighbour(Y: dict[str, list[Any]]) -> Row:
    """Every word is headed by the next one, the last by the root."""
    row: Row = {"parser": "right neighbour"}
    for part in ("dev", "test"):
        found = [np.append(np.arange(2, len(heads) + 1), 0) for heads in Y[part]]
        row[part] = _attachment(found, Y[part])
    return row


def _compared(X: dict[str, Any], Y: dict[str, Any], n: int) -> Row:
    """Attachment on the dev part for several C, after training on n sentences."""
    train, dev = (X["train"][:n], Y["train"][:n]), (X["dev"], Y["dev"])
    default = DependencyParser(max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the limit
        C = default.fit(*train).C_
    row: Row = {"sentences": n, "default C": C}
    for factor in FACTORS:
        parser = DependencyParser(C=factor * C).fit(*train)
        row[f"{factor:g} C"] = 100 * parser.score(*dev)
    return row


def _parser(X: dict[str, Any], Y: dict[str, Any], **options: Any) -> Row:
    """Our parser; with projective=True it is trained on the sentences whose trees are."""
    parser = DependencyParser(**options)
    pairs = zip(X["train"], Y["train"], strict=True)
    only = parser.projective is True
    kept = [(x, y) for x, y in pairs if not (only and crossings(y).any())]
    started = time.process_time()
    parser.fit([x for x, _ in kept], [y for _, y in kept])
    seconds, result = time.process_time() - started, parser.result_
    row: Row = {"parser": repr(parser), "CPU s": seconds}
    row |= {"passes": result.iterations, "gap": result.gap / result.primal}
    return row | {part: 100 * parser.score(X[part], Y[part]) for part in ("dev", "test")}


def _perceptron(X: dict[str, Any], Y: dict[str, Any]) -> Row:
    """An averaged perceptron, which updates the weights after each sentence."""
    started = time.process_time()
    describe = Described(X["train"], np.concatenate(Y["train"]))
    arcs, problem = describe(X["train"]), DependencyTree()
    described = time.process_time() - started
    problem.initialize(arcs, Y["train"])
    rng, steps = np.random.default_rng(0), 0
    w, weighted = np.zeros((2, arcs.rows.shape[1]))
    for _ in range(EPOCHS):
        for i in rng.permutation(len(arcs)).tolist():
            rows, heads = arcs[i], Y["train"][i]
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
    row: Row = {"parser": f"averaged perceptron, {EPOCHS} epochs"}
    row |= {"CPU s": time.process_time() - started, "features": described}
    for part in ("dev", "test"):
        found = problem.task(describe(X[part])).decode(averaged)
        row[part] = _attachment(found, Y[part])
    return row


def _attachment(found: Any, heads: Any) -> float:
    right = sum(int(np.sum(a == b)) for a, b in zip(found, heads, strict=True))
    return 100 * right / sum(map(len, heads))


def _oracle(m: int) -> Row:
    """The time for one sentence of m words, ours and networkx'."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(SIZES[m], m, m + 1))
    graphs = [_graph(own) for own in scores[: max(3, SIZES[m] // 10)]]
    ours, one, theirs = (
        1000 * cpu_seconds(run)[0] / n
        for run, n in (
            (lambda: [best_tree(own, False) for own in scores], len(scores)),
            (lambda: [best_tree(own, True) for own in scores], len(scores)),
            (lambda: [networkx.maximum_spanning_arborescence(g) for g in graphs], len(graphs)),
        )
    )
    row: Row = {"words": m, "structsvm": ours, "structsvm, single root": one}
    return row | {"networkx": theirs, "ratio": theirs / ours}


def _graph(scores: Any) -> Any:
    graph = networkx.DiGraph()
    for word, heads in enumerate(scores, start=1):
        graph.add_weighted_edges_from(
            (head, word, score) for head, score in enumerate(heads.tolist()) if head != word
        )
    return graph


if __name__ == "__main__":
    with one_thread():
        main()
