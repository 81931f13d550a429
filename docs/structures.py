"""Pictures of structured outputs and of what is learned about them, drawn by pictures.py.

'tag-probabilities', 'house', 'ranked' and 'label-pairs' show results of the benchmarks;
'handwritten-words' needs ocr_letters.npz, 'parsed' the treebank, 'horses' horses.npz and
'newsgroups' 20news_bydate.jsonl.gz in the folder named by STRUCTSVM_DATA.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from matplotlib import colormaps
from matplotlib.patches import Rectangle
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

from structsvm import CCCP, LatentSVM
from structsvm.datasets import shortest_path_costs
from structsvm.displays.drawing import BLUE, ORANGE, RED, new_figure
from structsvm.problems import (
    ChainSVM,
    DependencyParser,
    GraphSVM,
    IntegerProgramSVM,
    TaxonomySVM,
)
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TAGS = RESULTS / "sequences" / "tags.json"
HOUSE = RESULTS / "matching" / "house.json"
MQ2008 = RESULTS / "ranking" / "mq2008.json"
LABEL_SETS = RESULTS / "label_sets" / "yeast_scene.json"
#: Words of the picture of handwriting, and their length.
WORDS_SHOWN, WORD_LENGTH = 6, 8
#: Words in a range of probabilities that is shown, at least.
LEAST_SHOWN = 20
#: Words at a node of the taxonomy.
WORDS_OF_NODE = 4
#: Sentences of the test part of the treebank.
PARSED = (936, 1128)
#: Test images of horses.
HORSES = (2, 13, 31, 47, 58, 90)


def handwritten_words() -> Any:
    """Words of a fold not trained on, with the letters found one by one and in a chain."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.sequences.letters import words

    X, Y, fold = words()
    train = np.flatnonzero(fold == 1)
    rows, letters = ([data[i] for i in train] for data in (X, Y))
    chain = ChainSVM().fit(rows, letters)
    alone = LinearSVC().fit(np.concatenate(rows), np.concatenate(letters))
    different = {"".join(Y[i]): i for i in np.flatnonzero(fold == 0) if len(X[i]) == WORD_LENGTH}
    shown = list(different.values())[:WORDS_SHOWN]
    figure = new_figure(9, 3.2)
    for ax, i in zip(figure.subplots(2, WORDS_SHOWN // 2).ravel(), shown, strict=True):
        ax.imshow(np.hstack(X[i].reshape(-1, 16, 8)), cmap=colormaps["Greys"], aspect="equal")
        for line, found in enumerate((alone.predict(X[i]), chain.predict([X[i]])[0])):
            for place, (letter, true) in enumerate(zip(found, Y[i], strict=True)):
                colour = BLUE if letter == true else RED
                ax.text(8 * place + 3.5, 22 + 7 * line, letter, color=colour, ha="center")
        ax.set(xticks=[], yticks=[], xlim=(-9, 73), ylim=(32, -1), frame_on=False)
    figure.axes[0].text(-4, 22, "alone", ha="right", fontsize=7)
    figure.axes[0].text(-4, 29, "chain", ha="right", fontsize=7)
    return figure


def horses() -> Any:
    """The masks of test images, and the pixels found one by one and in a grid."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.graphs.horses import CS, graphs, labels, pixels, trained
    from benchmarks.graphs.horses import horses as data

    train, test = data(32)
    shown = type(test)(*(field[list(HORSES)] for field in test))
    alone = trained(train, CS[1]).predict(pixels(shown))
    grid = GraphSVM(attractive=True).fit(graphs(train), labels(train)).predict(graphs(shown))
    shape = shown.masks.shape
    lines = {
        "mask": shown.masks,
        "pixels": alone.reshape(shape),
        "grid": np.reshape(grid, shape),
    }
    figure = new_figure(1.2 * len(HORSES), 1.2 * len(lines))
    for axes, (name, pictures) in zip(
        figure.subplots(len(lines), shape[0]), lines.items(), strict=True
    ):
        axes[0].set_ylabel(name)
        for ax, picture in zip(axes, pictures, strict=True):
            ax.imshow(picture, cmap=colormaps["Greys"])
            ax.set(xticks=[], yticks=[])
    return figure


def tag_probabilities() -> Any:
    """The fraction of right tags against their probability, at two temperatures."""
    rows = json.loads(TAGS.read_text())["right labels"]
    figure = new_figure(4.5, 3.4)
    ax = figure.subplots()
    ax.plot([0, 100], [0, 100], color="0.7")
    temperatures = sorted({row["temperature"] for row in rows})
    for colour, temperature in zip((BLUE, ORANGE), temperatures, strict=True):
        found = [r for r in rows if r["temperature"] == temperature and r["words"] >= LEAST_SHOWN]
        x, y = ([row[key] for row in found] for key in ("probability", "right"))
        label = f"temperature {temperature:.2g}"
        ax.plot(x, y, "o-", color=colour, markersize=4, linewidth=1, label=label)
    ax.set(xlabel="probability of the tag, percent", ylabel="right, percent")
    ax.legend(frameon=False, fontsize=8)
    return figure


def house() -> Any:
    """Errors of matching landmarks of a turning house against the distance of the frames."""
    (rows,) = (rows for title, rows in json.loads(HOUSE.read_text()).items() if "wrong" in title)
    figure = new_figure(5.5, 3.6)
    ax = figure.subplots()
    curves = {
        "equal, contexts": ("--", BLUE, "equal weights"),
        "learned, contexts": ("-", BLUE, "learned weights"),
        "equal, contexts and graph": ("--", ORANGE, "equal weights, with the graph"),
        "learned, contexts and graph": ("-", ORANGE, "learned weights, with the graph"),
        "quadratic, equal": (":", "0.4", "quadratic assignment"),
    }
    for column, (style, colour, label) in curves.items():
        ax.plot([r["k"] for r in rows], [r[column] for r in rows], style, color=colour, label=label)
    ax.set(xlabel="frames apart", ylabel="fraction of landmarks wrong", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    return figure


def ranked() -> Any:
    """The mean average precision of rankings in each fold, and the mean over folds."""
    rows = json.loads(MQ2008.read_text())["MQ2008"]
    figure = new_figure(6.5, 3.6)
    ax = figure.subplots()
    key = "MAP, chosen"
    for place, row in enumerate(reversed(rows)):
        colour = BLUE if row["method"].startswith("RankingSVM") else ORANGE
        folds = row[f"{key}, folds"]
        ax.plot(folds, [place] * len(folds), "o", color=colour, markersize=4, alpha=0.5)
        ax.plot(row[key], place, "|", color=colour, markersize=16, markeredgewidth=2)
    ax.set(xlabel="MAP of each fold, and the mean")
    ax.set_yticks(range(len(rows)), [row["method"] for row in reversed(rows)])
    return figure


def label_pairs() -> Any:
    """The weights of the pairs of labels of scenes."""
    rows = json.loads(LABEL_SETS.read_text())["pairs of scene"]
    names = list(dict.fromkeys(row[end] for end in ("first", "second") for row in rows))
    weights = np.full((len(names), len(names)), np.nan)
    for row in rows:
        a, b = names.index(row["first"]), names.index(row["second"])
        weights[a, b] = weights[b, a] = row["weight"]
    figure = new_figure(5.6, 4)
    ax = figure.subplots()
    most = np.nanmax(np.abs(weights))
    image = ax.imshow(weights, cmap=colormaps["RdBu"], vmin=-most, vmax=most)
    for (a, b), weight in np.ndenumerate(weights):
        if a != b:
            colour = "white" if abs(weight) > 0.7 * most else "black"
            ax.text(b, a, f"{weight:.1f}", ha="center", va="center", fontsize=8, color=colour)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right")
    ax.set_yticks(range(len(names)), names)
    figure.colorbar(image, label="weight of the pair")
    return figure


def tracks() -> Any:
    """Cells of a synthetic movie, linked by weights learned from half of another's annotation."""
    sys.path.insert(0, str(Path(__file__).parent / "examples"))
    import tracking

    movie, seen = tracking.movie(1), tracking.movie(0)
    annotation = tracking.annotated(seen, 0.5, 0)
    svm = IntegerProgramSVM(C=1000.0).fit([tracking.program(seen)], [annotation])
    found = tracking.links(movie, svm.predict([tracking.program(movie)])[0])
    true = tracking.links(movie, tracking.truth(movie))
    figure = new_figure(7, 4)
    ax = figure.subplots()
    lines = (
        ("found", found & true, "-", BLUE),
        ("missed", true - found, "--", "0.4"),
        ("wrong", found - true, "-", RED),
    )
    for label, links, style, colour in lines:
        for number, ends in enumerate(map(list, links)):
            ax.plot(
                movie.frame[ends],
                movie.points[ends, 0],
                style,
                color=colour,
                label=None if number else label,
            )
    clutter = movie.parent == -2
    ax.scatter(movie.frame[~clutter], movie.points[~clutter, 0], s=12, color=BLUE, zorder=3)
    ax.scatter(
        movie.frame[clutter],
        movie.points[clutter, 0],
        s=14,
        color="0.6",
        marker="x",
        label="clutter",
    )
    ax.set(xlabel="frame", ylabel="first coordinate")
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def hidden_digits() -> Any:
    """Noisy images with the places and digits that were found, and what each digit looks like."""
    sys.path.insert(0, str(Path(__file__).parent / "examples"))
    import hidden_place

    images, digits, _ = hidden_place.hidden_digits(side=14)
    X = hidden_place.windows(images)
    solver = CCCP(search=False, rtol=1e-2, max_iter=500)
    svm = LatentSVM(hidden_place.MostInk(10), n_init=1, solver=solver).fit(X[:500], digits[:500])
    figure = new_figure(9, 3.2)
    axes = figure.subplots(2, 10)
    shown = slice(1000, 1010)
    found = svm.predict(X[shown])
    for ax, image, (digit, place), true in zip(
        axes[0], images[shown], found, digits[shown], strict=True
    ):
        ax.imshow(image, cmap=colormaps["Greys"])
        row, column = divmod(int(place), 7)
        colour = BLUE if digit == true else RED
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 8, 8, fill=False, edgecolor=colour))
        ax.set_title(digit, fontsize=9, color=colour)
    weights = svm.w_.reshape(10, -1)[:, :-1].reshape(10, 8, 8)
    for ax, w in zip(axes[1], weights, strict=True):
        ax.imshow(w, cmap=colormaps["RdBu"], vmin=-abs(weights).max(), vmax=abs(weights).max())
    for ax in axes.ravel():
        ax.set(xticks=[], yticks=[])
    return figure


