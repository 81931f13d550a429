"""SupervisedKMeans() and CorrelationClustering() beside clusterers without and with training.

A model learns from six sets and clusters eight others. The score is the adjusted Rand index. Beside
ours: KMeans and AgglomerativeClustering of scikit-learn on the features, without training; and a
logistic regression that says of pairs whether they are together, whose probabilities are then
clustered, by the average linkage, or for an unknown number of clusters by correlation clustering.
All but CorrelationClustering and that last one are given the true number of clusters.

The features of a pair are a constant and the absolute differences of the features of its items, or
for counts of words a constant, the cosine and the products; SupervisedKMeans takes the items
themselves.

    python -m benchmarks.defaults.clusterers

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.preprocessing import StandardScaler

from benchmarks.defaults._clusterers import (
    Predict,
    contenders,
    correlation_clustering,
    supervised_k_means,
)
from benchmarks.defaults._items import SETS, SIZES, Family, choice, confirmation, forms
from benchmarks.defaults._scores import averaged, keep, line
from benchmarks.report import Row, one_thread, report, stored
from structsvm.problems import ItemSet

RESULTS = "defaults/clusterers"
#: Candidates for the default C of both.
GRID = (10.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0)
#: The columns of clusters found, less the true number.
EXCESS = "{}, clusters too many"


def prepared(sets: list[Any], form: str) -> list[Any]:
    """The items in a form; the scaler learns from the sets to learn from."""
    if form == "raw" or isinstance(sets[0], ItemSet):
        return sets
    words = sparse.issparse(sets[0])
    transformer = TfidfTransformer(sublinear_tf=True) if words else StandardScaler()
    stack = sparse.vstack if words else np.vstack
    transformer.fit(stack(sets[: SETS[0]]))
    return [transformer.transform(items) for items in sets]


def pair_f1(y: Any, found: Any) -> float:
    """F1 of the pairs that are together."""
    (_, fp), (fn, tp) = pair_confusion_matrix(y, found)
    return float(2 * tp / (2 * tp + fp + fn)) if tp else 0.0


def compared(families: Iterable[Family], models: Mapping[str, Predict]) -> list[Row]:
    """A row of mean scores for each family, number of items and form."""
    rows = []
    for family in families:
        for m in SIZES:
            sets, y = family.sets(m)
            for form in forms(sets[0]):
                first = {"data": family.name, "items": m, "form": form}
                rows.append(first | judged(prepared(sets, form), y, models))
                print(rows[-1], flush=True)
    return rows


def judged(sets: list[Any], y: list[Any], models: Mapping[str, Predict]) -> Row:
    """Mean scores on the sets to predict: adjusted Rand index, F1 of pairs, excess clusters."""
    n, truth = SETS[0], y[SETS[0] :]
    numbers = [len(np.unique(labels)) for labels in truth]
    scores, others = {}, {}
    for name, predict in models.items():
        found = predict(sets[:n], y[:n], sets[n:], numbers)
        pairs = list(zip(truth, found, strict=True))
        scores[name] = [adjusted_rand_score(*pair) for pair in pairs]
        others[f"{name}, pair F1"] = [100 * pair_f1(*pair) for pair in pairs]
        others[EXCESS.format(name)] = np.subtract([len(np.unique(f)) for f in found], numbers)
    rest = {name: round(float(np.mean(values)), 1) for name, values in others.items()}
    return line(scores, clusters=round(float(np.mean(numbers)), 1)) | rest


def tried(make: Callable[..., Predict]) -> list[Row]:
    """The mean score of every candidate on the sets of the choice, by form and number of items."""
    models = {f"{C:g}": make(C=C) for C in GRID}
    rows = compared(choice(), models)
    by_form, by_size = (averaged(rows, [key], list(models)) for key in ("form", "items"))
    return [
        {"C": name}
        | {row["form"]: row[name] for row in by_form}
        | {f"{row['items']} items": row[name] for row in by_size}
        for name in models
    ]


def main() -> None:
    warnings.simplefilter("ignore")  # of candidates that are too small
    makers = {
        "SupervisedKMeans": supervised_k_means,
        "CorrelationClustering": correlation_clustering,
    }
    for ours, make in makers.items():
        keep(RESULTS, f"{ours}, candidates", tried(make))
        for where, families in (("the choice", choice), ("the comparison", confirmation)):
            keep(RESULTS, f"{ours}, {where}", compared(families(), contenders(ours)))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
