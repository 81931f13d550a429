"""The tables and figures of CPM3C (Zhao, Wang & Zhang, ICML 2008), reproduced.

Rows of the results by their method:

- *default*: all defaults, no labels; means over up to ten seeds;
- *linear*: centred rows and the search of the paper with ten starts, C='auto', no labels; *one
  start* the same with one start, as the paper has, for the times;
- *protocol*: as *linear*, with the best C of a grid by the true labels, for one seed. Published
  figures look like this: the paper does not say how C was chosen. It is no clustering result;
- *protocol, as they are*: the same with rows that are not centred and clusters of any size, as in
  the paper; not for WebKB and rec, for the time;
- *one cluster*: all rows in one, which scores the largest class;
- *k-means* with ten k-means++ starts; *single starts* from random rows, as in the paper; the
  normalised cut of the width with the highest accuracy (*cut, scored*), the paper's protocol.

The grid is C in 1, 2.5, 5, 10, 25, 50, 100 and 200; for ten clusters, and for texts in several,
every second of these; for the 45 pairs of digits 5, 25 and 100. C='auto' was set once for all data,
with labelled sets in view, these among them. Not run, for their time: the grid on MNIST.

    python -m benchmarks.reproduction.cpm3c                    # all parts, about an hour
    python -m benchmarks.reproduction.cpm3c sets tolerance     # some; the others' results stay

The digits are scikit-learn's and "growth" is drawn; ringnorm too. The rest reads mnist, letter,
satimage, ionosphere, 20news_bydate and webkb_raw from the folder in STRUCTSVM_DATA; the results of
sets without their file stay as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from benchmarks.report import one_thread, report
from benchmarks.reproduction._cpm3c_fits import protocol_row, set_rows
from benchmarks.reproduction._cpm3c_pairs import digit_pair_rows, mnist_pair_rows, pair_means
from benchmarks.reproduction._cpm3c_time import growth_rows, tolerance_rows
from benchmarks.reproduction._names import PAIRS, SEVERAL
from benchmarks.reproduction._protocol import grid, without_warnings
from benchmarks.reproduction._sets import Set, digit_pairs, load, mnist_pairs
from benchmarks.store import Row, merge, stored
from benchmarks.tables.cpm3c import RESULTS

SETS = (*PAIRS, *SEVERAL)
TOLERANCE_SETS = ("letter AvB", "satellite", "digits 3v8", "digits 0689", "text-1")


def each(names: Iterable[str], rows_of: Callable[[Set], list[Row]]) -> Iterator[list[Row]]:
    return (rows_of(data) for data in load(names))


#: For each part its rows, and the columns that name a row.
PARTS: dict[str, tuple[Callable[[], Iterator[list[Row]]], tuple[str, ...]]] = {
    "sets": (partial(each, SETS, set_rows), ("data", "method")),
    "digit pairs": (
        lambda: pair_means("45 digit pairs", digit_pairs(), digit_pair_rows),
        ("data", "method"),
    ),
    "mnist pairs": (
        lambda: pair_means("45 MNIST pairs", mnist_pairs(), mnist_pair_rows),
        ("data", "method"),
    ),
    "protocol": (
        partial(each, SETS, lambda data: [protocol_row(data, grid(data.X, data.n_clusters))]),
        ("data", "method"),
    ),
    "as they are": (
        partial(
            each,
            SETS[:12],
            lambda data: [protocol_row(data, grid(data.X, data.n_clusters), as_they_are=True)],
        ),
        ("data", "method"),
    ),
    "growth": (growth_rows, ("clusters", "n")),
    "tolerance": (partial(each, TOLERANCE_SETS, tolerance_rows), ("data", "rtol")),
}


def main() -> None:
    without_warnings()
    for part in sys.argv[1:] or PARTS:
        rows_of, keys = PARTS[part]
        for rows in rows_of():
            merge(RESULTS, part, rows, *keys)
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
