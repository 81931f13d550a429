"""A table of pairs of records for record linkage, divided into blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from structsvm.data.arrays import Indices
from structsvm.data.validation import require_option
from structsvm.exceptions import warn_user
from structsvm.problems.set_clustering.partitions import codes_of
from structsvm.problems.set_clustering.records import pair_columns as columns
from structsvm.problems.set_clustering.records.pair_block import UNLISTED, PairBlock, Unlisted
from structsvm.problems.set_clustering.records.pair_labels import (
    codes_of_matches,
    entities,
)


class PairTable(Sequence[PairBlock]):
    """A table of pairs of records with features, divided into blocks to cluster.

    Pass the table to :class:`CorrelationClustering` as X; ``predict`` returns a dict with the
    cluster of each record. Only listed pairs take time and memory. The features of a pair are the
    columns of its row and the constant 1, whose weight is the learned threshold between similar and
    dissimilar pairs.

    The table is a sequence of its blocks. For tools that split data, pass ``list(table)`` as X and
    ``table.labels(y)`` as y; predictions are then lists of labels.

    Parameters
    ----------
    pairs : DataFrame of pandas or polars, or pyarrow table
        A DataFrame with a row for each unordered pair. By default, the features are all columns
        that no other parameter names; they are numbers or bools.
    ids : pair of column names, optional
        The columns with the identifiers of the two records; identifiers are all str or all int.
        Default: the two levels of a pandas index, as in ``recordlinkage``.
    features : sequence of column names, optional
        The columns to use as features. Default: all columns except ``ids``, ``block`` and
        ``match``.
    block : column name, optional
        The column with the block to which the two records belong. Default: blocks are the connected
        components of the listed pairs.
    match : column name, optional
        A column of bools, or of 0 and 1, which states whether the two records of a pair belong to
        one entity. The column replaces y in training.
    unlisted : {'impossible', 'learned'}, default='impossible'
        The meaning of unlisted pairs. 'impossible': the records of an unlisted pair are never in
        one cluster. 'learned': each unlisted pair inside a cluster has a learned cost >= 0, the
        last entry of ``coef_``.
    records : iterable of identifiers, optional
        The identifiers of all records, including the records of all pairs. A record that occurs in
        no pair forms a cluster by itself. The table may have no pairs. Default: all records that
        occur in pairs.

    Attributes
    ----------
    records : list
        The identifiers of the records, block after block; records that occur in no pair are last.
    blocks : list
        The names of the blocks: the values of ``block``, or 0, 1, ...
    blocks_are_components : bool
        Whether the blocks are the connected components of the pairs: True if ``block`` is None.
    feature_names : tuple
        The names of the features, in the order of ``coef_``.

    Raises
    ------
    ValueError
        If the table is empty, if columns are missing, if features are not finite numbers, or if
        identifiers are missing or of different types. If a pair is listed twice, in either order,
        if a pair has the same record twice, or if a record is in two blocks. The message names the
        column or the pair.

    Examples
    --------
    >>> import pandas
    >>> from structsvm.problems import CorrelationClustering, PairTable
    >>> pairs = pandas.DataFrame({
    ...     "left": ["a", "a", "b", "d"], "right": ["b", "c", "c", "e"],
    ...     "name": [0.9, 0.2, 0.1, 0.8], "match": [True, False, False, True]})
    >>> table = PairTable(pairs, ids=("left", "right"), match="match")
    >>> len(table), table.records
    (2, ['a', 'b', 'c', 'd', 'e'])
    >>> model = CorrelationClustering().fit(table)
    >>> model.predict(table)
    {'a': 0, 'b': 0, 'c': 1, 'd': 2, 'e': 2}
    """

    def __init__(
        self,
        pairs: Any,
        ids: tuple[Any, Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        block: Any = None,
        match: Any = None,
        unlisted: Unlisted = "impossible",
        records: Iterable[Any] | None = None,
    ) -> None:
        require_option("unlisted", unlisted, UNLISTED)
        self._unlisted = unlisted
        if ids is not None:
            columns.require_two_names(ids)
        reserved = [*(ids or ()), *(name for name in (block, match) if name is not None)]
        pairs = columns.as_table(pairs, reserved)
        both = columns.identifiers(pairs, ids)
        found = list(dict.fromkeys(record for pair in zip(*both, strict=True) for record in pair))
        if not found and records is None:
            raise ValueError("pairs has no rows; expected at least one pair, or records")
        if features is None:
            features = [name for name in pairs.columns if name not in reserved]
        added = ("constant", "unlisted") if unlisted == "learned" else ("constant",)
        self.feature_names = columns.feature_names(pairs, features, added)
        everyone = found if records is None else columns.all_records(records, found)
        numbers = columns.finite_numbers(pairs, self.feature_names[: -len(added)])
        self._matches = None if match is None else columns.matches_of(pairs, match)
        place = {record: i for i, record in enumerate(found)}
        ends: Any = tuple(np.array([place[r] for r in end], dtype=np.intp) for end in both)
        self.blocks_are_components = block is None
        if block is None:
            graph = sparse.coo_matrix((np.ones(len(ends[0])), ends), shape=(len(place),) * 2)
            count, of_record = connected_components(graph, directed=False)
            self.blocks = list(range(count))
        else:
            blocks = columns.blocks_of(pairs, block)
            self.blocks, of_record = columns.blocks_of_records(blocks, found, ends)
        self._rows = _places(of_record[ends[0]], len(self.blocks))
        self._blocks = []
        within = np.empty_like(of_record)
        vectors = np.column_stack([numbers, np.ones(len(numbers))])
        for members, rows in zip(_places(of_record, len(self.blocks)), self._rows, strict=True):
            within[members] = np.arange(len(members))
            left, right = (within[end[rows]] for end in ends)
            items = PairBlock(left, right, vectors[rows], [found[i] for i in members], unlisted)
            items._names = None, self.feature_names
            self._blocks.append(items)
        listed = [record for items in self for record in items.items]
        self.records = listed + [record for record in everyone if record not in place]

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, i: Any) -> Any:
        return self._blocks[i]

    def __repr__(self) -> str:
        pairs = sum(block.n_pairs for block in self)
        return f"PairTable({len(self.records)} records, {pairs} pairs, {len(self)} blocks)"

    def labels(self, y: Any = None) -> list[Indices]:
        """Return the labels of the records of each block.

        Parameters
        ----------
        y : mapping or pandas Series, optional
            The entity of each record; the keys are the identifiers. Entities in different blocks
            count as different. Default: use the column ``match``.

        Returns
        -------
        list of ndarray
            An array of codes 0..k-1 for each block, shape (m,).

        Raises
        ------
        ValueError
            If a record has no entity, or if an identifier is not in the table. If the column
            ``match`` contradicts itself, for example if records a and b match, b and c match, but a
            and c do not.
        """
        if y is not None:
            y = entities(self.records, y)
            return [
                codes_of([y[record] for record in block.items], len(block), f"y of block {i}")
                for i, block in enumerate(self)
            ]
        if self._matches is None:
            raise ValueError(
                "y must be a mapping or Series from identifiers to entities; or name the column "
                "of the table that says which pairs match, PairTable(..., match=...)"
            )
        matches = [self._matches[rows] for rows in self._rows]
        return [codes_of_matches(b, m) for b, m in zip(self, matches, strict=True)]

    def warn_of_impossible(self, labels: Sequence[Indices], y: Any) -> None:
        """Warn of pairs of one entity that no prediction can put into one cluster.

        If a column names the blocks, records in different blocks count as different entities.
        """
        blocks = list(map(PairBlock.partition, self, labels))
        true = sum(block.n_together for block in blocks)
        possible = sum(block.together.sum() for block in blocks)
        if self._unlisted == "learned":
            possible = true
        if y is not None and self.blocks_are_components:
            entities = Counter(y[record] for record in self.records)
            true = sum(comb(size, 2) for size in entities.values())
        if possible < true:
            warn_user(
                f"{true - possible:.0f} of {true:.0f} pairs of one entity are not listed and "
                "impossible in predictions: list more pairs, name the blocks by block, or, for "
                "pairs within blocks, make the table with unlisted='learned'"
            )

    def clusters(self, labels: Iterable[Indices]) -> dict[Any, int]:
        """Return the cluster of each record, from the labels of the records of each block.

        Clusters are numbered 0, 1, ... in the order of ``records``. Each record without a pair
        forms a cluster.
        """
        found: dict[Any, int] = {}
        used = 0
        for block, codes in zip(self, labels, strict=True):
            found.update(zip(block.items, (codes + used).tolist(), strict=True))
            used += int(codes.max()) + 1
        alone = self.records[len(found) :]
        found.update(zip(alone, range(used, used + len(alone)), strict=True))
        return found


def _places(numbers: Indices, k: int) -> list[Indices]:
    """Return, for each of the numbers 0..k-1, the indices at which it occurs."""
    ends = np.cumsum(np.bincount(numbers, minlength=k))
    return np.split(np.argsort(numbers, kind="stable"), ends)[:k]
