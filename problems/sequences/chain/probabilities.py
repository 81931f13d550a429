"""Probabilities of labels, and more labellings than the best one, by a trained chain."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Self, Vector
from structsvm.data.validation import require_integer
from structsvm.estimators.probabilities import HasProbabilities, normalised
from structsvm.problems.classification.labels import Labels
from structsvm.problems.sequences.chain.problem import Chain, ChainTask
from structsvm.problems.sequences.given import Given


class ChainProbabilities(HasProbabilities):
    """Base class of an estimator with a trained :class:`Chain`."""

    problem_: Chain
    classes_: NDArray[Any]
    w_: Vector
    _labels: Labels

    def _given(self, X: Any, groups: Any) -> tuple[Given, ChainTask]:
        """Sequences as they were given, and their task."""
        raise NotImplementedError

    def predict_n_best(
        self, X: Any, n: int, *, groups: Any = None
    ) -> list[list[tuple[Any, float]]]:
        """The n labellings of highest score for every sequence, with their scores.

        Parameters
        ----------
        X : sequences as in ``fit``
        n : int
            Number of labellings, >= 1.
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.

        Returns
        -------
        list of lists of (labels, score)
            For each sequence pairs of a list of labels and a float, best first; fewer than n where
            a sequence has fewer labellings. With ``groups`` the sequences are in the order of the
            sorted groups.
        """
        if isinstance(X, (int, np.integer)) and not isinstance(n, (int, np.integer)):
            raise ValueError(
                f"X is the number {X}, and n of type {type(n).__name__}: are they swapped? Call "
                "predict_n_best(X, n)"
            )
        require_integer("n", n, least=1)
        given, task = self._given(X, groups)
        found = task.n_best(self.w_, n)
        nothing = np.empty((1, 0)), np.zeros(1)
        return [
            [(y.tolist(), float(score)) for y, score in zip(*labellings, strict=True)]
            for labellings in (next(found) if length else nothing for length in given.lengths)
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
        proportional to exp(score / temperature). With ``loss='log_loss'`` the field itself is
        trained. Other losses are not for probabilities: :meth:`fit_temperature` makes them fit the
        frequencies of other data. Without either, the hinge raises an AttributeError.

        Parameters
        ----------
        X : sequences as in ``fit``
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.
        temperature : float, optional
            What scores are divided by, > 0. Default: ``temperature_``.

        Returns
        -------
        list of n ndarrays of shape (length, k); with ``groups`` ndarray of shape (n_rows, k)
            The rows sum to 1.
        """
        given, task = self._given(X, groups)
        return given.as_given(self._probabilities(task, self._temperature(temperature)))

    def predict_marginals(
        self, X: Any, *, groups: Any = None, temperature: float | None = None
    ) -> list[Any]:
        """The probabilities of :meth:`predict_proba`, a dict of label and probability a position.

        Parameters
        ----------
        X : sequences as in ``fit``
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.
        temperature : float, optional
            What scores are divided by, > 0. Default: ``temperature_``.

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

    def predict_marginals_single(
        self, x: Any, *, temperature: float | None = None
    ) -> list[dict[Any, float]]:
        """The probabilities of :meth:`predict_marginals` for one sequence."""
        return self.predict_marginals([x], temperature=temperature)[0]

    def fit_temperature(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Set ``temperature_`` so that the labels of data not trained on are most likely.

        It minimises the mean of -log p of the true labels, p by :meth:`predict_proba` (Guo et
        al., On Calibration of Modern Neural Networks, ICML 2017, for a chain). It changes no
        prediction. Sequences that were trained on make the probabilities too extreme.
        """
        given, task = self._given(X, groups)
        if not given.lengths.any():
            raise ValueError("X has no positions; fit_temperature needs some with their labels")
        codes = self._labels.codes(given.labels(y))
        rows = np.arange(len(codes))
        return self._choose_temperature(lambda t: self._probabilities(task, t)[rows, codes])

    def _probabilities(self, task: ChainTask, temperature: float) -> Vector:
        """The probability of every label in every row, in the order of the rows given."""
        return normalised(task.probabilities(self.w_, temperature).flat())
