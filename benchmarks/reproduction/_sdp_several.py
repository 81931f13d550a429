"""The semidefinite program with more than two clusters, and with an offset."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.clustering._measures import accuracy
from benchmarks.clustering._tasks import CHOOSING, CONFIRMING, Task, tasks
from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import error, kmeans
from benchmarks.reproduction._sdp_balance import LARGE, SETS, drawn
from benchmarks.reproduction._sets import some_digits
from benchmarks.store import Row
from structsvm.problems import CPM3C, SDPMMC

#: Most clusters of a task.
MOST = 10
DIGITS = ((0, 6, 8, 9), (1, 2, 7, 9), (3, 5, 6, 8))
OFFSETS = (0.0, 1.0)
BALANCES = (0.1, LARGE)


def several_rows() -> Iterator[Row]:
    for digits in DIGITS:
        X, y = some_digits(*digits)
        yield several_row(Task("digits " + "".join(map(str, digits)), "raw", X, y))
    for task in tasks((*CHOOSING, *CONFIRMING)):
        if task.form == "raw" and 2 < task.n_clusters <= MOST:
            yield several_row(task)


def several_row(task: Task) -> Row:
    X, y, k = task.X, task.y, task.n_clusters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, sdp = cpu_seconds(lambda: SDPMMC(n_clusters=k, random_state=0).fit(X), repeats=1)
        others, cpm3c = cpu_seconds(lambda: CPM3C(k, random_state=0).fit(X), repeats=1)
    row: Row = {
        "data": task.name,
        "n": len(y),
        "k": k,
        "SDP": accuracy(sdp.labels_, y),
        "CPM3C": accuracy(cpm3c.labels_, y),
        "k-means": accuracy(kmeans(X, k, 0), y),
        "lower bound": sdp.lower_bound_,
        "f(M)": sdp.objective_,
        "f of the labels": sdp.label_objective_,
        "status": sdp.result_.status.name,
        "CPU s": seconds,
        "CPM3C, CPU s": others,
    }
    print(row, flush=True)
    return row


def offset_rows() -> Iterator[Row]:
    """Equal and unequal clusters, with the default balance and a large one."""
    for name, sizes in SETS:
        try:
            X, y = drawn(name, sizes)
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
            continue
        row: Row = {"data": name, "sizes": list(sizes)}
        for balance, offset in product(BALANCES, OFFSETS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sdp = SDPMMC(balance=balance, offset=offset, random_state=0).fit(X)
            setting = f"balance {balance:g}, offset {offset:g}"
            row[setting] = error(sdp.labels_, y)
            row[f"{setting}, smaller"] = int(np.bincount(sdp.labels_).min())
            row[f"{setting}, gap"] = sdp.label_gap_ / sdp.label_objective_
        print(row, flush=True)
        yield row
