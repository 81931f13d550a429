"""C of DependencyParser for each loss: attachment on several treebanks, as multiples of n / s.

Treebanks as in benchmarks/trees/projective.py, and the first 1,500 sentences of the
English one, of which 800 of the dev part are parsed. Trees are not projective, so that all learn
from the same sentences. n is their number and s the mean of ||x||^2 over the arcs of their trees.

    python -m benchmarks trees/losses    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, tagged
from benchmarks.trees.projective import Treebank, treebanks
from structsvm.problems import DependencyParser

LOSSES, FACTORS = ("hinge", "softmax_margin", "log_loss"), (1, 3, 10, 30)


def english() -> Treebank:
    return Treebank(first_sentences("train", 1500), first_sentences("dev", 800))


def scores(data: Treebank, loss: Any) -> Row:
    X, Y = tagged(data.train), data.heads(data.train)
    C = DependencyParser(max_iter=1, projective=False).fit(X, Y).C_
    row: Row = {"sentences": len(X)}
    for factor in FACTORS:
        parser = DependencyParser(C=factor * C, loss=loss, projective=False).fit(X, Y)
        row[f"{factor} C"] = 100 * parser.score(tagged(data.test), data.heads(data.test))
    return row


EXPERIMENTS = (
    Experiment(
        "attachment in percent",
        ("treebank", "loss"),
        lambda: {**treebanks(), "en_ewt": english},
        {loss: partial(scores, loss=loss) for loss in LOSSES},
        lambda fit, data: fit.found,
    ),
)
