"""Pictures of fits and of what they learned, in the manner of scikit-learn's displays.

``from_estimator``, ``from_result`` or the like computes what is shown and draws it; ``plot`` draws
it again. Displays know arrays and the public attributes of estimators, no problem, so they work
for estimators of your own too. They need matplotlib, which is imported by the first drawing.
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
