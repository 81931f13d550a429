"""The tables of MMC with a multivariate loss (Zhao, Kwok & Zhang, ICDM 2009), reproduced.

MultivariateMMC with the losses 1 - NMI, 1 - Rand index and 1 - F of pairs (beta = 1.5), and MMC,
whose loss is the error. *Without labels*: all defaults; the mean and the worst of several seeds of
the whole procedure. *The paper's protocol*: the best of a grid of C and balance by the true labels,
judged by the measure of the table: no clustering result, but what the published figures look like.
The grid is C in 1, 5, 25, 100 and 200 with balance 0 and 0.5, for one seed.

    python -m benchmarks.reproduction.multivariate_mmc    # about ten minutes

STRUCTSVM_DATA names the folder of the data sets; sets without their file are skipped.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from benchmarks.report import one_thread, report
from benchmarks.reproduction._baselines import kmeans, measures
from benchmarks.reproduction._names import PAIRS
from benchmarks.reproduction._protocol import PAPERS, means, over_seeds, without_warnings
from benchmarks.reproduction._sets import Set, load
from benchmarks.store import Row, save, stored
from benchmarks.tables.multivariate import LOSSES, RESULTS
from structsvm.problems import MMC, MultivariateMMC

GRID = tuple(product((1.0, 5.0, 25.0, 100.0, 200.0), (0.0, 0.5)))


def fitted(X: Any, loss: str, seed: int, **settings: Any) -> Any:
    """'hinge' is MMC, else the loss of MultivariateMMC."""
    if loss == "hinge":
        return MMC(random_state=seed, **(PAPERS | settings)).fit(X)
    return MultivariateMMC(loss=loss, random_state=seed, **(PAPERS | settings)).fit(X)


def set_rows(data: Set) -> list[Row]:
    """Each loss by its defaults, and k-means."""
    name, X, y, k = data
    rows = [over_seeds(name, loss, y, partial(fitted, X, loss)) for loss in ("hinge", *LOSSES)]
    return [*rows, over_seeds(name, "k-means", y, partial(kmeans, X, k))]


def protocol_rows(data: Set) -> list[Row]:
    """For each loss the best of the grid by its measure; for MMC by each of the measures."""
    name, X, y, _ = data
    rows = []
    for loss in ("hinge", *LOSSES):
        tried = {
            f"C={C:g}, balance={balance:g}": measures(
                fitted(X, loss, 0, C=C, balance=balance).labels_, y
            )
            for C, balance in GRID
        }
        for measure in LOSSES.values() if loss == "hinge" else [LOSSES[loss]]:
            chosen = max(tried, key=lambda settings: tried[settings][measure])
            row = {"data": name, "method": loss, "scored by": measure, "chosen": chosen}
            rows.append(row | means([tried[chosen]]))
    print(name, "protocol", flush=True)
    return rows


def main() -> None:
    without_warnings()
    rows: list[Row] = []
    chosen: list[Row] = []
    for data in load(PAIRS):
        rows += set_rows(data)
        chosen += protocol_rows(data)
        save(RESULTS, "without labels", rows)
        save(RESULTS, "paper's protocol", chosen)
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
