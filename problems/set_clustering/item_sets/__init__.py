"""Sets of items with features of items and of pairs: the inputs of supervised clustering."""

from structsvm.problems.set_clustering.item_sets.checks import common_features
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet, as_item_sets
from structsvm.problems.set_clustering.item_sets.pair_map import PairMap
from structsvm.problems.set_clustering.item_sets.pair_table import PairTable

__all__ = ["ItemSet", "PairMap", "PairTable", "as_item_sets", "common_features"]
