"""Rules about which labels may follow each other, and begin or end a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_no_iterator, require_ordered_each
from structsvm.exceptions import ProblemError
from structsvm.problems.sequences.chain.data import Packed
from structsvm.problems.sequences.chain.layout import ChainLayout

#: The contract of ``allowed_transitions`` as a function, in the words of error messages.
CALLED = (
    "it is called with a label and the next, of which None stands before the first and after the "
    "last, and must return True or False"
)
#: A function of a label and the next one, or the allowed pairs; None stands before the first label
#: and after the last.
Rule = Callable[[Any, Any], bool] | Iterable[tuple[Any, Any]]


class Allowed(NamedTuple):
    """The allowed transitions between k labels, indexed by label codes.

    Attributes
    ----------
    pairs : ndarray of shape (k, k), bool
        Whether label b may follow label a.
    first, last : ndarray of shape (k,), bool
        Whether each label may begin a sequence, or end it.
    """

    pairs: Any
    first: Any
    last: Any

    @classmethod
    def by(cls, rule: Rule, names: Any) -> Allowed:
        """Return the transitions that ``rule`` allows between the labels ``names``."""
        labels = names.tolist()
        follows = _asked(rule) if callable(rule) else _among(_checked_pairs(rule, labels))
        pairs = [[follows(a, b) for b in labels] for a in labels]
        first = [follows(None, b) for b in labels]
        last = [follows(a, None) for a in labels]
        return cls(np.array(pairs), np.array(first), np.array(last))

    def forbid(self, unary: Vector, transition: Vector, layout: ChainLayout) -> Vector:
        """Return the transition scores, which are -inf for forbidden transitions.

        ``unary``, of shape (k, n_positions), is set to -inf for labels that no allowed labelling
        has.
        """
        to_end = layout.lengths[layout.sequence] - 1 - layout.step
        for first, pairs, distance in (
            (self.first, self.pairs, layout.step),
            (self.last, self.pairs.T, to_end),
        ):
            reached = _reached(first, pairs, len(layout.starts) - 1)
            distance = np.minimum(distance, len(reached) - 1)
            places = np.flatnonzero(~reached.all(axis=1)[distance])
            rows, labels = np.nonzero(~reached[distance[places]])
            unary[labels, places[rows]] = -np.inf
        # Without pairs, all sequences have one position.
        return np.where(self.pairs, transition, -np.inf) if self.pairs.any() else transition

    def require_possible(self, lengths: Indices) -> None:
        """Raise a ValueError if every labelling of one of the ``lengths`` is forbidden."""
        reached = _reached(self.first, self.pairs, int(lengths.max(initial=1)))
        wrong = ~(reached & self.last).any(axis=1)[np.minimum(lengths, len(reached)) - 1]
        if wrong.any():
            i = int(np.argmax(wrong))
            raise ValueError(
                f"allowed_transitions allow no labelling of X[{i}], which has {lengths[i]} "
                "positions"
            )

    def require(self, labelling: Packed) -> None:
        """Raise a ValueError if a labelling has a forbidden transition."""
        codes, layout, k = labelling.rows, labelling.layout, len(self.first)
        outside = np.full(len(labelling), k)  # before the first label and after the last
        before = np.concatenate([outside, codes[layout.before], codes[layout.last]])
        after = np.append(codes, outside)
        table = np.block([[self.pairs, self.last[:, None]], [self.first, np.True_]])
        allowed = table[before, after]
        if allowed.all():
            return
        wrong, names = int(np.argmin(allowed)), [*labelling.names.tolist(), None]
        a, b = names[before[wrong]], names[after[wrong]]
        place = np.append(np.arange(len(codes)), layout.last)[wrong]
        i, step = layout.sequence[place], layout.step[place]
        found = f"begins with {b!r}" if a is None else f"ends with {a!r}"
        if None not in (a, b):
            found = f"has {b!r} after {a!r} at position {step}"
        raise ValueError(
            f"Y[{i}] {found}, which allowed_transitions forbid; correct the labels or allow "
            f"the pair ({a!r}, {b!r})"
        )

    def has(self, codes: Indices) -> bool:
        """Whether a labelling of one sequence is allowed."""
        inside = self.pairs[codes[:-1], codes[1:]].all()
        return bool(self.first[codes[0]] and inside and self.last[codes[-1]])


def _reached(first: Any, pairs: Any, steps: int) -> Any:
    """Return a mask of the labels that are possible after 0, 1, ... steps, shape (n, k).

    If one more step would not change the possible labels, the mask has no further rows.
    """
    reached = [first]
    while len(reached) < steps and ((after := reached[-1] @ pairs) != reached[-1]).any():
        reached.append(after)
    return np.array(reached)


def _asked(rule: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    """Return a function that calls the user's function and checks its errors and results."""

    def follows(a: Any, b: Any) -> bool:
        call = f"allowed_transitions({a!r}, {b!r})"
        try:
            answer = rule(a, b)
        except Exception as error:
            raise ProblemError(
                f"{call} raised {type(error).__name__}: {error}; {CALLED}"
            ) from error
        if not isinstance(answer, (int, np.integer, np.bool_)) or answer not in (0, 1):
            raise ProblemError(f"{call} returned {answer!r:.60}; {CALLED}")
        return bool(answer)

    return follows


def pairs_of(rule: Any) -> set[tuple[Any, Any]]:
    """Return a rule that lists pairs of labels as a set; raise a ValueError for any other rule."""
    require_no_iterator("allowed_transitions", rule)
    require_ordered_each("allowed_transitions", rule)
    try:
        return {(a, b) for a, b in rule}
    except (TypeError, ValueError):
        raise ValueError(
            "allowed_transitions must be a function of a label and the next, or pairs of labels; "
            f"got {type(rule).__name__}"
        ) from None


def _checked_pairs(rule: Any, labels: list[Any]) -> set[tuple[Any, Any]]:
    pairs = pairs_of(rule)
    for label in sorted({*chain.from_iterable(pairs)}, key=str):
        if label is not None and label not in labels:
            raise ValueError(
                f"allowed_transitions has the label {label!r}, which no output has: the labels are "
                f"{shorten(str(labels), 200)}. Correct it, leave out its pairs, or pass a function "
                "of a label and the next where some data may lack it"
            )
    return pairs


def _among(pairs: set[tuple[Any, Any]]) -> Callable[[Any, Any], bool]:
    """Return a function that allows the given pairs of labels.

    If there is no pair (None, b), any label may begin a sequence. If there is no pair (a, None),
    any label may end a sequence.
    """
    any_first = all(a is not None for a, _ in pairs)
    any_last = all(b is not None for _, b in pairs)

    def follows(a: Any, b: Any) -> bool:
        return (a is None and any_first) or (b is None and any_last) or (a, b) in pairs

    return follows
