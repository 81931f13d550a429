"""Sets of items with features of items and of pairs: the inputs of supervised clustering."""
