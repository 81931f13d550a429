"""Segmentation: a semi-Markov chain, whose features describe whole segments."""

from structsvm.problems.sequences.segments.estimator import SegmentSVM
from structsvm.problems.sequences.segments.problem import Segments

__all__ = ["SegmentSVM", "Segments"]
