"""Conformal: sets of outputs or parts that contain the true output with a given probability."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any

import numpy as np
from scipy.stats import ks_2samp
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils import _safe_indexing, check_consistent_length, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from structsvm.bases import HasParameters
from structsvm.conformal.calibration import (
    require_attainable,
    require_known_outputs,
    require_parts,
    require_same_labels,
    require_whole_outputs,
    warn_of_missing_labels,
    warn_of_trained_examples,
)
from structsvm.conformal.confidence import Confidence, are_true
from structsvm.conformal.deficits import Deficits, Measured, typical_margins
from structsvm.conformal.levels import Levels, checked_miss, least_weight
from structsvm.conformal.prediction_set import PredictionSets
from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.containers import listed
from structsvm.data.validation import require_integer
from structsvm.exceptions import warn_user

#: A warning is given if chance explains a difference from the calibration data less often.
CHANCE = 1e-3
#: Fewer inputs are not compared: the test would take longer than their sets, and find little.
FEW = 20


class Conformal(HasParameters):
    """Prediction sets that contain the true output, or most of its parts, with a given probability.

    In each slot of the output (a position, a word, a node, a row), the set of an input contains one
    or more parts (labels, heads, columns). A part is in the set if the best output with this part
    scores nearly as high as the best of all outputs. The allowed difference of scores is chosen on
    calibration data, by ``coverage`` or by ``risk``:

    - ``coverage=0.9``: for 9 of 10 new inputs, *all* parts of the true output are in the set.
    - ``risk=0.05``: on average, the set misses 5 % of the parts of a true output. If outputs have
      many parts, sets for ``risk`` are smaller than sets for ``coverage``.

    The guarantee holds on average over calibration data and new inputs that are exchangeable, for
    example drawn independently from one source. The guarantee holds for any estimator. A bad fit or
    an inexact search does not break the guarantee, but may make sets larger. The guarantee fails in
    three cases: the new inputs come from a different source (other authors, a later time); the
    calibration data and the new inputs have examples of the same document or person (pass
    ``groups``); or calibration data were used for training. Coverage is not guaranteed for each
    input or each class separately. For a problem without parts, a set consists of complete outputs.
    A set of complete outputs cannot be listed, but it can be asked whether it contains an output.

    Parameters
    ----------
    estimator : estimator with ``problem_`` and ``w_`` after its fit
        The estimator, for example a ``ChainSVM``, or a ``StructuredSVM`` with a user's problem. The
        estimator must be fitted unless ``cv`` is passed. The estimator is not changed.
    coverage : float, default=0.9
        The probability that a set contains the complete true output, > 0 and < 1.
    risk : float, optional
        The expected fraction of the true parts that a set misses, > 0 and < 1. ``risk`` replaces
        ``coverage``. In label sets, only the labels of the true set count as parts. In rankings,
        only documents above the lowest grade count as parts.
    cv : int, cross-validation splitter of scikit-learn, or None, default=None
        With None, the estimator is already fitted, and ``fit`` expects data that were not used for
        training. With a number or a splitter, ``fit`` expects all data and divides the data into
        folds. For each fold, a clone is trained on all examples outside the fold and calibrated on
        the fold. The set contains each part whose deficit (defined under References) is small,
        compared with the deficits of the true outputs of calibration examples. For each comparison,
        both deficits are computed with the clone that was trained without the calibration example.
        The probability that a set contains the true output is at least 2 ``coverage`` - 1, and in
        practice close to ``coverage`` (Barber, Candes, Ramdas & Tibshirani, Predictive Inference
        with the Jackknife+, Annals of Statistics 2021). No bound on the risk is proven for ``cv``.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator that predicts. With ``cv``, it is trained on all data.
    threshold_ : float or None
        A part is in a set if the score of the best output with the part is at most ``threshold_``
        below the score of the best output. None with ``cv``.
    scores_ : ndarray of shape (n,)
        For each calibration example, the deficit of the true output, as defined under References.
    doubts_ : ndarray of shape (n,)
        For each calibration example, the estimated increase of the true output's score if its worst
        part were replaced by the best part. To find wrong labels, check the examples with the
        largest doubts first.
    loss_bound_ : float
        A bound on the loss of a prediction, such as the regret of a decision, that holds with the
        probability ``coverage``.
    n_calibration_ : int
        The number of calibration examples, or of groups if ``groups`` was passed.

    References
    ----------
    The deficit of a part is the score of the best output minus the score of the best output with
    the part. The deficit of an output is the maximum of the deficits of its parts. If the searches
    are exact, the deficit of an output is at most the score of the best output minus the score of
    the output. Vovk, Gammerman & Shafer (2005) describe the quantile, and Angelopoulos et al. (ICLR
    2024) the risk.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from structsvm.conformal import Conformal
    >>> from structsvm.problems import MulticlassSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> svm = MulticlassSVM().fit(X[::2], y[::2])
    >>> sets = Conformal(svm, coverage=0.95).fit(X[1::2], y[1::2]).predict_set(X[112::7])
    >>> [found.parts[0] for found in sets]
    [[2], [1, 2], [2], [1], [2], [2]]
    """

    def __init__(
        self, estimator: Any, *, coverage: float = 0.9, risk: float | None = None, cv: Any = None
    ) -> None:
        self.estimator, self.coverage, self.risk, self.cv = estimator, coverage, risk, cv

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: None if name == "_data" else value for name, value in state.items()}

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.target_tags = own.input_tags, own.target_tags
        return tags

    # ------------------------------------------------------------------ calibration

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Calibrate on inputs and true outputs.

        If ``cv`` is set, train the estimators first.

        Parameters
        ----------
        X, y : as in the estimator's ``fit``
            Lists of examples. X must not be a single table whose rows are divided into examples by
            ``groups``.
        groups : array-like of shape (n,), optional
            The document, person or other source of each example. Pass ``groups`` if examples of the
            same source are alike, such as the sentences of a document. With groups, the guarantee
            holds for an example of a new group, and all groups have equal weights.

        Raises
        ------
        ValueError
            If there are too few examples for the requested coverage, if too many true outputs can
            never be predicted, or if the estimator is not trained on known outputs.
        """
        miss = checked_miss(self.coverage, self.risk)
        require_known_outputs(self.estimator, X, y)
        X, y = listed(X), listed(y)
        check_consistent_length(X, y, groups)
        groups = np.arange(_num_samples(y)) if groups is None else np.asarray(groups)
        _, of_group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        weights = 1 / sizes[of_group]
        self._least = least_weight(miss, len(sizes))
        self.n_calibration_ = len(sizes)
        is_dependent = len(sizes) < len(groups)
        self._data = None if self.cv else (X, y)
        self._tempered: Any = None
        if self.cv is None:
            check_is_fitted(self.estimator, "w_")
            self.estimator_, models = self.estimator, [(self.estimator, np.arange(len(groups)))]
            warn_of_trained_examples(self.estimator, X)
        else:
            models = [
                (self._trained(X, y, rest), held_out)
                for rest, held_out in self._folds(y, groups if is_dependent else None)
            ]
            self.estimator_ = clone(self.estimator).fit(X, y)
            require_same_labels(self.estimator_, [estimator for estimator, _ in models])
        require_whole_outputs(self.estimator_)
        self._primal = self.estimator_.result_.primal
        self._calibrate(models, X, y, weights)
        if is_dependent:  # the test of the margins assumes independent examples
            self._margins = np.zeros(0)
        return self

    def _folds(self, y: Any, groups: Any) -> list[tuple[Indices, Indices]]:
        """Return the training and calibration examples of each fold.

        Groups are not split.
        """
        splitter, n = self.cv, _num_samples(y)
        if isinstance(splitter, Integral):
            require_integer("cv", splitter, least=2)
            folds = KFold(splitter, shuffle=True, random_state=0)
            splitter = folds if groups is None else GroupKFold(splitter)
        if not hasattr(splitter, "get_n_splits"):
            raise ValueError(
                f"cv must be a whole number >= 2 or a splitter of scikit-learn; got {splitter!r}"
            )
        found = [*splitter.split(np.zeros((n, 1)), y, groups)]
        if not np.array_equal(np.sort(np.concatenate([own for _, own in found])), np.arange(n)):
            raise ValueError(f"cv must hold out each example once; {splitter!r} does not")
        return found

    def _trained(self, X: Any, y: Any, places: Indices) -> Any:
        """Return a clone of the estimator, trained on some examples."""
        return clone(self.estimator).fit(*(_safe_indexing(data, places) for data in (X, y)))

    def _calibrate(self, models: list[Any], X: Any, y: Any, weights: Vector) -> None:
        self.scores_ = np.empty(len(weights))
        self.doubts_, losses = np.empty((2, len(weights)))
        margins, confidence = [], Confidence()
        occurring: list[Indices] = []
        self._models: list[tuple[Any, Levels]] = []
        for estimator, places in models:
            inputs, outputs = (_safe_indexing(data, places) for data in (X, y))
            deficits = Deficits(estimator, inputs)
            if self.risk is not None:
                require_parts(deficits)
            found = deficits.of_outputs(inputs, outputs)
            self.scores_[places] = [own.max(initial=0.0) for own in found.of_truth]
            losses[places], self.doubts_[places] = found.losses, found.gains
            self._models.append((estimator, self._levels(found, weights[places])))
            if deficits.tables is not None:
                occurring += found.places
                margins += [typical_margins(deficits.margins)]
                confidence.add(deficits, found, inputs, outputs)
        if occurring:
            warn_of_missing_labels(deficits, np.concatenate(occurring))
        levels = [own for _, own in self._models]
        require_attainable(levels, self._least)
        self._confidence, self._margins = confidence, np.concatenate([[], *margins])
        of_losses = Levels(losses, weights)
        self.loss_bound_ = of_losses.threshold(self._least) if self.risk is None else None
        self.threshold_ = levels[0].threshold(self._least) if self.cv is None else None

    def _levels(self, found: Measured, weights: Vector) -> Levels:
        """Return the weighted deficits of true outputs or, if ``risk`` is set, of their parts."""
        if self.risk is None:
            return Levels(np.array([own.max(initial=0.0) for own in found.of_truth]), weights)
        sizes = np.array([len(own) for own in found.at_risk])
        shares = np.repeat(weights / np.maximum(sizes, 1), sizes)
        return Levels(np.concatenate(found.at_risk), shares)

    # ------------------------------------------------------------------ sets

    def predict(self, X: Any) -> Any:
        """Predict the outputs with the fitted estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_._predicted(listed(X))

    def predict_set(self, X: Any) -> PredictionSets:
        """Return the prediction sets of all inputs, as a sequence of :class:`PredictionSet`.

        A warning is given if the margins of the inputs differ from the margins of the calibration
        inputs by more than chance explains. Then the guarantee fails.
        """
        check_is_fitted(self, "estimator_")
        if self.estimator_.result_.primal != self._primal:
            raise ValueError("the estimator was fitted again; calibrate it again, by fit")
        X = listed(X)
        every = [Deficits(estimator, X) for estimator, _ in self._models]
        first = every[0]
        if first.tables is None:
            return PredictionSets(self, X, first)
        self._compare(first.margins)
        tables = first.tables
        if len(every) > 1:
            rows = zip(*(deficits.tables or [] for deficits in every), strict=True)
            tables = [np.mean(own, axis=0) for own in rows]
        inside = self._includes([deficits.flat for deficits in every])
        return PredictionSets(self, X, first, tables, inside)

    def _includes(self, deficits: list[Vector]) -> Any:
        """Return whether each part is in its set; ``deficits`` has an array for each estimator."""
        weights = [levels.above(d) for d, (_, levels) in zip(deficits, self._models, strict=True)]
        return (np.sum(weights, axis=0) > self._least) & np.isfinite(np.sum(deficits, axis=0))

    def _of_truth(self, X: Any, y: Any, at_risk: bool = False) -> tuple[Any, Indices]:
        """Return whether each true part is in its set, and each example's number of parts."""
        measured = [Deficits(estimator, X).of_outputs(X, y) for estimator, _ in self._models]
        found = [own.at_risk if at_risk else own.of_truth for own in measured]
        sizes = np.array([len(own) for own in found[0]])
        return self._includes([np.concatenate(own) for own in found]), sizes

    def score_coverage(self, X: Any, y: Any) -> float:
        """Return the fraction of the outputs y that are in the prediction sets of their inputs.

        Without ``risk``, the result should be about ``coverage`` or larger.

        If ``risk`` is set, return the mean fraction of an example's true parts that are in the set
        of the example. With ``risk``, the result should be about 1 - ``risk`` or larger.
        """
        check_is_fitted(self, "estimator_")
        inside, sizes = self._of_truth(listed(X), y, at_risk=self.risk is not None)
        missed = np.bincount(np.repeat(np.arange(len(sizes)), sizes), ~inside, len(sizes))
        held = missed == 0 if self.risk is None else 1 - missed / np.maximum(sizes, 1)
        return float(np.mean(held))

    def _compare(self, margins: list[Vector]) -> None:
        """Warn if margins of new predictions and of the calibration data differ in distribution."""
        if min(len(known := self._margins), len(margins)) < FEW:
            return
        found = typical_margins(margins)
        if len(found) and (p := ks_2samp(known, found, method="asymp").pvalue) < CHANCE:
            kind = "smaller" if np.median(found) < np.median(known) else "larger"
            warn_user(
                f"the margins of these predictions are {kind} than those of the calibration data "
                f"(Kolmogorov-Smirnov test, p = {p:.1g}): the inputs come from elsewhere, and the "
                "sets may cover less than asked; calibrate on data like these"
            )

    # ------------------------------------------------------------------ confidence, what to label

    def predict_confidence(self, X: Any, *, segments: Any = None) -> list[Any]:
        """Return the probability that each part of the predictions is right.

        The margin of a part is how far the best output without this part scores below the best
        output. A logistic function, fitted to the calibration data, turns the margin into a
        probability (Platt, Probabilistic Outputs for Support Vector Machines, 1999).

        Parameters
        ----------
        X : inputs as in ``fit``
        segments : callable, optional
            A function that finds segments of several positions, such as entities. The function
            takes a prediction and returns tuples (start, stop, ...): see
            :func:`structsvm.problems.bio_segments`. The margin of a segment is the smallest margin
            of its labels.

        Returns
        -------
        list of n ndarrays of shape (slots,)
            The probabilities. With ``segments``, lists of tuples (start, stop, ..., probability).
        """
        check_is_fitted(self, "estimator_")
        X = listed(X)
        return self._confidence.of(Deficits(self.estimator_, X), X, segments)

    def judged(self, X: Any, y: Any, *, segments: Any = None) -> tuple[Vector, Any]:
        """Return the confidence of all predicted parts, and whether each part is right.

        Parameters
        ----------
        X, y : as in ``fit``
        segments : callable, optional
            A function that finds segments, as in :meth:`predict_confidence`.

        Returns
        -------
        confidence : ndarray of shape (m,)
            The probabilities.
        right : ndarray of shape (m,), bool
            Whether each part is right. scikit-learn's ``brier_score_loss`` and
            :class:`structsvm.displays.ReliabilityDisplay` accept ``confidence`` and ``right``.
        """
        X, found = listed(X), self.predict_confidence(X, segments=segments)
        if segments is None:
            of_truth = Deficits(self.estimator_, X).of_outputs(X, y).of_truth
            return np.concatenate(found), np.concatenate(of_truth) == 0
        right = [
            are_true([p[:-1] for p in own], segments(t))
            for own, t in zip(found, listed(y), strict=True)
        ]
        return np.array([part[-1] for own in found for part in own]), np.concatenate(right)

    def predict_proba(self, X: Any) -> Any:
        """Return the estimator's ``predict_proba``, with a temperature fitted to calibration data.

        The estimator must define ``fit_temperature``, which is called on a copy of the estimator.
        The estimator itself is not changed by this method.
        """
        check_is_fitted(self, "estimator_")
        if self._tempered is None:
            if self._data is None:
                raise ValueError(
                    "the calibration data, which are not saved, are needed: call predict_proba "
                    "before you save; and without cv"
                )
            self._tempered = copy.copy(self.estimator_).fit_temperature(*self._data)
        return self._tempered.predict_proba(X)

    def suggest(self, X: Any, n: int) -> Indices:
        """Return the indices of the n inputs with the least margins.

        Label these inputs next.

        The margin of a predicted part is the highest score of all outputs minus the highest score
        of the outputs without the part. The margin of an input is the least margin of its predicted
        parts.
        """
        check_is_fitted(self, "estimator_")
        require_integer("n", n, least=1)
        deficits = Deficits(self.estimator_, listed(X))
        if deficits.tables is None:
            raise ValueError("the outputs of this problem have no parts, and so no margins")
        return np.argsort([own.min() for own in deficits.margins], kind="stable")[:n]
