"""Sequence labelling: a chain of labels, with Viterbi and the forward-backward algorithm."""
