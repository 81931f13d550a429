"""Labels of the records of a block, from their entities or from matching pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices
from structsvm.data.identifiers import is_absent
from structsvm.data.labels import in_order
from structsvm.exceptions import warn_user
from structsvm.problems.set_clustering.records.pair_block import PairBlock


def entities(records: Sequence[Any], y: Any) -> Mapping[Any, Any]:
    """Return the entity of every record of a table, after checks."""
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
    lacking = next((r for r in records if r not in y or is_absent(y[r])), None)
    if lacking is not None:
        why = "identifiers of another type, such as 1 and '1', are different"
        if lacking in y:
            why = f"its value is missing, {y[lacking]!r}: fill it in, or leave its pairs out"
        raise ValueError(
            f"y has no entity for the record {lacking!r}; expected one for each record of the table"
            f" ({why})"
        )
    known = set(records)
    stranger = next((r for r in y if r not in known), None)
    if stranger is not None:
        raise ValueError(
            f"y has an entity for {stranger!r}, which no pair of the table lists; leave it out, as "
            "by {r: y[r] for r in table.records}, or name all records, PairTable(..., records=...)"
        )
    return y


def codes_of_matches(block: PairBlock, matches: Any) -> Indices:
    """Return the codes of a block's records: records connected by matching pairs share a code."""
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


def warn_of_features(
    blocks: Sequence[PairBlock], labels: Sequence[Indices], names: Sequence[Any]
) -> None:
    """Warn of a feature that is 1 for pairs of the same entity and 0 for other listed pairs."""
    pairs = [(block.pairs, codes) for block, codes in zip(blocks, labels, strict=True)]
    together = np.concatenate([codes[rows] == codes[cols] for (rows, cols, _), codes in pairs])
    if together.all() or not together.any():
        return  # if all labels are equal, every constant agrees
    features = np.vstack([found for (_, _, found), _ in pairs])
    for j in np.flatnonzero((features == together[:, None]).all(axis=0)).tolist():
        warn_user(
            f"the column {names[j]!r} agrees with the labels of all pairs: if it holds the labels, "
            f"name it, PairTable(..., match={names[j]!r}), or leave it out of features"
        )
