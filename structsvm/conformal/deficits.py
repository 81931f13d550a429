"""Deficits: by how much the best output with a given part, such as a label, misses the best score.

A table of deficits has a row for each slot of an output and a column for each part that may fill
the slot. The deficit of an output is the largest deficit of its parts. If outputs have no parts,
the deficit of an output is the best score minus the score of the output.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing, check_consistent_length

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import listed, take
from structsvm.exceptions import warn_user

#: Largest number of joint features in memory at the same time.
AT_ONCE = 256


class Measured(NamedTuple):
    """The deficits and losses of examples, computed with a fitted estimator.

    Attributes
    ----------
    of_truth : list of n ndarrays
        The deficits of the true parts, or of the true output; infinite for parts that the search
        never considers.
    places : list of n ndarrays
        The indices of the true parts in the flattened table of deficits; empty if outputs have no
        parts.
    losses : ndarray of shape (n,)
        The losses of the predictions; infinite if a loss cannot be measured.
    gains : ndarray of shape (n,)
        For each true output, the estimated increase of its score if the part with the largest
        deficit were replaced by the best part.
    at_risk : list of n ndarrays
        The deficits of the true parts whose misses ``risk`` limits, such as the labels in a true
        label set.
    """

    of_truth: list[Vector]
    places: list[Indices]
    losses: Vector
    gains: Vector
    at_risk: list[Vector]


class Deficits:
    """The tables of deficits of n inputs, computed with a fitted estimator.

    Attributes
    ----------
    task : Task
    tables : list of ndarrays of shape (slots, parts), or None
        The table of deficits of each input. A deficit is infinite if no output has the part. The
        value is None if the problem does not divide outputs into parts.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.task = estimator, estimator._bound(X)
        self.tables = tables(self.task, estimator.w_)

    def __len__(self) -> int:
        return int(self.task.n)

    @cached_property
    def margins(self) -> list[Vector]:
        """For each slot of an output (such as a word), the best score minus the second best."""
        return by_rows(margins_of, self.tables or [])

    @property
    def flat(self) -> Vector:
        """The entries of all tables, one table after the other."""
        return np.concatenate([table.ravel() for table in self.tables or []])

    def names(self, i: int) -> list[Any]:
        """Return the names of the possible parts, such as labels, at each position of output i."""
        codes: Any = getattr(self.task.problem, "classes_", self)
        classes: Any = getattr(self.estimator, "classes_", codes)
        return [classes if own is codes else own for own in self.task.part_names(i)]

    def of_outputs(self, X: Any, y: Any) -> Measured:
        """Return the deficits of the outputs y of the inputs X.

        The deficits must have been computed for the inputs X.

        The problem may reject an output, for example because of a label that no training output
        had. No prediction set contains a rejected output.
        """
        y, n = listed(y), len(self)
        check_consistent_length(range(n), y)
        try:
            task = self._known(X, y)
        except ValueError as error:
            alone = [self._alone(X, y, i) for i in range(n)]
            unreadable = [i for i, found in enumerate(alone) if not isinstance(found, Measured)]
            if len(unreadable) in (0, n):
                raise
            warn_user(
                f"{len(unreadable)} of {n} outputs are none that {type(self.estimator).__name__} "
                f"can predict; no set will hold them. The first: {error}"
            )
        else:
            return self._measured(task)
        of_truth, places, losses, gains, at_risk = (
            [*chain(*own)] for own in zip(*alone, strict=True)
        )
        return Measured(of_truth, places, np.array(losses), np.array(gains), at_risk)

    def _known(self, X: Any, y: Any) -> Any:
        """Return the task of inputs and outputs.

        Raise a ValueError if outputs cannot be read.
        """
        encoded = self.estimator._encoded(X, y)
        return self.estimator.problem_.task(encoded.X, encoded.Y)

    def _alone(self, X: Any, y: Any, i: int) -> Any:
        """Measure a single example.

        If the problem cannot read the example's output, deficits, loss and gain are infinite.
        """
        x, output = (_safe_indexing(data, [i]) for data in (X, y))
        try:
            self._known(x, output)
        except ValueError:
            never = np.full(1 if self.tables is None else len(self.tables[i]), np.inf)
            return [never], [np.empty(0, dtype=np.intp)], never[:1], never[:1], [never]
        return Deficits(self.estimator, x).of_outputs(x, output)

    def _measured(self, task: Any) -> Measured:
        """Return the losses of the predictions, and the deficits of the true outputs."""
        w, nowhere = self.estimator.w_, np.empty(0, dtype=np.intp)
        found = task.decode(w)
        losses, gaps = np.asarray(task.losses(found), dtype=np.float64), _gaps(task, found, w)
        if self.tables is None:
            of_truth = [*gaps[:, None]]
            return Measured(of_truth, [nowhere] * task.n, losses, gaps, of_truth)
        places, column = task.part_places(task.Y), task.column_at_risk
        own = [*zip(self.tables, places, strict=True)]
        of_truth = [_at(table, here) for table, here in own]
        others = np.array([own.sum() - own.max(initial=0.0) for own in of_truth])
        gains = np.where(np.isfinite(others), gaps - others, np.inf)
        at_risk = of_truth
        if column is not None:
            at_risk = [_at(t, here[here % t.shape[1] == column]) for t, here in own]
        return Measured(of_truth, places, losses, gains, at_risk)


