"""Rows of known cluster: the features that classify them best, and a start by their classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from structsvm.data.arrays import Indices, Vector
from structsvm.data.intercepts import BIAS
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.margin_clustering.search import Effort, Found

#: C='auto' is one of these; for sign decoding twice as much.
CHOICES_OF_C = (10.0, 100.0, 1000.0)
#: Folds of the cross-validation.
FOLDS = 5
#: Known rows in the cross-validation, about.
ASKED = 1000
#: Weight of the hinge loss beside an error: it distinguishes classifiers with equal errors.
HINGE_WEIGHT = 0.5
#: The hinge loss of a row is cut off here: one outlier must not decide.
MOST_HINGE = 2.0


def from_known_rows(
    problem: ClusteringProblem, Z: Any, known: Any, C: float, effort: Effort
) -> Found:
    """The support vector machine of the rows of known cluster, the only start: a :data:`Search`."""
    problem.initialize([Z], [known])
    rows = np.flatnonzero(known != UNKNOWN)
    W = _classifier(problem.rows_, Z[rows], known[rows], C / problem.C_factor)
    return Found([problem.weights(W)])


def best_C(
    problem: ClusteringProblem, Z: Any, known: Indices, C: float | None
) -> tuple[float, float]:
    """C, or for None the choice with which known rows are classified best; and their loss."""
    choices = [problem.C_factor * choice for choice in CHOICES_OF_C] if C is None else [C]
    losses = [cross_validated_loss(problem, Z, known, c) for c in choices]
    best = int(np.argmin(losses))
    return choices[best], losses[best]


def cross_validated_loss(problem: ClusteringProblem, Z: Any, known: Indices, C: float) -> float:
    """The mean loss of known rows under classifiers of the other known rows.

    A row counts 1 if it is classified wrongly, and half of its hinge loss, which is cut off at 2.
    """
    rows = _sample(known)
    x, y = Z[rows], known[rows]
    folds = _folds(y)
    losses = []
    for fold in range(folds.max() + 1):
        out = folds == fold
        W = _classifier(problem.rows_, x[~out], y[~out], C / problem.C_factor)
        losses.append(_losses(problem.rows_.scores(x[out], W), y[out]))
    return float(np.concatenate(losses).mean())


def _sample(known: Indices) -> Indices:
    """Rows of known cluster, at least one of each cluster, evenly spaced where there are many."""
    rows = np.flatnonzero(known != UNKNOWN)
    if len(rows) <= ASKED:
        return rows
    spaced = np.linspace(0, len(rows) - 1, ASKED).astype(int)
    first = np.unique(known[rows], return_index=True)[1]
    return rows[np.union1d(spaced, first)]


def _folds(y: Indices) -> Indices:
    """The fold of every row, from 0; -1 for the only row of a cluster, which none may leave out."""
    order = np.argsort(y, kind="stable")
    order = order[np.bincount(y)[y[order]] > 1]
    folds = np.full(len(y), -1)
    # The rows of a cluster are dealt out in turn, so no fold has all of them.
    folds[order] = np.arange(len(order)) % FOLDS
    return folds


def _losses(scores: Vector, y: Indices) -> Vector:
    """The loss of every row."""
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    margins = own - scores.max(axis=1)
    return (margins <= 0) + HINGE_WEIGHT * (1 - margins).clip(0, MOST_HINGE)


def _classifier(rows: StandardRows, x: Any, y: Indices, C: float) -> Vector:
    """Weights of shape (k, size) of the support vector machine of Crammer & Singer."""
    # C there weighs the sum of the losses. The constant feature is 1, not BIAS, with which the
    # coordinate descent takes a hundred times longer.
    svm = LinearSVC(C=C / len(y), multi_class="crammer_singer", random_state=0)
    # Sparse rows stay sparse: their offsets are corrected instead.
    centre = np.zeros(rows.n_features) if sparse.issparse(x) else rows.mean
    standard = x * (1 / rows.scale) if sparse.issparse(x) else (x - centre) / rows.scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Clusters of few known rows look like numbers that should be predicted by regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        svm.fit(standard, y)
    W, offsets = svm.coef_, svm.intercept_
    if len(W) == 1:  # the second score minus the first
        W, offsets = np.vstack([-W, W]) / 2, np.append(-offsets, offsets) / 2
    offsets = offsets + W @ (rows.mean - centre) / rows.scale
    return np.column_stack([W, offsets / BIAS])
