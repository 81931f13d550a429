"""More than two clusters, and the tasks of benchmarks/clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, SpectralClustering
from sklearn.metrics.cluster import contingency_matrix

from benchmarks.clustering._tasks import CHOOSING, CONFIRMING, Task
from benchmarks.clustering._tasks import tasks as labelled_tasks
from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import accuracy, kmeans
from benchmarks.reproduction._bayesian_calibration import calibration_error
from benchmarks.reproduction._sets import some_digits
from benchmarks.store import Row, save
from benchmarks.tables.bayesian import RESULTS
from structsvm.problems import CPM3C, BayesianMMC


def several() -> None:
    rows = []
    for digits in ((0, 6, 8, 9), (1, 2, 7, 9), (3, 5, 6, 8)):
        X, y = some_digits(*digits)
        k = len(digits)
        seconds, fit = cpu_seconds(lambda X=X, k=k: BayesianMMC(n_clusters=k).fit(X), repeats=1)
        cpm3c = CPM3C(k, kernel="diffusion", random_state=0).fit(X)
        row = {
            "data": "digits " + "".join(map(str, digits)),
            "n": len(y),
            "Bayesian": 100 * float(accuracy(fit.labels_, y)),
            "CPM3C": 100 * float(accuracy(cpm3c.labels_, y)),
            "k-means": 100 * float(accuracy(kmeans(X, k, 0), y)),
            "CPU s": seconds,
        }
        print(row, flush=True)
        rows.append(row)
    save(RESULTS, "several", rows)


def tasks() -> None:
    rows = []
    for half, names in (("choosing", CHOOSING), ("confirming", CONFIRMING)):
        for task in labelled_tasks(names):
            rows.append(task_row(half, task))
            print(rows[-1], flush=True)
    save(RESULTS, "tasks", rows)


def task_row(half: str, task: Task) -> Row:
    X, y, k = task.X, task.y, task.n_clusters
    seconds, fit = cpu_seconds(lambda: BayesianMMC(n_clusters=k, random_state=0).fit(X), repeats=1)
    others = {
        "k-means": kmeans(X, k, 0),
        "spectral": SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit_predict(
            X
        ),
        "Ward": AgglomerativeClustering(k).fit_predict(X.toarray() if sparse.issparse(X) else X),
    }
    right = matched(fit.labels_, y)
    p = fit.probabilities_.max(axis=1)
    row = {"half": half, "data": task.name, "form": task.form, "n": len(y), "k": k}
    row |= {"Bayesian": 100 * float(right.mean()), "CPU s": seconds}
    row |= {"confidence": 100 * float(p.mean()), "ECE": calibration_error(p, right)}
    calibrated = BayesianMMC(n_clusters=k, calibrate=True, random_state=0).fit(X)
    row |= {"calibrated": calibration_error(calibrated.probabilities_.max(axis=1), right)}
    return row | {name: 100 * float(matched(labels, y).mean()) for name, labels in others.items()}


def matched(labels: Any, y: Any) -> Any:
    """Whether each row is in the cluster of its class, each cluster having another class."""
    table = contingency_matrix(y, labels)
    class_of = np.full(table.shape[1], -1)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    class_of[clusters] = classes
    return class_of[np.unique(labels, return_inverse=True)[1]] == y
