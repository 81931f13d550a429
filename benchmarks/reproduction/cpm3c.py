"""The tables and figures of CPM3C (Zhao, Wang & Zhang, ICML 2008), reproduced.

Our figures come from three procedures, reported separately:

- *Without labels*: CPM3C with its defaults; with the rows as they are ('linear') and the papers'
  search; the mean and the worst of several seeds of the whole procedure. The latter also with the
  feature map 'diffusion', for the letters 'whiten', and k-means on the same features.
- *The paper's protocol*: the best of a grid of C (_protocol.py) by the accuracy, which needs the
  true labels and so is no clustering result. Published figures look like a grid search scored with
  the labels; they should be compared with this column.
- *Another rule for C* that needs no labels: J(C) / C = 0.6, by bisection.

C='auto' was set once for all data, with labelled sets in view, these among them; the constants of
'diffusion' on the choosing tasks of benchmarks/clustering, which are others.

Where our accuracy is below the paper's, the table of objectives shows whether the objective prefers
our answer: the descent of CPM3C is also started at the means of the true classes.

    python -m benchmarks.reproduction.cpm3c                 # all parts, an hour or more
    python -m benchmarks.reproduction.cpm3c pairs tables    # some; the others' results stay

The parts are in PARTS, in their order. The last, tables, writes the documentation's tables.
STRUCTSVM_DATA names the folder of the data sets; sets without their file are skipped.
"""

from __future__ import annotations

import math
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import issparse

from benchmarks.report import Row, cpu_seconds, one_thread, report, save, stored, write_fragments
from benchmarks.reproduction._baselines import accuracy, kmeans_single
from benchmarks.reproduction._cpm3c_tables import figures, fragments
from benchmarks.reproduction._protocol import (
    DEFAULT,
    DIFFUSION,
    GRID_C,
    PAPERS,
    SINGLE_STARTS,
    WHITEN,
    baseline_rows,
    grid,
    kmeans_on,
    mapped,
    over_seeds,
    scored,
    without_warnings,
)
from benchmarks.reproduction._sets import PAIRS, SEVERAL, Set, digit_pairs, load, mnist_pairs
from structsvm.features import DiffusionMap
from structsvm.features.diffusion import NEIGHBORS, STEPS, WALK_WEIGHT
from structsvm.problems import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering.clusterer import DIFFUSION_FACTOR
from structsvm.problems.margin_clustering.clustering_problem import (
    AUTO_LEAST,
    AUTO_MOST,
    AUTO_POWER,
)
from structsvm.problems.margin_clustering.restarts import centres
from structsvm.solvers import CCCP

NAME = "reproduction/cpm3c"


SMALL = tuple(name for name in (*PAIRS, *SEVERAL) if name != "mnist")
PAIR_GRID = GRID_C[2::2]
#: Seeds that the rule for C is tried with.
RULE_SEEDS = 3
#: The rule for C: J(C) / C is this.
RULE_RATIO = 0.6
#: Bisections of log C.
RULE_STEPS = 7
GROWTH = (10**3, 10**4, 10**5, 10**6)
TOLERANCES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
TOLERANCE_SETS = ("letter AvB", "satellite", "digits 3v8", "digits 0689", "letter ABCD")


# ---------------------------------------------------------------------- clusterings


def fitted(X: Any, k: int, seed: int, **settings: Any) -> CPM3C:
    return CPM3C(k, random_state=seed, **(PAPERS | settings)).fit(X)


def settings_of(name: str) -> dict[str, dict[str, Any]]:
    """The feature maps that a set is clustered with, by name."""
    maps: dict[str, dict[str, Any]] = {"linear": {}, "diffusion": DIFFUSION}
    return maps | {"whiten": WHITEN} if name == "letter ABCD" else maps


def set_rows(data: Set, single: int = SINGLE_STARTS) -> list[Row]:
    """The defaults, all feature maps with the papers' search, and the baselines, on one set."""
    name, X, y, k = data
    rows = baseline_rows(data, single)
    rows.append(over_seeds(name, "default", y, partial(fitted, X, k, **DEFAULT)))
    for method, settings in settings_of(name).items():
        rows.append(over_seeds(name, method, y, partial(fitted, X, k, **settings)))
        if settings:
            rows.append(kmeans_on(data, f"k-means on {method}", **settings))
    return rows


def protocol_row(data: Set, Cs: Iterable[float]) -> Row:
    """The best of a grid by the true labels, one seed."""
    name, X, y, k = data
    tried = {C: fitted(X, k, 0, C=C).labels_ for C in Cs}
    C = max(tried, key=lambda C: accuracy(tried[C], y))
    row = scored(name, "protocol", y, tried[C], f"{C:g}")
    print(name, "protocol", row["accuracy"], C, flush=True)
    return row


