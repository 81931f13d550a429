"""BlockCoordinateFrankWolfe: optima, a dual that never falls, its cache, batches, bad input."""

import numpy as np
import pytest
from changed_tasks import with_answer
from scipy import sparse
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    assignment_data,
    full_optimum,
    multilabel_data,
)

from structsvm import BlockCoordinateFrankWolfe, OneSlackCuttingPlane, Status
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.problems import Multiclass
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.record import Record


def blobs(n=120, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


@pytest.mark.sampled(13)
@pytest.mark.parametrize("sampling", ["permutation", "gap"])
@pytest.mark.parametrize("batch_size", [1, 4, 1000])
@pytest.mark.parametrize(
    ("kind", "data", "C"),
    [(Multiclass, blobs(), 60.0), (Assignment, assignment_data(), 3.0)],
)
def test_the_optimum_lies_between_the_values(kind, data, C, batch_size, sampling):
    solver = BlockCoordinateFrankWolfe(batch_size=batch_size, sampling=sampling, rtol=3e-3)
    result = solver.solve(kind(), *data, C)
    reference = OneSlackCuttingPlane(rtol=1e-6).solve(kind(), *data, C)
    assert result.status is Status.CONVERGED and result.gap <= 3e-3 * result.primal
    assert result.dual <= reference.primal and reference.dual <= result.primal
    assert result.verify(kind(), *data).matches


@pytest.mark.slow
def test_the_dual_never_falls_and_is_that_of_the_planes():
    X, y = blobs()
    result = BlockCoordinateFrankWolfe(rtol=1e-4, max_iter=60).solve(Multiclass(), X, y, 60.0)
    duals = np.array([step.dual for step in result.history])
    assert np.all(np.diff(duals) >= 0) and duals[1] > 0
    assert result.verify(Multiclass(), X, y).dual == pytest.approx(result.dual, rel=1e-9)


def test_a_step_is_an_exact_line_search():
    X, Y = multilabel_data(0)
    problem = Multilabel()
    initialize(problem, X, Y)
    examples = Examples(problem, X, Y)
    algorithm = BlockCoordinateFrankWolfe().begin(Record(examples, 7.0), Start())
    rows, _ = algorithm._query(examples, algorithm.path.w)
    for i, row in enumerate(rows):
        before, own = algorithm.value, algorithm.planes[i]
        algorithm._visit(i, row)
        attained, weights = algorithm.value, own.weights.copy()
        assert attained >= before
        for shorter in (0.9, 1.1):  # relative to the step taken
            own.weights = np.minimum(shorter * weights, 1.0)
            algorithm._renew()
            assert algorithm.value <= attained * (1 + 1e-9)
        own.weights = weights
        algorithm._renew()
        assert algorithm.value == pytest.approx(attained, rel=1e-9)


def test_the_cache_saves_oracle_calls():
    X, y = blobs()
    result = BlockCoordinateFrankWolfe(rtol=1e-2).solve(Multiclass(), X, y, 60.0)
    plain = OneSlackCuttingPlane(rtol=1e-2).solve(Multiclass(), X, y, 60.0)
    assert result.oracle_calls < plain.oracle_calls


@pytest.mark.slow
def test_sparse_joint_features_stay_sparse():
    Sparse = with_answer(Multiclass, "differences", sparse.csr_matrix)
    X, y = blobs(d=40)
    X[np.abs(X) < 0.7] = 0
    problem = Sparse()
    initialize(problem, X, y)
    examples = Examples(problem, X, y)
    algorithm = BlockCoordinateFrankWolfe().begin(Record(examples, 7.0), Start())
    rows, _ = algorithm._query(examples, algorithm.path.w)
    assert all(len(row.values) <= 80 for row in rows)
    solver = BlockCoordinateFrankWolfe(rtol=3e-3)
    one, other = (solver.solve(kind(), X, y, 10.0) for kind in (Sparse, Multiclass))
    assert one.primal == pytest.approx(other.primal, rel=3e-3)


@pytest.mark.slow
def test_the_order_depends_on_random_state():
    X, y = blobs()
    a, b, c = (
        BlockCoordinateFrankWolfe(random_state=seed, max_iter=5).solve(Multiclass(), X, y, 60.0)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(a.w, b.w)
    assert not np.array_equal(a.w, c.w)


def test_an_undergenerating_oracle_gives_a_lower_bound():
    X, Y = multilabel_data(0)
    solver = BlockCoordinateFrankWolfe(rtol=1e-2)
    result = solver.solve(LocalSearchMultilabel(), X, Y, 5.0)
    optimum, _ = full_optimum(Multilabel(), X, Y, 5.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.guarantee.lower_bound and not result.guarantee.upper_bound


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"batch_size": 0}, "batch_size must be an integer >= 1; got 0"),
        ({"batch_size": 2.0}, "batch_size must be an integer"),
        ({"sampling": "random"}, "sampling must be one of 'permutation', 'gap'; got 'random'"),
        ({"random_state": -1}, "random_state must be"),
        ({"rtol": -1}, "rtol must be"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BlockCoordinateFrankWolfe(**parameters).solve(Multilabel(), *multilabel_data())


def test_constraints_are_refused_with_an_alternative():
    with pytest.raises(ValueError, match="use OneSlackCuttingPlane"):
        BlockCoordinateFrankWolfe().solve(ConstrainedMultilabel("balanced"), *multilabel_data())
