"""Checks and conversions of the features of an item set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.columns import numbers
from structsvm.data.conversion import table_of
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    largest_entry,
    one_array,
    require_matrix,
    require_powers,
)
from structsvm.data.names import require_names
from structsvm.data.sparse_indices import require_indices
from structsvm.data.validation import require_integer

#: Beginning of error messages about pairs.
FORMS_OF_PAIRS = (
    "pairs must be an array of shape (m, m, N_p) or a tuple (rows, cols, features); "
    "ItemSet.from_frames takes DataFrames"
)
#: Largest difference between the features of a pair in both orders, relative to the largest entry.
ASYMMETRY = 1e-8


def as_features(name: str, data: Any, power: int = 2) -> Any:
    """Convert features to a float64 array or CSR matrix; check that they are not too large."""
    if (table := table_of(name, data)) is not None:
        data = numbers(name, table)
    elif sparse.issparse(data):
        require_indices(data)
    else:
        data = checked_numbers(name, data)
    require_matrix(data, name)
    if sparse.issparse(data):
        data = sparse.csr_matrix(in_floats(data), dtype=np.float64)
    require_powers(largest_entry(data), np.float64, power, name=name)
    return data


def number_of_items(nodes: Any, pairs: Any, n_items: int | None) -> int:
    """Return the number of items, which must be the same in ``n_items``, nodes and dense pairs."""
    counts = {}
    if n_items is not None:
        require_integer("n_items", n_items, least=0)
        counts["n_items"] = int(n_items)
    if nodes is not None:
        counts["nodes"] = nodes.shape[0]
    if pairs is not None and not isinstance(pairs, tuple):
        if hasattr(pairs, "columns") or sparse.issparse(pairs) or not hasattr(pairs, "__len__"):
            raise ValueError(f"{FORMS_OF_PAIRS}; got {type(pairs).__name__}")
        counts["pairs"] = len(pairs)
    if not counts:
        raise ValueError(
            "n_items is required where pairs are given as (rows, cols, features) and there are no "
            "nodes, because items without a pair would be missed"
        )
    if len(set(counts.values())) > 1:
        numbers = ", ".join(f"{name} {number}" for name, number in counts.items())
        raise ValueError(f"the numbers of items disagree: {numbers}. {FORMS_OF_PAIRS}")
    m = next(iter(counts.values()))
    if m < 2:
        raise ValueError(f"an ItemSet needs at least 2 items to cluster; got {m}")
    return m


def as_pairs(pairs: Any, m: int) -> tuple[Indices, Indices, Any]:
    """Return pairs as a triple (rows, cols, features) with rows <= cols, without repetitions."""
    if isinstance(pairs, tuple):
        return _as_triple(pairs, m)
    try:
        array = checked_numbers("pairs", pairs)
    except ValueError as error:
        raise ValueError(f"{FORMS_OF_PAIRS}; {error}") from None
    if array.ndim != 3 or array.shape[:2] != (m, m) or array.shape[2] == 0:
        raise ValueError(
            f"pairs must have the shape ({m}, {m}, N_p) for {m} items, or be a tuple (rows, cols, "
            f"features); got shape {array.shape}"
        )
    require_powers(largest_entry(array), np.float64, name="pairs")
    different = np.abs(array - array.transpose(1, 0, 2)).max(axis=2)
    i, j = np.unravel_index(different.argmax(), different.shape)
    if different[i, j] > ASYMMETRY * np.abs(array).max(initial=0):
        raise ValueError(
            "pairs must be symmetric, because a pair has no order; those of items "
            f"{i} and {j} differ by {different[i, j]:g} from those of {j} and {i}. Average them: "
            "(pairs + pairs.transpose(1, 0, 2)) / 2"
        )
    rows, cols = np.triu_indices(m)
    return rows, cols, array[rows, cols]


def _as_triple(pairs: tuple[Any, ...], m: int) -> tuple[Indices, Indices, Any]:
    if len(pairs) != 3:
        raise ValueError(f"pairs must be a triple (rows, cols, features); got {len(pairs)} parts")
    rows, cols = as_pair_indices(pairs[0], pairs[1], m)
    features = as_features("the features of the pairs", pairs[2])
    if features.shape[0] != len(rows):
        raise ValueError(
            "rows, cols and features of the pairs must be equally many; got "
            f"{len(rows)}, {len(cols)} and {features.shape[0]}"
        )
    rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    first = np.unique(rows * m + cols, return_index=True)[1]
    if len(first) < len(rows):
        p = int(np.setdiff1d(np.arange(len(rows)), first)[0])
        raise ValueError(
            f"the pair of items {rows[p]} and {cols[p]} is given more than once; a pair has no "
            "order, so give each once"
        )
    return rows, cols, features


def as_pair_indices(rows: Any, cols: Any, m: int) -> tuple[Indices, Indices]:
    """Return the two items of each pair; raise a ValueError unless they are from 0 to m - 1."""
    ends = []
    for name, values in (("rows", rows), ("cols", cols)):
        end = one_array(f"{name} of the pairs", values)
        if end.ndim != 1 or (end.size and end.dtype.kind not in "iu"):
            raise ValueError(f"{name} of the pairs must be a list of item numbers; got {end!r:.60}")
        ends.append(end.astype(np.intp))
    rows, cols = ends
    if len(rows) != len(cols):
        raise ValueError(
            f"rows and cols of the pairs must be equally many; got {len(rows)} and {len(cols)}"
        )
    every = np.concatenate(ends)
    if len(every) and not 0 <= every.min() <= every.max() < m:
        raise ValueError(
            f"pairs must be of items 0 to {m - 1}; they range from {every.min()} to {every.max()}"
        )
    return rows, cols


class Features(NamedTuple):
    """The numbers of features of an item set, and their names if the features have names."""

    n_nodes: int
    n_pairs: int
    node_names: tuple[Any, ...] | None = None
    pair_names: tuple[Any, ...] | None = None

    @property
    def n_features(self) -> int:
        return self.n_nodes + self.n_pairs

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The names of node features, then of pair features, or None if a feature has no name."""
        names: list[Any] = []
        for number, known in ((self.n_nodes, self.node_names), (self.n_pairs, self.pair_names)):
            if number and known is None:
                return None
            names.extend(known or ())
        return tuple(names)


def common_features(item_sets: Any, known: Features | None = None) -> Features:
    """Return the common features of the item sets, which must equal ``known`` if it is given.

    Raises
    ------
    ValueError
        If item sets differ in the number, the names or the order of their features.
    """
    whose = "in the first set" if known is None else "in training"
    known = item_sets[0].features if known is None else known
    for i, items in enumerate(item_sets):
        found = items.features
        known = known._replace(
            node_names=_common_names("node", i, found.node_names, known.node_names, whose),
            pair_names=_common_names("pair", i, found.pair_names, known.pair_names, whose),
        )
        if found[:2] != known[:2]:
            raise ValueError(
                f"item set {i} has {found.n_nodes} node and {found.n_pairs} pair features; "
                f"expecting {known.n_nodes} and {known.n_pairs} features, as {whose}"
            )
    return known


def _common_names(kind: str, i: int, found: Any, known: Any, whose: str) -> Any:
    if None in (found, known):
        return found if known is None else known
    require_names(
        f"item set {i} has other {kind} features",
        found,
        known,
        whose,
        "; a PairTable takes them as features=[...]",
    )
    return known
