"""Labels of sequences, where the label of a position depends on its neighbours' labels.

Look at :class:`ChainSVM` first; :class:`Chain` is its problem, and a model for problems of your
own.
"""

from structsvm.problems.sequences.bio import bio_segments, bio_transitions, bioes_transitions
from structsvm.problems.sequences.chain import Chain, ChainSVM, PartialChain, WeightedLabels
from structsvm.problems.sequences.segment_f1 import segment_f1_score
from structsvm.problems.sequences.segments import Segments, SegmentSVM

__all__ = [
    "Chain",
    "ChainSVM",
    "PartialChain",
    "SegmentSVM",
    "Segments",
    "WeightedLabels",
    "bio_segments",
    "bio_transitions",
    "bioes_transitions",
    "segment_f1_score",
]
