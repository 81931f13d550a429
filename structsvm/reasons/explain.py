"""The margin between a prediction and an alternative output, divided among features."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.problem import ScoreTerms
from structsvm.data.weight_name import WeightName
from structsvm.reasons.contrast import Contrast, contrast
from structsvm.reasons.explanation import Explanation, Reason


def explain(estimator: Any, x: Any, *, instead: Any = None) -> Explanation:
    """Explain the prediction for one input by the features that decided it.

    The score of the prediction minus the score of an alternative output is a sum of features times
    weights. The explanation contains only terms in which the prediction and the alternative output
    differ.

    Parameters
    ----------
    estimator : fitted estimator
        A fitted estimator with ``w_`` and ``problem_``, such as ``ChainSVM``.
    x : input
        One input, such as ``X[0]``. For :class:`structsvm.problems.RankingSVM`, the rows of a
        query.
    instead : output or dict, optional
        The alternative output, in the form of an element of y, such as ``y[0]``. A dict ``{slot:
        part}`` selects the best output with the part in the slot. For example, ``{3: "B-ORG"}``
        asks why word 3 is not labelled B-ORG. Default: the runner-up, that is, the second-best
        output.

    Returns
    -------
    Explanation

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If x is not one input, or if ``instead`` is not an output. If ``instead`` is None, but the
        problem has no search for the runner-up.

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
    if not (rows := reasons(estimator, found)):
        raise ValueError("instead is the prediction itself, or has the same joint feature")
    return Explanation(*found.texts, float(sum(row.contribution for row in rows)), rows)


def reasons(estimator: Any, found: Contrast) -> list[Reason]:
    """Return the contributions of all weights to the margin, the largest first."""
    parts, given = _parts(estimator, found), getattr(estimator, "feature_names_in_", None)
    margin = sum(total * weight for *_, total, weight in parts)
    slopes: dict[Any, float] = defaultdict(float)
    for position, name, factor, _, weight in parts:
        if not isinstance(name.feature, str):  # the index of an input column
            slopes[position, name.feature] += factor * weight / name.size
    rows = []
    for position, (feature, label, mean, size), factor, total, weight in parts:
        slope = slopes.get((position, feature), 0.0)
        if not isinstance(feature, str):
            feature = f"x{feature}" if given is None else str(given[feature])
        rows.append(Reason(
            position, feature, label,
            value=total / factor * size + mean if factor else total * size,
            weight=(factor or 1.0) * weight / size,
            contribution=total * weight,
            change=-margin / slope if slope else np.nan,
        ))  # fmt: skip
    return sorted(rows, key=lambda row: -abs(row.contribution))


def _parts(estimator: Any, found: Contrast) -> list[tuple[Any, WeightName, float, float, float]]:
    """Return the terms in which the prediction and the alternative output differ.

    Each tuple has five elements: position in the input, name of a weight, factor, factor times
    feature, and weight. The factor comes from ``ScoreTerms.factors``.
    """
    problem, w = estimator.problem_, estimator.w_
    both = [problem.score_terms(found.x, y, w) for y in (found.prediction, found.other)]
    sums = _difference(*both)
    columns = np.array(sorted({column for _, column in sums}), dtype=np.intp)
    names = estimator._encoding.weight_names(columns, problem)
    named = dict(zip(columns.tolist(), names, strict=True))
    return [
        (position, named[column], factor, total, float(both[0].weights[column]))
        for (position, column), (factor, total) in sums.items()
        if both[0].weights[column]
    ]


def _difference(first: ScoreTerms, second: ScoreTerms) -> dict[Any, list[float]]:
    """Return the terms of ``first`` minus the terms of ``second``, by position and column.

    Each value of the dict is a list of two sums: the sum of the signed ``factors``, and the sum of
    the signed ``factors`` times feature values.
    """
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
