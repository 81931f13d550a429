"""Train on all sets but one, with C and predictor chosen on them, and predict that one."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GridSearchCV, LeaveOneOut

from benchmarks.item_sets import Collection
from benchmarks.reproduction._pair_classifiers import PairLogistic, PairSVM
from benchmarks.store import Row
from structsvm.problems import DiscreteOracle, IterativeOracle, SpectralOracle, SupervisedKMeans
from structsvm.problems.set_clustering.supervised_kmeans.loss import trace_loss

#: Seeds of the Iterative oracle: its searches start at random.
SEEDS = range(5)
#: C in units of `scale_`, which is large with many features of links; C must be larger there.
GRIDS = {
    "synth": (1.0, 10.0, 100.0, 1e3, 1e4),
    "news": (1.0, 10.0, 100.0, 1e3, 1e4),
    "webkb-n": (10.0, 100.0, 1e3),
    "webkb-l": (1e5, 1e6, 1e7, 1e8),
}
#: C of LinearSVC and of LogisticRegression, which multiplies the sum over pairs.
PAIR_GRIDS = {
    "Pair": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0),
    "Logistic": (1e-2, 1.0, 1e2, 1e4),
}
PREDICTORS = ("iterative", "spectral", "discrete")
#: Starts of the searches that predict; the paper has one.
STARTS = 30
ONE_START = "Iterative, one start"


def predictor_of(name: str, starts: int) -> Any:
    if name == "spectral":
        return SpectralOracle()
    return IterativeOracle(starts) if name == "iterative" else DiscreteOracle(starts)


def loss_by(predictor: str, model: Any, X: Any, y: Any) -> float:
    """Minus the mean loss with a predictor; a scorer."""
    oracle = predictor_of(predictor, getattr(model, "starts", STARTS))
    return 100 * model.set_params(predictor=oracle).score(X, y) - 100.0


class Choice(NamedTuple):
    """C and the predictor that do best where each set but one is left out, and their loss."""

    C: float
    predictor: str
    loss: float


def chosen(model: Any, data: Collection, i: int, grid: tuple[float, ...] = ()) -> Choice:
    """Choose without set i."""
    grid = grid or GRIDS[data.name.split()[0]]
    rest, labels = _without(i, data)
    scorers = {name: partial(loss_by, name) for name in PREDICTORS}
    search = GridSearchCV(model, {"C": grid}, scoring=scorers, refit=False, cv=LeaveOneOut())
    results = search.fit(rest, labels).cv_results_
    means = np.array([results[f"mean_test_{name}"] for name in PREDICTORS])
    best, c = np.unravel_index(means.argmax(), means.shape)
    return Choice(grid[c], PREDICTORS[best], -means.max())


def _without(i: int, data: Collection) -> tuple[list[Any], list[Any]]:
    return data.X[:i] + data.X[i + 1 :], data.y[:i] + data.y[i + 1 :]


def held_out(model: Any, choice: Choice, data: Collection, i: int) -> Row:
    """Train on all sets but i as was chosen, and predict set i."""
    rest, labels = _without(i, data)
    X, y = data.X[i : i + 1], data.y[i : i + 1]
    fit = partial(model.set_params(C=choice.C).fit, rest, labels)
    loss = 0.0 - loss_by(choice.predictor, fit(), X, y)
    return {"loss": loss, "chosen": choice.loss, "C": choice.C, "predictor": choice.predictor}


def untrained(items: Any, labels: Any) -> Row:
    """The loss of Iterative with equal weights."""
    K = items.similarity(np.ones(items.n_features))
    codes = np.unique(labels, return_inverse=True)[1]
    loss = trace_loss(
        codes, predictor_of("iterative", STARTS).cluster(K, len(set(labels.tolist())))
    )
    return {"loss": loss, "chosen": "-", "C": "-", "predictor": "iterative"}


def computed(data: Collection, i: int, method: str, seed: int, first: Row | None) -> Row:
    """The result of a method on set i, with the choices in ``first`` if that is given."""
    if method == "None":
        return untrained(data.X[i], data.y[i])
    model = estimator(method, seed)
    if first is None:
        choice = chosen(model, data, i, PAIR_GRIDS.get(method, ()))
    else:
        choice = Choice(first["C"], first["predictor"], first["chosen"])
    return held_out(model, choice, data, i)


def estimator(method: str, seed: int = 0) -> Any:
    """The estimator of a method; the joint features are divided by one number, as in the paper."""
    if method in PAIR_GRIDS:
        return PairSVM() if method == "Pair" else PairLogistic()
    if method == ONE_START:
        return OneStart(IterativeOracle(random_state=seed), scale="common")
    oracle = IterativeOracle(random_state=seed) if method == "Iterative" else "spectral"
    return SupervisedKMeans(oracle, scale="common")


class OneStart(SupervisedKMeans):
    """Iterative, with the searches that predict from one start each."""

    starts = 1
