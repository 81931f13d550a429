"""Reasons for a prediction: the features and the training examples that decided it.

A prediction is compared with an alternative output, by default the runner-up. The margin, the score
of the prediction minus the score of the alternative output, is linear in the weights.
:func:`explain` divides the margin among the features, and :func:`explain_by_examples` divides it
among the training examples.
"""

from structsvm.reasons.examples import ExampleExplanation, explain_by_examples
from structsvm.reasons.explain import explain
from structsvm.reasons.explanation import Explanation, Reason

__all__ = ["ExampleExplanation", "Explanation", "Reason", "explain", "explain_by_examples"]
