"""Sequence labelling: a chain of labels, with Viterbi and the forward-backward algorithm."""

from structsvm.problems.classification.weighted_labels import WeightedLabels
from structsvm.problems.sequences.chain.estimator import ChainSVM
from structsvm.problems.sequences.chain.partial import PartialChain
from structsvm.problems.sequences.chain.problem import Chain

__all__ = ["Chain", "ChainSVM", "PartialChain", "WeightedLabels"]
