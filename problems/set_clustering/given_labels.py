"""The partitions that a user gives, as labels for each set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from structsvm.data.conversion import require_ordered
from structsvm.problems.set_clustering.item_sets import ItemSet, PairTable
from structsvm.problems.set_clustering.item_sets.pair_block import PairBlock
from structsvm.problems.set_clustering.partitions import codes_of


def labels_of(X: Any, y: Any) -> Any:
    """The partition of each set, where those of a table are given by record or by pair."""
    return X.labels(y) if isinstance(X, PairTable) else y


def codes_of_sets(item_sets: Sequence[ItemSet], y: Any) -> list[Any]:
    """The partition of each set as labels 0..k-1."""
    require_ordered("y", y)
    y = list(y) if isinstance(y, Iterable) else y
    if not isinstance(y, list) or len(y) != len(item_sets):
        given = len(y) if isinstance(y, list) else f"{y!r:.60}"
        hint = ", as table.labels(y) has them for list(table)"
        raise ValueError(
            f"y must hold a partition for each of {len(item_sets)} item sets"
            f"{hint if isinstance(item_sets[0], PairBlock) else ''}; got {given}"
        )
    codes = []
    for i, (items, labels) in enumerate(zip(item_sets, y, strict=True)):
        _require_aligned(items, labels, i)
        codes.append(codes_of(labels, len(items), f"y[{i}]"))
    return codes


def numbers_of(codes: Sequence[Any]) -> list[int]:
    """The number of clusters of each set."""
    return [int(each.max()) + 1 for each in codes]


def _require_aligned(items: ItemSet, labels: Any, i: int) -> None:
    """Raise a ValueError unless pandas labels have the index of the items, in order.

    Where items or labels are merely numbered, by a range, they are matched by position.
    """
    if not hasattr(labels, "iloc"):
        return
    given, names = list(labels.index), list(items.items)
    if given == names or len(given) != len(names):
        return
    if set(given) == set(names):
        raise ValueError(
            f"y[{i}] has the items of its set in another order; use y[{i}].loc[names], with the "
            "names in the order of the items"
        )
    if not (_is_range(labels.index) or _is_range(items.items)):
        stranger = next(name for name in given if name not in set(names))
        raise ValueError(
            f"y[{i}] has a label for {stranger!r}, which is not an item of its set; if the names "
            f"have no meaning, pass y[{i}].to_numpy(), with labels in the order of the items"
        )


def _is_range(names: Any) -> bool:
    """Whether the names are a Python range or the RangeIndex of pandas."""
    return all(hasattr(names, end) for end in ("start", "stop", "step"))
