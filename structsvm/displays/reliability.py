"""Reliability: the fraction of right parts among the predicted parts of equal confidence."""

from __future__ import annotations

from typing import Any

from sklearn.calibration import CalibrationDisplay

from structsvm.displays.drawing import axes_or_new


class ReliabilityDisplay(CalibrationDisplay):  # type: ignore[misc]
    """A picture of the fraction of predicted parts that are right, as a function of the confidence.

    The picture corresponds to scikit-learn's ``CalibrationDisplay``. The picture shows the
    confidence of :class:`structsvm.conformal.Conformal` in labels, arcs, links, pixels or entities.
    On the diagonal, 80 % of the parts with a confidence of 80 % are right. Create it with
    :meth:`from_conformal`.

    Parameters
    ----------
    prob_true, prob_pred : ndarrays of shape (n_bins,)
        The fraction of right parts in each bin, and the mean confidence of the parts in the bin.
    y_prob : ndarray of shape (m,)
        The confidence of all parts.
    estimator_name : str
    pos_label : bool
        True, for right parts.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from structsvm.conformal import Conformal
    >>> from structsvm.displays import ReliabilityDisplay
    >>> from structsvm.problems import MulticlassSVM
    >>> X, y = load_digits(return_X_y=True)
    >>> svm = MulticlassSVM().fit(X[:200], y[:200])
    >>> conformal = Conformal(svm).fit(X[200:1000], y[200:1000])
    >>> display = ReliabilityDisplay.from_conformal(conformal, X[1000:], y[1000:])
    """

    @classmethod
    def from_conformal(
        cls,
        conformal: Any,
        X: Any,
        y: Any,
        *,
        segments: Any = None,
        n_bins: int = 10,
        ax: Any = None,
    ) -> Any:
        """Draw the picture for examples that were neither used for training nor for calibration.

        Parameters
        ----------
        conformal : Conformal
            A fitted object.
        X, y : inputs and true outputs
        segments : callable, optional
            A function that finds entities, as in
            :meth:`structsvm.conformal.Conformal.predict_confidence`.
        n_bins : int, default=10
            Number of bins. All bins have the same number of parts.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ReliabilityDisplay
        """
        confidence, right = conformal.judged(X, y, segments=segments)
        return cls.from_predictions(
            right, confidence, n_bins=n_bins, strategy="quantile", pos_label=True,
            name=type(conformal.estimator_).__name__, ax=axes_or_new(ax),
        )  # fmt: skip
