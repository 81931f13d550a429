"""Time of the semidefinite program: reference values, and pairs of classes of real data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import error
from benchmarks.store import Row
from structsvm.datasets import digits_pair, load_file
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.candidates import by_rows, kernel_rows
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation

#: Rows and tolerance of the reference problems.
REFERENCE = ((20, 1e-4), (40, 1e-4), (80, 1e-2), (80, 1e-3), (200, 1e-2), (400, 1e-2))
#: File, its two classes, and the largest value of a feature.
PAIRS = {
    "mnist 3v8": ("mnist", (3, 8), 255),
    "mnist 1v7": ("mnist", (1, 7), 255),
    "letter AvB": ("letter", (0, 1), 15),
}
SIZES = (100, 200, 400)


def reference_kernel(n: int) -> Any:
    """The RBF kernel of twos and threes; its width is half the median of all n^2 distances."""
    X, y = digits_pair(2, 3)
    random = np.random.RandomState(0)
    half = [random.permutation(np.flatnonzero(y == digit)) for digit in (2, 3)]
    X = X[np.concatenate([half[0][: n // 2], half[1][: n - n // 2]])]
    distances = euclidean_distances(X)
    return rbf_kernel(X, gamma=2 / np.median(distances) ** 2)


def time_row(n: int, tol: float) -> Row:
    K = reference_kernel(n)
    sdp = SDPMMC(kernel="precomputed", balance=0.2, solver="admm", tol=tol, random_state=0)
    seconds, _ = cpu_seconds(lambda: sdp.fit(K), repeats=1)
    row = {
        "n": n,
        "tol": tol,
        "f(M)": sdp.objective_,
        "lower bound": sdp.lower_bound_,
        "violation": float(sdp.max_violation_),
        "f of the labels": sdp.label_objective_,
        "triangles": sdp.result_.history[-1].n_planes,
        "of": n * (n - 1) * (n - 2) * 2 // 3,
        "passes": sdp.n_iter_,
        "CPU s": seconds,
    }
    print(row, flush=True)
    return row


def reference_rows() -> Iterator[Row]:
    for n, tol in REFERENCE:
        yield time_row(n, tol)


# ---------------------------------------------------------------------- pairs of classes


def pair_data(name: str, n: int) -> tuple[Any, Any]:
    """n random rows, about half of each class, and which of the two it is."""
    file, classes, largest = PAIRS[name]
    data = load_file(file)
    rows = np.flatnonzero(np.isin(data["y"], classes))
    rows = np.random.default_rng(0).permutation(rows)[:n]
    return data["X"][rows] / largest, (data["y"][rows] == classes[1]).astype(int)


def pair_row(name: str, n: int) -> Row:
    X, y = pair_data(name, n)
    seconds, sdp = cpu_seconds(lambda: SDPMMC(solver="admm", random_state=0).fit(X), repeats=1)
    K = sdp._kernel.training_matrix(X)
    relaxation = Relaxation(K, sdp.C, sdp.balance, linked(n, np.full(n, -1), None, None))
    rng = np.random.default_rng(0)
    candidates, _ = cpu_seconds(lambda: list(by_rows(kernel_rows(relaxation), 2, rng)))
    row = {
        "data": name,
        "n": n,
        "status": sdp.result_.status.name,
        "passes": sdp.n_iter_,
        "CPU s": seconds,
        "candidates, CPU s": candidates,
        "lower bound": sdp.lower_bound_,
        "f of the labels": sdp.label_objective_,
        "error": error(sdp.labels_, y),
    }
    print(row, flush=True)
    return row


def pair_rows() -> Iterator[Row]:
    for n in SIZES:
        for name in PAIRS:
            try:
                yield pair_row(name, n)
            except FileNotFoundError as reason:
                print(f"skipped: {name} ({reason})")
