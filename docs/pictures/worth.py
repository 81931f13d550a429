"""What a prediction is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.treebank import as_dicts, first_sentences
from structsvm.conformal import Conformal
from structsvm.displays.drawing import BLUE, ORANGE, new_figure
from structsvm.problems import ChainSVM, bio_segments, bio_transitions

#: A sentence of the test data, chosen for its two names.
WORDS = ["Enron", "'s", "working", "gas", "will", "be", "reduced", "by", "420,588", "MMBTU", "."]
#: The confidence of a name that is drawn as a sure one.
SURE = 0.9


def sure_and_doubtful() -> Any:
    """A sentence with a sure and a doubtful name, and the labels in the set of each word."""
    train, own = map(_data, ("train", "dev"))
    conformal = Conformal(ChainSVM(allowed_transitions=bio_transitions).fit(*train)).fit(*own)
    x = as_dicts(WORDS)
    [segments] = conformal.predict_confidence([x], segments=bio_segments)
    [found] = conformal.predict_set([x])
    figure = new_figure(5.0, 1.3)
    ax = figure.subplots()
    widths = [len(word) + 1.5 for word in WORDS]
    ends = np.cumsum(widths)
    middles = ends - np.divide(widths, 2)
    for x, word, labels in zip(middles, WORDS, found.parts, strict=True):
        ax.text(x, 0, word, ha="center", size="small")
        for row, label in enumerate(labels):
            ax.text(x, -1.1 - 0.7 * row, label, ha="center", size="small")
    for start, stop, _, p in segments:
        colour = BLUE if p > SURE else ORANGE
        span = ends[start] - widths[start] + 0.5, ends[stop - 1] - 0.5
        ax.plot(span, [0.8, 0.8], color=colour, linewidth=4)
        ax.text(np.mean(span), 1.1, f"{p:.0%}", ha="center", color=colour)
    ax.set(xlim=(0, ends[-1]), ylim=(-2.2, 1.8))
    ax.axis("off")
    return figure


def _data(part: str) -> tuple[Any, Any]:
    """Sentences of the English Web Treebank, with runs of proper nouns as names."""
    given = first_sentences(part, None)
    return [as_dicts(s.words) for s in given], [_labels(s.tags) for s in given]


def _labels(tags: Any) -> list[str]:
    """B, I and O of the runs of proper nouns."""
    before = ["", *tags]
    return [
        "O" if tag != "PROPN" else "I" if last == tag else "B"
        for last, tag in zip(before, tags, strict=False)
    ]