def parsed() -> Any:
    """Sentences of the test part of a treebank, with the right and the wrong arcs of a parser."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.treebank import first_sentences, tagged

    train, test = (first_sentences(part, n) for part, n in (("train", 3000), ("test", None)))
    parser = DependencyParser().fit(tagged(train), [sentence.heads for sentence in train])
    chosen = [test[i] for i in PARSED]
    figure = new_figure(9, 2.2 * len(chosen))
    found = parser.predict(tagged(chosen))
    for ax, sentence, heads in zip(figure.subplots(len(chosen)), chosen, found, strict=True):
        draw_tree(ax, sentence, heads.tolist())
    return figure


def draw_tree(ax: Any, sentence: Any, heads: list[int]) -> None:
    """A sentence with its arcs above it: right ones blue, wrong ones red, missed ones dashed."""
    words = ["root", *sentence.words]
    ends = np.cumsum([len(word) + 2.5 for word in words])
    centers = ends - [len(word) / 2 + 1.25 for word in words]
    for word, center, tag in zip(words, centers, ["", *sentence.tags], strict=True):
        ax.text(center, -0.35, word, ha="center", va="top", fontsize=9)
        ax.text(center, -1.2, tag, ha="center", va="top", fontsize=6, color="0.5")
    for j, (head, true) in enumerate(zip(heads, sentence.heads, strict=True), start=1):
        if head != true:
            draw_arc(ax, centers, true, j, color="0.5", linestyle="dashed")
        draw_arc(ax, centers, head, j, color=BLUE if head == true else RED)
    ax.set(xlim=(0, ends[-1]), ylim=(-1.7, 7.5))
    ax.axis("off")


def draw_arc(ax: Any, centers: Any, head: int, dependent: int, **style: Any) -> None:
    low, high = sorted((head, dependent))
    middle = (centers[low] + centers[high]) / 2
    angles = np.linspace(0, np.pi, 60)
    # Longer arcs are higher, but not in proportion.
    height = 1.4 * (high - low) ** 0.7
    x = middle + (centers[high] - centers[low]) / 2 * np.cos(angles)
    ax.plot(x, height * np.sin(angles) ** 0.6, linewidth=1, **style)
    ax.plot(centers[dependent], 0.05, marker="v", markersize=4, color=style["color"])


def newsgroups() -> Any:
    """The tree of the newsgroups, with the words of largest weight at each node."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.newsgroups import group_tree, texts, vectorizer

    train, groups = texts()["train"]
    words, tree = vectorizer(5), group_tree(sorted(set(groups)))
    svm = TaxonomySVM(tree).fit(words.fit_transform(train), groups)
    names = words.get_feature_names_out()
    heights, places = iter(range(len(svm.classes_))), {}
    for node in nx.dfs_postorder_nodes(tree, "news"):
        below = [places[child][1] for child in tree.successors(node)]
        depth = nx.shortest_path_length(tree, "news", node)
        places[node] = (depth, np.mean(below) if below else -next(heights))
    figure = new_figure(9, 7)
    ax = figure.subplots()
    for above, node in tree.edges:
        (x0, y0), (x1, y1) = places[above], places[node]
        ax.plot(
            [x0 + 0.85, x0 + 0.92, x0 + 0.92, x1],
            [y0, y0, y1, y1],
            color="0.8",
            linewidth=1,
            zorder=0,
        )
    for node, (x, y) in places.items():
        ax.text(x + 0.02, y, node, va="bottom", fontsize=7)
        if node in svm.node_coef_:
            largest = np.argsort(-svm.node_coef_[node])[:WORDS_OF_NODE]
            ax.text(x + 0.02, y, ", ".join(names[largest]), va="top", fontsize=6, color=BLUE)
    ax.set(xlim=(-0.05, 3.7))
    ax.axis("off")
    return figure


