"""Draw the pictures of the pages that need results of benchmarks or data of others.

    python docs/pictures.py                   # all
    python docs/pictures.py similarity links  # some

'similarity' and 'links' need webkb_linqs.npz in the folder named by the environment variable
STRUCTSVM_DATA; all others show results of the benchmarks.
Pictures of structured outputs are drawn by structures.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import networkx
import numpy as np
from matplotlib import colormaps
from sklearn.metrics.cluster import contingency_matrix

from structsvm.displays import SimilarityDisplay
from structsvm.displays.drawing import BLUE, ORANGE, new_figure
from structsvm.problems import SupervisedKMeans

STATIC = Path(__file__).parent / "_static"
ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ORACLE = RESULTS / "speed" / "oracle.json"
CPM3C = RESULTS / "reproduction" / "cpm3c.json"
BAYESIAN = RESULTS / "reproduction" / "bayesian_mmc.json"
TRAINING = RESULTS / "reproduction" / "supervised_kmeans.json"
COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])


def oracle_time() -> Any:
    """CPU time of both oracles against n."""
    figure = new_figure(5, 3.5)
    ax = figure.subplots()
    exact, scans = tables_of_oracle()
    for colour, loss in zip(COLOURS, ("nmi", "rand", "f"), strict=False):
        ax.loglog(*exact[loss], color=colour, label=loss)
        ax.loglog(*scans[loss], "--", color=colour)
    ax.plot([], [], color="0.3", label="ours, O(n log n)")
    ax.plot([], [], "--", color="0.3", label="scan of all tables, O(n²)")
    ax.set(xlabel="rows", ylabel="CPU seconds")
    ax.legend(frameon=False)
    return figure


def tables_of_oracle() -> tuple[dict[str, Any], dict[str, Any]]:
    """Sizes and times of the exact oracle and of the scan, by loss."""
    tables = json.loads(ORACLE.read_text())
    compared, alone = (
        next(rows for title, rows in tables.items() if title.startswith(f"Two clusters: {start}"))
        for start in ("the exact", "CPU")
    )
    scans: dict[str, Any] = {}
    for row in compared:
        sizes, times = scans.setdefault(row["loss"], ([], []))
        sizes.append(row["n"])
        times.append(row["scan CPU s"])
    exact = {}
    for row in alone:
        columns = [name for name in row if name.startswith("n = ")]
        exact[row["loss"]] = [float(name[4:]) for name in columns], [row[c] for c in columns]
    return exact, scans


def similarity() -> Any:
    """Similarities of the pages of a held-out university, with equal and with learned weights."""
    collection, model = learned_from_three_universities()
    X, y = collection.X, collection.y
    panels = {
        "equal weights": X[0].similarity(np.ones(X[0].n_features)),
        "learned": model.similarity(X[0]),
    }
    figure = new_figure(9, 4)
    for ax, (title, K) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        SimilarityDisplay(K, y[0]).plot(scale="rank", ax=ax)
        ax.set_title(title, fontsize=9)
    return figure


def link_graph() -> Any:
    """The pages of one university, clustered by a model trained on three others."""
    collection, model = learned_from_three_universities()
    labels = model.predict(collection.X[:1])[0]
    classes = np.unique(collection.y[0], return_inverse=True)[1]
    right = contingency_matrix(classes, labels).argmax(axis=0)[labels] == classes
    graph = collection.graphs[0].to_undirected()
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    shown = sorted(max(networkx.connected_components(graph), key=len))
    graph = graph.subgraph(shown)
    places = networkx.kamada_kawai_layout(graph)
    points = np.array([places[node] for node in shown])
    figure = new_figure(6.5, 5.5)
    ax = figure.subplots()
    for a, b in graph.edges:
        ax.plot(*np.array([places[a], places[b]]).T, color="0.85", linewidth=0.5, zorder=0)
    colours = np.vstack([COLOURS, [0.6, 0.6, 0.1]])[labels[shown]]
    for which, marker in ((right[shown], "o"), (~right[shown], "x")):
        ax.scatter(*points[which].T, c=colours[which], s=22, marker=marker, linewidths=1)
    ax.axis("off")
    return figure


@cache
def learned_from_three_universities() -> Any:
    """WebKB of Sen et al. with links, and a model trained on all but the first university."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.item_sets import linqs_sets

    collection = linqs_sets(links=True)
    return collection, SupervisedKMeans(C=1e4).fit(collection.X[1:], collection.y[1:])


