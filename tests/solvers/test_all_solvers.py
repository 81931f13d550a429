"""What every solver keeps to, whichever it is: the solvers are found in structsvm.solvers."""

import inspect
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from toy_problems import LatentTopics, topics_data

import structsvm
import structsvm.solvers
from structsvm import Checkpoint, OneSlackCuttingPlane, Plan, Status, StructuredSVM
from structsvm.planes.plane import SoftSource
from structsvm.problems import Multiclass

SOLVERS = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
SOLVERS = [kind for kind in SOLVERS if kind is not Plan]


def blobs(n=60, d=6, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


def task(kind):
    """A problem that the solver can train, X, Y and C."""
    if kind.requires.known_outputs:
        return Multiclass(), *blobs(), 20.0
    return LatentTopics(), topics_data(), None, 20.0


@pytest.fixture(params=SOLVERS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_it_is_public_and_documented(kind):
    assert kind.__name__ in structsvm.__all__
    documented = inspect.getdoc(kind)
    for parameter in kind().get_params():
        assert parameter in documented


def test_it_reaches_the_tolerance_with_a_certificate(kind):
    problem, X, Y, C = task(kind)
    result = kind().solve(problem, X, Y, C)
    assert result.status is Status.CONVERGED and result.gap <= 1e-3 * result.primal
    assert result.verify(problem, X, Y).matches
    assert result.solver.split(",")[0] == kind.__name__
    if kind.requires.known_outputs:
        exact = OneSlackCuttingPlane(rtol=1e-6).solve(problem, X, Y, C)
        assert result.dual <= exact.primal and exact.dual <= result.primal


@pytest.mark.parametrize("max_iter", [1, 2, 3, 6])
def test_where_it_is_stopped_does_not_matter(kind, max_iter):
    problem, X, Y, C = task(kind)
    result = kind(rtol=1e-9, max_iter=max_iter).solve(problem, X, Y, C)
    assert result.iterations <= max_iter and len(result.history) == result.iterations
    assert result.verify(problem, X, Y).matches


def masses(result):
    """The sums of the dual variables of every example, as fractions of their cap C / n."""
    n, sums = result.n_examples, [Fraction(0)] * result.n_examples
    for source, alpha in result.support:
        while source is not None:
            if isinstance(source, SoftSource):
                places = range(n) if source.examples is None else source.examples
                shares, others = [1 / n] * n, source.others
            else:
                places = range(n) if source.example is None else [source.example]
                shares, others = source.weights, None
            for i, share in zip(places, shares, strict=False):
                sums[i] += Fraction(alpha) * Fraction(float(share))
            source = others
    return [n * total / Fraction(result.C) for total in sums]


def test_no_number_of_steps_takes_dual_variables_above_their_caps(kind):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 20)), rng.integers(4, size=20)
    problem = Multiclass()
    if not kind.requires.known_outputs:
        problem, X, Y, _ = task(kind)
    result = kind(rtol=1e-13, max_iter=60).solve(problem, X, Y, 1.0)
    assert 0.9 < max(masses(result)) < 1 + 2.0**-50


def test_ctrl_c_keeps_what_was_found(kind):
    def press(iteration, w):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    problem, X, Y, C = task(kind)
    result = kind(rtol=1e-9).solve(problem, X, Y, C, callback=press)
    assert result.status is Status.INTERRUPTED and result.verify(problem, X, Y).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scale", [1e-308, 1e-160, 1e-100, 1e-30, 1e30, 1e100, 1e145])
def test_features_of_any_scale(kind, scale):
    problem, X, Y, C = task(kind)
    X = [scale * x for x in X] if Y is None else scale * X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that w is 0
        result = kind(max_iter=8).solve(problem, X, Y, C)
    assert 0 <= result.dual <= result.primal and result.verify(problem, X, Y).matches


@pytest.mark.sampled(11)
def test_it_goes_on_to_the_same_bits(kind, tmp_path):
    problem, X, Y, C = task(kind)
    whole = kind(rtol=1e-5).solve(problem, X, Y, C)
    for passes in {1, 2, whole.iterations // 2, whole.iterations - 1} - {0}:
        checkpoint = Checkpoint(tmp_path / f"{passes}.npz", seconds=0)
        kind(rtol=1e-5, max_iter=passes).solve(problem, X, Y, C, checkpoint=checkpoint)
        resumed = kind(rtol=1e-5).solve(problem, X, Y, C, checkpoint=checkpoint)
        np.testing.assert_array_equal(resumed.w, whole.w)
        assert (resumed.primal, resumed.dual) == (whole.primal, whole.dual)


@pytest.mark.sampled(3)
def test_jobs_and_repetition_do_not_change_a_bit(kind):
    problem, X, Y, C = task(kind)
    type(problem).block_size = 16  # else there is one block
    try:
        runs = [kind().solve(problem, X, Y, C, n_jobs=n_jobs) for n_jobs in (1, 1, 2)]
    finally:
        type(problem).block_size = None
    for other in runs[1:]:
        np.testing.assert_array_equal(runs[0].w, other.w)


def test_a_warm_start_is_no_worse_and_fits(kind):
    problem, X, Y, C = task(kind)
    cold = kind().solve(problem, X, Y, C)
    warm = kind().solve(problem, X, Y, C, warm_start=cold)
    assert warm.status is Status.CONVERGED
    assert warm.primal <= cold.primal * (1 + 1e-3)
    assert warm.verify(problem, X, Y).matches


def test_weights_of_0_leave_examples_out(kind):
    problem, X, Y, C = task(kind)
    if Y is None:
        pytest.skip("its optimum depends on the start")
    weights = np.arange(len(Y)) % 2
    some = kind(rtol=1e-4).solve(problem, X, Y, C, sample_weight=weights)
    alone = kind(rtol=1e-4).solve(problem, X[1::2], Y[1::2], C)
    assert some.primal == pytest.approx(alone.primal, rel=1e-3)


def test_estimators_take_it(kind):
    problem, X, Y, C = task(kind)
    svm = clone(StructuredSVM(problem, C=C, solver=kind())).fit(X, Y)
    assert svm.result_.status is Status.CONVERGED and len(svm.predict(X)) == len(X)
