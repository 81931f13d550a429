"""Our clusters, how well clusters agree with classes, and the CPU time that they took."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from benchmarks.clustering._tasks import Task
from benchmarks.experiment import Fit
from benchmarks.store import Row
from structsvm.problems import CPM3C, MMC


def ours(task: Task, y: Any = None, seed: int = 0, **settings: Any) -> Any:
    """MMC for two clusters and CPM3C for more, fitted."""
    k = task.n_clusters
    clusterer = MMC(**settings) if k == 2 else CPM3C(k, **settings)
    return clusterer.set_params(random_state=seed).fit(task.X, y)


def accuracy(labels: Any, y: Any) -> float:
    """The percentage of rows in the class that their cluster is matched with, one to one."""
    shared = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(shared, maximize=True)
    return 100 * float(shared[rows, columns].sum()) / len(y)


def measured(fit: Fit, y: Any) -> Row:
    """Return accuracy, adjusted Rand index and NMI in percent, CPU seconds, and details of ours."""
    model, seconds = fit
    labels = model.labels_ if hasattr(model, "labels_") else model
    row = {
        "accuracy": accuracy(labels, y),
        "ARI": 100 * adjusted_rand_score(y, labels),
        "NMI": 100 * normalized_mutual_info_score(y, labels),
        "CPU s": seconds,
    }
    if hasattr(model, "objective_"):
        row |= {"objective": model.objective_, "kernel": model.kernel_, "C": model.C_}
        row["smallest"] = int(np.bincount(labels, minlength=len(np.unique(y))).min())
    return row
