"""The tables of MMC with a multivariate loss (Zhao, Kwok & Zhang, ICDM 2009), reproduced.

MultivariateMMC with the losses 1 - NMI, 1 - Rand index and 1 - F of pairs (beta = 1.5), and MMC,
whose loss is the error. *Defaults* and *plain rows*, which are centred and have the search of the
paper and C='auto', use no labels: means over ten seeds. *Best of a grid by labels* is like the
protocol of the paper, no clustering result: centred rows, the best of C in 1, 5, 25, 100 and 200
with balance 0 and 0.5 by the measure of the table, for one seed, where the paper has the mean of
50.

    python -m benchmarks reproduction/multivariate_mmc    # about twenty minutes

The digits are scikit-learn's and ringnorm is drawn; ionosphere, letter, satimage and 20news_bydate
are read from the folder in STRUCTSVM_DATA. Rows of sets without their file do not change.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from benchmarks.experiment import Experiment
from benchmarks.reproduction._baselines import measures
from benchmarks.reproduction._protocol import (
    KMEANS,
    PAPERS,
    Contender,
    means,
    one_cluster,
    over_seeds,
)
from benchmarks.reproduction._sets import PAIRS, Set, loaders
from benchmarks.store import Row
from benchmarks.tables.multivariate import LOSSES
from structsvm.problems import MMC, MultivariateMMC

GRID = tuple(product((1.0, 5.0, 25.0, 100.0, 200.0), (0.0, 0.5)))
#: 'hinge' is MMC, the others are losses of MultivariateMMC.
METHODS = ("hinge", *LOSSES)


def fitted(data: Set, seed: int, loss: str, **settings: Any) -> Any:
    model = MMC() if loss == "hinge" else MultivariateMMC(loss=loss)
    return model.set_params(random_state=seed, **settings).fit(data.X)


def without_labels(**settings: Any) -> dict[str, Contender]:
    """Each loss without labels, and k-means."""
    fits = {loss: over_seeds(partial(fitted, loss=loss, **settings)) for loss in METHODS}
    return {"one cluster": one_cluster, **fits, "k-means": KMEANS}


def protocol(data: Set, loss: str) -> list[Row]:
    """The best of the grid by the measure of the loss; for MMC by each of the measures."""
    tried = {}
    for C, balance in GRID:
        labels = fitted(data, 0, loss, C=C, balance=balance, **PAPERS).labels_
        tried[f"C={C:g}, balance={balance:g}"] = measures(labels, data.y)
    rows = []
    for measure in LOSSES.values() if loss == "hinge" else [LOSSES[loss]]:
        chosen = max(tried, key=lambda settings: tried[settings][measure])
        rows.append({"scored by": measure, "chosen": chosen} | means([tried[chosen]]))
    return rows


COLUMNS, SETS = ("data", "method"), loaders(PAIRS)
EXPERIMENTS = (
    Experiment("defaults", COLUMNS, SETS, without_labels()),
    Experiment("plain rows", COLUMNS, SETS, without_labels(**PAPERS)),
    Experiment(
        "paper's protocol",
        (*COLUMNS, "scored by"),
        SETS,
        {loss: partial(protocol, loss=loss) for loss in METHODS},
    ),
)
