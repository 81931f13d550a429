"""The tables of Bayesian maximum margin clustering (Dai, Hu & Niu, ICDM 2010), reproduced.

    python -m benchmarks.reproduction.bayesian_mmc              # all, about ten minutes
    python -m benchmarks.reproduction.bayesian_mmc sets         # table II, calibration and time
    python -m benchmarks.reproduction.bayesian_mmc universum    # table I
    python -m benchmarks.reproduction.bayesian_mmc several      # more than two clusters
    python -m benchmarks.reproduction.bayesian_mmc tasks        # those of benchmarks/clustering
    python -m benchmarks.reproduction.bayesian_mmc tables       # only the documentation's tables

*Chosen without labels*: all defaults. *Paper's protocol*: the best of a grid, scored with the
labels. STRUCTSVM_DATA names the folder of the data sets; sets without their file are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, SpectralClustering
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import StandardScaler

from benchmarks.clustering._tasks import CHOOSING, CONFIRMING, Task
from benchmarks.clustering._tasks import tasks as labelled_tasks
from benchmarks.report import Row, cpu_seconds, markdown, one_thread, save, stored, write_fragments
from benchmarks.reproduction._baselines import accuracy, error, kmeans
from benchmarks.reproduction._protocol import PAPERS, without_warnings
from benchmarks.reproduction._sets import article_text, ionosphere, some_digits, some_mnist, tfidf
from structsvm.datasets import load_file, newsgroups
from structsvm.problems import CPM3C, MMC, BayesianMMC

NAME = "reproduction/bayesian_mmc"
#: Random draws of rows.
DRAWS = 10
#: Random draws of rows and features, for the Universum.
UNIVERSUM_DRAWS = 20
#: Bins of [0, 1] in the calibration error.
BINS = 10
#: Multiples of the default width in the grid of the paper's protocol.
WIDTHS = (0.5, 1.0, 2.0, 4.0)
GROUPS = {
    "news 6v14": ("comp.windows.x", "sci.med"),
    "news 9v10": ("rec.motorcycles", "rec.sport.baseball"),
}
#: As printed in table II: errors of k-means, normalised cut, generalised MMC and BMMC; its seconds.
PAPER = {
    "heart": (38.0, 33.3, 33.7, 32.8, 0.75),
    "ionosphere": (28.8, 31.1, 25.3, 29.6, 1.5),
    "mnist 5v8": (32, 29, 25, 10, 2.42),
    "mnist 3v8": (18.3, 10.8, 6.3, 6.0, 2.39),
    "news 6v14": (26, 13.6, 13.8, 8.8, 9.05),
    "news 9v10": (18.5, 7.7, 8.3, 7.2, 9.21),
}
#: As printed in table I, averages: without a Universum, near the mean, from the marginals.
PAPER_UNIVERSUM = {
    "mnist 5v8": (20.2, 18.2, 17.6),
    "mnist 3v8": (18.8, 13.0, 13.4),
    "news 6v14": (25.0, 23.6, 23.2),
    "news 9v10": (19.0, 18.6, 18.8),
}


@cache
def whole(name: str) -> tuple[Any, Any]:
    """All rows of a set, with classes 0 and 1."""
    if name == "heart":
        data = load_file("heart")
        return StandardScaler().fit_transform(data["X"].astype(float)), data["y"].astype(int)
    if name == "ionosphere":
        X, y = ionosphere()
    elif name in GROUPS:
        texts, y = newsgroups(GROUPS[name])
        X, y = tfidf([article_text(text) for text in texts], y)
    else:
        X, y = some_mnist(*(int(digit) for digit in name.split()[1].split("v")))
        X = X.astype(float)
    return X, (y == np.max(y)).astype(int)


def draws(name: str, n: int | None, count: int) -> Iterator[tuple[Any, Any]]:
    """Random rows; all of them once where n is None."""
    X, y = whole(name)
    for seed in range(1 if n is None else count):
        size = len(y) if n is None else n
        rows = np.random.default_rng(seed).permutation(len(y))[:size]
        yield X[rows], y[rows]


def confidence(fit: Any, y: Any) -> tuple[Any, Any]:
    """The probability of each row's own cluster, and whether that is right, best named."""
    right = fit.labels_ == y
    if right.mean() < 0.5:
        right = ~right
    return fit.probabilities_[np.arange(len(y)), fit.labels_], right


def calibration_error(p: Any, right: Any) -> float:
    """The expected calibration error in points: bins of [0, 1] by confidence."""
    number = np.minimum((p * BINS).astype(int), BINS - 1)
    chosen = [number == j for j in range(BINS) if np.any(number == j)]
    return 100 * float(sum(abs(p[i].mean() - right[i].mean()) * i.mean() for i in chosen))


