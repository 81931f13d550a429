"""Prediction sets with a guaranteed coverage, for structured outputs.

A fitted estimator is calibrated on examples that were not used for training. For each example,
calibration measures how far the score of the true output, or of each true part, lies below the best
score. The set of a new input contains the outputs whose scores are close to the best score. Two
scores are close if their difference is at most a threshold. The threshold is chosen on the
calibration examples: the sets of most calibration examples must contain the true output. If outputs
have parts, such as the labels of a sequence, the set contains a part if the best output with this
part scores close to the best score. The method is split conformal prediction (Vovk, Gammerman &
Shafer, Algorithmic Learning in a Random World, 2005). If the new examples are exchangeable with the
calibration examples, the sets have the requested coverage for any estimator and any data.
"""

from structsvm.conformal.conformal import Conformal
from structsvm.conformal.prediction_set import PredictionSet

__all__ = ["Conformal", "PredictionSet"]
