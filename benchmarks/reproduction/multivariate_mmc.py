"""The tables of MMC with a multivariate loss (Zhao, Kwok & Zhang, ICDM 2009), reproduced.

MultivariateMMC with the losses 1 - NMI, 1 - Rand index and 1 - F of pairs (beta = 1.5), and MMC,
whose loss is the error. *Defaults* and *plain rows*, which are centred and have the search of the
paper and C='auto', use no labels: means over ten seeds. *Best of a grid by labels* is like the
protocol of the paper, no clustering result: centred rows, the best of C in 1, 5, 25, 100 and 200
with balance 0 and 0.5 by the measure of the table, for one seed, where the paper has the mean of
50.

    python -m benchmarks.reproduction.multivariate_mmc    # about twenty minutes

The digits are scikit-learn's and ringnorm is drawn; ionosphere, letter, satimage and 20news_bydate
are read from the folder in STRUCTSVM_DATA. Rows of sets without their file stay as they are.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.reproduction._baselines import kmeans, measures
from benchmarks.reproduction._names import PAIRS
from benchmarks.reproduction._protocol import PAPERS, means, over_seeds, scored, without_warnings
from benchmarks.reproduction._sets import Set, load
from benchmarks.store import Row, merge, stored
from benchmarks.tables.multivariate import LOSSES, RESULTS
from structsvm.problems import MMC, MultivariateMMC

GRID = tuple(product((1.0, 5.0, 25.0, 100.0, 200.0), (0.0, 0.5)))


def fitted(X: Any, loss: str, seed: int, **settings: Any) -> Any:
    """'hinge' is MMC, else the loss of MultivariateMMC."""
    if loss == "hinge":
        return MMC(random_state=seed, **settings).fit(X)
    return MultivariateMMC(loss=loss, random_state=seed, **settings).fit(X)


def set_rows(data: Set, **settings: Any) -> list[Row]:
    """Each loss without labels, and k-means."""
    name, X, y, k = data
    fits = {loss: partial(fitted, X, loss, **settings) for loss in ("hinge", *LOSSES)}
    fits["k-means"] = partial(kmeans, X, k)
    one = scored(name, "one cluster", y, np.zeros(len(y), dtype=int), "-")
    return [one, *(over_seeds(name, method, y, fit) for method, fit in fits.items())]


def protocol_rows(data: Set) -> list[Row]:
    """For each loss the best of the grid by its measure; for MMC by each of the measures."""
    name, X, y, _ = data
    rows = []
    for loss in ("hinge", *LOSSES):
        tried = {
            f"C={C:g}, balance={balance:g}": measures(
                fitted(X, loss, 0, C=C, balance=balance, **PAPERS).labels_, y
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
    for data in load(PAIRS):
        merge(RESULTS, "defaults", set_rows(data), "data", "method")
        merge(RESULTS, "plain rows", set_rows(data, **PAPERS), "data", "method")
        merge(RESULTS, "paper's protocol", protocol_rows(data), "data", "method", "scored by")
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
