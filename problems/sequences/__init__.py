"""Labels of sequences, where the label of a position depends on the labels of its neighbours.

Look at :class:`ChainSVM` first. :class:`Chain` is the problem of ChainSVM, and a template for your
own problems.
"""

from structsvm.problems.classification.weighted_labels import WeightedLabels
from structsvm.problems.sequences.bio import bio_segments, bio_transitions, bioes_transitions
from structsvm.problems.sequences.chain.estimator import ChainSVM
from structsvm.problems.sequences.chain.partial import PartialChain
from structsvm.problems.sequences.chain.problem import Chain
from structsvm.problems.sequences.segment_f1 import segment_f1_score
from structsvm.problems.sequences.segments.estimator import SegmentSVM
from structsvm.problems.sequences.segments.problem import Segments

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
