"""The tables and figures of supervised k-means (Finley & Joachims), reproduced.

Each set of a collection is held out in turn; C and the predictor (Iterative, Spectral or Discrete)
are chosen by leaving one out of the others, as in section 6.2, with scikit-learn's GridSearchCV. No
choice looks at the set held out. *Iterative* and *Spectral* are SupervisedKMeans by their oracle;
*Logistic* is a logistic regression that classifies pairs of items as in the same cluster or not,
its log-odds being the similarity; *Pair* is the same by a linear support vector machine, as in the
paper; *None* is Iterative with equal weights. Iterative is trained with five seeds of its search,
with what the first of them chose.

The loss is the paper's, from 0 to 100; with all items in one of k clusters it is 100 (k - 1) / k. C
is a power of ten: from 1 to 10000 for both oracles, from 10 to 1000 for webkb-n, from 100 to
1000000 for linqs-l and from 1e5 to 1e8 for webkb-l, since features of links make the scale large;
from 1e-6 to 1 for Pair and from 0.01 to 10000 for Logistic, which learn from 20000 pairs of each
set. On webkb-n the largest C is chosen more often than not, and no wider grid was run. The searches
that predict have 30 starts; the paper has one, and so has *Iterative, one start*. Joint features
are divided by one number (scale='common'), where the default of SupervisedKMeans divides each by
its own. Logistic was not run on synth.

Rows that the results have are kept: remove a table from them to compute it again.

    python -m benchmarks.reproduction.supervised_kmeans             # all, several hours
    python -m benchmarks.reproduction.supervised_kmeans synth news  # some collections
    python -m benchmarks.reproduction.supervised_kmeans time        # figures 1 to 4
    python -m benchmarks.reproduction.supervised_kmeans chance      # the effect of the seed
    python -m benchmarks.reproduction.supervised_kmeans largest     # WebKB-L with all words

SYNTH is drawn; webkb_raw, webkb_raw_links, webkb_linqs and 20news_bydate are read from the folder
in STRUCTSVM_DATA, and collections without their file keep their rows. The stems of news need
snowballstemmer, which the extra "test" installs.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from benchmarks.item_sets import (
    Collection,
    available,
    linqs_sets,
    news_sets,
    synth_sets,
    webkb_sets,
)
from benchmarks.report import one_thread
from benchmarks.reproduction._kmeans_chance import chance_rows
from benchmarks.reproduction._kmeans_protocol import SEEDS, computed
from benchmarks.reproduction._kmeans_time import largest_row, time_rows
from benchmarks.store import Row, save, stored
from benchmarks.tables.kmeans import METHODS, RESULTS
from benchmarks.tables.pages import show

#: Noise levels of SYNTH.
NOISES = (0.2, 0.45, 0.48)
#: Draws of SYNTH at each noise level.
DRAWS = 3
COLLECTIONS: dict[str, list[Callable[[], Collection]]] = {
    "synth": [partial(synth_sets, noise, draw) for noise in NOISES for draw in range(DRAWS)],
    "news": [news_sets],
    "linqs": [linqs_sets, partial(linqs_sets, links=True)],
    "webkb-n": [webkb_sets, partial(webkb_sets, tfidf=True)],
    "webkb-l": [partial(webkb_sets, links=True)],
}


def key(row: Row) -> tuple[Any, ...]:
    return row["data"], row["held out"], row["method"], row.get("seed", 0)


def missing_rows(collection: Collection, known: Mapping[tuple[Any, ...], Row]) -> Iterator[Row]:
    """Yield the rows of a collection that are not known."""
    for i, held in enumerate(collection.sets):
        for method in METHODS:
            first: Row | None = None
            for seed in SEEDS if method == "Iterative" else (0,):
                row: Row = {"data": collection.name, "held out": held, "method": method}
                row["seed"] = seed
                if key(row) not in known:
                    row |= computed(collection, i, method, seed, first)
                    yield row
                first = first or known.get(key(row), row)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", message="training ended at w = 0")
    wanted = sys.argv[1:] or ["largest", *COLLECTIONS, "chance", "time"]
    for title in wanted:
        if title == "time":
            save(RESULTS, title, time_rows())
        elif title == "chance":
            for rows in chance_rows():
                save(RESULTS, title, rows)
        elif title == "largest":
            save(RESULTS, title, [largest_row()])
        elif title in COLLECTIONS:
            rows = {key(row): row for row in stored(RESULTS).get(title, [])}
            for collection in available(COLLECTIONS[title]):
                for row in missing_rows(collection, dict(rows)):
                    rows[key(row)] = row
                    save(RESULTS, title, list(rows.values()))
    show(RESULTS)


if __name__ == "__main__":
    with one_thread():
        main()
