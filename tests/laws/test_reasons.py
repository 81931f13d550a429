"""Explanations of all estimators: they sum to the margin, and changes of features do what they say."""

import pytest
from cases.estimators import MODELS, fitted, made, model_of
from sklearn.utils import _safe_indexing

from structsvm.estimators.training import StructuredEstimator
from structsvm.reasons.contrast import contrast
from structsvm.reasons.explain import explain

#: All that predict outputs from examples.
NAMES = [
    name
    for name in MODELS
    if isinstance(made(name)[0], StructuredEstimator) and name != "MultivariateSVM"
]
#: Those whose features can be changed one by one, beside those of a problem of one's own.
CHANGED = [
    "MulticlassSVM", "TaxonomySVM", "ChainSVM", "ChainSVM-dicts", "MultiLabelSVM", "GraphSVM",
    "AssignmentSVM", "IntegerProgramSVM", "SegmentSVM",
]  # fmt: skip


def pairs(name):
    """Some inputs, each with an output to compare the prediction with, or None."""
    _, (X, y), options = model_of(name)
    if name == "RankingSVM":
        queries = [options["qid"] == query for query in range(4)]
        return [(X[rows], y[rows]) for rows in queries]
    n = min(6, len(y))
    others = [_safe_indexing(y, (i + 1) % n) for i in range(n)]
    same = [_safe_indexing(y, i) for i in range(n)]
    return [(X[i], other) for i in range(n) for other in (same[i], others[i])]


@pytest.mark.parametrize("name", NAMES)
def test_contributions_sum_to_the_margin(name):
    model, compared = fitted(name)[0], 0
    for x, other in pairs(name):
        for instead in (None, other):
            try:
                found = contrast(model, x, instead)
            except ValueError:  # no runner-up, or an output of another length
                continue
            explanation = explain(model, x, instead=instead)
            difference = model.problem_.joint_feature_difference(*found[:3])
            margin = float((difference @ model.w_).item())
            parts = [row.contribution for row in explanation.rows]
            assert parts == sorted(parts, key=abs, reverse=True)
            scale = sum(map(abs, parts))
            assert explanation.margin == pytest.approx(margin, rel=1e-9, abs=1e-9 * scale)
            assert sum(parts) == pytest.approx(margin, rel=1e-9, abs=1e-9 * scale)
            compared += margin != 0
    assert compared
