"""Horses cut out of their background, by grids and by single pixels.

    python -m benchmarks graphs/horses

200 images of the Weizmann horses, drawn at random, train and 128 test. All methods have the same
139 features of a pixel: its colour and the colours around it, its place, and how likely its colour
is where horses mostly are and where they are not. Edges join eight neighbours, with a constant and
the likeness of the colours for each of four directions. The LinearSVC has standardised features and
a C chosen on 50 of the training images; GraphSVM has its defaults. 'stacked' grids have the score
of the LinearSVC as their only feature. Times are CPU seconds of one thread.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.graphs._horses import Horses, accuracy, horses, intersection_over_union
from benchmarks.store import Row
from structsvm.problems import GraphSVM, grid_graph

CS = (1e-3, 1e-2, 1e-1)
#: Training images on which C of the LinearSVC is chosen.
CHOOSING = slice(150, 200)


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
    svc = LinearSVC(C=C, dual=False, tol=1e-3)
    return make_pipeline(StandardScaler(), svc).fit(X, y)


def graphs(part: Horses, scores: Any = None) -> list[Any]:
    """Return grids with eight neighbours, with all features or only with scores."""
    features = part.features if scores is None else scores.reshape(*part.masks.shape, 1)
    found = zip(features, part.images, strict=True)
    return [grid_graph(own, 8, image) for own, image in found]


def labels(part: Horses) -> list[Any]:
    return [mask.ravel() for mask in part.masks]


def measured(part: Horses, found: Any) -> Row:
    masks = np.asarray(found).reshape(part.masks.shape).astype(bool)
    overlap = intersection_over_union(masks, part.masks)
    return {"pixel accuracy": accuracy(masks, part.masks), "mean IoU": overlap}


class Parts(NamedTuple):
    """Images to learn from and to segment."""

    train: Horses
    test: Horses


def parts() -> Parts:
    return Parts(*horses())


#: Contenders return predictions on the test images, and what else is known of the fit.
Found = tuple[Any, Row]


def mean_mask(data: Parts) -> Found:
    masks = np.broadcast_to(data.train.masks.mean(axis=0) > 0.5, data.test.masks.shape)
    return masks, {"seconds": 0.0}


def svc_of_pixels(data: Parts) -> Found:
    seconds, svc = cpu_seconds(lambda: linear_svc(data.train), 1)
    return svc.predict(pixels(data.test)), {"seconds": seconds}


def grid(data: Parts, stacked: bool) -> Found:
    scores: tuple[Any, ...] = (None, None)
    if stacked:
        svc = linear_svc(data.train)
        scores = tuple(svc.decision_function(pixels(part)) for part in data)
    X, T = (graphs(part, own) for part, own in zip(data, scores, strict=True))
    seconds, svm = cpu_seconds(lambda: GraphSVM(attractive=True).fit(X, labels(data.train)), 1)
    result = svm.result_
    return svm.predict(T), {
        "seconds": seconds, "weights": len(svm.w_), "passes": svm.n_iter_,
        "status": result.status.name, "relative gap": result.gap / result.primal,
    }  # fmt: skip


def row(fit: Any, data: Parts) -> Row:
    found, more = fit.found
    return {**measured(data.test, found), **more}


EXPERIMENTS = (
    Experiment(
        "32 x 32",
        ("method",),
        {(): parts},
        {
            "mean mask": mean_mask,
            "LinearSVC of pixels": svc_of_pixels,
            "stacked grid": partial(grid, stacked=True),
            "grid, all weights": partial(grid, stacked=False),
        },
        row,
    ),
)
