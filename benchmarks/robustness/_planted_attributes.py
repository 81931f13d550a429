"""Bugs in declared attributes."""

from __future__ import annotations

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import Grid, grid
from benchmarks.robustness._planted_labels import FastLabels, Labels, labels, many_labels
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_tagging import Tagging, sequences
from benchmarks.robustness._planted_topics import Topics, topics


@planted(labels, {"max_loss"}, "max_loss : float or None")
class MaxLossIsNaN(Labels):
    max_loss = float("nan")


@planted(pairs, {"max_loss"}, "max_loss : float or None", listed=False)
class MaxLossIsText(Pairing):
    max_loss = "1.0"


@planted(grid, {"max_loss"}, "max_loss : float or None; the largest value that the loss can take")
class MaxLossIsAMethod(Grid):
    def max_loss(self):
        return 8.0


@planted(many_labels, {"work"}, "work : float or None; multiplications for an example")
class WorkIsNegative(FastLabels):
    work = -12.0


@planted(many_labels, {"work", "initialize"}, "work : float or None", listed=False)
class WorkIsNaNAfterInitialize(FastLabels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.work = float("nan")


@planted(many_labels, {"block_size"}, "block_size : int or None")
class BlockSizeIsAFraction(FastLabels):
    block_size = 2.5


@planted(sequences, {"roundoff"}, "roundoff : relative error of the scores", listed=False)
class RoundoffIsNegative(Tagging):
    roundoff = -1e-6


@planted(topics, {"oracle_cost"}, "oracle_cost : {'cheap', 'expensive'} or None")
class CostIsANumber(Topics):
    oracle_cost = 3
