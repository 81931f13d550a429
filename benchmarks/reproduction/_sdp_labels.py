"""Table 2 of the paper: errors in percent on unlabelled rows, where some rows are labelled."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.experiment import Data, means
from benchmarks.reproduction._transductive import transductive_labels
from benchmarks.store import Row
from structsvm.datasets import digits_pair, load_file
from structsvm.features.kernels import median_distance
from structsvm.problems import SDPMMC

#: Rows of a draw, and labelled ones.
ROWS, N_LABELLED = 100, 10
#: Multiples of the default gamma.
WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
#: The place of the default among them.
DEFAULT = 2


def gamma_of(X: Any) -> float:
    return 8 / median_distance(X) ** 2


def spectral(X: Any, gamma: float) -> Any:
    return SpectralClustering(2, gamma=gamma, random_state=0).fit_predict(X)


class Labelled(NamedTuple):
    """Rows, their classes, and which of them are labelled: at least one of each class."""

    X: Any
    y: Any
    labelled: Any

    @property
    def known(self) -> Any:
        return np.where(self.labelled, self.y, -1)

    def error(self, labels: Any) -> float:
        rest = ~self.labelled
        return 100 * float(np.mean(labels[rest] != self.y[rest]))

    def gamma(self, place: int) -> float:
        return WIDTHS[place] * gamma_of(self.X)


def of_digits(a: int, b: int, draw: int) -> Labelled:
    X, y = digits_pair(a, b)
    return drawn(X, (y == b).astype(int), draw)


def of_file(name: str, draw: int) -> Labelled:
    data = load_file(name)
    X = StandardScaler().fit_transform(data["X"].astype(float))
    return drawn(X, data["y"].astype(int), draw)


def drawn(X: Any, y: Any, draw: int) -> Labelled:
    rng = np.random.default_rng(draw)
    rows = rng.permutation(len(X))[:ROWS]
    X, y = X[rows], y[rows]
    order = rng.permutation(ROWS)
    first = [order[y[order] == c][0] for c in (0, 1)]
    others = order[~np.isin(order, first)]
    labelled = np.zeros(ROWS, dtype=bool)
    labelled[np.concatenate([first, others[: N_LABELLED - 2]])] = True
    return Labelled(X, y, labelled)


LABELLED: Data = {
    **{f"digits {a}v{b}": partial(of_digits, a, b) for a, b in ((1, 7), (2, 3))},
    **{name: partial(of_file, name) for name in ("australian", "vote", "diabetes")},
}


def default(data: Labelled) -> float:
    """The error of the transductive labels, all by default."""
    return data.error(SDPMMC(random_state=0).fit(data.X, data.known).labels_)


def balanced(data: Labelled, place: int = DEFAULT) -> float:
    """The paper's program; the balance follows the labelled rows, with a margin."""
    balance = 0.1 + abs(2 * float(np.mean(data.y[data.labelled])) - 1)
    gamma = data.gamma(place)
    model = SDPMMC(gamma=gamma, balance=balance, solver="admm", random_state=0)
    return data.error(model.fit(data.X, data.known).labels_)


def spectral_error(data: Labelled, place: int) -> float:
    """The clusters are named by the labelled rows."""
    labels = spectral(data.X, data.gamma(place))
    if np.mean(labels[data.labelled] == data.y[data.labelled]) < 0.5:
        labels = 1 - labels
    return data.error(labels)


def best_place(data: Labelled) -> int:
    """The place of the width of fewest errors of spectral clustering."""
    return int(np.argmin([spectral_error(data, place) for place in range(len(WIDTHS))]))


def svm(data: Labelled, place: int) -> SVC:
    """The support vector machine of the labelled rows."""
    rows = data.labelled
    return SVC(gamma=data.gamma(place), C=100.0).fit(data.X[rows], data.y[rows])


def transductive(data: Labelled, place: int) -> float:
    signs = np.where(data.labelled, 2 * data.y - 1, 0)
    K = rbf_kernel(data.X, gamma=data.gamma(place))
    start = svm(data, place).decision_function(data.X)
    return data.error(transductive_labels(K, signs, 100.0, start) > 0)


def cross_validated(data: Labelled) -> float:
    """The width is cross-validated on the labelled rows, where they suffice."""
    y = data.y[data.labelled]
    folds = min(5, int(np.bincount(y).min()))
    model = SVC(gamma=data.gamma(0), C=100.0)
    if folds >= 2:
        grid = {"gamma": [data.gamma(place) for place in range(len(WIDTHS))]}
        model = GridSearchCV(model, grid, cv=folds)
    return data.error(model.fit(data.X[data.labelled], y).predict(data.X))


#: Errors on the unlabelled rows.
METHODS = {
    "SDP": default,
    "SDP, admm": balanced,
    "SDP, width of spectral": lambda data: balanced(data, best_place(data)),
    **{
        f"TSVM, {width:g}": partial(transductive, place=place) for place, width in enumerate(WIDTHS)
    },
    "SVM, cross-validated": cross_validated,
    "spectral, scored": lambda data: spectral_error(data, best_place(data)),
}


def labels_summary(rows: list[Row]) -> Row:
    """Return the means over draws, with the best width of TSVM by the labels."""
    row: Row = {"draws": len(rows)} | means(rows)
    return row | {"TSVM, scored": min(row[f"TSVM, {width:g}"] for width in WIDTHS)}
