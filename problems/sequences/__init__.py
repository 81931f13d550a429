"""Labels of sequences, where the label of a position depends on those of its neighbours.

Look at :class:`Chain` first; :class:`structsvm.StructuredSVM` trains it.
"""

from structsvm.problems.sequences.chain import Chain, ChainSVM, WeightedLabels

__all__ = ["Chain", "ChainSVM", "WeightedLabels"]
