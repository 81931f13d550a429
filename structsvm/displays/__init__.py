"""Pictures of fits and of trained models, in the style of scikit-learn's displays.

Class methods such as ``from_estimator`` and ``from_result`` compute a picture's data and draw it.
The method ``plot`` draws an existing picture again. Displays also work for users' own estimators,
because displays use only public attributes of estimators. Displays need matplotlib, which is
imported by the first drawing.
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
