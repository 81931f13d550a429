"""Small pictures, one for each structure: a panel of the picture of its page, or a new example."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.gridspec import GridSpec
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from docs.pictures import (
    decisions,
    graphs,
    latent,
    margin_clustering,
    multiclass,
    multivariate_svm,
    programs,
    ranking,
    set_clustering,
    trees,
)
from docs.pictures.readings import INK
from structsvm.command_line import demo
from structsvm.datasets import digits
from structsvm.displays.drawing import new_figure
from structsvm.problems import (
    AssignmentSVM,
    DependencyParser,
    MultiLabelSVM,
    SegmentSVM,
    TaxonomySVM,
)

#: Inches of width and height.
SIZE = 1.5
#: Segments of a display: which are on in each digit, and where they are.
DISPLAYS = ["1110111", "0010010", "1011101", "1011011", "0111010"]
DISPLAYS += ["1101011", "1101111", "1010010", "1111111", "1111011"]
ENDS = ["02 12", "01 02", "11 12", "01 11", "00 01", "10 11", "00 10"]
#: Sentences of words with their tags, and their heads.
TREEBANK = [
    ("the/D cat/N sleeps/V", [2, 3, 0]),
    ("a/D dog/N sees/V the/D cat/N", [2, 3, 0, 5, 3]),
    ("she/P sees/V a/D small/A bird/N", [2, 0, 5, 5, 2]),
    ("the/D old/A dog/N barks/V", [3, 3, 4, 0]),
]
SENTENCE = "a/D small/A cat/N sees/V birds/N"


def _small() -> tuple[Any, Any]:
    figure = new_figure(SIZE, SIZE)
    ax = figure.subplots()
    ax.axis("off")
    return figure, ax


def _panels(figure: Any, *places: int) -> Any:
    """Some panels of a picture, side by side and without words around them."""
    kept = [figure.axes[place] for place in places]
    for ax in figure.axes:
        if ax not in kept:
            ax.remove()
    grid = GridSpec(1, len(kept), figure)
    for ax, cell in zip(kept, grid, strict=True):
        ax.set_subplotspec(cell)
        ax.set(title="", xlabel="", ylabel="", xticks=[], yticks=[])
        if ax.get_legend():
            ax.get_legend().remove()
    figure.set_size_inches(SIZE, SIZE)
    return figure


def structure_classes() -> Any:
    return _panels(multiclass.together(), 1)


def structure_measures() -> Any:
    return _panels(multivariate_svm.for_f1(), 1)


def structure_ranking() -> Any:
    figure = _panels(ranking.offers(), 1)
    figure.axes[0].set(xlim=(0.3, 6.7), ylim=(-5.6, 0.6))
    return figure


def structure_graphs() -> Any:
    return _panels(graphs.pixels(), 0, 2)


def structure_programs() -> Any:
    figure = _panels(programs.tracks(), 1)
    figure.axes[0].set(xlim=(-0.3, 4.3))
    return figure


def structure_decisions() -> Any:
    return _panels(decisions.decisions(), 2)


def structure_latent() -> Any:
    return _panels(latent.hidden_digits(), 2)


def structure_clusters() -> Any:
    return _panels(margin_clustering.proved_and_probable(), 1)


def structure_records() -> Any:
    figure = _panels(set_clustering.records(), 1)
    for text in figure.axes[0].texts:
        text.set_visible(False)
    return figure


def structure_sequences() -> Any:
    """Digits of a line, and what a chain reads."""
    reading, *_ = demo.read()
    figure, ax = _small()
    for place, image, digit in zip(range(3), reading.images[1], reading.chain[1], strict=False):
        ax.imshow(image.reshape(8, 8), cmap=INK, vmin=0, extent=(place, place + 0.9, 0, 0.9))
        ax.text(place + 0.45, -0.6, digit, ha="center", va="center", color="C0", fontsize=16)
    for x in (0.75, 1.75):
        ax.plot([x, x + 0.4], [-0.6, -0.6], color="C0")
    ax.set(xlim=(0, 2.95), ylim=(-1.2, 1.2))
    return figure


def structure_segments() -> Any:
    """Sentences that have lost their spaces, divided into words."""
    rng = np.random.default_rng(0)
    short = sorted(word for word in ENGLISH_STOP_WORDS if 2 <= len(word) <= 4)

    def sentence(_: Any) -> tuple[str, list[tuple[int, int, str]]]:
        words = rng.choice(short, 3)
        ends = np.cumsum([0, *map(len, words)]).tolist()
        return "".join(words), list(zip(ends[:-1], ends[1:], ["word"] * 3, strict=True))

    def looked_up(text: str, start: int, stop: int) -> dict[str, Any]:
        return {"known": text[start:stop] in short, "letters": stop - start}

    X, y = zip(*map(sentence, range(60)), strict=True)
    svm = SegmentSVM(looked_up, max_length=4).fit(X[:50], y[:50])
    figure, ax = _small()
    for row, (text, segments) in enumerate(zip(X[50:53], svm.predict(X[50:53]), strict=True)):
        for start, stop, _ in segments:
            ax.barh(row, stop - start - 0.2, left=start, height=0.7, color="C0", alpha=0.25)
            middle = (start + stop - 0.2) / 2
            ax.text(middle, row, text[start:stop], ha="center", va="center", fontsize=9)
    ax.set(ylim=(2.8, -0.8))
    return figure


def structure_trees() -> Any:
    """A sentence with the arcs that a parser finds."""
    X = [_tagged(sentence) for sentence, _ in TREEBANK]
    parser = DependencyParser().fit(X, [heads for _, heads in TREEBANK])
    heads = parser.predict([_tagged(SENTENCE)])[0].tolist()
    words = [word for word, _ in _tagged(SENTENCE)]
    figure, ax = _small()
    trees._draw_tree(ax, SimpleNamespace(words=words, heads=heads), heads)
    ax.set(ylim=(-2, 6))
    return figure


def _tagged(sentence: str) -> list[tuple[str, ...]]:
    return [tuple(word.split("/")) for word in sentence.split()]


def structure_taxonomy() -> Any:
    """A tree of classes, and the way to the class that is predicted."""
    tree = nx.balanced_tree(3, 2, create_using=nx.DiGraph)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4, 13), 20)
    X = rng.normal(size=(13, 5))[y] + 0.3 * rng.normal(size=(len(y), 5))
    (found,) = TaxonomySVM(tree).fit(X, y).predict(X[90:91])
    way = {0, int(found), *tree.predecessors(int(found))}
    places = {node: (node - 8, 0) for node in range(4, 13)}
    places |= {node: (3 * node - 6, 1) for node in (1, 2, 3)} | {0: (0, 2)}
    figure, ax = _small()
    for edge in tree.edges:
        on = set(edge) <= way
        x, height = np.array([places[node] for node in edge]).T
        ax.plot(x, height, color="C0" if on else "C5", lw=3 if on else 1, zorder=0)
    for node, (x, height) in places.items():
        ax.scatter(x, height, s=50, color="C0" if node in way else "C5")
    ax.set(xlim=(-4.6, 4.6), ylim=(-0.3, 2.3))
    return figure


def structure_label_sets() -> Any:
    """A digit of which half the pixels are lost, and the segments of a display that show it."""
    X, y = digits()
    X = X * (np.random.default_rng(0).random(X.shape) < 0.5)
    shapes = np.array([list(map(int, shown)) for shown in DISPLAYS])
    (found,) = MultiLabelSVM().fit(X[:1000], shapes[y[:1000]]).predict(X[1021:1022])
    figure, ax = _small()
    ax.imshow(X[1021].reshape(8, 8), cmap=INK, extent=(-1.9, -0.3, 0.2, 1.8))
    for (start, stop), on in zip(map(str.split, ENDS), found, strict=True):
        ends = np.array([list(map(int, end)) for end in (start, stop)]).T
        ax.plot(0.4 + ends[0], ends[1], color="C0", lw=5, alpha=1 if on else 0.12)
    ax.set(xlim=(-2, 1.6), ylim=(-0.8, 2.8), aspect="equal")
    return figure


def structure_matching() -> Any:
    """Points of a picture, and those that they became in the next."""
    rng = np.random.default_rng(3)
    before, y = rng.random((20, 6, 3)), np.array([rng.permutation(6) for _ in range(20)])
    after = np.empty_like(before)
    for row, partners in enumerate(y):
        after[row, partners] = before[row] + rng.normal(size=(6, 3)) * [0.08, 0.08, 0.4]
    X = -np.square(before[:, :, None] - after[:, None])
    partners = AssignmentSVM().fit(X[:10], y[:10]).predict(X[10:11])[0]
    figure, ax = _small()
    for number, (start, partner) in enumerate(zip(before[10], partners, strict=True)):
        height = 1 - start[1], 1 - after[10][partner][1]
        x = start[0], 1.6 + after[10][partner][0]
        ax.plot(x, height, color="C0" if partner == y[10][number] else "tab:red", lw=1.5)
        ax.plot(x[0], height[0], "o", color="C1")
        ax.plot(x[1], height[1], "^", color="C2")
    return figure
