"""Deficits: how far the best output with a part scores below the best of all.

A table has a row for each slot of an output and a column for each part that may fill it. The
deficit of an output is the largest one of its parts. A problem without parts has outputs alone.
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

#: Joint features of whole outputs that are held in memory at once.
AT_ONCE = 256


class Measured(NamedTuple):
    """Examples as a fitted estimator measures them.

    Attributes
    ----------
    of_truth : list of n ndarrays
        The deficits of the true parts, or of the true output; infinite where the search never
        considers them.
    places : list of n ndarrays
        The places of the true parts in the tables; empty for a problem without parts.
    losses : ndarray of shape (n,)
        The losses of the predictions; infinite where they cannot be measured.
    gains : ndarray of shape (n,)
        The scores of the best outputs less those of the true ones, apart from the deficits of all
        true parts but the largest: what a true output gains if its worst part alone is wrong.
    at_risk : list of n ndarrays
        The deficits of the true parts that a risk counts.
    """

    of_truth: list[Vector]
    places: list[Indices]
    losses: Vector
    gains: Vector
    at_risk: list[Vector]


class Deficits:
    """The deficits of all parts of outputs of n inputs, by a fitted estimator.

    Attributes
    ----------
    task : Task
    tables : list of ndarrays of shape (slots, parts), or None
        Infinite where no output has a part; None for a problem without parts.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.task = estimator, estimator._bound(X)
        self.tables = tables(self.task, estimator.w_)

    def __len__(self) -> int:
        return int(self.task.n)

    @cached_property
    def margins(self) -> list[Vector]:
        """The least deficit of a part that is not predicted, in each slot of each example."""
        return by_rows(margins_of, self.tables or [])

    @property
    def flat(self) -> Vector:
        """All tables, one after the other."""
        return np.concatenate([table.ravel() for table in self.tables or []])

    def names(self, i: int) -> list[Any]:
        """The parts of each slot of example i, as the estimator's user knows them."""
        codes: Any = getattr(self.task.problem, "classes_", self)
        classes: Any = getattr(self.estimator, "classes_", codes)
        return [classes if own is codes else own for own in self.task.part_names(i)]

    def of_outputs(self, X: Any, y: Any) -> Measured:
        """The deficits of the outputs y of the inputs X, from which this was made.

        An output that the problem cannot read, as with a label that was not trained on, is one that
        its search never considers; a warning counts them.
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
        """The task of inputs with their outputs; a ValueError where these cannot be read."""
        encoded = self.estimator._encoded(X, y)
        return self.estimator.problem_.task(encoded.X, encoded.Y)

    def _alone(self, X: Any, y: Any, i: int) -> Any:
        """The measure of one example; where its output cannot be read, all of it is infinite."""
        x, output = (_safe_indexing(data, [i]) for data in (X, y))
        try:
            self._known(x, output)
        except ValueError:
            never = np.full(1 if self.tables is None else len(self.tables[i]), np.inf)
            return [never], [np.empty(0, dtype=np.intp)], never[:1], never[:1], [never]
        return Deficits(self.estimator, x).of_outputs(x, output)

    def _measured(self, task: Any) -> Measured:
        """The measure of the outputs that a task holds."""
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
    """The deficits of the parts of all examples of a task; None where it knows no parts."""
    if task.max_marginals is None and task.decode_with is None:
        return None
    search: Callable[[Vector], list[Vector]] = task.max_marginals or _searched(task)
    return by_rows(lambda scores: scores.max(axis=1, keepdims=True) - scores, search(w))


def by_rows(function: Callable[[Vector], Vector], tables: list[Vector]) -> list[Vector]:
    """A function of the rows of tables, of all at once where these have the same columns."""
    if len({table.shape[1] for table in tables}) != 1:
        return [function(table) for table in tables]
    return sliced(function(np.concatenate(tables)), [len(table) for table in tables])


def sliced(values: Vector, sizes: Any) -> list[Vector]:
    """The values in pieces of these sizes."""
    ends = np.cumsum(sizes).tolist()
    return [values[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def margins_of(table: Vector) -> Vector:
    """The least deficit of a part that is not predicted, in each slot; infinite without others."""
    if table.shape[1] < 2:
        return np.full(len(table), np.inf)
    return np.asarray(np.partition(table, 1, axis=1)[:, 1])


def typical_margins(margins: list[Vector]) -> Vector:
    """The mean margin of the slots of each example, where it has slots with a margin."""
    flat, owner = np.concatenate(margins), np.repeat(np.arange(len(margins)), [*map(len, margins)])
    finite = np.isfinite(flat)
    counts, sums = np.bincount(owner[finite]), np.bincount(owner[finite], flat[finite])
    return np.asarray(sums[counts > 0] / counts[counts > 0])


def _searched(task: Any) -> Callable[[Vector], list[Vector]]:
    """A function that finds max-marginals by a search for each part."""

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
    """The scores of these outputs less those of Y: negative where the search missed the best."""
    found = []
    for start in range(0, task.n, AT_ONCE):
        places = np.arange(start, min(start + AT_ONCE, task.n))
        part = task.part(places)
        found.append(-(part.differences(take(outputs, places), range(part.n)) @ w))
    return np.concatenate(found)


def _at(table: Vector, places: Any) -> Vector:
    """The deficits at these places of a table; infinite at -1."""
    return np.where(places < 0, np.inf, table.ravel()[places])
