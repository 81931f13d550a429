"""The margin between a prediction and another output, by features."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.reasons.contrast import Contrast, contrast
from structsvm.reasons.explanation import Explanation, Reason
from structsvm.task.answers import rows_of


def explain(estimator: Any, x: Any, *, instead: Any = None) -> Explanation:
    """Explain the prediction for one input by the features that decided it.

    The score of the prediction less the score of another output is a sum over features, times
    their weights. What both outputs have in common cancels: what remains is the difference.

    Parameters
    ----------
    estimator : fitted estimator
        One with ``w_`` and ``problem_``, such as ``ChainSVM``.
    x : input
        One input, such as ``X[0]``. Of :class:`structsvm.problems.RankingSVM` the rows of a query.
    instead : output or dict, optional
        What to compare with: an output in the form of ``y[0]``; or ``{slot: part}`` for the best
        output with that part, as in "why not B-ORG at word 3?", ``{3: "B-ORG"}``. Default: the
        runner-up, the second-best output.

    Returns
    -------
    Explanation

    Raises
    ------
    NotFittedError
        The estimator is not fitted.
    ValueError
        x is not one input, or ``instead`` no output; or the problem has no search for the
        runner-up, and ``instead`` is None.

    Examples
    --------
    >>> from structsvm.problems import ChainSVM
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dogs"}, {"word": "bark"}]]
    >>> svm = ChainSVM().fit(X, [["DET", "NOUN"], ["NOUN", "VERB"]])
    >>> explanation = svm.explain([{"word": "the"}, {"word": "bark"}])
    >>> float(explanation.margin) > 0
    True
    """
    found = contrast(estimator, x, instead)
    rows = reasons(estimator, found)
    return Explanation(*found.texts, float(sum(row.contribution for row in rows)), rows)


def reasons(estimator: Any, found: Contrast) -> list[Reason]:
    """The parts of all weights in the margin, the largest first."""
    both = [score_terms(estimator, found.x, y) for y in (found.prediction, found.other)]
    weights, sums = both[0].weights.tolist(), _difference(*both)
    columns = sorted({column for _, column in sums})
    found = estimator._encoding.weight_names(np.array(columns, dtype=np.intp), estimator.problem_)
    names = dict(zip(columns, found, strict=True))
    slopes: dict[Any, float] = defaultdict(float)
    for (position, column), (factor, _) in sums.items():
        name = names[column]
        slopes[position, name.feature] += factor * weights[column] / name.size
    margin = sum(total * weights[column] for (_, column), (_, total) in sums.items())
    rows, named = [], _named(estimator)
    for (position, column), (factor, total) in sums.items():
        feature, label, mean, size = names[column]
        slope = 0.0 if isinstance(feature, str) else slopes[position, feature]
        rows.append(Reason(
            position, named(feature), label,
            value=total / factor * size + mean if factor else total * size,
            weight=(factor or 1.0) * weights[column] / size,
            contribution=total * weights[column],
            change=-margin / slope if slope else np.nan,
        ))  # fmt: skip
    return sorted(rows, key=lambda row: -abs(row.contribution))


def score_terms(estimator: Any, x: Any, y: Any) -> ScoreTerms:
    """The terms of the score of an output; where the problem names none, its joint feature."""
    problem, w = estimator.problem_, estimator.w_
    if problem.score_terms is not None:
        return problem.score_terms(x, y, w)
    return ScoreTerms([None], np.ones(1), rows_of([problem.joint_feature(x, y)], len(w), [0]), w)


def _difference(first: ScoreTerms, second: ScoreTerms) -> dict[Any, list[float]]:
    """The sums of factors, and of their products with features, by position and column."""
    sums: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for terms, sign in ((first, 1.0), (second, -1.0)):
        rows = sparse.coo_matrix(terms.rows)
        for row, column, value in zip(
            *map(np.ndarray.tolist, (rows.row, rows.col, rows.data)), strict=True
        ):
            factor, found = sign * float(terms.factors[row]), sums[terms.positions[row], column]
            found[0] += factor
            found[1] += factor * value
    return {place: found for place, found in sums.items() if any(found)}


def _named(estimator: Any) -> Callable[[Any], str]:
    """A function that returns the name of a feature, which may be the number of its column."""
    names = getattr(estimator, "feature_names_in_", None)

    def name(feature: Any) -> str:
        if isinstance(feature, str):
            return feature
        return f"x{feature}" if names is None else str(names[feature])

    return name
