"""Prediction sets with a guaranteed coverage, for structured outputs.

A fitted estimator is calibrated on examples that were not used for training. Calibration measures
how far the true output of each example, or each of its parts, scores below the example's best
output. An output of a new input is in the set if its score is not further below the best score than
the true outputs of most calibration examples. The rule for parts is the same. The method is split
conformal prediction (Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005). If
the new examples are exchangeable with the calibration examples, the sets have the requested
coverage for any estimator and any data.
"""

from structsvm.conformal.conformal import Conformal
from structsvm.conformal.prediction_set import PredictionSet

__all__ = ["Conformal", "PredictionSet"]
