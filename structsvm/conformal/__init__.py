"""Prediction sets with a guaranteed coverage, for structured outputs.

A fitted estimator is calibrated on examples that it was not trained on. For each of these it is
measured how far the true output, or its parts, score below the best; an output or a part of a new
input is in the set if it is no further below than most of these (split conformal prediction: Vovk,
Gammerman & Shafer, Algorithmic Learning in a Random World, 2005). That holds the coverage asked,
whatever the estimator and the data, if the new examples are exchangeable with those of the
calibration.
"""

from structsvm.conformal.conformal import Conformal
from structsvm.conformal.prediction_set import PredictionSet

__all__ = ["Conformal", "PredictionSet"]
