"""Probabilities of labels, and more labellings than the best one, by a trained chain."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from scipy.optimize import minimize_scalar

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer, require_positive
from structsvm.problems.classification.labels import Labels
from structsvm.problems.sequences.chain.packed import Packed
from structsvm.problems.sequences.chain.problem import Chain
from structsvm.problems.sequences.given import Given

#: Temperatures that ``fit_temperature`` chooses from.
COLDEST, HOTTEST = 1e-2, 1e2
#: Smallest probability whose logarithm is counted.
LEAST = 1e-12


class ChainProbabilities:
    """Base class of an estimator with a trained :class:`Chain`.

    Attributes
    ----------
    temperature_ : float
        See :meth:`fit_temperature`.
    """

    problem_: Chain
    classes_: Any
    w_: Vector
    temperature_: float
    _labels: Labels

    def _given(self, X: Any, groups: Any) -> tuple[Given, Packed]:
        """Sequences as they were given, and their matrices."""
        raise NotImplementedError

    def predict_n_best(
        self, X: Any, n: int, *, groups: Any = None
    ) -> list[list[tuple[Any, float]]]:
        """The n labellings of highest score for every sequence, with their scores.

        Parameters
        ----------
        X, groups
            As in :meth:`fit`.
        n : int
            At least 1.

        Returns
        -------
        list of lists of (labels, score)
            For each sequence pairs of a list of labels and a float, best first; fewer than n where
            a sequence has fewer labellings. With ``groups`` the sequences are in the order of the
            sorted groups.
        """
        require_integer("n", n, least=1)
        _, inputs = self._given(X, groups)
        return [
            [(y.tolist(), float(score)) for y, score in zip(labels, scores, strict=True)]
            for labels, scores in self.problem_.n_best(inputs, self.w_, n)
        ]

    @overload
    def predict_proba(
        self, X: Any, *, groups: None = None, temperature: float | None = None
    ) -> list[Vector]: ...

    @overload
    def predict_proba(self, X: Any, *, groups: Any, temperature: float | None = None) -> Vector: ...

    def predict_proba(
        self, X: Any, *, groups: Any = None, temperature: float | None = None
    ) -> list[Vector] | Vector:
        """The probability of every label at every position.

        These are the marginals of a conditional random field: a labelling has a probability
        proportional to exp(score / temperature). An SVM is not trained for probabilities:
        :meth:`fit_temperature` makes them fit the frequencies of other data.

        Parameters
        ----------
        X, groups
            As in :meth:`fit`.
        temperature : float, optional
            > 0; ``temperature_`` by default.

        Returns
        -------
        list of n ndarrays of shape (length, k); with ``groups`` ndarray of shape (n_rows, k)
        """
        given, inputs = self._given(X, groups)
        return given.as_given(self._probabilities(inputs, temperature))

    def predict_marginals(
        self, X: Any, *, groups: Any = None, temperature: float | None = None
    ) -> list[Any]:
        """The probabilities of :meth:`predict_proba`, a dict of label and probability a position.

        Returns
        -------
        list of n lists of dicts; with ``groups`` a list of a dict for each row
        """
        found, names = (
            self.predict_proba(X, groups=groups, temperature=temperature),
            self.classes_.tolist(),
        )

        def named(rows: Any) -> list[dict[Any, float]]:
            return [dict(zip(names, p, strict=True)) for p in rows.tolist()]

        return [named(rows) for rows in found] if groups is None else named(found)

    def fit_temperature(self, X: Any, y: Any, *, groups: Any = None) -> Any:
        """Set ``temperature_`` so that the labels of data not trained on are most likely.

        It minimises the mean of -log p of the true labels, p by :meth:`predict_proba` (Guo et
        al., On Calibration of Modern Neural Networks, ICML 2017, for a chain). It changes no
        prediction.

        Parameters
        ----------
        X, y, groups
            As in :meth:`fit`; sequences that were trained on make the probabilities too extreme.
        """
        given, inputs = self._given(X, groups)
        codes = self._labels.codes(given.labels(y))

        def log_loss(log_temperature: float) -> float:
            p = self._probabilities(inputs, float(np.exp(log_temperature)))
            return -float(np.log(np.maximum(p[np.arange(len(codes)), codes], LEAST)).mean())

        ends = np.log(COLDEST), np.log(HOTTEST)
        self.temperature_ = float(np.exp(minimize_scalar(log_loss, bounds=ends).x))
        return self

    def _probabilities(self, inputs: Packed, temperature: float | None) -> Vector:
        """The probability of every label in every row, in the order of the rows given."""
        if temperature is None:
            temperature = self.temperature_
        require_positive("temperature", temperature)
        found: Vector = self.problem_.probabilities(inputs, self.w_, temperature).flat()
        return found