def tables(task: Any, w: Vector) -> list[Vector] | None:
    """Return a table of deficits for each example of a task, or None if outputs have no parts."""
    if task.max_marginals is None and task.decode_with is None:
        return None
    search: Callable[[Vector], list[Vector]] = task.max_marginals or _searched(task)
    return by_rows(lambda scores: scores.max(axis=1, keepdims=True) - scores, search(w))


def by_rows(function: Callable[[Vector], Vector], tables: list[Vector]) -> list[Vector]:
    """Apply a function to the rows of each table; tables of equal width are joined for one call."""
    if len({table.shape[1] for table in tables}) != 1:
        return [function(table) for table in tables]
    return sliced(function(np.concatenate(tables)), [len(table) for table in tables])


def sliced(values: Vector, sizes: Any) -> list[Vector]:
    ends = np.cumsum(sizes).tolist()
    return [values[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def margins_of(table: Vector) -> Vector:
    """Return the second smallest entry of each row; infinity if rows have only one entry."""
    if table.shape[1] < 2:
        return np.full(len(table), np.inf)
    return np.asarray(np.partition(table, 1, axis=1)[:, 1])


def typical_margins(margins: list[Vector]) -> Vector:
    """Return the mean of the finite margins of each example that has a finite margin."""
    flat, owner = np.concatenate(margins), np.repeat(np.arange(len(margins)), [*map(len, margins)])
    finite = np.isfinite(flat)
    counts, sums = np.bincount(owner[finite]), np.bincount(owner[finite], flat[finite])
    return np.asarray(sums[counts > 0] / counts[counts > 0])


def _searched(task: Any) -> Callable[[Vector], list[Vector]]:
    """Return a function that computes max-marginals by one search per part."""

    def found(w: Vector) -> list[Vector]:
        names = [task.part_names(i) for i in range(task.n)]
        shapes = [(len(slots), max(map(len, slots))) for slots in names]
        scores = [np.full(shape, -np.inf) for shape in shapes]
        for place in range(max(rows * columns for rows, columns in shapes)):
            where = [divmod(place, columns) for _, columns in shapes]
            which = [
                i
                for i, (slot, column) in enumerate(where)
                if slot < len(names[i]) and column < len(names[i][slot])
            ]
            part = task.part(np.array(which))
            outputs = part.decode_with(w, [place] * len(which))
            some = [j for j in range(len(which)) if outputs[j] is not None]
            rows = part.joint_features(outputs, some) @ w if some else []
            for j, score in zip(some, rows, strict=True):
                scores[which[j]][where[which[j]]] = score
        return scores

    return found


def _gaps(task: Any, outputs: Any, w: Vector) -> Vector:
    """Return the outputs' scores minus the scores of the true outputs.

    If an entry is negative, the search did not find the best output.
    """
    found = []
    for start in range(0, task.n, AT_ONCE):
        places = np.arange(start, min(start + AT_ONCE, task.n))
        part = task.part(places)
        found.append(-(part.differences(take(outputs, places), range(part.n)) @ w))
    return np.concatenate(found)


def _at(table: Vector, places: Any) -> Vector:
    return np.where(places < 0, np.inf, table.ravel()[places])
