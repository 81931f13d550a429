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

The grid is C in 1, 2.5, 5, 10, 25, 50, 100 and 200 with plain rows; for ten clusters, and for rec,
every second of these; for the 45 digit pairs 5, 25 and 100. k-means has ten k-means++ starts. Not
run, for their time: the grid on WebKB; MNIST and its 45 pairs but with plain rows and one seed;
'diffusion' on rec and WebKB with the papers' search.

    python -m benchmarks.reproduction.cpm3c                    # all parts, an hour or more
    python -m benchmarks.reproduction.cpm3c pairs tolerance    # some; the others' results stay

The parts are in PARTS, in their order.
STRUCTSVM_DATA names the folder of the data sets; sets without their file are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from benchmarks.report import one_thread, report
from benchmarks.reproduction._cpm3c_fits import objective_rows, protocol_row, set_rows
from benchmarks.reproduction._cpm3c_pairs import digit_pair_rows, mnist_pair_rows, pair_means
from benchmarks.reproduction._cpm3c_rule import rule_row
from benchmarks.reproduction._cpm3c_time import growth_rows, mnist_rows, tolerance_rows
from benchmarks.reproduction._names import PAIRS, SEVERAL
from benchmarks.reproduction._protocol import grid, without_warnings
from benchmarks.reproduction._sets import Set, digit_pairs, load, mnist_pairs
from benchmarks.store import Row, save, stored
from benchmarks.tables.cpm3c import RESULTS
from structsvm.features import DiffusionMap
from structsvm.features.diffusion import NEIGHBORS, STEPS, WALK_WEIGHT
from structsvm.problems.margin_clustering.clusterer import DIFFUSION_FACTOR
from structsvm.problems.margin_clustering.clustering_problem import (
    AUTO_LEAST,
    AUTO_MOST,
    AUTO_POWER,
)

SMALL = tuple(name for name in (*PAIRS, *SEVERAL) if name != "mnist")
TOLERANCE_SETS = ("letter AvB", "satellite", "digits 3v8", "digits 0689", "letter ABCD")


def each(names: Iterable[str], rows_of: Callable[[Set], list[Row]]) -> Iterator[list[Row]]:
    """The rows so far, after each of the sets."""
    rows: list[Row] = []
    for data in load(names):
        rows += rows_of(data)
        yield rows


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
    without_warnings()
    save(RESULTS, "constants", constants())
    for part in sys.argv[1:] or PARTS:
        title, rows_of = PARTS[part]
        for rows in rows_of():
            save(RESULTS, title, rows)
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
