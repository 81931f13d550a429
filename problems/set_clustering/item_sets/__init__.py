"""Sets of items with features of items and of pairs: the inputs of supervised clustering."""

from structsvm.problems.set_clustering.item_sets.checks import common_features
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet, as_item_sets
from structsvm.problems.set_clustering.item_sets.pair_map import PairMap

__all__ = ["ItemSet", "PairMap", "as_item_sets", "common_features"]
