"""Table 2 of the paper: errors on unlabelled rows, where some rows are labelled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.reproduction._sdp_widths import DEFAULT, ROWS, WIDTHS, gamma_of, spectral
from benchmarks.reproduction._transductive import transductive_labels
from benchmarks.store import Row
from structsvm.datasets import digits_pair, load_file
from structsvm.problems import SDPMMC

DRAWS = 20
#: Labelled rows of a draw.
LABELLED = 10
UCI = ("australian", "vote", "diabetes")


def labels_rows() -> Iterator[Row]:
    for data in labelled_sets():
        yield labels_row(*data)


def labelled_sets() -> Iterator[tuple[str, Any, Any]]:
    for pair in ((1, 7), (2, 3)):
        X, y = digits_pair(*pair)
        yield f"digits {pair[0]}v{pair[1]}", X, (y == pair[1]).astype(int)
    for name in UCI:
        try:
            data = load_file(name)
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
            continue
        X = StandardScaler().fit_transform(data["X"].astype(float))
        yield name, X, data["y"].astype(int)


def labelled_draw(X: Any, y: Any, seed: int) -> tuple[Any, Any, Any]:
    """Rows, their classes, and which of them are labelled: at least one of each class."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))[:ROWS]
    X, y = X[rows], y[rows]
    order = rng.permutation(ROWS)
    first = [order[y[order] == c][0] for c in (0, 1)]
    others = order[~np.isin(order, first)]
    labelled = np.zeros(ROWS, dtype=bool)
    labelled[np.concatenate([first, others[: LABELLED - 2]])] = True
    return X, y, labelled


def default_errors(X: Any, y: Any, labelled: Any) -> float:
    """The error of the transductive labels, all by default."""
    sdp = SDPMMC(random_state=0).fit(X, np.where(labelled, y, -1))
    return 100 * float(np.mean(sdp.labels_[~labelled] != y[~labelled]))


def sdp_errors(
    X: Any, y: Any, labelled: Any, gamma: float, solver: Any = "low_rank"
) -> tuple[float, float]:
    """Errors on the unlabelled rows: of the transductive labels, and of their classifier."""
    known = np.where(labelled, y, -1)
    balance = 0.1 + abs(2 * float(np.mean(y[labelled])) - 1)
    sdp = SDPMMC(gamma=gamma, balance=balance, solver=solver, random_state=0).fit(X, known)
    rest = ~labelled
    wrong = (sdp.labels_[rest] != y[rest], sdp.predict(X)[rest] != y[rest])
    return 100 * float(np.mean(wrong[0])), 100 * float(np.mean(wrong[1]))


def svm_errors(X: Any, y: Any, labelled: Any, gamma: float) -> tuple[float, float]:
    """Errors of the support vector machine of the labelled rows, and of the transductive one."""
    svm = SVC(gamma=gamma, C=100.0).fit(X[labelled], y[labelled])
    signs = np.where(labelled, 2 * y - 1, 0)
    K = rbf_kernel(X, gamma=gamma)
    labels = transductive_labels(K, signs, 100.0, svm.decision_function(X)) > 0
    rest = ~labelled
    return (
        100 * float(np.mean(svm.predict(X)[rest] != y[rest])),
        100 * float(np.mean(labels[rest] != y[rest])),
    )


def cross_validated_svm(X: Any, y: Any, labelled: Any, gamma: float) -> float:
    """The error with the width cross-validated on the labelled rows, where they suffice."""
    folds = min(5, int(np.bincount(y[labelled]).min()))
    svm = SVC(gamma=gamma / 16, C=100.0)
    if folds >= 2:
        svm = GridSearchCV(svm, {"gamma": [w * gamma for w in WIDTHS]}, cv=folds)
    predicted = svm.fit(X[labelled], y[labelled]).predict(X)
    return 100 * float(np.mean(predicted[~labelled] != y[~labelled]))


def spectral_error(X: Any, y: Any, labelled: Any, gamma: float) -> float:
    """The error on the unlabelled rows, the clusters named by the labelled ones."""
    labels = spectral(X, gamma)
    if np.mean(labels[labelled] == y[labelled]) < 0.5:
        labels = 1 - labels
    return 100 * float(np.mean(labels[~labelled] != y[~labelled]))


def labels_row(name: str, X: Any, y: Any) -> Row:
    found: list[dict[str, Any]] = []
    for seed in range(DRAWS):
        draw = labelled_draw(X, y, seed)
        gammas = [width * gamma_of(draw[0]) for width in WIDTHS]
        cuts = [spectral_error(*draw, gamma) for gamma in gammas]
        best = int(np.argmin(cuts))
        sdp = sdp_errors(*draw, gammas[DEFAULT])
        admm = [sdp_errors(*draw, gammas[place], "admm")[0] for place in (DEFAULT, best)]
        svms = [svm_errors(*draw, gamma) for gamma in gammas]
        found.append(
            {
                "SDP": default_errors(*draw),
                "SDP, balance": sdp[0],
                "SDP, balance, predict": sdp[1],
                "SDP, admm": admm[0],
                "SDP, width of spectral": admm[1],
                **{f"SVM, {width:g}": svm[0] for width, svm in zip(WIDTHS, svms, strict=True)},
                **{f"TSVM, {width:g}": svm[1] for width, svm in zip(WIDTHS, svms, strict=True)},
                "SVM, cross-validated": cross_validated_svm(*draw, gammas[DEFAULT]),
                "spectral": cuts[DEFAULT],
                "spectral, scored": cuts[best],
            }
        )
    row: Row = {"data": name, "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    for method in ("SVM", "TSVM"):
        row[f"{method}, scored"] = min(row[f"{method}, {width:g}"] for width in WIDTHS)
    row["better"] = sum(one["SDP"] < one["SVM, cross-validated"] for one in found)
    row["worse"] = sum(one["SDP"] > one["SVM, cross-validated"] for one in found)
    print(row, flush=True)
    return row
