"""Item sets from pandas, with rows matched by the names of the items."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.columns import numbers
from structsvm.data.identifiers import require_identifiers


def of_frames(nodes: Any, pairs: Any) -> tuple[list[Any], Any, Any]:
    """The names of the items, node features, and the triple of pair features."""
    for name, frame in (("nodes", nodes), ("pairs", pairs)):
        if frame is not None and not hasattr(frame, "iloc"):
            raise ValueError(f"{name} must be a DataFrame of pandas; got {type(frame)}")
    if pairs is None:
        if nodes is None:
            raise ValueError("an ItemSet needs nodes, pairs, or both; got neither")
        return unique_names(nodes.index), numbers("nodes", nodes), None
    if pairs.index.nlevels != 2:
        raise ValueError(
            "the index of pairs must have two levels, the names of both items; it has "
            f"{pairs.index.nlevels}. Make it with pairs.set_index([first, second])"
        )
    ends = [list(pairs.index.get_level_values(level)) for level in (0, 1)]
    for level, end in enumerate(ends):
        require_identifiers(f"level {level} of the index of pairs", end)
    if nodes is None:
        # A dict keeps the order of first appearance; a set would not.
        items = list(dict.fromkeys(name for pair in zip(*ends, strict=True) for name in pair))
    else:
        items = unique_names(nodes.index)
    rows, cols = (positions(items, end, "pairs") for end in ends)
    of_nodes = None if nodes is None else numbers("nodes", nodes)
    return items, of_nodes, (rows, cols, numbers("pairs", pairs))


def unique_names(index: Any) -> list[Any]:
    """The names of the items; a ValueError names one that occurs twice."""
    names = list(index)
    require_identifiers("the index of nodes", names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the names of the items must differ; {twice!r} is there more than once")
    return names


def positions(items: list[Any], names: Any, what: str) -> Any:
    """The places of the names among the items; a ValueError names one that is not there."""
    place = {item: i for i, item in enumerate(items)}
    unknown = [name for name in names if name not in place]
    if unknown:
        raise ValueError(f"{what} name an item that has no row of features: {unknown[0]!r}")
    return np.array([place[name] for name in names], dtype=np.intp)
