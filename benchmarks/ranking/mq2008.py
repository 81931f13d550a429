"""Rankings of MQ2008 by every measure of RankingSVM, beside the usual alternatives.

    python -m benchmarks ranking/mq2008

784 queries with 15211 documents of three grades and 46 features that are scaled by query (Qin & Liu
2013). In each of five folds three parts train, one chooses the parameters by its mean average
precision (MAP), and one tests. The 220 queries without a relevant document count 0, as in the
evaluation of LETOR. "Chosen" are C, the penalty of Ridge, and the number of trees, their leaves and
the learning rate of LightGBM; other columns have the defaults of the estimators. The single
feature has the largest MAP in training, the same one in all folds. "Beside one feature" is the mean
difference of the chosen MAP from the single feature, with its standard error over the queries; the
CPU time is for a fit with default parameters, in one thread. The folds differ five times as much
as the methods.

The table of C has the MAP of the validation parts after training on some of the training queries,
averaged over folds and measures. A validation part is the test part of another fold, so the default
has seen the data that it is compared on.

LightGBM is left out where it is not installed. Reads mq2008.npz in the folder STRUCTSVM_DATA.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from benchmarks.ranking._folds import FOLDS, Documents, Fold, fold, measured
from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row
from structsvm.problems import RankingSVM

#: Scores of documents, by a model that was fitted to others.
Scores = Callable[[Any], Any]

MEASURES: list[tuple[str, dict[str, Any]]] = [
    ("average precision", {"measure": "average_precision"}),
    ("NDCG@10", {"measure": "ndcg", "k": 10}),
    ("NDCG", {"measure": "ndcg"}),
    ("precision at 10", {"measure": "precision_at_k", "k": 10}),
    ("precision at the relevant", {"measure": "precision_at_k"}),
    ("pairs", {}),
]
#: Measures that tell no grades apart.
BINARY = ("average_precision", "precision_at_k")
#: Factors of the automatic C, to choose from.
FACTORS = 10.0 ** np.arange(-3, 1)
#: The candidates for the default C: factors of the number of documents over the squared distance.
CANDIDATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
#: Numbers of queries with documents of different grades that the default is chosen by.
SIZES = (15, 60, 250)


class Method(NamedTuple):
    """A way to learn scores: its fits with default parameters, and with those to choose from."""

    name: str
    default: Callable[[Documents], Scores]
    others: list[Callable[[Documents], Scores]]


def ours(train: Documents, factor: float, parameters: dict[str, Any]) -> Scores:
    svm, (X, y, qid) = RankingSVM(**parameters), train
    if svm.measure in BINARY:
        y = y > 0
    if factor != 1:
        svm.set_params(C=factor * RankingSVM().fit(X, y, qid=qid).C_)
    return svm.fit(X, y, qid=qid).predict


def single_feature(train: Documents) -> Scores:
    """The feature, or its negative, of largest mean average precision in training."""
    signed = [(sign, j) for sign in (1, -1) for j in range(train.X.shape[1])]
    means = [measured(train, sign * train.X[:, j])["MAP"].mean() for sign, j in signed]
    sign, j = signed[int(np.argmax(means))]
    return lambda X: sign * X[:, j]


def ridge(train: Documents, alpha: float) -> Scores:
    return Ridge(alpha=alpha).fit(train.X, train.y).predict


def pairwise(train: Documents, C: float) -> Scores:
    """LinearSVC on the differences of documents of one query and different grades."""
    better, worse = pairs(train)
    signs = np.where(np.arange(len(better)) % 2, 1.0, -1.0)
    rows = signs[:, None] * (train.X[better] - train.X[worse])
    svm = LinearSVC(C=C, loss="hinge", fit_intercept=False, random_state=0, max_iter=100_000)
    weights = svm.fit(rows, signs).coef_[0]
    return lambda X: X @ weights


def pairs(train: Documents) -> tuple[Any, Any]:
    found = []
    for q in np.unique(train.qid):
        rows = np.flatnonzero(train.qid == q)
        i, j = np.nonzero(train.y[rows][:, None] > train.y[rows])
        found.append((rows[i], rows[j]))
    better, worse = (np.concatenate(part) for part in zip(*found, strict=True))
    return better, worse


def lambdarank(train: Documents, parameters: dict[str, Any]) -> Scores:
    ranker = importlib.import_module("lightgbm").LGBMRanker(
        n_jobs=1, random_state=0, verbose=-1, **parameters
    )
    ranker.fit(train.X, train.y, group=train.sizes)
    return partial(ranker.predict, validate_features=False)


def methods() -> list[Method]:
    found = [
        Method("single feature", single_feature, []),
        Method("Ridge", partial(ridge, alpha=1.0), [
            partial(ridge, alpha=alpha) for alpha in 10.0 ** np.arange(-2, 5)
        ]),
        Method("LinearSVC of pairs", partial(pairwise, C=1.0), [
            partial(pairwise, C=C) for C in 10.0 ** np.arange(-6, 0)
        ]),
    ]  # fmt: skip
    try:
        importlib.import_module("lightgbm")
    except ImportError:
        print("LightGBM is not installed, and left out: pip install lightgbm")
    else:
        grid = [
            {"n_estimators": n, "num_leaves": leaves, "learning_rate": rate}
            for n in (50, 100, 300) for leaves in (7, 31) for rate in (0.03, 0.1)
        ]  # fmt: skip
        found.append(
            Method("LightGBM lambdarank", partial(lambdarank, parameters={}), [
                partial(lambdarank, parameters=parameters) for parameters in grid
            ])
        )  # fmt: skip
    found += [
        Method(f"RankingSVM, {name}", partial(ours, factor=1.0, parameters=parameters), [
            partial(ours, factor=factor, parameters=parameters) for factor in FACTORS
        ])
        for name, parameters in MEASURES
    ]  # fmt: skip
    return found


def chosen(method: Method, data: Fold) -> Scores:
    """The fit of largest mean average precision on the validation part."""
    fits = [fit(data.train) for fit in method.others]
    means = [measured(data.validation, fit(data.validation.X))["MAP"].mean() for fit in fits]
    return fits[int(np.argmax(means))]


def tested(method: Method) -> dict[str, Any]:
    """Measures of all test queries, a list of folds for each, and CPU seconds of a default fit."""
    found: dict[str, Any] = {"default": [], "chosen": [], "seconds": []}
    for number in FOLDS:
        data = fold(number)
        seconds, model = cpu_seconds(partial(method.default, data.train), repeats=1)
        found["seconds"].append(seconds)
        found["default"].append(measured(data.test, model(data.test.X)))
        best = chosen(method, data) if method.others else model
        found["chosen"].append(measured(data.test, best(data.test.X)))
    return found


def summary(name: str, found: dict[str, Any], control: dict[str, Any]) -> Row:
    """Means over folds, their range, and the difference from a control with its standard error."""
    row: Row = {"method": name}
    for choice in ("default", "chosen"):
        for measure in ("MAP", "NDCG@10"):
            folds = [values[measure].mean() for values in found[choice]]
            row[f"{measure}, {choice}"] = float(np.mean(folds))
            row[f"{measure}, {choice}, deviation"] = float(np.std(folds, ddof=1))
            row[f"{measure}, {choice}, folds"] = [float(value) for value in folds]
    ours, theirs = (
        np.concatenate([values["MAP"] for values in f["chosen"]]) for f in (found, control)
    )
    difference = ours - theirs
    row["MAP - single feature"] = float(difference.mean())
    row["standard error"] = float(difference.std(ddof=1) / len(difference) ** 0.5)
    row["CPU s of a fit"] = float(np.median(found["seconds"]))
    return row


def candidates() -> list[Row]:
    """MAP on validation parts by C, after training with few and many queries."""
    rows = []
    for n in SIZES:
        row: Row = {"queries": n}
        for factor in CANDIDATES:
            values = []
            for number in FOLDS:
                for seed in range(1 if n == max(SIZES) else 2):
                    train, other = fold(number).train.some(n, seed), fold(number).validation
                    for _, parameters in MEASURES:
                        scores = ours(train, factor, parameters)(other.X)
                        values.append(measured(other, scores)["MAP"].mean())
            row[f"{factor:g}"] = float(np.mean(values))
        rows.append(row)
    return rows


def main() -> None:
    try:
        fold(0)
    except FileNotFoundError as error:
        print(f"skipped: {error}")
        return
    warnings.simplefilter("error", ConvergenceWarning)
    # The smallest C to choose from may leave the weights at 0.
    warnings.filterwarnings("ignore", "training ended at w = 0")
    with one_thread():
        results = {method.name: tested(method) for method in methods()}
        tables = {
            "MQ2008": [summary(*one, results["single feature"]) for one in results.items()],
            "MAP of validation queries by C, in n m / s": candidates(),
        }
    report("ranking/mq2008", tables)


if __name__ == "__main__":
    main()