def training_time() -> Any:
    """Figures 1 to 4 of the paper: CPU time of one fit."""
    rows = json.loads(TRAINING.read_text())["time"]
    figure = new_figure(9, 2.6)
    names = dict.fromkeys(row["figure"] for row in rows)
    labels = ("sets", "clusters", "features of a region", "points in a cluster")
    for ax, name, label in zip(figure.subplots(1, 4, sharey=False), names, labels, strict=True):
        for colour, method in zip(COLOURS, ("iterative", "spectral"), strict=False):
            found = [r for r in rows if (r["figure"], r["method"]) == (name, method)]
            ax.plot(
                [r["value"] for r in found],
                [r["CPU s"] for r in found],
                "o-",
                color=colour,
                markersize=3,
                label=method,
            )
        ax.set(xlabel=label, ylim=(0, None))
    figure.axes[0].set_ylabel("CPU seconds")
    figure.axes[0].legend(frameon=False)
    return figure


def calibration() -> Any:
    """The fraction of correct rows against their confidence, by data set."""
    rows = json.loads(BAYESIAN.read_text())["calibration"]
    figure = new_figure(5, 3.6)
    ax = figure.subplots()
    ax.plot([0.5, 1], [0.5, 1], color="0.7")
    for number, name in enumerate(dict.fromkeys(row["data"] for row in rows)):
        found = [row for row in rows if row["data"] == name]
        x, y = ([row[key] for row in found] for key in ("confidence", "right"))
        colour = colormaps["tab10"](number)
        ax.plot(x, y, "o-", color=colour, markersize=3, linewidth=1, label=name)
    ax.set(xlabel="confidence", ylabel="fraction correct")
    ax.legend(frameon=False, fontsize=7)
    return figure


def time_against_n() -> Any:
    """CPU time of CPM3C against the number of rows."""
    rows = json.loads(CPM3C.read_text())["growth with n"]
    figure = new_figure(5, 3.6)
    ax = figure.subplots()
    for k, colour in ((2, "C0"), (4, "C1")):
        found = [row for row in rows if row["clusters"] == k]
        n = np.array([row["n"] for row in found])
        for column, line, name in (
            ("CPU s", "o-", "a fit"),
            ("one start, CPU s", "s--", "a start"),
        ):
            seconds = [row[column] for row in found]
            ax.loglog(n, seconds, line, color=colour, label=f"{k} clusters, {name}")
    ax.loglog(n, 2e-5 * n, "k:", label="proportional to n")
    ax.set(xlabel="rows n", ylabel="CPU seconds")
    ax.legend(fontsize="small")
    return figure


def time_against_tol() -> Any:
    """CPU time and accuracy of CPM3C against the relative gap at which a fit stops."""
    rows = json.loads(CPM3C.read_text())["tolerance"]
    figure = new_figure(8, 3.4)
    time, accuracy = figure.subplots(1, 2)
    for name in dict.fromkeys(row["data"] for row in rows):
        found = [row for row in rows if row["data"] == name]
        tol = [row["tol"] for row in found]
        time.loglog(tol, [row["CPU s"] for row in found], marker=".", label=name)
        accuracy.semilogx(tol, [row["accuracy"] for row in found], marker=".")
    time.set(xlabel="tol", ylabel="CPU seconds of a fit, 10 starts")
    accuracy.set(xlabel="tol", ylabel="accuracy, percent")
    time.legend(fontsize="x-small", loc="lower left")
    return figure


def adaptation() -> Any:
    """Accuracy of tags over the number of labelled sentences of another kind of text."""
    rows = json.loads((RESULTS / "sequences" / "adaptation.json").read_text())["accuracy"]
    figure = new_figure(5, 3.5)
    ax = figure.subplots()
    sizes = [row["labelled"] for row in rows]
    names = {"prior, C": "few, source as prior", "both": "few and source", "alone": "few alone"}
    for colour, (name, label) in zip(COLOURS, names.items(), strict=False):
        ax.semilogx(sizes, [row[name] for row in rows], color=colour, label=label)
    ax.axhline(rows[0]["source"], ls="--", color="0.4", label="source alone")
    ax.set(xlabel="labelled sentences", ylabel="right tags, %")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.legend(frameon=False)
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    "oracle-time": oracle_time,
    "calibration": calibration,
    "similarity": similarity,
    "links": link_graph,
    "training-time": training_time,
    "time-against-n": time_against_n,
    "time-against-tol": time_against_tol,
    "adaptation": adaptation,
}


def main() -> None:
    import structures  # beside this file

    pictures = PICTURES | structures.PICTURES
    for name in sys.argv[1:] or pictures:
        pictures[name]().savefig(STATIC / f"{name}.png", dpi=110)


if __name__ == "__main__":
    main()
