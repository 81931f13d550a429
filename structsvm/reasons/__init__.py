"""Reasons for a prediction: the features that decided it.

A prediction is compared with another output, by default the runner-up. Its margin, the difference
of both scores, is a sum over the features, times their weights: :func:`explain` lists its terms.
"""

from structsvm.reasons.explain import explain
from structsvm.reasons.explanation import Explanation, Reason

__all__ = ["Explanation", "Reason", "explain"]