def objective_row(data: Set, method: str, settings: dict[str, Any]) -> Row:
    """The objective of our answer, and that of the descent from the means of the true classes."""
    name, X, y, k = data
    ours = fitted(X, k, 0, **settings)
    Z = mapped(X, **settings) if settings else X
    problem = CPM3CProblem(k, 0.0, ours.problem_.min_cluster_size)
    problem.initialize([Z])
    classes = np.unique(y, return_inverse=True)[1]
    w0 = problem.start(Z, centres(problem, Z, classes), 1e-3)
    truth = CCCP(search=False).solve(problem, [Z], None, ours.C_, w0=w0)
    labels = problem.clusters_of(truth.labels[0])
    return {
        "data": name,
        "method": method,
        "objective": ours.objective_,
        "accuracy": 100 * accuracy(ours.labels_, y),
        "from the classes": truth.primal,
        "its accuracy": 100 * accuracy(labels, y),
    }


def objective_rows(data: Set) -> list[Row]:
    """One row for each feature map; texts in more than two clusters have only 'linear'."""
    few = data.n_clusters > 2 and issparse(data.X)
    maps: dict[str, dict[str, Any]] = {"linear": {}} if few else settings_of(data.name)
    return [objective_row(data, method, settings) for method, settings in maps.items()]


# ---------------------------------------------------------------------- another rule for C


def rule_row(data: Set) -> Row:
    """Accuracy with the C at which J(C) / C is 0.6, and with C='auto' for the same seeds."""
    name, X, y, k = data
    chosen = [bisected_C(X, k, seed) for seed in range(RULE_SEEDS)]
    by_rule = over_seeds(
        name, "rule", y, lambda seed: fitted(X, k, seed, C=chosen[seed]), RULE_SEEDS
    )
    by_auto = over_seeds(name, "auto", y, partial(fitted, X, k), RULE_SEEDS)
    return {
        "data": name,
        "C of the rule": float(np.median(chosen)),
        "accuracy of the rule": by_rule["accuracy"],
        "its worst": by_rule["worst"],
        "C of 'auto'": by_auto["C"],
        "accuracy of 'auto'": by_auto["accuracy"],
    }


def bisected_C(X: Any, k: int, seed: int) -> float:
    """The C of the rule, by bisection of log C; J(C) / C falls from 1 at C = 0."""
    low, high = math.log(0.3), math.log(1000)
    for _ in range(RULE_STEPS):
        middle = (low + high) / 2
        if objective_ratio(X, k, seed, math.exp(middle)) > RULE_RATIO:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def objective_ratio(X: Any, k: int, seed: int, C: float) -> float:
    """J(C) / C, which is 1 where only w = 0 is found."""
    try:
        return fitted(X, k, seed, C=C, n_init=3, rtol=0.03).objective_ / C
    except ValueError:
        return 1.0


# ---------------------------------------------------------------------- all pairs


def mean_over_pairs(name: str, rows: list[Row]) -> list[Row]:
    """One row for every method: the means over pairs, the worst being the worst pair."""
    result = []
    for method in dict.fromkeys(row["method"] for row in rows):
        those = [row for row in rows if row["method"] == method]
        keys = ("accuracy", "RI", "NMI", "F", "CPU s", "C", "objective", "passes")
        values = {key: mean_or_dash([row[key] for row in those]) for key in keys}
        values["worst"] = min(row["accuracy"] for row in those)
        row = {"data": name, "method": method, "seeds": those[0]["seeds"], "pairs": len(those)}
        result.append(row | values)
    return result


def mean_or_dash(values: list[Any]) -> Any:
    return "-" if isinstance(values[0], str) else float(np.mean(values))


def digit_pair_rows(data: Set) -> list[Row]:
    return [*set_rows(data, single=10), protocol_row(data, PAIR_GRID)]


def mnist_pair_rows(data: Set) -> list[Row]:
    """The linear map and k-means from a single start, one seed each."""
    name, X, y, k = data
    return [
        over_seeds(name, "linear", y, partial(fitted, X, k), 1),
        over_seeds(name, "k-means, single starts", y, partial(kmeans_single, X, k), 1),
    ]