def cut(X: Any) -> Any:
    """The normalised cut of a graph of five nearest neighbours."""
    model = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=5, random_state=0)
    return model.fit_predict(X)


# ---------------------------------------------------------------------- table II


def grid(X: Any) -> Iterator[BayesianMMC]:
    yield BayesianMMC(kernel="graph")
    for kernel in ("rbf", "diffusion"):
        default = BayesianMMC(kernel=kernel).fit(X).length_scale_
        for multiple in WIDTHS:
            yield BayesianMMC(kernel=kernel, length_scale=multiple * default)


def set_row(name: str, n: int | None, with_grid: bool = True) -> tuple[Row, list[Row]]:
    """The errors of all methods, and the calibration curve."""
    methods: dict[str, Callable[[], Any]] = {
        "Bayesian": BayesianMMC,
        "`'rbf'`": partial(BayesianMMC, kernel="rbf"),
        "`'graph'`": partial(BayesianMMC, kernel="graph"),
    }
    found: list[dict[str, float]] = []
    confidences: list[tuple[Any, Any]] = []
    for X, y in draws(name, n, DRAWS):
        one: dict[str, float] = {}
        for method, make in methods.items():
            seconds, fit = cpu_seconds(lambda make=make, X=X: make().fit(X), repeats=1)
            one |= {method: error(fit.labels_, y), f"{method}, CPU s": seconds}
            one |= {f"{method}, ECE": calibration_error(*confidence(fit, y))}
            one |= {f"{method}, collapsed": float(fit.collapsed_)}
            if method == "Bayesian":
                confidences.append(confidence(fit, y))
        one["k-means"], one["cut"] = error(kmeans(X, 2, 0), y), error(cut(X), y)
        one["MMC"] = error(MMC(random_state=0, **PAPERS).fit_predict(X), y)
        if with_grid:
            one["scored"] = min(error(model.fit_predict(X), y) for model in grid(X))
        found.append(one)
    row: Row = {"data": name, "n": len(y), "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    row |= {"worst": max(one["Bayesian"] for one in found)}
    row |= {"best": min(one["Bayesian"] for one in found)}
    print(row, flush=True)
    p, right = (np.concatenate(parts) for parts in zip(*confidences, strict=True))
    return row, curve(f"{name}, n = {len(y)}", p, right)


def curve(name: str, p: Any, right: Any) -> list[Row]:
    """The calibration curve: bins of confidence, and the fraction of right rows in each."""
    number = np.minimum((p * 2 * BINS).astype(int), 2 * BINS - 1)
    return [
        {
            "data": name,
            "from": j / (2 * BINS),
            "rows": int(chosen.sum()),
            "confidence": float(p[chosen].mean()),
            "right": float(right[chosen].mean()),
        }
        for j in range(2 * BINS)
        if (chosen := number == j).sum() >= 20
    ]


SETS = (
    ("heart", None, True),
    ("ionosphere", None, True),
    ("mnist 5v8", 400, True),
    ("mnist 3v8", 400, True),
    ("mnist 5v8", 1000, False),
    ("mnist 3v8", 1000, False),
    ("news 6v14", 600, True),
    ("news 9v10", 600, True),
)


def sets() -> None:
    rows: list[Row] = []
    curves: list[Row] = []
    for name, n, with_grid in SETS:
        try:
            row, points = set_row(name, n, with_grid)
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
            continue
        rows.append(row)
        curves += points
        save(NAME, "sets", rows)
        save(NAME, "calibration", curves)


# ---------------------------------------------------------------------- table I


def small_draw(name: str, seed: int) -> tuple[Any, Any]:
    """A hundred rows and half of the features, those that vary."""
    X, y = whole(name)
    rng = np.random.default_rng(1000 + seed)
    rows = rng.permutation(len(y))[:100]
    columns = np.sort(rng.permutation(X.shape[1])[: X.shape[1] // 2])
    X, y = X[rows][:, columns], y[rows]
    if sparse.issparse(X):
        filled = X.getnnz(axis=1) > 0
        X, y = X[filled], y[filled]
    return X, y


def universum_row(name: str) -> Row:
    found: list[dict[str, float]] = []
    for seed in range(UNIVERSUM_DRAWS):
        X, y = small_draw(name, seed)
        one = {"cut": error(cut(X), y), "k-means": error(kmeans(X, 2, 0), y)}
        for kernel in ("diffusion", "rbf"):
            for universum in (None, "mean", "marginal"):
                fit = BayesianMMC(kernel=kernel, universum=universum, random_state=seed).fit(X)
                one[f"{kernel}, {universum}"] = error(fit.labels_, y)
                if universum is None:
                    wide = BayesianMMC(kernel=kernel, length_scale=2 * fit.length_scale_)
                    one[f"{kernel}, wide"] = error(wide.fit_predict(X), y)
        found.append(one)
    row: Row = {"data": name, "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    print(row, flush=True)
    return row


def universum() -> None:
    rows = []
    for name in PAPER_UNIVERSUM:
        try:
            rows.append(universum_row(name))
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
    save(NAME, "universum", rows)


# ---------------------------------------------------------------------- several, tasks


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
    save(NAME, "several", rows)


def tasks() -> None:
    rows = []
    for half, names in (("choosing", CHOOSING), ("confirming", CONFIRMING)):
        for task in labelled_tasks(names):
            rows.append(task_row(half, task))
            print(rows[-1], flush=True)
    save(NAME, "tasks", rows)


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


# ---------------------------------------------------------------------- tables


def sets_table(rows: list[Row]) -> list[Row]:
    columns = ("`'rbf'`", "`'graph'`", "MMC", "k-means", "cut")
    return [
        {"": row["data"], "n": row["n"], "paper, BMMC": PAPER[row["data"]][3]}
        | {"`BayesianMMC`": f"{row['Bayesian']:.1f} ({row['best']:.1f} to {row['worst']:.1f})"}
        | {column: f"{row[column]:.1f}" for column in columns}
        | {"scored": f"{row['scored']:.1f}" if "scored" in row else "-"}
        | {"paper, k-means": PAPER[row["data"]][0], "paper, cut": PAPER[row["data"]][1]}
        for row in rows
    ]


def calibration_table(rows: list[Row]) -> list[Row]:
    return [
        {"": row["data"], "n": row["n"]}
        | {
            f"{what}, {unit}": f"{row[f'{key}, {unit}']:.{digits}f}"
            for unit, digits in (("ECE", 1), ("CPU s", 2))
            for key, what in (("Bayesian", "default"), ("`'rbf'`", "rbf"), ("`'graph'`", "graph"))
        }
        for row in rows
    ]


def universum_table(rows: list[Row]) -> list[Row]:
    printed = ("without", "mean", "marginal")
    kinds = (("None", "without"), ("mean", "mean"), ("marginal", "marginal"), ("wide", "2 x width"))
    return [
        {"": row["data"], "cut": f"{row['cut']:.1f}"}
        | {
            f"{kernel}, {title}": f"{row[f'{kernel}, {kind}']:.1f}"
            for kernel in ("diffusion", "rbf")
            for kind, title in kinds
        }
        | {
            f"paper, {title}": value
            for title, value in zip(printed, PAPER_UNIVERSUM[row["data"]], strict=True)
        }
        for row in rows
    ]


def plain_table(rows: list[Row]) -> list[Row]:
    return [
        {
            "" if key == "data" else key: f"{value:.1f}" if isinstance(value, float) else value
            for key, value in row.items()
        }
        for row in rows
    ]


def tasks_table(rows: list[Row]) -> list[Row]:
    columns = (
        "Bayesian",
        "k-means",
        "spectral",
        "Ward",
        "confidence",
        "ECE",
        "calibrated",
        "CPU s",
    )
    table = []
    for half in ("choosing", "confirming"):
        for title, of_size in (("two", lambda k: k == 2), ("more", lambda k: k > 2)):
            chosen = [row for row in rows if row["half"] == half and of_size(row["k"])]
            means = {column: np.mean([row[column] for row in chosen]) for column in columns}
            table.append(
                {"": half, "clusters": title, "tasks": len(chosen)}
                | {column: f"{mean:.1f}" for column, mean in means.items()}
            )
    return table


def curve_table(rows: list[Row]) -> list[Row]:
    return [
        {
            "": row["data"],
            "confidence": f"{row['confidence']:.2f}",
            "right": f"{row['right']:.2f}",
            "rows": row["rows"],
        }
        for row in rows
    ]


MAKERS = {
    "sets": (("bayesian-sets", sets_table), ("bayesian-calibration", calibration_table)),
    "calibration": (("bayesian-curve", curve_table),),
    "universum": (("bayesian-universum", universum_table),),
    "several": (("bayesian-several", plain_table),),
    "tasks": (("bayesian-tasks", tasks_table),),
}
PARTS = {"sets": sets, "universum": universum, "several": several, "tasks": tasks}


def main() -> None:
    without_warnings()
    chosen = sys.argv[1:] or list(PARTS)
    for part, run in PARTS.items():
        if part in chosen:
            run()
    content = stored(NAME)
    write_fragments(
        {
            name: markdown(make(content[part]))
            for part, makers in MAKERS.items()
            if part in content
            for name, make in makers
        }
    )


if __name__ == "__main__":
    with one_thread():
        main()
