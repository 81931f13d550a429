"""PredictionSet: the possible true outputs of one input.

PredictionSets: the prediction sets of many inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from structsvm.conformal.deficits import Deficits, margins_of, sliced
from structsvm.data.arrays import Indices
from structsvm.data.validation import require_integer

#: Number of slots that a printed set shows.
SHOWN = 12


class PredictionSet:
    """The possible true outputs of one input, as returned by :meth:`Conformal.predict_set`.

    The expression ``y in found`` is True if the set ``found`` contains the output y.

    Attributes
    ----------
    sizes : ndarray of shape (slots,) or None
        For each slot of the output, such as a word, the number of parts in the set. None if outputs
        have no parts.
    n_doubtful : int or None
        The number of parts in the set minus the number of parts of an output. The value is 0 if the
        set contains only the prediction.
    margin : float or None
        The best output's score minus the score of the second-best output. None for a problem
        without parts.
    """

    def __init__(
        self,
        conformal: Any,
        X: Any,
        i: int,
        table: Any = None,
        inside: Any = None,
        deficits: Any = None,
    ) -> None:
        self._conformal, self._X, self._i = conformal, X, i
        self._table, self._inside, self._deficits = table, inside, deficits

    @property
    def sizes(self) -> Indices | None:
        return None if self._inside is None else self._inside.sum(axis=1)

    @property
    def n_doubtful(self) -> int | None:
        return None if self._inside is None else int(self._inside.sum()) - len(self._inside)

    @property
    def margin(self) -> float | None:
        return None if self._table is None else float(margins_of(self._table).min())

    @property
    def _x(self) -> Any:
        """The input of this set, as a sequence of length 1."""
        return _safe_indexing(self._X, [self._i])

    @property
    def parts(self) -> list[list[Any]] | None:
        """The parts in the set for each slot (word, node), best first; None without parts."""
        if self._inside is None:
            return None
        found = []
        for i, names in enumerate(self._deficits.names(self._i)):
            order = np.argsort(self._table[i], kind="stable")[: self._inside[i].sum()]
            found.append(
                np.asarray(names)[order].tolist()
                if isinstance(names, np.ndarray)
                else [names[j] for j in order]
            )
        return found

    @property
    def prediction(self) -> Any:
        """The output with the highest score."""
        return self._conformal.predict(self._x)[0]

    def __contains__(self, y: Any) -> bool:
        return bool(self._conformal._of_truth(self._x, [y])[0].all())

    def alternatives(self, n: int) -> list[Any]:
        """Return, for each of the n best parts not predicted, the best output with that part.

        The first of the returned outputs is the runner-up of the prediction. Only parts in the set
        are used, and therefore fewer than n outputs may be returned.

        Raises
        ------
        ValueError
            If the problem does not define ``decode_with``.
        """
        require_integer("n", n, least=1)
        estimator = self._conformal.estimator_
        task = None if self._deficits is None else Deficits(estimator, self._x).task
        if task is None or task.decode_with is None:
            raise ValueError("the problem has no search for the best output with a given part")
        flat = np.where(self._inside & (self._table > 0), self._table, np.inf).ravel()
        places = np.argsort(flat, kind="stable")[: min(n, int(np.isfinite(flat).sum()))]
        found = [task.decode_with(estimator.w_, [place]) for place in places]
        return [estimator._encoding.decoded(outputs)[0] for outputs in found]

    def __repr__(self) -> str:
        if (parts := self.parts) is None:
            return "PredictionSet(of whole outputs)"
        shown = " ".join("|".join(map(str, own)) for own in parts[:SHOWN])
        return f"PredictionSet({shown}{' ...' if len(parts) > SHOWN else ''})"


class PredictionSets(Sequence[PredictionSet]):
    """The prediction sets of n inputs, as a sequence that creates each set on access."""

    def __init__(
        self, conformal: Any, X: Any, deficits: Deficits, tables: Any = None, inside: Any = None
    ) -> None:
        self._of, self._deficits, self._tables = (conformal, X), deficits, tables
        # `inside` covers all tables, one after the other.
        self._inside = None if tables is None else sliced(inside, [t.size for t in tables])

    def __len__(self) -> int:
        return len(self._deficits)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(len(self))[i]]
        i = range(len(self))[i]
        if self._inside is None:
            return PredictionSet(*self._of, i)
        table = self._tables[i]
        return PredictionSet(
            *self._of, i, table, self._inside[i].reshape(table.shape), self._deficits
        )

    def __repr__(self) -> str:
        return f"<PredictionSets of {len(self)} inputs>"
