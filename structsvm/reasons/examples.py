"""The margin between a prediction and another output, by training examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import SoftSource
from structsvm.reasons.contrast import contrast
from structsvm.reasons.explanation import Comparison
from structsvm.results.verification import merged
from structsvm.task.answers import rows_of
from structsvm.task.spot_checks import sketch

#: A derivative is a difference over about this part of the temperature.
STEP = 1e-2
#: Differences of joint features that are in memory at once.
AT_ONCE = 256
#: Examples that are shown.
SHOWN = 5


@dataclass(eq=False, repr=False)
class ExampleExplanation(Comparison):
    """The training examples that a prediction is due to: see :func:`explain_by_examples`.

    Parameters
    ----------
    prediction, other : outputs
        What is predicted, and what it is compared with.
    margin : float
        The score of the prediction less the other's: the sum of all that follow.
    contributions : ndarray of shape (n,)
        The part of each training example.
    of_prior : float
        The part of ``w_prior``; 0 without one.
    remainder : float
        What is left, since the weights are not exactly the best.
    """

    contributions: Vector
    of_prior: float
    remainder: float

    @property
    def order(self) -> Indices:
        """The numbers of the training examples, first those that speak most for the prediction."""
        return np.argsort(-self.contributions, kind="stable")

    def __repr__(self) -> str:
        first = ", ".join(f"{i} {self.contributions[i]:+.4g}" for i in self.order[:SHOWN])
        return f"{self.title}\nby the examples {first} ...; remainder {self.remainder:+.4g}"


def explain_by_examples(
    estimator: Any, x: Any, X: Any, y: Any, *, sample_weight: Any = None, instead: Any = None
) -> ExampleExplanation:
    """Explain the prediction for one input by the training examples that decided it.

    The weights are a sum over the training examples: C times the mean, in the dual solution, of the
    differences between the joint features of the true output and of its rivals. Of the margin,
    which is linear in the weights, each example thus has a part. It is positive where the truth of
    the example is like the prediction, or its rivals are like the other output: without the
    examples of the largest parts, the other output would often be predicted.

    Parameters
    ----------
    estimator : fitted estimator
    x : input
        One input, as in :func:`explain`.
    X, y : sequences of n inputs and outputs
        The examples of the fit, in order.
    sample_weight : array-like of shape (n,), optional
        The weights of the fit.
    instead : output or dict, optional
        What to compare with, as in :func:`explain`; by default the runner-up.

    Returns
    -------
    ExampleExplanation
        Its ``remainder`` is at most ||d|| sqrt(2 gap), where d is the difference of both joint
        features, since ||w - v||^2 <= 2 gap for the weights w and the sum v of all parts: it
        becomes smaller with ``rtol``. Constraints on the weights take a part in it, too.

    Raises
    ------
    ValueError
        As :func:`explain`; or these are not the examples of the fit; or the model was saved without
        the planes of its dual solution.

    References
    ----------
    Yeh, Kim, Yen & Ravikumar, Representer Point Selection for Explaining Deep Neural Networks,
    NeurIPS 2018, for logistic regression.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import MulticlassSVM
    >>> from structsvm.reasons import explain_by_examples
    >>> X, y = np.array([[1.0, 0.0], [0.9, 0.2], [0.0, 1.0]]), ["a", "a", "b"]
    >>> svm = MulticlassSVM(loss="log_loss", rtol=1e-6).fit(X, y)
    >>> found = explain_by_examples(svm, np.array([0.2, 0.9]), X, y)
    >>> found.prediction, int(found.order[0])
    (np.str_('b'), 2)
    """
    found, result = contrast(estimator, x, instead), estimator.result_
    if result.support is None:
        raise ValueError(
            "the model was saved without the planes of its dual solution; save it with "
            "structsvm.save(model, path, certificate=True)"
        )
    whole = estimator._encoded(X, y, sample_weight)
    held_out = estimator.validation_indices_
    kept = np.delete(np.arange(len(whole.weights)), () if held_out is None else held_out)
    data = whole.part(kept)
    if (n := len(data.weights)) != result.n_examples:
        raise ValueError(f"trained on {result.n_examples} examples, but X has {n}")
    places = np.linspace(0, n - 1, len(estimator._remembered)).astype(np.intp)
    if [sketch(data.X[i]) for i in places] != estimator._remembered:
        raise ValueError("X has other inputs than the fit, or the same in another order")
    problem, w, prior = estimator.problem_, estimator.w_, result.w_prior
    d = dense(rows_of([problem.joint_feature_difference(*found[:3])], len(w), [0])).ravel()
    examples = Examples(
        problem, data.X, data.Y, result.surrogate, weights=data.weights, prior=prior
    )
    contributions = np.zeros(len(whole.weights))
    contributions[kept] = _parts(examples, result, d)
    margin, of_prior = float(w @ d), 0.0 if prior is None else float(prior @ d)
    remainder = margin - of_prior - float(contributions.sum())
    return ExampleExplanation(*found.texts, margin, contributions, of_prior, remainder)


def _parts(examples: Examples, result: Any, d: Vector) -> Vector:
    """The inner product of d with the part of each example in the dual solution."""
    labels = examples.Y if result.labels is None else result.labels
    parts, support = np.zeros(examples.n), result.support or ()
    for places, outputs, weights in merged(support):
        subset, own = examples.labelled_subset(places, labels)
        found = np.concatenate([*subset.map(_along, own, d, divided=(outputs,))])
        np.add.at(parts, subset.index, weights * found)
    for source, alpha in support:
        while isinstance(source, SoftSource):
            subset, own = examples.labelled_subset(source.examples, labels)
            point = source.w.astype(np.float64), source.mu
            found = np.concatenate([*subset.map(_expected_along, own, d, *point)])
            parts[subset.index] += alpha / examples.n * found
            source = source.others
    return parts


def _along(task: Any, d: Vector, outputs: Any) -> Vector:
    """The inner products of d with the joint-feature differences of all examples."""
    pieces = (range(i, min(i + AT_ONCE, task.n)) for i in range(0, task.n, AT_ONCE))
    return np.concatenate([task.differences(outputs, piece) @ d for piece in pieces])


def _expected_along(task: Any, d: Vector, w: Vector, mu: float) -> Vector:
    """The same of expected differences: how fast the soft slack of each example falls along d."""
    step = STEP * mu / ((d @ d) or 1.0)
    points = w - step * d, w + step * d
    before, after = (task.soft(point, mu, np.ones(task.n)).values for point in points)
    return np.asarray((before - after) / (2 * step))
