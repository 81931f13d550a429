"""Explanations of all estimators: they sum to the margin, and changes do what they say."""

import copy
from itertools import islice

import numpy as np
import pytest
from cases.estimators import MODELS, fitted, made, model_of, refitted
from cases.problems import PROBLEMS
from sklearn.utils import _safe_indexing

from structsvm.data.containers import n_examples
from structsvm.estimators.training import StructuredEstimator
from structsvm.oracle.setup import initialize
from structsvm.problems import Graph, Program
from structsvm.reasons import explain_by_examples
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
    "AssignmentSVM", "IntegerProgramSVM", "SegmentSVM", "DependencyParser",
]  # fmt: skip


def pairs(name):
    """Some inputs, each with an output to compare the prediction with, or None."""
    _, (X, y), options = model_of(name)
    if name == "RankingSVM":
        queries = [options["qid"] == query for query in range(4)]
        return [(X[rows], y[rows]) for rows in queries]
    outputs = [_safe_indexing(y, i) for i in range(n_examples(y))]
    return [(X[i], other) for i in range(min(4, len(outputs))) for other in (None, *outputs)]


@pytest.mark.parametrize("name", NAMES)
def test_contributions_sum_to_the_margin(name):
    model, compared = fitted(name)[0], 0
    for x, instead in pairs(name):
        try:
            found, explanation = contrast(model, x, instead), explain(model, x, instead=instead)
        except ValueError:  # no runner-up, or an output of another length
            continue
        difference = model.problem_.joint_feature_difference(*found[:3])
        margin = float((difference @ model.w_).item())
        parts = [row.contribution for row in explanation.rows]
        assert parts == sorted(parts, key=abs, reverse=True)
        close = pytest.approx(margin, rel=1e-9, abs=1e-9 * sum(map(abs, parts)) + 1e-12)
        assert explanation.margin == close
        assert sum(parts) == close
        compared += margin != 0
    assert compared


@pytest.mark.parametrize("name", NAMES)
def test_the_runner_up_is_the_second_best_of_all_outputs(name):
    model = fitted(name)[0]
    for x, instead in pairs(name):
        if instead is None:
            try:
                found = contrast(model, x, None)
            except ValueError as error:
                assert "instead" in str(error) or "no other output" in str(error)
                return
            problem, w = model.problem_, model.w_
            outputs = list(islice(problem.outputs(found.x), 2000))
            if len(outputs) == 2000 or problem.oracle_quality != "exact":
                return
            rows = [problem.joint_feature_difference(found.x, found.prediction, y) for y in outputs]
            margins = np.sort([float((row @ w).item()) for row in rows])
            assert margins[0] == pytest.approx(0, abs=1e-7)
            own = explain(model, x).margin
            assert own == pytest.approx(margins[1], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_brings_the_margin_to_zero_and_a_little_more_another_prediction(name):
    model, changes = fitted(name)[0], 0
    for x, instead in pairs(name):
        try:
            found, explanation = contrast(model, x, instead), explain(model, x, instead=instead)
        except ValueError:  # no runner-up, or an output of another length
            continue
        for row in explanation.rows[:8]:
            if not np.isfinite(row.change) or abs(row.change) > 1e6:
                continue
            at_zero = changed(name, x, row, row.change)
            difference = model.problem_.joint_feature_difference(
                model._alone(at_zero).X[0], found.prediction, found.other
            )
            scale = sum(abs(one.contribution) for one in explanation.rows)
            scale += abs(row.change * row.weight)
            assert float((difference @ model.w_).item()) == pytest.approx(0, abs=1e-6 * scale)
            beyond = changed(name, x, row, row.change * 1.01)
            before, after = (model._bound([one]).decode(model.w_)[0] for one in (x, beyond))
            assert not np.array_equal(before, after) or explanation.margin == 0
            changes += 1
    assert changes > 5


def changed(name, x, row, by):
    """A copy of an input with a feature that is larger by a number."""
    x, column = copy.deepcopy(x), int(row.feature[1:]) if row.feature[0] == "x" else row.feature
    if isinstance(x, Program):
        x.features[row.position, column] += by
    elif isinstance(x, Graph):
        rows = x.features
        if isinstance(row.position, tuple):
            rows, edges = x.edge_features, np.sort(x.edges, axis=1).tolist()
            rows[edges.index(sorted(row.position)), column] += by
        else:
            rows[row.position, column] += by
    elif name == "SegmentSVM":
        start, stop = row.position
        x[(stop - 1) * 2 + stop - start - 1, column] += by
    elif name == "DependencyParser":
        head, word = row.position
        x[word - 1, head, column] += by
    elif row.position is None:
        x[column] += by
    elif isinstance(row.position, tuple):
        x[row.position][column] += by
    elif isinstance(x, np.ndarray):
        x[row.position, column] += by
    else:  # a feature that is not there is 0
        x[row.position][column] = x[row.position].get(column, 0) + by
    return x


#: Those that a list of examples is all of; whitened sets are trained on as other sets say.
BY_EXAMPLES = [
    name for name in NAMES
    if name not in ("RankingSVM", "SupervisedKMeans", "CorrelationClustering", "GraphSVM")
]  # fmt: skip


FITS = [(name, "hinge") for name in BY_EXAMPLES] + [
    (name, "log_loss") for name in BY_EXAMPLES if "loss" in made(name)[0].get_params()
]


@pytest.mark.parametrize(("name", "loss"), FITS)
def test_the_parts_of_the_training_examples_sum_to_the_margin(name, loss):
    X, y = model_of(name)[1]
    model = fitted(name)[0] if loss == "hinge" else refitted(name, loss=loss)
    compared = 0
    for x, instead in pairs(name)[:40]:
        try:
            found = explain_by_examples(model, x, X, y, instead=instead)
        except ValueError:  # no runner-up, or an output of another length
            continue
        both = contrast(model, x, instead)
        d = model.problem_.joint_feature_difference(*both[:3])
        norm = float(np.sqrt((d @ d.T).sum() if hasattr(d, "tocsr") else d @ d))
        assert found.contributions.shape == (n_examples(y),)
        total = float(found.contributions.sum()) + found.of_prior + found.remainder
        assert total == pytest.approx(found.margin, rel=1e-9, abs=1e-9)
        gap = max(model.result_.gap, 0) + model.result_.rounding
        assert abs(found.remainder) <= norm * np.sqrt(2 * gap) * (1 + 1e-6) + 1e-9
        compared += norm > 0
    assert compared


@pytest.mark.parametrize("name", PROBLEMS)
def test_terms_sum_to_the_score(name):
    problem, X, Y = PROBLEMS[name](0)
    initialize(problem, X, Y)
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    for i in range(n_examples(X)):
        y = problem.decode(X[i], np.abs(w))
        positions, factors, rows, weights = problem.score_terms(X[i], y, w)
        assert len(positions) == len(factors) == rows.shape[0]
        terms = factors * (rows @ weights)
        score = np.squeeze(problem.joint_feature(X[i], y) @ w[:, None])
        close = {"rel": 1e-5, "abs": 1e-5 * np.abs(terms).sum()}  # some inputs are float32
        assert float(terms.sum()) == pytest.approx(float(score), **close)
