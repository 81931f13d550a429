"""Pictures of fits and of what they learned, in the style of scikit-learn's displays.

``from_estimator``, ``from_result`` and similar methods compute the data of a picture and draw it;
``plot`` draws it again. Displays use arrays and public attributes of estimators, and know no
problem, so they also work for your own estimators. Displays need matplotlib, which the first
drawing imports.
"""

from structsvm.displays.clusters import ClusterDisplay
from structsvm.displays.convergence import ConvergenceDisplay
from structsvm.displays.explanation import ExplanationDisplay
from structsvm.displays.margin import MarginDisplay
from structsvm.displays.reliability import ReliabilityDisplay
from structsvm.displays.similarity import SimilarityDisplay
from structsvm.displays.transitions import TransitionDisplay

__all__ = [
    "ClusterDisplay",
    "ConvergenceDisplay",
    "ExplanationDisplay",
    "MarginDisplay",
    "ReliabilityDisplay",
    "SimilarityDisplay",
    "TransitionDisplay",
]
