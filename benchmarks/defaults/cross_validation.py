"""C='cv' beside the default C and GridSearchCV, on sets that had no part in its design.

Half of the examples are trained on, and the others scored, in per cent. GridSearchCV compares the
values of C that C='cv' tried, by three folds. Time is CPU time relative to a fit with the default,
one thread.

    python -m benchmarks defaults/cross_validation    # STRUCTSVM_DATA has most of the sets
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV, GroupKFold

from benchmarks.averages import averaged
from benchmarks.defaults import _rows, _structures
from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.data.containers import take
from structsvm.datasets import shortest_path_costs
from structsvm.problems import AssignmentSVM, ChainSVM, MulticlassSVM, MultiLabelSVM, RankingSVM
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths

RESULTS = "defaults/cross_validation"
DRAWS = 3
WAYS = ("default", "cv", "GridSearchCV")

Task = tuple[str, str, Any, Any, Any, Any]


def tasks() -> Iterator[Task]:
    """Yield family, set, estimator, inputs, outputs, and the query of each row."""
    for data in _rows.confirmation():
        if isinstance(data.X, np.ndarray) and data.X.shape[1] < 100:
            yield "classes", data.name, MulticlassSVM(), data.X, data.y, None
    for structures in _structures.confirmation():
        if structures.kind == "chain":
            yield "sequences", structures.name, ChainSVM(), structures.rows, structures.labels, None
        else:
            sizes = [len(y) for y in structures.labels]
            X, y = np.vstack(structures.rows), np.concatenate(structures.labels).astype(int)
            qid = np.repeat(np.arange(len(sizes)), sizes)
            yield "rankings", structures.name, RankingSVM(), X, y, qid
    for draw in range(DRAWS):
        X, y = make_multilabel_classification(400, 20, n_classes=6, random_state=100 + draw)
        yield "label sets", f"draw {draw + 1}", MultiLabelSVM(), X, y, None
        X, y = shortest_path_costs(200, degree=6, random_state=100 + draw)
        yield "decisions", f"draw {draw + 1}", DecisionFocusedRegressor(GridPaths(5, 5)), X, y, None
        yield "matchings", f"draw {draw + 1}", AssignmentSVM(), *_matchings(draw), None


def _matchings(draw: int) -> tuple[Any, Any]:
    """Points and their noisy images in another order, described by squared differences."""
    rng = np.random.default_rng(100 + draw)
    Y = [rng.permutation(10) for _ in range(40)]
    first = [rng.normal(size=(10, 6)) for _ in Y]
    second = [rng.normal(size=(10, 6)) for _ in Y]
    for a, b, y in zip(first, second, Y, strict=True):
        b[y] = a + np.linspace(0.3, 3, 6) * rng.normal(size=a.shape)
    return [-((a[:, None] - b) ** 2) for a, b in zip(first, second, strict=True)], Y


def rows(task: Task) -> Iterator[Row]:
    """Yield the score and the time of each way."""
    family, name, model, X, y, qid = task
    units = np.arange(len(y)) if qid is None else qid
    order = np.random.default_rng(0).permutation(units.max() + 1)
    train = np.flatnonzero(np.isin(units, order[: len(order) // 2]))
    test = np.delete(np.arange(len(units)), train)
    of_train, of_test = ({} if qid is None else {"qid": qid[part]} for part in (train, test))
    default, path = 1.0, []
    for way in WAYS:
        start = time.process_time()
        if way == "GridSearchCV":
            search: Any = clone(model)
            if qid is not None:
                search = search.set_fit_request(qid=True).set_score_request(qid=True)
            folds = 3 if qid is None else GroupKFold(3)
            groups = {} if qid is None else {"groups": qid[train]}
            fitted = GridSearchCV(search, {"C": path}, cv=folds)
            fitted.fit(take(X, train), take(y, train), **of_train, **groups)
        else:
            C = "cv" if way == "cv" else model.C
            fitted = clone(model).set_params(C=C).fit(take(X, train), take(y, train), **of_train)
        seconds = time.process_time() - start
        default = seconds if way == "default" else default
        path = fitted.C_path_.tolist() if way == "cv" else path
        score = 100 * fitted.score(take(X, test), take(y, test), **of_test)
        found: Row = {"family": family, "data": name, "C": way, "score": score}
        yield found | {"seconds": seconds, "time": seconds / default}


def main() -> None:
    warnings.simplefilter("ignore")
    found = []
    with config_context(enable_metadata_routing=True):
        for task in tasks():
            for row in rows(task):
                print(row, flush=True)
                found.append(row)
    means = averaged(found, ["family", "C"], ["score", "time"])
    report(RESULTS, {"means": means, "every set": found})


if __name__ == "__main__":
    with one_thread():
        main()
