"""What the scripts that repeat the papers' tables share: seeds, a grid, baselines, tables."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _baselines import (
    best_scored,
    kmeans,
    kmeans_single,
    measures,
    normalized_cut,
    widest_gap,
)
from _report import RESULTS, cpu_seconds
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from structsvm.features import feature_map

TABLES = Path(__file__).parents[1] / "docs" / "_tables"
MEASURES = ("accuracy", "RI", "NMI", "F")
#: Fits with further seeds stop when these have taken so many CPU seconds.
MOST_SEEDS, BUDGET = 10, 150.0
#: Of k-means from single starts.
SINGLE_STARTS = 50
#: The grid of the papers' protocol.
GRID_C = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 200.0)
#: The settings of the two feature maps that are not the default.
DIFFUSION = {"kernel": "diffusion"}
WHITEN = {"kernel": "whiten"}

Row = dict[str, Any]


def over_seeds(
    name: str,
    method: str,
    y: Any,
    run: Callable[[int], Any],
    most: int = MOST_SEEDS,
    budget: float = BUDGET,
) -> Row:
    """Means over seeds of the measures and of what a fit takes; run(seed) is labels or a fit."""
    found: list[dict[str, float]] = []
    seconds: list[float] = []
    fits: list[Any] = []
    while len(fits) < most and sum(seconds) < budget:
        taken, fit = cpu_seconds(partial(run, len(fits)), repeats=1)
        seconds.append(taken)
        fits.append(fit)
        found.append(measures(getattr(fit, "labels_", fit), y))
    row = {"data": name, "method": method, "seeds": len(fits)} | means(found)
    row |= {"CPU s": float(np.mean(seconds))} | details(fits)
    print(name, method, len(fits), f"{row['accuracy']:.2f} {row['CPU s']:.1f} s", flush=True)
    return row


def means(found: list[dict[str, float]]) -> Row:
    """The mean of every measure, accuracy in percent, and the worst accuracy."""
    accuracies = [100 * float(one["accuracy"]) for one in found]
    others = {name: float(np.mean([one[name] for one in found])) for name in MEASURES[1:]}
    return {"accuracy": float(np.mean(accuracies)), "worst": min(accuracies)} | others


def details(fits: list[Any]) -> Row:
    """Of the clusterers, C, the mean objective and passes; '-' for mere labels."""
    if not hasattr(fits[0], "objective_"):
        return {"C": "-", "objective": "-", "passes": "-"}
    return {
        "C": float(fits[0].C_),
        "objective": float(np.mean([fit.objective_ for fit in fits])),
        "passes": float(np.mean([fit.n_iter_ for fit in fits])),
    }


def scored(name: str, method: str, y: Any, labels: Any, chosen: str) -> Row:
    """A row for labels that were chosen, and by what."""
    row = {"data": name, "method": method, "seeds": 1} | means([measures(labels, y)])
    return row | {"CPU s": "-", "C": chosen, "objective": "-", "passes": "-"}


def baseline_rows(data: Any, single: int = SINGLE_STARTS) -> list[Row]:
    """k-means on the rows, and the normalised cut chosen in two ways where it can be had."""
    name, X, y, k = data
    rows = [
        over_seeds(name, "k-means", y, partial(kmeans, X, k)),
        over_seeds(name, "k-means, single starts", y, partial(kmeans_single, X, k), single),
    ]
    cuts = normalized_cut(X, k, 0)
    if cuts is not None:
        free, best = widest_gap(cuts), best_scored(cuts, y)
        rows.append(scored(name, "cut", y, free.labels, f"width {free.width:g}"))
        rows.append(scored(name, "cut, scored", y, best.labels, f"width {best.width:g}"))
    return rows


def kmeans_on(data: Any, method: str, **features: Any) -> Row:
    """k-means on the features that a kernel gives."""
    Z = mapped(data.X, **features)
    return over_seeds(data.name, method, data.y, partial(kmeans, Z, data.n_clusters))


def mapped(X: Any, kernel: str) -> Any:
    return feature_map(kernel, X, random_state=0).fit_transform(X)


def grid(X: Any, k: int) -> tuple[float, ...]:
    """C to choose from by the labels; every second for many clusters, and texts in several."""
    return GRID_C[1::2] if k > 4 or (k > 2 and issparse(X)) else GRID_C


def without_warnings() -> None:
    """Those of convergence and of clusters at their least size are many in a grid."""
    warnings.simplefilter("ignore", ConvergenceWarning)


# ---------------------------------------------------------------------- results and tables


def stored(name: str) -> dict[str, Any]:
    """The tables of an earlier run, none if there was none."""
    path = RESULTS / f"{name}.json"
    content = json.loads(path.read_text()) if path.exists() else {}
    content.pop("environment", None)
    return content


def save(name: str, title: str, rows: list[Row]) -> None:
    """Put one table into the results, so that an interrupted run keeps what it has."""
    path = RESULTS / f"{name}.json"
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(content | {title: rows}, indent=1) + "\n")


def method_row(rows: Iterable[Row], name: str, method: str) -> Row | None:
    return next((row for row in rows if (row["data"], row["method"]) == (name, method)), None)


def cell(rows: Iterable[Row], name: str, method: str, measure: str, worst: bool = False) -> str:
    """A measure as text, the worst seed's in brackets if asked for and another."""
    row = method_row(rows, name, method)
    if row is None:
        return "-"
    text = in_digits(row[measure], measure)
    low = in_digits(row["worst"], "accuracy")
    return f"{text} ({low})" if worst and measure == "accuracy" and low != text else text


def in_digits(value: Any, measure: str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}" if measure == "accuracy" else f"{value:.3f}"


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a MyST table, whose first column is on the left."""
    columns = list(rows[0])
    lines = [columns, [":---"] + ["---:"] * (len(columns) - 1)]
    lines += [[str(row[column]) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_fragments(fragments: dict[str, str]) -> None:
    """Tables for the pages to include."""
    TABLES.mkdir(exist_ok=True)
    for name, text in fragments.items():
        (TABLES / f"{name}.txt").write_text(text)
