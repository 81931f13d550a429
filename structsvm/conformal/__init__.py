"""Prediction sets with a guaranteed coverage, for structured outputs.

A fitted estimator is calibrated on examples that it was not trained on. Calibration measures how
far the true output of each example, or each of its parts, scores below the best output. An output
or a part of a new input is in the set if it scores no further below the best than most true outputs
or parts do. The method is split conformal prediction (Vovk, Gammerman & Shafer, Algorithmic
Learning in a Random World, 2005). The sets have the requested coverage for any estimator and any
data, if the new examples are exchangeable with the calibration examples.
"""

from structsvm.conformal.conformal import Conformal
from structsvm.conformal.prediction_set import PredictionSet

__all__ = ["Conformal", "PredictionSet"]
