"""Cuts: a pass of an oracle turned into planes, the same for any division into blocks."""

import numpy as np
import pytest
from changed_tasks import with_task
from engine_parts import examples_of
from toy_problems import Multilabel, Tasked, blobs, chains, multilabel_data

from structsvm.exceptions import ProblemError
from structsvm.oracle.cuts import find_violated, n_slack_cuts, one_slack_cut, soft_cut, term_sizes
from structsvm.problems import Chain, Multiclass

X, Y = multilabel_data(n=100)
W = np.random.default_rng(0).normal(size=9)
MU = 0.3


def divided(problem, X, Y, size):
    problem.block_size = size
    return examples_of(problem, X, Y)


# ---------------------------------------------------------------------- what a cut says


def larger(task, outputs, places):
    """Larger terms for the first entry and the loss, and sizes that are too small."""
    return np.tile([1e6, *np.zeros(8)], (len(places), 1)), np.full(len(places), 1e3)


Declared = with_task(Multilabel, term_sizes=larger)


def test_the_problem_knows_sizes_of_terms_that_cancel():
    outputs = one_slack_cut(divided(Multilabel(), X, Y, 30), None, W).outputs
    plain, declared = (
        term_sizes(divided(problem, X, Y, 30), None, outputs)
        for problem in (Multilabel(), Declared())
    )
    np.testing.assert_array_equal(declared.rows, [1e6, *plain.rows[1:]])
    assert declared.loss == 1e3 > plain.loss


def test_sizes_of_terms_of_another_length_name_the_method():
    Wrong = with_task(Multilabel, term_sizes=lambda task, outputs, places: (np.zeros(8), 1.0))
    with pytest.raises(ProblemError, match=r"ChangedTask\.term_sizes must return shape \(33, 9\)"):
        term_sizes(divided(Wrong(), X, Y, 30), None, list(Y))


def test_a_soft_plane_of_some_examples_counts_the_others_as_at_their_true_output():
    examples, places = divided(Multilabel(), X, Y, None), np.array([3, 40, 41])
    cut, soft = soft_cut(examples.subset(places), None, W, MU, examples.n)
    single = [Multilabel().soft_oracle(X[i], Y[i], W, MU) for i in places]
    np.testing.assert_allclose(cut.rows[0], sum(s.joint_feature_difference for s in single) / 100)
    assert cut.offsets == pytest.approx(sum(s.loss for s in single) / 100)
    np.testing.assert_allclose(soft.values, [s.value for s in single])
    assert cut.slacks == [np.inf]
    np.testing.assert_array_equal(cut.sources[0].examples, places)
    whole, _ = soft_cut(examples, None, W, MU, examples.n)
    assert whole.sources[0].examples is None


def test_the_slack_of_a_soft_plane_is_exact_where_the_soft_oracle_returns_it():
    examples = divided(Multilabel(), X, Y, None)
    cut, soft = soft_cut(examples, None, W, MU, examples.n)
    assert cut.slacks == pytest.approx(soft.values.mean())
    assert cut.slacks > one_slack_cut(examples, None, W).slacks
    data = blobs()
    examples = divided(Multiclass(), *data, 7)
    w = np.random.default_rng(1).normal(size=examples.size)
    cut, _ = soft_cut(examples, None, w, MU, examples.n)
    assert cut.slacks == pytest.approx(one_slack_cut(examples, None, w).slacks)
    some = examples.subset(np.arange(50))
    assert soft_cut(some, None, w, MU, examples.n)[0].slacks == [np.inf]


# ---------------------------------------------------------------------- any blocks


@pytest.mark.parametrize(
    ("problem", "data"), [(Tasked, (X, Y)), (Multiclass, blobs()), (Chain, chains())]
)
def test_the_planes_are_those_of_all_examples_at_once(problem, data):
    whole, parts = divided(problem(), *data, 1000), divided(problem(), *data, 7)
    w = np.random.default_rng(1).normal(size=whole.size)
    one, other = one_slack_cut(whole, None, w), one_slack_cut(parts, None, w)
    np.testing.assert_allclose(one.rows, other.rows, atol=1e-12)
    np.testing.assert_allclose([one.offsets, one.slacks], [other.offsets, other.slacks])
    for a, b in zip(one.outputs, other.outputs, strict=True):
        np.testing.assert_array_equal(a, b)
    thresholds = np.full(
        whole.n, np.median(find_violated(whole, None, w, np.zeros(whole.n)).slacks)
    )
    found = [find_violated(bound, None, w, thresholds) for bound in (whole, parts)]
    one, other = (n_slack_cuts(None, each) for each in found)
    np.testing.assert_array_equal(one.groups, other.groups)
    np.testing.assert_array_equal(one.groups, np.flatnonzero(one.slacks > thresholds))
    assert 0 < len(one.groups) < whole.n
    for group, (example, outputs, weights) in zip(one.groups, one.sources, strict=True):
        assert example == group and weights.tolist() == [1.0]
        np.testing.assert_array_equal(outputs, [one.outputs[group]])
    np.testing.assert_allclose(one.rows, other.rows, atol=1e-12)
    np.testing.assert_array_equal(found[0].violated, found[1].violated)
    np.testing.assert_allclose(found[0].slacks, found[1].slacks, atol=1e-12)
    if problem is not Tasked:
        (one, soft), (other, softly) = (soft_cut(b, None, w, 0.1, b.n) for b in (whole, parts))
        np.testing.assert_allclose(one.rows, other.rows, atol=1e-12)
        np.testing.assert_allclose(one.offsets, other.offsets)
        np.testing.assert_allclose(soft.values, softly.values)
        assert (soft.slacks is None) == (softly.slacks is None)
