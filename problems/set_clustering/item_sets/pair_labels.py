"""Labels of the records of a block: from their entities, or from the pairs that match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices
from structsvm.data.identifiers import is_absent
from structsvm.data.labels import in_order
from structsvm.exceptions import warn_user
from structsvm.problems.set_clustering.item_sets.pair_block import BlockPartition, PairBlock
from structsvm.problems.set_clustering.partitions import codes_of


def entities(table: Any, y: Any) -> Mapping[Any, Any]:
    """The entity of every record of the table, checked."""
    if hasattr(y, "iloc") and getattr(y, "ndim", None) == 1:
        if not y.index.is_unique:
            twice = y.index[y.index.duplicated()][0]
            raise ValueError(f"y has two entities for the record {twice!r}; expected one for each")
        y = y.to_dict()
    if not isinstance(y, Mapping):
        raise ValueError(
            "with a PairTable y must be a dict or a pandas Series from identifiers to entities, or "
            f"None for its column of matches; got {y!r:.60}. Tools that divide data, such as "
            "GridSearchCV, take list(table) and table.labels(y)"
        )
    _require_all_known(table, y)
    known = set(table.records)
    stranger = next((r for r in y if r not in known), None)
    if stranger is not None:
        raise ValueError(
            f"y has an entity for {stranger!r}, which no pair of the table lists; leave it out, as "
            "by {r: y[r] for r in table.records}, or name all records, PairTable(..., records=...)"
        )
    return y


def _require_all_known(table: Any, y: Mapping[Any, Any]) -> None:
    """Raise a ValueError that names a record without an entity."""
    lacking = next((r for r in table.records if r not in y or is_absent(y[r])), None)
    if lacking is not None:
        why = "identifiers of another type, such as 1 and '1', are different"
        if lacking in y:
            why = f"its value is missing, {y[lacking]!r}: fill it in, or leave its pairs out"
        raise ValueError(
            f"y has no entity for the record {lacking!r}; expected one for each record of the table"
            f" ({why})"
        )
    unknown = next((r for r in table.records if isinstance(y[r], Real) and y[r] == -1), None)
    if unknown is not None:
        raise ValueError(
            f"y has the label -1 for the record {unknown!r}, which means unknown in structsvm and "
            "noise in scikit-learn; use another label, since every record must have an entity"
        )


def codes_of_entities(table: Any, y: Any) -> list[Indices]:
    """The codes of the records of each block, by the entity of every record."""
    y = entities(table, y)
    return [
        codes_of([y[r] for r in b.items], len(b), f"y of block {i}") for i, b in enumerate(table)
    ]


def warn_of_divided(table: Any, y: Any) -> None:
    """Warn of entities with records in several blocks, where blocks are components of pairs."""
    y = entities(table, y)
    block_of = {record: b for b, block in enumerate(table) for record in block.items}
    found: dict[Any, dict[Any, list[Any]]] = {}
    for place, record in enumerate(table.records):
        block = block_of.get(record, -1 - place)  # a record without pairs is alone
        found.setdefault(y[record], {}).setdefault(block, []).append(record)
    divided = [list(blocks.values()) for blocks in found.values() if len(blocks) > 1]
    if not divided:
        return
    sizes = [[len(part) for part in parts] for parts in divided]
    lost = sum((sum(each) ** 2 - sum(size**2 for size in each)) // 2 for each in sizes)
    left, right = (part[0] for part in divided[0][:2])
    warn_user(
        f"{lost} pairs of one entity are of records in different blocks, such as {left!r} and "
        f"{right!r}, which no listed pairs connect, and so are impossible in predictions: list "
        "more pairs, or name the blocks by block"
    )


def codes_of_matches(block: PairBlock, matches: Any) -> Indices:
    """The codes of the records of a block: the components of the pairs that match."""
    rows, cols, _ = block.pairs
    chosen = np.flatnonzero(matches)
    ends = rows[chosen], cols[chosen]
    graph = sparse.coo_matrix((np.ones(len(chosen)), ends), shape=(len(block),) * 2)
    codes = in_order(connected_components(graph, directed=False)[1])
    denied = np.flatnonzero((codes[rows] == codes[cols]) & ~matches)
    if len(denied):
        left, right = (block.items[end[denied[0]]] for end in (rows, cols))
        raise ValueError(
            f"the records {left!r} and {right!r} do not match, but other matches imply that they "
            "are of one entity; correct the column, or give y, the entity of each record"
        )
    return codes


def warn_of_labels(
    blocks: Sequence[PairBlock], partitions: Sequence[BlockPartition], names: Sequence[Any]
) -> None:
    """Warn of a feature that is 1 for all listed pairs of one entity, and 0 for all others."""
    if len({bool(same) for y in partitions for same in (y.together.min(), y.together.max())}) == 1:
        return  # with labels of one kind every constant agrees
    agrees = [
        (block.pairs[2] == y.together[:, None]).all(axis=0)
        for block, y in zip(blocks, partitions, strict=True)
    ]
    for j in np.flatnonzero(np.all(agrees, axis=0)).tolist():
        warn_user(
            f"the column {names[j]!r} agrees with the labels of all pairs: if it holds the labels, "
            f"name it, PairTable(..., match={names[j]!r}), or leave it out of features"
        )
