"""Horses cut out of their background: grids beside single pixels, and three kinds of inference.

    python -m benchmarks graphs/horses

200 images of the Weizmann horses, drawn at random, train and 128 test. All methods have the same
139 features of a pixel: its colour and the colours around it, its place, and how likely its colour
is where horses mostly are and where they are not. Edges join eight neighbours, with a constant and
the likeness of the colours for each of four directions. The LinearSVC has standardised features and
a C chosen on 50 of the training images; GraphSVM has its defaults. 'stacked' grids have the score
of the LinearSVC as their only feature. The kinds of inference are compared on stacked grids of 30
images, with 'attractive' weights of edges and with 'any'. Times are CPU seconds of one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.graphs._horses import Horses, accuracy, horses, intersection_over_union
from benchmarks.report import cpu_seconds, one_thread
from benchmarks.store import Row, save
from benchmarks.tables.pages import show
from structsvm.problems import GraphSVM, grid_graph

CS = (1e-3, 1e-2, 1e-1)
#: Training images on which C of the LinearSVC is chosen.
CHOOSING = slice(150, 200)
#: Images that the kinds of inference are compared on.
FEW = 30
#: A LinearSVC sees every fourth pixel where there are more than this.
PIXELS = 300_000
RESULTS = "graphs/horses"


def pixels(part: Horses) -> Any:
    return part.features.reshape(-1, part.features.shape[-1])


def linear_svc(part: Horses) -> Pipeline:
    """A LinearSVC of single pixels, with C chosen on some of the images."""
    fit, choose = (Horses(*(field[rows] for field in part)) for rows in (slice(150), CHOOSING))
    tried = [trained(fit, C) for C in CS]
    best = np.argmax([svm.score(pixels(choose), choose.masks.ravel()) for svm in tried])
    return trained(part, CS[best])


def trained(part: Horses, C: float) -> Pipeline:
    X, y = pixels(part), part.masks.ravel()
    step = 4 if len(X) > PIXELS else 1
    svc = LinearSVC(C=C, dual=False, tol=1e-3)
    return make_pipeline(StandardScaler(), svc).fit(X[::step], y[::step])


def graphs(part: Horses, scores: Any = None) -> list[Any]:
    """Grids with eight neighbours, of all features or of scores alone."""
    features = part.features if scores is None else scores.reshape(*part.masks.shape, 1)
    found = zip(features, part.images, strict=True)
    return [grid_graph(own, 8, image) for own, image in found]


def labels(part: Horses) -> list[Any]:
    return [mask.ravel() for mask in part.masks]


def measured(part: Horses, found: Any) -> Row:
    masks = np.asarray(found).reshape(part.masks.shape).astype(bool)
    overlap = intersection_over_union(masks, part.masks)
    return {"pixel accuracy": accuracy(masks, part.masks), "mean IoU": overlap}


def segmented(size: int) -> Iterator[Row]:
    """The accuracy of all methods on images of size x size pixels."""
    train, test = horses(size)
    mean = np.broadcast_to(train.masks.mean(axis=0) > 0.5, test.masks.shape)
    yield {"method": "mean mask", **measured(test, mean), "seconds": 0.0}
    seconds, svc = cpu_seconds(lambda: linear_svc(train), 1)
    found = measured(test, svc.predict(pixels(test)))
    yield {"method": "LinearSVC of pixels", **found, "seconds": seconds}
    scores = [svc.decision_function(pixels(part)) for part in (train, test)]
    stacked = [graphs(part, own) for part, own in zip((train, test), scores, strict=True)]
    whole = [graphs(part) for part in (train, test)]
    for name, (X, T) in (("stacked grid", stacked), ("grid, all weights", whole)):
        seconds, svm = cpu_seconds(lambda X=X: GraphSVM(attractive=True).fit(X, labels(train)), 1)
        result = svm.result_
        yield {
            "method": name, **measured(test, svm.predict(T)), "seconds": seconds,
            "weights": len(svm.w_), "passes": svm.n_iter_, "status": result.status.name,
            "relative gap": result.gap / result.primal,
        }  # fmt: skip


def inferences() -> Iterator[Row]:
    """Training with exact, relaxed and move-making inference, on stacked grids (32 x 32)."""
    train, test = horses(32)
    svc = trained(train, CS[1])
    train = Horses(*(field[:FEW] for field in train))
    X, T = (graphs(part, svc.decision_function(pixels(part))) for part in (train, test))
    for attractive, inference in (
        (True, "flow"),
        (False, "relaxation"),
        (False, "expansion"),
        (True, "relaxation"),
        (True, "expansion"),
    ):
        svm = GraphSVM(attractive=attractive, inference=inference)
        seconds, _ = cpu_seconds(lambda svm=svm: svm.fit(X, labels(train)), 1)
        result = svm.result_
        relaxed = svm.predict_relaxed(T)
        yield {
            "weights": "attractive" if attractive else "any",
            "inference": inference, "seconds": seconds, "passes": svm.n_iter_,
            "dual": result.dual, "primal": result.primal,
            "lower bound": result.guarantee.lower_bound,
            "upper bound": result.guarantee.upper_bound,
            "persistent": float(np.mean([y.persistent.mean() for y in relaxed])),
            **measured(test, svm.predict(T)),
        }  # fmt: skip


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "32 x 32": lambda: segmented(32),
    "inference": inferences,
    "64 x 64": lambda: segmented(64),
}


def main(chosen: list[str]) -> None:
    try:
        horses(32)
    except FileNotFoundError as error:
        print(f"skipped: {error}")
        return
    for name in chosen or TABLES:
        rows: list[Row] = []
        with one_thread():
            for row in TABLES[name]():
                print(name, row, flush=True)
                rows.append(row)
                save(RESULTS, name, rows)
    show(RESULTS)


if __name__ == "__main__":
    main(sys.argv[1:])
