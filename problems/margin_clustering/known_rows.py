"""Train classifiers on rows whose clusters are known, to choose C and initial weights."""

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

#: Values among which C='auto' chooses; doubled for sign decoding.
CHOICES_OF_C = (10.0, 100.0, 1000.0)
#: Number of folds of the cross-validation.
FOLDS = 5
#: Approximate largest number of known rows in the cross-validation.
ASKED = 1000
#: Weight of the hinge loss, if an error weighs 1: it distinguishes classifiers with equal errors.
HINGE_WEIGHT = 0.5
#: Larger hinge losses are cut off here, so that one outlier does not decide.
MOST_HINGE = 2.0


def from_known_rows(
    problem: ClusteringProblem, Z: Any, known: Any, C: float, effort: Effort
) -> Found:
    """A :data:`Search` that returns the weights of a support vector machine of the known rows."""
    problem.initialize([Z], [known])
    rows = np.flatnonzero(known != UNKNOWN)
    W = _classifier(problem.rows_, Z[rows], known[rows], C / problem.C_factor)
    return Found([problem.weights(W)])


def best_C(
    problem: ClusteringProblem, Z: Any, known: Indices, C: float | None
) -> tuple[float, float]:
    """Return C and its cross-validated loss; if C is None, choose the C of lowest loss."""
    choices = [problem.C_factor * choice for choice in CHOICES_OF_C] if C is None else [C]
    losses = [cross_validated_loss(problem, Z, known, c) for c in choices]
    best = int(np.argmin(losses))
    return choices[best], losses[best]


def cross_validated_loss(problem: ClusteringProblem, Z: Any, known: Indices, C: float) -> float:
    """Return the mean loss of the known rows in a cross-validation.

    For a row of hinge loss h, the loss is min(h, 2) / 2, plus 1 if the predicted cluster is wrong.
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
    """Return at most about 1000 known rows, evenly spaced, with a row of each cluster."""
    rows = np.flatnonzero(known != UNKNOWN)
    if len(rows) <= ASKED:
        return rows
    spaced = np.linspace(0, len(rows) - 1, ASKED).astype(int)
    first = np.unique(known[rows], return_index=True)[1]
    return np.asarray(rows[np.union1d(spaced, first)])


def _folds(y: Indices) -> Indices:
    """Return the fold in which each row is held out, or -1 for the only row of a cluster."""
    order = np.argsort(y, kind="stable")
    order = order[np.bincount(y)[y[order]] > 1]
    folds = np.full(len(y), -1)
    # The rows of a cluster are dealt out in turn, so no fold has all of them.
    folds[order] = np.arange(len(order)) % FOLDS
    return folds


def _losses(scores: Vector, y: Indices) -> Vector:
    """Return the loss of every row, shape (n,)."""
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    margins: Vector = own - scores.max(axis=1)
    return (margins <= 0) + HINGE_WEIGHT * (1 - margins).clip(0, MOST_HINGE)


def _classifier(rows: StandardRows, x: Any, y: Indices, C: float) -> Vector:
    """Train a Crammer-Singer support vector machine; return its weights, shape (k, size)."""
    # LinearSVC's C is the weight of the sum of the losses. Its constant feature is 1, because the
    # coordinate descent takes a hundred times longer with BIAS.
    svm = LinearSVC(C=C / len(y), multi_class="crammer_singer", random_state=0)
    # Sparse rows stay sparse: their offsets are corrected instead.
    centre = np.zeros(rows.n_features) if sparse.issparse(x) else rows.mean
    standard = x * (1 / rows.scale) if sparse.issparse(x) else (x - centre) / rows.scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Many clusters for few known rows look to scikit-learn like the values of a regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        svm.fit(standard, y)
    W, offsets = svm.coef_, svm.intercept_
    if len(W) == 1:  # the second score minus the first
        W, offsets = np.vstack([-W, W]) / 2, np.append(-offsets, offsets) / 2
    offsets = offsets + W @ (rows.mean - centre) / rows.scale
    return np.column_stack([W, offsets / BIAS])
