"""MMC() and CPM3C(k) beside clusterers of scikit-learn, on the tasks of _tasks.py.

Ours are MMC() for two clusters and CPM3C(k) for more, with their defaults; and with 'linear' and
'diffusion' instead of the choice between them. All but HDBSCAN are given the number of clusters;
spectral clustering uses the graph of nearest neighbours, all else is scikit-learn's default.
GaussianMixture gets 50 coordinates of a singular value decomposition of texts, which it cannot take
as they are, Ward's method and HDBSCAN dense copies.

    python -m benchmarks.clustering.defaults           # one to two minutes for every 10 tasks
    python -m benchmarks.clustering.defaults tables    # from the results

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.mixture import GaussianMixture

from benchmarks.clustering._measures import measured
from benchmarks.clustering._tasks import PARTS, Task, tasks
from benchmarks.report import Row, markdown, one_thread, save, stored, write_fragments
from structsvm.problems import CPM3C, MMC

RESULTS = "clustering/defaults"
#: Seeds of all that is random; a row has the means.
SEEDS = range(3)
OURS = "structsvm"
FEATURES = ("linear", "diffusion")
OTHERS = ("spectral", "mixture", "Ward", "HDBSCAN")
METHODS = (OURS, *FEATURES, "k-means", *OTHERS)


def ours(task: Task, seed: int, **settings: Any) -> Any:
    k = task.n_clusters
    clusterer = MMC(**settings) if k == 2 else CPM3C(k, **settings)
    return clusterer.set_params(random_state=seed).fit(task.X)


def contenders(task: Task, seed: int) -> dict[str, Callable[[], Any]]:
    """What fits each method, by name."""
    X, k = task.X, task.n_clusters
    dense = X.toarray() if sparse.issparse(X) else X
    few = TruncatedSVD(50, random_state=0).fit_transform(X) if sparse.issparse(X) else X
    spectral = SpectralClustering(k, affinity="nearest_neighbors", random_state=seed)
    return {
        OURS: lambda: ours(task, seed),
        "linear": lambda: ours(task, seed, kernel="linear"),
        "diffusion": lambda: ours(task, seed, kernel="diffusion"),
        "k-means": lambda: KMeans(k, n_init=10, random_state=seed).fit(X),
        "spectral": lambda: spectral.fit(X),
        "mixture": lambda: GaussianMixture(k, random_state=seed).fit_predict(few),
        "Ward": lambda: AgglomerativeClustering(k).fit(dense),
        "HDBSCAN": lambda: HDBSCAN(copy=True).fit(dense),
    }


def task_rows(task: Task, part: str) -> list[Row]:
    """A row of means over the seeds for every method."""
    found: dict[str, list[Row]] = {}
    for seed in SEEDS:
        for name, fit in contenders(task, seed).items():
            found.setdefault(name, []).append(measured(fit, task.y))
    first = {"part": part, "task": task.name, "form": task.form, "rows": len(task.y)}
    rows = []
    for name, of_seeds in found.items():
        numbers = [key for key, value in of_seeds[0].items() if isinstance(value, float)]
        row = {key: float(np.mean([one[key] for one in of_seeds])) for key in numbers}
        if "kernel" in of_seeds[0]:
            row["kernel"] = "/".join(sorted({one["kernel"] for one in of_seeds}))
        rows.append(first | {"clusters": task.n_clusters, "method": name} | row)
    print(*(f"{row['method']} {row['accuracy']:.1f}" for row in rows), *first.values(), flush=True)
    return rows


def table(rows: list[Row], measure: str) -> list[Row]:
    """A line for every task: the measure of each method, and the features that were chosen."""
    lines: dict[tuple[str, str], Row] = {}
    for row in rows:
        line = lines.setdefault((row["task"], row["form"]), {})
        line |= {"data": row["task"], "form": row["form"], "clusters": row["clusters"]}
        line[row["method"]] = row[measure]
        if row["method"] == OURS:
            line["chosen"] = row["kernel"]
    return list(lines.values())


def summary(rows: list[Row]) -> list[Row]:
    """Means of each part, and the share of tasks where ours is not below others.

    Equal up to a tenth of a point counts as not below; 'best other' is the best of spectral
    clustering, mixture, Ward's method and HDBSCAN on each task, by the classes, and 'better of two'
    the better of 'linear' and 'diffusion'.
    """
    lines = []
    for part in PARTS:
        for measure in ("accuracy", "ARI", "NMI"):
            tasks = table([row for row in rows if row["part"] == part], measure)
            if not tasks:
                continue
            values = {name: np.array([task[name] for task in tasks]) for name in METHODS}
            best = np.max([values[name] for name in OTHERS], axis=0)
            of_two = np.max([values[name] for name in FEATURES], axis=0)
            line = {"tasks": part, "measure": measure, "number": len(tasks)}
            line |= {name: f"{values[name].mean():.1f}" for name in METHODS}
            line |= {
                "better of two": f"{of_two.mean():.1f}",
                "not below k-means": f"{100 * share(values[OURS], values['k-means']):.0f} %",
                "not below best other": f"{100 * share(values[OURS], best):.0f} %",
            }
            lines.append(line)
    return lines


def share(ours: Any, others: Any) -> float:
    return float(np.mean(ours >= others - 0.1))


def seconds(rows: list[Row]) -> list[Row]:
    """Mean and longest CPU time of every method."""
    lines = []
    for name in METHODS:
        values = [row["CPU s"] for row in rows if row["method"] == name]
        lines.append(
            {"": name, "mean CPU s": f"{np.mean(values):.2f}", "longest": f"{max(values):.2f}"}
        )
    return lines


def write_tables() -> None:
    rows = stored(RESULTS)["tasks"]
    fragments = {"clustering-summary": summary(rows), "clustering-time": seconds(rows)}
    for part in PARTS:
        lines = table([row for row in rows if row["part"] == part], "accuracy")
        fragments[f"clustering-{part.replace(', ', '-')}"] = [
            line | {name: f"{line[name]:.1f}" for name in METHODS} for line in lines
        ]
    write_fragments({name: markdown(lines) for name, lines in fragments.items()})


def main() -> None:
    if sys.argv[1:] != ["tables"]:
        with one_thread():
            rows: list[Row] = []
            for part, names in PARTS.items():
                for task in tasks(names):
                    rows += task_rows(task, part)
                    save(RESULTS, "tasks", rows)
    write_tables()


if __name__ == "__main__":
    main()
