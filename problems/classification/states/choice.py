"""Choose the states that have a weight, by the parameter ``all_possible_states``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scipy import sparse

from structsvm.data.blocks import Mapped
from structsvm.data.choices import Auto
from structsvm.data.mixed import MixedRows
from structsvm.problems.classification.states.all_states import AllStates
from structsvm.problems.classification.states.contract import States
from structsvm.problems.classification.states.joined_states import JoinedStates
from structsvm.problems.classification.states.known_states import KnownStates
from structsvm.problems.classification.states.seen_states import SeenStates, label_counts

#: Values of ``all_possible_states``.
CHOICES = (True, False, "auto")
#: By default, states that do not occur have a weight too, up to this number of all states.
MANY = 500_000


def chosen_states(
    all_possible_states: bool | Auto,
    blocks: Iterable[tuple[Any, ...]],
    names: Any,
    known: KnownStates | None = None,
) -> States:
    """Choose the pairs of a feature and a label that have a weight.

    ``blocks`` holds tuples that begin with rows and their label codes, and is read several times.
    ``names`` holds the labels in the order of their codes. The states in ``known`` always have a
    weight. A dense column has a weight for every label.
    """
    require_choice(all_possible_states)
    X, k = next(iter(blocks))[0], len(names)
    if isinstance(X, MixedRows):
        sparse_rows = Mapped(blocks, lambda pair: (pair[0].sparse, pair[1]))
        first = chosen_states(all_possible_states, sparse_rows, names, known)
        return JoinedStates(first, AllStates(X.dense.shape[1], k))
    d = X.shape[1]
    if not sparse.issparse(X) or have_all_states(all_possible_states, d, k):
        return AllStates(d, k)
    counts = sum(label_counts(rows, codes, k) for rows, codes, *_ in blocks)
    if known is not None:
        counts = counts + known.counts(names)
    return SeenStates.counted(counts, MANY if all_possible_states == "auto" else 0)


def have_all_states(all_possible_states: bool | Auto, d: int, k: int) -> bool:
    """Whether all pairs of d sparse features and k labels have a weight."""
    return all_possible_states is True or (all_possible_states == "auto" and d * k <= MANY)


def require_choice(all_possible_states: Any) -> None:
    """Raise a ValueError unless ``all_possible_states`` is True, False or 'auto'."""
    known = isinstance(all_possible_states, (bool, str)) and all_possible_states in CHOICES
    if not known:
        raise ValueError(
            f"all_possible_states must be True, False or 'auto'; got {all_possible_states!r}"
        )
