"""C of DependencyParser for each loss: attachment on several treebanks, as multiples of n / s.

Treebanks as in benchmarks/trees/projective.py, and the first 1,500 sentences of the
English one, of which 800 of the dev part are parsed. Trees are not projective, so that all learn
from the same sentences. n is their number and s the mean of ||x||^2 over the arcs of their trees.

    python -m benchmarks trees/losses FOLDER    # and the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from benchmarks.treebank import Sentence, first_sentences, tagged
from benchmarks.trees.projective import treebanks
from structsvm.problems import DependencyParser

RESULTS = "trees/losses"
LOSSES, FACTORS = ("hinge", "softmax_margin", "log_loss"), (1, 3, 10, 30)


def rows_of(name: str, train: list[Sentence], test: list[Sentence]) -> list[Row]:
    X, Y = tagged(train), [np.array(sentence.heads) for sentence in train]
    others, true = tagged(test), [np.array(sentence.heads) for sentence in test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of the limit
        C = DependencyParser(max_iter=1, projective=False).fit(X, Y).C_
    rows = []
    for loss in LOSSES:
        row: Row = {"treebank": name, "sentences": len(train), "loss": loss}
        for factor in FACTORS:
            parser = DependencyParser(C=factor * C, loss=loss, projective=False).fit(X, Y)
            row[f"{factor} C"] = 100 * parser.score(others, true)
        rows.append(row)
        print(row, flush=True)
    return rows


def main() -> None:
    sets = [*treebanks(Path(sys.argv[1]))]
    sets.append(("en_ewt", first_sentences("train", 1500), first_sentences("dev", 800)))
    report(RESULTS, {"attachment in percent": [row for some in sets for row in rows_of(*some)]})


if __name__ == "__main__":
    with one_thread():
        main()
