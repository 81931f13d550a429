"""C='cv', the default C and GridSearchCV, on sets that were not used to design it.

Half of the examples are trained on, and the others scored, in per cent. GridSearchCV compares the
values of C that C='cv' tried, by three folds. Time is CPU time relative to a fit with the default,
one thread.

    python -m benchmarks defaults/cross_validation    # STRUCTSVM_DATA has most of the sets
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV, GroupKFold

from benchmarks.defaults import _rows, _structures
from benchmarks.experiment import Data, Experiment
from benchmarks.store import Row
from structsvm.data.containers import take
from structsvm.datasets import shortest_path_costs
from structsvm.problems import AssignmentSVM, ChainSVM, MulticlassSVM, MultiLabelSVM, RankingSVM
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths

DRAWS = 3
WAYS = ("default", "cv", "GridSearchCV")


class Task(NamedTuple):
    """An estimator, inputs, outputs, and the query of each row."""

    model: Any
    X: Any
    y: Any
    qid: Any = None


def classes(name: str) -> Task:
    _, X, y = _rows.confirmation()[name]()
    return Task(MulticlassSVM(), X, y)


def structures(name: str) -> Task:
    data = _structures.confirmation()[name]()
    if data.kind == "chain":
        return Task(ChainSVM(), data.rows, data.labels)
    sizes = [len(y) for y in data.labels]
    X, y = np.vstack(data.rows), np.concatenate(data.labels).astype(int)
    return Task(RankingSVM(), X, y, np.repeat(np.arange(len(sizes)), sizes))


def label_sets(draw: int) -> Task:
    drawn = make_multilabel_classification(400, 20, n_classes=6, random_state=100 + draw)
    return Task(MultiLabelSVM(), *drawn)


def decisions(draw: int) -> Task:
    drawn = shortest_path_costs(200, degree=6, random_state=100 + draw)
    return Task(DecisionFocusedRegressor(GridPaths(5, 5)), *drawn)


def tasks() -> Data:
    """By family and set; of the classes, tables with few columns."""
    narrow = ("australian", "diabetes", "heart", "ionosphere", "vote", "letter", "satimage")
    chains = [name for name in _structures.confirmation() if name != "mq2008"]
    drawn = {
        "label sets": label_sets,
        "decisions": decisions,
        "matchings": lambda draw: Task(AssignmentSVM(), *_matchings(draw)),
    }
    return {
        **{("classes", name): partial(classes, name) for name in narrow},
        **{("sequences", name): partial(structures, name) for name in chains},
        ("rankings", "mq2008"): partial(structures, "mq2008"),
        **{
            (family, f"draw {draw + 1}"): partial(of, draw)
            for family, of in drawn.items()
            for draw in range(DRAWS)
        },
    }


def _matchings(draw: int) -> tuple[Any, Any]:
    """Points and their noisy images in another order, described by squared differences."""
    rng = np.random.default_rng(100 + draw)
    Y = [rng.permutation(10) for _ in range(40)]
    first = [rng.normal(size=(10, 6)) for _ in Y]
    second = [rng.normal(size=(10, 6)) for _ in Y]
    for a, b, y in zip(first, second, Y, strict=True):
        b[y] = a + np.linspace(0.3, 3, 6) * rng.normal(size=a.shape)
    return [-((a[:, None] - b) ** 2) for a, b in zip(first, second, strict=True)], Y


def rows(task: Task) -> list[Row]:
    """The score and the time of each way."""
    model, X, y, qid = task
    units = np.arange(len(y)) if qid is None else qid
    order = np.random.default_rng(0).permutation(units.max() + 1)
    train = np.flatnonzero(np.isin(units, order[: len(order) // 2]))
    test = np.delete(np.arange(len(units)), train)
    of_train, of_test = ({} if qid is None else {"qid": qid[part]} for part in (train, test))
    default, path, found = 1.0, [], []
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
        times = {"seconds": seconds, "time": seconds / default}
        found.append({"C": way, "score": score} | times)
    return found


def with_routing(task: Task) -> list[Row]:
    with config_context(enable_metadata_routing=True):
        return rows(task)


EXPERIMENTS = (
    Experiment(
        "every set",
        ("family", "data", "C"),
        tasks(),
        with_routing,
    ),
)
