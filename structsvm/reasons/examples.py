"""The margin between a prediction and an alternative, divided among training examples."""

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
from structsvm.results.verification import merged, require_planes
from structsvm.task.answers import rows_of
from structsvm.task.spot_checks import sketch

#: Step of the finite difference for a derivative, as a fraction of the temperature.
STEP = 1e-2
#: Largest number of joint-feature differences in memory at the same time.
AT_ONCE = 256
#: Number of examples that are printed.
SHOWN = 5


@dataclass(eq=False, repr=False)
class ExampleExplanation(Comparison):
    """The contribution of each training example to a prediction, from :func:`explain_by_examples`.

    Parameters
    ----------
    prediction, other : outputs
        The prediction, and the output with which the prediction is compared.
    margin : float
        The score of the prediction minus the score of the alternative output. The margin is equal
        to ``contributions.sum() + of_prior + remainder``.
    contributions : ndarray of shape (n,)
        The contribution of each training example to the margin.
    of_prior : float
        The contribution of ``w_prior``; 0 without a prior.
    remainder : float
        The part of the margin that no example explains. The remainder exists because the weights
        are not exactly optimal.
    """

    contributions: Vector
    of_prior: float
    remainder: float

    @property
    def order(self) -> Indices:
        """The indices of the training examples, by decreasing contribution."""
        return np.argsort(-self.contributions, kind="stable")

    def __repr__(self) -> str:
        first = ", ".join(f"{i} {self.contributions[i]:+.4g}" for i in self.order[:SHOWN])
        return f"{self.title}\nby the examples {first} ...; remainder {self.remainder:+.4g}"


def explain_by_examples(
    estimator: Any, x: Any, X: Any, y: Any, *, sample_weight: Any = None, instead: Any = None
) -> ExampleExplanation:
    """Explain the prediction for one input by the training examples that decided it.

    In the dual solution, the weights are a sum over the training examples: each example adds C
    times the mean difference between the joint features of its true output and of rival outputs.
    Since the margin is linear in the weights, each example has a contribution to the margin. An
    example contributes positively if its true output resembles the prediction. An example with
    rival outputs like the alternative output contributes positively, too. Without the examples that
    contribute most, the alternative output would often be predicted.

    Parameters
    ----------
    estimator : fitted estimator
    x : input
        One input, in the form that :func:`explain` accepts.
    X, y : sequences of n inputs and outputs
        The training examples, in the same order as for ``fit``.
    sample_weight : array-like of shape (n,), optional
        The sample weights that ``fit`` received.
    instead : output or dict, optional
        The alternative output, in the form that :func:`explain` accepts. Default: the runner-up.

    Returns
    -------
    ExampleExplanation
        The contributions. The ``remainder`` is at most ||d|| sqrt(2 gap), where d is the difference
        of the two outputs' joint features. The bound on ``remainder`` follows from ||w - v||^2 <= 2
        gap, where v is the sum of the parts that the examples add to the weights w. To make
        ``remainder`` smaller, train with a smaller ``rtol``. If the problem has constraints on the
        weights, ``remainder`` includes the contribution of the constraints.

    Raises
    ------
    ValueError
        If :func:`explain` raises a ValueError for x and ``instead``. If X and y are not the
        training examples. If the model was trained on :class:`structsvm.Blocks`, or was saved
        without the planes of its dual solution.

    References
    ----------
    Yeh, Kim, Yen & Ravikumar, Representer Point Selection for Explaining Deep Neural Networks,
    NeurIPS 2018.

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
    require_planes(result)
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
    """Return the contribution of each example to the margin."""
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
    """Return the inner products of the vector d with the examples' joint-feature differences."""
    pieces = (range(i, min(i + AT_ONCE, task.n)) for i in range(0, task.n, AT_ONCE))
    return np.concatenate([task.differences(outputs, piece) @ d for piece in pieces])


def _expected_along(task: Any, d: Vector, w: Vector, mu: float) -> Vector:
    """Return the inner products of the vector d with the expected joint-feature differences."""
    step = STEP * mu / ((d @ d) or 1.0)
    points = w - step * d, w + step * d
    before, after = (task.soft(point, mu, np.ones(task.n)).values for point in points)
    return np.asarray((before - after) / (2 * step))
