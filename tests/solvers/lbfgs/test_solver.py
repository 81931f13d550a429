"""SmoothedLBFGS: optima, certificates from soft planes, stalls, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from changed_tasks import with_task
from correct_problems import Chain as SingleChain
from correct_problems import sequences
from scipy import sparse
from sklearn.datasets import load_digits
from toy_problems import (
    ConstrainedMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    full_objective,
    full_optimum,
    multilabel_data,
)

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, SoftOutput, Status
from structsvm.oracle.cuts import soft_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.planes import SoftSource
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.lbfgs.algorithm import Before
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.run import Run

DIGITS = load_digits(return_X_y=True)
DIGITS = DIGITS[0] / 16, DIGITS[1]
N = len(DIGITS[1])


def label_sequences(seed=0, n=40, d=4, k=3):
    rng = np.random.default_rng(seed)
    Y = [np.cumsum(rng.integers(2, size=length)) % k for length in rng.integers(1, 6, size=n)]
    return [np.eye(k, d)[y] + 0.7 * rng.normal(size=(len(y), d)) for y in Y], Y


def distances(k=10):
    return np.abs(np.subtract.outer(range(k), range(k)))


RUNS = {
    "multiclass": (Multiclass, DIGITS, 0.1 * N),
    "multiclass-cost": (lambda: Multiclass(distances()), DIGITS, N),
    "chain": (Chain, label_sequences(), 40.0),
    "soft-single-form": (SingleChain, sequences(0), 10.0),
    "all-enumerated": (Multilabel, multilabel_data(0), 5.0),
}  # fmt: skip


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    kind, (X, Y), C = RUNS[request.param]
    return SmoothedLBFGS().solve(kind(), X, Y, C), kind(), X, Y, C


# ---------------------------------------------------------------------- what it finds


def test_the_optimum_lies_between_the_values(run):
    result, problem, X, Y, C = run
    assert result.status is Status.CONVERGED
    assert result.gap <= 1e-3 * result.primal
    reference = OneSlackCuttingPlane(rtol=1e-5).solve(problem, X, Y, C)
    assert result.dual <= reference.primal and reference.dual <= result.primal


def test_the_certificate_can_be_recomputed(run):
    result, problem, X, Y, _ = run
    found = result.verify(problem, X, Y)
    assert found.matches
    assert found.dual == pytest.approx(result.dual, rel=1e-9)
    assert any(isinstance(plane.source, SoftSource) for plane in result.support)


@pytest.mark.parametrize(
    "change",
    [
        lambda plane: plane._replace(alpha=1.2 * plane.alpha),
        lambda plane: plane._replace(alpha=-plane.alpha),
        lambda plane: plane._replace(source=plane.source._replace(mu=3 * plane.source.mu)),
        lambda plane: plane._replace(source=plane.source._replace(w=1.5 * plane.source.w)),
    ],
    ids=["heavier", "negative", "warmer", "elsewhere"],
)
def test_a_soft_plane_that_was_tampered_with_does_not_match(run, change):
    result, problem, X, Y, _ = run
    assert result.verify(problem, X, Y).matches
    heaviest = max(
        (j for j, plane in enumerate(result.support) if isinstance(plane.source, SoftSource)),
        key=lambda j: result.support[j].alpha,
    )
    support = list(result.support)
    support[heaviest] = change(support[heaviest])
    assert not replace(result, support=tuple(support)).verify(problem, X, Y).matches


def test_history_is_one_entry_per_step_and_its_dual_never_falls(run):
    result = run[0]
    duals = [step.dual for step in result.history]
    best = [step.best_primal for step in result.history]
    assert [step.iteration for step in result.history] == list(range(1, len(duals) + 1))
    assert all(np.diff(duals) >= 0) and all(np.diff(best) <= 1e-12 * result.primal)
    assert all(step.dual <= result.primal for step in result.history)
    assert result.gap == result.primal - result.dual


def test_single_precision_is_enough():
    X, y = DIGITS
    double = SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N)
    single = SmoothedLBFGS().solve(Multiclass(), X.astype(np.float32), y, 0.1 * N)
    assert single.status is Status.CONVERGED
    assert single.primal == pytest.approx(double.primal, rel=2e-3)
    assert single.verify(Multiclass(), X, y, tol=1e-4).matches


def test_it_is_the_same_every_time():
    X, y = DIGITS
    one, other = (SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N) for _ in range(2))
    np.testing.assert_array_equal(one.w, other.w)


def test_the_inputs_are_left_as_they_are():
    X, y = DIGITS[0].copy(), DIGITS[1].copy()
    w0 = np.ones(640)
    SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N, w0=w0)
    assert np.array_equal(X, DIGITS[0]) and np.array_equal(y, DIGITS[1]) and np.all(w0 == 1)


def test_a_warm_start_without_any_loss_converges():
    # All outputs found at 10 w are the true ones: the mean loss there is 0.
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 5 * np.eye(3)[y] + 0.1 * rng.normal(size=(60, 3))
    cold = SmoothedLBFGS().solve(Multiclass(), X, y, 10.0)
    warm = SmoothedLBFGS().solve(Multiclass(), X, y, 10.0, w0=10 * cold.w)
    assert warm.status is Status.CONVERGED
    assert warm.primal == pytest.approx(cold.primal, rel=3e-3)


def test_a_warm_start_saves_passes():
    X, y = DIGITS
    cold = SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N)
    warm = SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N, w0=cold.w)
    assert warm.status is Status.CONVERGED
    assert warm.primal <= cold.primal * (1 + 1e-12)
    assert warm.history[0].primal == pytest.approx(cold.primal, rel=1e-9)


def test_certain_examples_are_left_out_for_some_steps():
    X, y = DIGITS
    result = SmoothedLBFGS().solve(Multiclass(), X, y, 0.1 * N)
    calls = np.diff([step.oracle_calls for step in result.history])
    assert min(calls) < 0.8 * N
    assert any(
        plane.source.examples is not None and len(plane.source.examples) < N
        for plane in result.support
        if isinstance(plane.source, SoftSource)
    )


# ---------------------------------------------------------------------- what can go wrong


@pytest.mark.slow
def test_after_a_stall_the_cutting_plane_continues():
    X, y = DIGITS
    keep = np.arange(0, N, 6)
    X, y = X[keep], y[keep]
    result = SmoothedLBFGS().solve(Multiclass(), X, y, 1e4 * len(y))
    assert result.status is Status.CONVERGED
    assert result.gap <= 1e-3 * result.primal
    assert result.verify(Multiclass(), X, y).matches
    reference = OneSlackCuttingPlane().solve(Multiclass(), X, y, 1e4 * len(y))
    assert result.primal == pytest.approx(reference.primal, rel=2e-3)


@pytest.mark.parametrize("C", [1e-9, 1e-3, 1e6])
def test_any_size_of_C(C):
    X, Y = multilabel_data(0)
    result = SmoothedLBFGS(rtol=1e-4).solve(Multilabel(), X, Y, C)
    optimum, _ = full_optimum(Multilabel(), X, Y, C)
    assert result.primal == pytest.approx(optimum, rel=2e-4)


def test_a_soft_oracle_that_is_too_optimistic_does_not_make_the_objective_wrong():
    class Optimist(Multilabel):
        def soft_oracle(self, x, y, w, mu):
            return SoftOutput(*(0.5 * part for part in super().soft_oracle(x, y, w, mu)))

    X, Y = multilabel_data(0)
    result = SmoothedLBFGS(max_iter=300).solve(Optimist(), X, Y, 5.0)
    assert result.primal == pytest.approx(
        full_objective(Multilabel(), X, Y, result.w, 5.0), rel=1e-9
    )
    optimum, _ = full_optimum(Multilabel(), X, Y, 5.0)
    assert result.dual <= optimum * (1 + 1e-9)


@pytest.mark.parametrize("max_iter", [1, 2, 3, 14, 16, 17, 18, 31, 33, 50])
@pytest.mark.parametrize("kind", ["multiclass", "chain"])
def test_where_it_is_stopped_does_not_matter(max_iter, kind):
    kind, (X, Y), C = RUNS[kind]
    result = SmoothedLBFGS(rtol=1e-9, max_iter=max_iter).solve(kind(), X, Y, C)
    assert result.status is Status.MAX_ITER and result.iterations == max_iter
    assert result.verify(kind(), X, Y).matches
    if max_iter > 20:
        assert 0 < result.dual and result.primal < 0.9 * result.history[0].primal


@pytest.mark.parametrize(
    ("problem", "data", "error", "message"),
    [
        (LocalSearchMultilabel(), multilabel_data(), ValueError, "needs an exact oracle"),
        (
            RelaxedAssignment(),
            assignment_data(),
            TypeError,
            "needs soft_oracle, which Relaxed",
        ),
        (ConstrainedMultilabel("balanced"), multilabel_data(), ValueError, "cannot keep to the"),
    ],
)
def test_unsuitable_problems_are_refused_with_an_alternative(problem, data, error, message):
    with pytest.raises(error, match=message) as caught:
        SmoothedLBFGS().solve(problem, *data)
    assert "use OneSlackCuttingPlane" in str(caught.value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rtol", [1e-7, 1e-9, 0.0])
def test_the_dual_is_a_bound_up_to_the_rounding_of_the_soft_oracle(rtol):
    X, Y = Chain.example_data()
    result = SmoothedLBFGS(rtol=rtol, max_iter=1000).solve(Chain(), X, Y, 10.0)
    exact = OneSlackCuttingPlane(rtol=1e-11).solve(Chain(), X, Y, 10.0)
    assert result.dual <= exact.primal * (1 + 1e-8)
    assert result.primal >= exact.dual * (1 - 1e-10)


@pytest.mark.parametrize(("d", "most"), [(3, 20), (400_000, 12), (10**6, 10)])
def test_fewer_planes_are_kept_of_a_longer_w(d, most):
    X = sparse.csr_matrix((np.ones(3), ([0, 1, 2], [0, 1, 2])), (3, d))
    problem, y = Multiclass(), ["a", "b", "a"]
    initialize(problem, X, y)
    descent = SmoothedLBFGS().begin(Program(Examples(problem, X, y), 1.0), Start())
    assert descent.planes.most == most


# ---------------------------------------------------------------------- frozen distributions


def frozen(C=1.0):
    """An algorithm that has frozen some examples."""
    X, y = DIGITS
    problem = Multiclass()
    initialize(problem, X, y)
    run = Run(Program(Examples(problem, X, y), C * N), [SmoothedLBFGS()], 0, Start())
    run.step(), run.step()
    while run.algorithm.descent.objective.frozen is None:
        run.step()
    return run.algorithm


def test_planes_with_frozen_distributions_are_points_of_the_dual():
    algorithm = frozen()
    descent, whole = algorithm.descent, algorithm.whole
    objective, w, mu = descent.objective, descent.point.w, descent.mu
    source = objective.frozen.source
    point, others = objective.at(w, mu), whole.at(source.w, source.mu)
    assert 0 < objective.examples.n < 0.8 * N
    np.testing.assert_array_equal(
        np.sort(np.append(source.examples, objective.examples.index)), np.arange(N)
    )
    # The same by hand: examples not frozen at w, frozen ones at the point where they were.
    some, _ = whole.examples.labelled_subset(objective.examples.index, None)
    rest, _ = whole.examples.labelled_subset(source.examples, None)
    at_w, _ = soft_cut(some, None, w, mu, N)
    at_frozen, _ = soft_cut(rest, None, source.w, source.mu, N)
    np.testing.assert_allclose(point.v, whole.C * (at_w.rows[0] + at_frozen.rows[0]), atol=1e-9)
    assert point.linear == pytest.approx(whole.C * (at_w.offsets[0] + at_frozen.offsets[0]))
    assert others.expected <= whole.at(w, mu).value and point.value <= whole.at(w, mu).value


def test_freezing_changes_neither_gradient_nor_expected_value():
    algorithm = frozen()
    whole, mu = algorithm.whole, algorithm.descent.mu
    point = whole.at(algorithm.descent.point.w, mu)
    places = np.flatnonzero(point.soft_slacks > 0.003 * mu)
    objective, other = whole.frozen_but(places, point)
    assert objective.at(point.w, mu).value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(other.gradient, point.gradient, atol=1e-9)
    assert other.expected == pytest.approx(point.expected, rel=1e-12)
    assert other.value <= point.value


def test_results_with_frozen_distributions_are_verified():
    X, y = DIGITS
    result = SmoothedLBFGS().solve(Multiclass(), X, y, N)
    frozen = [plane for plane in result.support if plane.source.others is not None]
    assert frozen
    assert result.verify(Multiclass(), X, y).matches
    wrong = []
    for plane in result.support:
        others = plane.source.others and plane.source.others._replace(w=-result.w)
        wrong.append(plane._replace(source=plane.source._replace(others=others)))
    assert not replace(result, support=tuple(wrong)).verify(Multiclass(), X, y).matches


def test_a_descent_that_froze_too_much_goes_back():
    algorithm = frozen(C=100.0)
    descent, freezing = algorithm.descent, algorithm._freezing
    start, certain = descent.point.w, freezing._certain
    freezing._before = Before(start, -np.inf)  # as if the objective had risen since
    descent.switch(algorithm.whole)
    descent.step()
    freezing.start_round(descent, algorithm.whole)
    np.testing.assert_array_equal(descent.point.w, start)
    assert freezing._certain < 0.1 * certain


def test_axes_save_passes_where_features_are_correlated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 20)) @ (rng.normal(size=(20, 20)) * np.geomspace(1, 0.01, 20))
    y = np.argmax(X @ rng.normal(size=(20, 4)), axis=1)
    WithoutAxes = with_task(Multiclass, curvature=None)
    with_axes, without = (
        SmoothedLBFGS().solve(kind(), X, y, 30.0 * len(y)) for kind in (Multiclass, WithoutAxes)
    )
    assert with_axes.status is without.status is Status.CONVERGED
    assert with_axes.primal == pytest.approx(without.primal, rel=2e-3)
    assert with_axes.iterations < 0.8 * without.iterations
