"""Table 1 of the paper: errors of clusterings without labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import error, kmeans
from benchmarks.reproduction._sdp_widths import DEFAULT, ROWS, WIDTHS, gamma_of, spectral
from benchmarks.store import Row
from structsvm.datasets import SHAPES, digits_pair, plane
from structsvm.problems import SDPMMC

DRAWS = 10
DIGITS = "digits 2v3"


def clusters_rows() -> Iterator[Row]:
    for name in (*SHAPES, DIGITS):
        yield clusters_row(name)


def cluster_draws(name: str) -> Iterator[tuple[Any, Any]]:
    for seed in range(DRAWS):
        if name in SHAPES:
            yield plane(name, seed)
        else:
            X, y = digits_pair(2, 3)
            rows = np.random.default_rng(seed).permutation(len(X))[:ROWS]
            yield X[rows], (y[rows] == 3).astype(int)


def clusters_row(name: str) -> Row:
    found: list[dict[str, float]] = []
    for X, y in cluster_draws(name):
        gammas = [width * gamma_of(X) for width in WIDTHS]
        cuts = [error(spectral(X, gamma), y) for gamma in gammas]
        best = int(np.argmin(cuts))
        seconds, sdp = cpu_seconds(lambda X=X: SDPMMC(random_state=0).fit(X), repeats=1)
        admm = [
            SDPMMC(gamma=gamma, solver="admm", random_state=0).fit(X)
            for gamma in (gammas[DEFAULT], gammas[best])
        ]
        found.append(
            {
                "SDP": error(sdp.labels_, y),
                "soft": error(sdp.soft_assignment_ > 0, y),
                "k-means": error(kmeans(X, 2, 0), y),
                "spectral": cuts[DEFAULT],
                "SDP, admm": error(admm[0].labels_, y),
                "SDP, width of spectral": error(admm[1].labels_, y),
                "spectral, scored": cuts[best],
                "f(M)": sdp.objective_,
                "lower bound": sdp.lower_bound_,
                "f of the labels": sdp.label_objective_,
                "violation": sdp.max_violation_,
                "passes": sdp.n_iter_,
                "CPU s": seconds,
            }
        )
    row: Row = {"data": name, "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    row["worst"] = max(one["SDP"] for one in found)
    print(row, flush=True)
    return row
