"""Reasons for a prediction: the features that decided it, and the training examples.

A prediction is compared with another output, by default the runner-up. Its margin, the difference
of both scores, is linear in the weights: :func:`explain` divides it among the features, and
:func:`explain_by_examples` among the training examples.
"""

from structsvm.reasons.examples import ExampleExplanation, explain_by_examples
from structsvm.reasons.explain import explain
from structsvm.reasons.explanation import Explanation, Reason

__all__ = ["ExampleExplanation", "Explanation", "Reason", "explain", "explain_by_examples"]