def decisions() -> Any:
    """True and predicted costs of a grid's edges, and the cheapest path for each."""
    X, costs = shortest_path_costs(1200, degree=6, noise=0.5)
    paths, train = GridPaths(5, 5), slice(0, 200)
    squares = LinearRegression().fit(X[train], costs[train])
    focused = DecisionFocusedRegressor(paths).fit(X[train], costs[train])
    best = paths.batch(costs)
    found = [paths.batch(model.predict(X)) for model in (squares, focused)]
    extra = [(costs * (z - best)).sum(axis=1) / (costs * best).sum(axis=1) for z in found]
    # The first where the two differ as much as on average over all.
    ahead = extra[0] - extra[1]
    i = 200 + int(np.argmax(ahead[200:] >= 3 * ahead[200:].mean()))
    panels = [
        ("true costs: the cheapest path", costs[i], best[i]),
        (f"least squares: {extra[0][i]:+.0%}", squares.predict(X[i : i + 1])[0], found[0][i]),
        (f"SPO+: {extra[1][i]:+.0%}", focused.predict(X[i : i + 1])[0], found[1][i]),
    ]
    figure = new_figure(9, 3.2)
    for ax, (title, shown, path) in zip(figure.subplots(1, 3), panels, strict=True):
        _draw_grid(ax, shown, path)
        ax.set_title(title, fontsize=9)
    return figure