def mnist_rows(data: Set) -> list[Row]:
    """One seed, linear, with the peak of the process's memory after it."""
    name, X, y, k = data
    row = over_seeds(name, "linear", y, partial(fitted, X, k), 1)
    row["peak GB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    beside = over_seeds(name, "k-means, single starts", y, partial(kmeans_single, X, k), 1)
    return [row, beside | {"peak GB": "-"}]


# ---------------------------------------------------------------------- time


def mixture(n: int, k: int) -> tuple[Any, Any]:
    """k normal clouds in 20 features, two standard deviations of theirs from the common mean."""
    rng = np.random.default_rng(0)
    means = 2 * np.linalg.qr(rng.normal(size=(20, k)))[0].T
    y = rng.integers(k, size=n)
    return means[y] + rng.normal(size=(n, 20)), y


def growth_rows() -> Iterator[list[Row]]:
    """CPU seconds of a fit to mixtures of two and of four clouds, and of a start on all rows."""
    rows: list[Row] = []
    for k, n in product((2, 4), GROWTH):
        X, y = mixture(n, k)
        repeats = 3 if n < 10**5 else 1
        taken, fit = cpu_seconds(partial(fitted, X, k, 0), repeats)
        alone, start = cpu_seconds(partial(one_start, X, fit), repeats)
        rows.append(
            {
                "clusters": k,
                "n": n,
                "CPU s": taken,
                "passes": fit.n_iter_,
                "accuracy": float(100 * accuracy(fit.labels_, y)),
                "one start, CPU s": alone,
                "its passes": start.iterations,
            }
        )
        yield rows


def one_start(X: Any, fit: CPM3C) -> Any:
    """The search and the descent from random directions, both on all rows."""
    w0 = fit.problem_.initial_w([X], np.random.default_rng(0))
    return CCCP().solve(fit.problem_, [X], None, fit.C_, w0=w0)


def tolerance_rows(data: Set) -> list[Row]:
    """CPU seconds and accuracy against the relative gap at which a fit stops."""
    name, X, y, k = data
    rows = []
    for rtol in TOLERANCES:
        taken, fit = cpu_seconds(partial(fitted, X, k, 0, rtol=rtol), 1)
        found = float(100 * accuracy(fit.labels_, y))
        rows.append({"data": name, "tol": rtol, "CPU s": taken, "accuracy": found})
    return rows


# ---------------------------------------------------------------------- parts


def each(names: Iterable[str], rows_of: Callable[[Set], list[Row]]) -> Iterator[list[Row]]:
    """The rows so far, after each of the sets."""
    rows: list[Row] = []
    for data in load(names):
        rows += rows_of(data)
        yield rows


def pair_means(
    name: str, data: Iterator[Set], rows_of: Callable[[Set], list[Row]]
) -> Iterator[list[Row]]:
    """The means over the pairs so far."""
    rows: list[Row] = []
    for pair in data:
        rows += rows_of(pair)
        yield mean_over_pairs(name, rows)


#: For each part, the table of the results that it fills, and its rows so far.
PARTS: dict[str, tuple[str, Callable[[], Iterator[list[Row]]]]] = {
    "pairs": ("two clusters", partial(each, PAIRS, set_rows)),
    "several": ("more clusters", partial(each, SEVERAL[:4], set_rows)),
    "texts": ("texts in more clusters", partial(each, SEVERAL[4:-1], set_rows)),
    "mnist": ("mnist", partial(each, ["mnist"], mnist_rows)),
    "digit_pairs": (
        "45 digit pairs",
        lambda: pair_means("45 digit pairs", digit_pairs(), digit_pair_rows),
    ),
    "mnist_pairs": (
        "45 MNIST pairs",
        lambda: pair_means("45 MNIST pairs", mnist_pairs(), mnist_pair_rows),
    ),
    "protocol": (
        "paper's protocol",
        partial(each, SMALL, lambda data: [protocol_row(data, grid(data.X, data.n_clusters))]),
    ),
    "objectives": ("objectives", partial(each, SMALL, objective_rows)),
    "rules": ("rules for C", partial(each, PAIRS, lambda data: [rule_row(data)])),
    "growth": ("growth with n", growth_rows),
    "tolerance": ("tolerance", partial(each, TOLERANCE_SETS, tolerance_rows)),
}


def constants() -> list[Row]:
    """The constants that were set with labelled data in view."""
    return [
        {"constant": "`'diffusion'`: neighbours", "value": NEIGHBORS},
        {"constant": "`'diffusion'`: eigenvectors", "value": DiffusionMap().n_components},
        {"constant": "`'diffusion'`: steps", "value": STEPS},
        {"constant": "`'diffusion'`: weight of the walk", "value": WALK_WEIGHT},
        {"constant": "`'diffusion'`: factor of C", "value": DIFFUSION_FACTOR},
        {"constant": "`C='auto'`: power", "value": AUTO_POWER},
        {"constant": "`C='auto'`: least, times (k - 1)²", "value": AUTO_LEAST},
        {"constant": "`C='auto'`: most", "value": AUTO_MOST},
    ]


def main() -> None:
    chosen = sys.argv[1:] or [*PARTS, "tables"]
    without_warnings()
    for part in chosen:
        if part == "tables":
            write_fragments(fragments(stored(NAME)))
            figures(stored(NAME))
        else:
            title, rows_of = PARTS[part]
            save(NAME, "constants", constants())
            for rows in rows_of():
                save(NAME, title, rows)
            report(NAME, stored(NAME))


if __name__ == "__main__":
    with one_thread():
        main()
