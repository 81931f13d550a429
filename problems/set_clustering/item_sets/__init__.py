"""Item sets, the inputs of supervised clustering: items with features of items and of pairs."""