def _draw_grid(ax: Any, costs: Any, path: Any) -> None:
    """A 5 x 5 grid, its edges the darker the more they cost, and a path."""
    ends = [((r, c), (r + d, c + 1 - d)) for r in range(5) for d in (0, 1) for c in range(5)]
    ends = [(a, b) for a, b in ends if b[0] < 5 and b[1] < 5]
    shades = colormaps["Greys"](0.12 + 0.8 * (costs - costs.min()) / np.ptp(costs))
    for (a, b), shade, taken in zip(ends, shades, path, strict=True):
        line = [a[1], b[1]], [-a[0], -b[0]]
        if taken:
            ax.plot(*line, color=BLUE, linewidth=9, alpha=0.5, solid_capstyle="round", zorder=0)
        ax.plot(*line, color=shade, linewidth=3)
    ax.set_aspect("equal")
    ax.axis("off")


PICTURES: dict[str, Callable[[], Any]] = {
    "handwritten-words": handwritten_words,
    "tag-probabilities": tag_probabilities,
    "parsed": parsed,
    "horses": horses,
    "house": house,
    "ranked": ranked,
    "label-pairs": label_pairs,
    "tracks": tracks,
    "decisions": decisions,
    "newsgroups": newsgroups,
    "hidden-digits": hidden_digits,
}
