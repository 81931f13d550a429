"""Weights known from experience: every solver finds the optimum near them, with a certificate."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    full_objective,
    full_optimum,
    multilabel_data,
    topics_data,
)

import structsvm.solvers
from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    Checkpoint,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCCCP,
    SmoothedLBFGS,
    Status,
)
from structsvm.problems import (
    AttractiveGraphLabelling,
    Chain,
    DecisionFocusedRegressor,
    IntegerProgram,
    Multiclass,
    PartialChain,
)
from structsvm.problems.decisions import GridPaths

SOLVERS = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
SOLVERS = [kind for kind in SOLVERS if kind.requires.known_outputs]
SOLVERS = [kind for kind in SOLVERS if kind is not Plan]


def blobs(n=40, d=5, k=3, seed=0, convert=np.asarray):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d))
    return convert(X), y, rng.normal(size=k * d)


@pytest.fixture(params=SOLVERS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_every_solver_finds_the_optimum_near_the_prior(kind, scale):
    X, y, prior = blobs()
    prior = scale * prior
    expected, w = full_optimum(Multiclass(), X, y, 5.0, prior=prior)
    result = kind(rtol=1e-5).solve(Multiclass(), X, y, 5.0, w_prior=prior)
    assert result.status is Status.CONVERGED
    assert result.dual - 1e-9 <= expected <= result.primal + 1e-9
    assert result.primal == pytest.approx(
        full_objective(Multiclass_of(X, y), X, y, result.w, 5.0, prior=prior), rel=1e-6
    )
    assert np.linalg.norm(result.w - w) <= np.sqrt(2 * result.gap) + 1e-6
    assert np.array_equal(result.w_prior, prior)
    assert result.verify(Multiclass(), X, y).matches


def Multiclass_of(X, y):
    problem = Multiclass()
    problem.initialize(X, y)
    return problem


@pytest.mark.parametrize("convert", [np.float32, sparse.csr_matrix])
def test_in_single_precision_and_for_sparse_rows(kind, convert):
    X, y, prior = blobs(convert=convert)
    result = kind().solve(Multiclass(), X, y, 5.0, w_prior=prior)
    dense = X.toarray() if sparse.issparse(X) else X.astype(float)
    expected, _ = full_optimum(Multiclass(), dense, y, 5.0, prior=prior)
    assert result.status is Status.CONVERGED
    assert result.dual - 1e-5 <= expected <= result.primal + 1e-5
    assert result.verify(Multiclass(), X, y).matches


def test_a_prior_of_zeros_is_none(kind):
    X, y, prior = blobs()
    plain = kind().solve(Multiclass(), X, y, 5.0)
    zeros = kind().solve(Multiclass(), X, y, 5.0, w_prior=np.zeros_like(prior))
    assert np.array_equal(plain.w, zeros.w)
    assert (plain.primal, plain.dual, plain.iterations) == (
        zeros.primal, zeros.dual, zeros.iterations,
    )  # fmt: skip


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_both_rescalings(solver, rescaling):
    X, Y = multilabel_data(n=12)
    prior = np.random.default_rng(0).normal(size=9)
    problem = Multilabel()
    expected, _ = full_optimum(problem, X, Y, 5.0, rescaling, prior)
    found = solver(rtol=1e-6, rescaling=rescaling).solve(problem, X, Y, 5.0, w_prior=prior)
    assert found.dual - 1e-9 <= expected <= found.primal + 1e-9
    assert found.verify(problem, X, Y).matches


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_constraints_are_kept_to_by_w_itself(solver):
    X, Y = multilabel_data(n=12)
    problem, prior = ConstrainedMultilabel("balanced"), np.random.default_rng(0).normal(size=9)
    expected, w = full_optimum(problem, X, Y, 5.0, prior=prior)
    found = solver(rtol=1e-7).solve(problem, X, Y, 5.0, w_prior=prior)
    assert found.dual - 1e-9 <= expected <= found.primal + 1e-9
    A, b = problem.constraints()
    assert np.all(A @ found.w <= b + 1e-6)
    np.testing.assert_allclose(found.w, w, atol=1e-2)
    assert found.verify(problem, X, Y).matches


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_bounds_are_kept_to_by_w_itself(solver):
    X, Y = AttractiveGraphLabelling.example_data()
    problem = AttractiveGraphLabelling()
    problem.initialize(X, Y)
    prior = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    found = solver(rtol=1e-6).solve(AttractiveGraphLabelling(), X, Y, 50.0, w_prior=prior)
    assert np.all(found.w >= problem.constraints().lower)
    assert found.status is Status.CONVERGED
    assert found.verify(AttractiveGraphLabelling(), X, Y).matches
    other = OneSlackCuttingPlane(rtol=1e-6).solve(
        AttractiveGraphLabelling(), X, Y, 50.0, w_prior=prior
    )
    assert other.dual - 1e-6 <= found.primal and found.dual - 1e-6 <= other.primal


@pytest.mark.parametrize("loss", ["log_loss", "softmax_margin"])
@pytest.mark.parametrize("solver", [SmoothedLBFGS, OneSlackCuttingPlane])
def test_smooth_surrogates(loss, solver):
    X, y, prior = blobs()

    def objective(w):
        scores = X @ w.reshape(3, 5).T + (loss != "log_loss") * (np.arange(3) != y[:, None])
        partition = np.log(np.exp(scores).sum(axis=1))
        return 0.5 * np.sum((w - prior) ** 2) + 5 * (partition - scores[np.arange(40), y]).mean()

    expected = minimize(objective, prior, options={"gtol": 1e-9}).fun
    found = solver(loss=loss, rtol=1e-5).solve(Multiclass(), X, y, 5.0, w_prior=prior)
    assert found.dual - 1e-6 <= expected <= found.primal + 1e-6
    assert found.status is Status.CONVERGED
    assert found.verify(Multiclass(), X, y).matches


@pytest.mark.parametrize("kind", [Chain, IntegerProgram])
def test_auto_with_structured_outputs(kind):
    X, Y = kind.example_data()
    solver = structsvm.choose_solver(kind(), X, Y).solver.set_params(rtol=1e-3)
    far = solver.solve(kind(), X, Y, 30.0).w
    # Where the prior is what was trained on the same data, less is to be paid.
    plain = solver.solve(kind(), X, Y, 3.0)
    near = solver.solve(kind(), X, Y, 3.0, w_prior=far)
    assert near.verify(kind(), X, Y).matches
    assert near.primal < plain.primal
    other = OneSlackCuttingPlane(rtol=1e-4).solve(kind(), X, Y, 3.0, w_prior=far)
    assert near.dual <= other.primal and other.dual <= near.primal


def test_an_oracle_that_misses_outputs():
    X, Y = multilabel_data(n=20)
    prior = np.random.default_rng(0).normal(size=9)
    for solver in (NSlackCuttingPlane(), OneSlackCuttingPlane(), BlockCoordinateFrankWolfe()):
        found = solver.solve(LocalSearchMultilabel(), X, Y, 5.0, w_prior=prior)
        expected, _ = full_optimum(LocalSearchMultilabel(), X, Y, 5.0, prior=prior)
        assert found.dual <= expected + 1e-9
        assert found.verify(LocalSearchMultilabel(), X, Y).matches


@pytest.mark.parametrize("solver", [CCCP, SmoothedCCCP])
def test_latent_variables_and_self_labelled_problems(solver):
    if solver is CCCP:
        problem, X, Y = LatentTopics(), topics_data(), None
    else:
        problem, (X, Y) = PartialChain(), PartialChain.example_data()
    plain = solver().solve(problem, X, Y, 20.0)
    prior = 1.1 * plain.w
    near = solver().solve(problem, X, Y, 20.0, w_prior=prior, w0=prior)
    assert near.verify(problem, X, Y).matches
    assert near.primal < plain.primal
    assert np.linalg.norm(near.w - prior) < np.linalg.norm(prior)


def test_where_it_is_stopped_does_not_matter(kind):
    X, y, prior = blobs()
    for max_iter in (1, 2, 4):
        result = kind(rtol=1e-9, max_iter=max_iter).solve(Multiclass(), X, y, 20.0, w_prior=prior)
        assert result.verify(Multiclass(), X, y).matches


def test_a_start_is_a_point_of_its_own_and_warm_starts_take_planes(kind):
    X, y, prior = blobs()
    first = kind().solve(Multiclass(), X, y, 5.0, w_prior=prior)
    points = []
    kind(max_iter=1).solve(
        Multiclass(), X, y, 5.0, w_prior=prior, w0=first.w, callback=lambda i, w: points.append(w)
    )
    if kind is not NSlackCuttingPlane:
        np.testing.assert_allclose(points[0], first.w, atol=1e-6)
    again = kind().solve(Multiclass(), X, y, 5.0, w_prior=prior, warm_start=first)
    assert again.iterations <= first.iterations
    assert again.verify(Multiclass(), X, y).matches
    other = kind().solve(Multiclass(), X, y, 7.0, w_prior=2 * prior, warm_start=first)
    assert other.verify(Multiclass(), X, y).matches


def test_the_callback_and_early_stopping_get_w_itself():
    X, y, prior = blobs(n=80)
    points = []
    rule = EarlyStopping(X[60:], y[60:])
    result = OneSlackCuttingPlane().solve(
        Multiclass(), X[:60], y[:60], 5.0, w_prior=prior, early_stopping=rule,
        callback=lambda iteration, w: points.append(w),
    )  # fmt: skip
    assert np.array_equal(points[0], prior)
    assert any(np.array_equal(w, result.w) for w in points)
    problem = Multiclass_of(X, y)
    for iteration, w in zip(result.history, points, strict=True):
        if iteration.validation_score is not None:
            right = np.mean(
                [problem.decode(x, w) == label for x, label in zip(X[60:], y[60:], strict=True)]
            )
            assert iteration.validation_score == pytest.approx(right)
    assert result.history[0].validation_score is not None  # a prior has a score, unlike w = 0


def test_a_checkpoint_goes_on_only_with_the_same_prior(tmp_path):
    X, y, prior = blobs()
    checkpoint = Checkpoint(tmp_path / "run.npz", seconds=0)
    few = OneSlackCuttingPlane(max_iter=3, rtol=1e-6)
    few.solve(Multiclass(), X, y, 5.0, w_prior=prior, checkpoint=checkpoint)
    whole = OneSlackCuttingPlane(rtol=1e-6)
    resumed = whole.solve(Multiclass(), X, y, 5.0, w_prior=prior, checkpoint=checkpoint)
    assert np.array_equal(resumed.w, whole.solve(Multiclass(), X, y, 5.0, w_prior=prior).w)
    with pytest.raises(structsvm.ArchiveError, match="another w_prior"):
        whole.solve(Multiclass(), X, y, 5.0, w_prior=2 * prior, checkpoint=checkpoint)


def test_a_prior_that_fits_already_is_kept_with_a_warning():
    X, y = np.repeat(np.eye(3), 4, axis=0), np.repeat(np.arange(3), 4)
    prior = 5 * np.eye(3).ravel()
    with pytest.warns(UserWarning, match="ended at w_prior, which is within the tolerance"):
        result = OneSlackCuttingPlane().solve(Multiclass(), X, y, 5.0, w_prior=prior)
    assert np.array_equal(result.w, prior) and result.primal <= 1e-9
    assert result.gap <= result.tolerance


@pytest.mark.parametrize("size", [1e12, 1e14, 1e100])
def test_a_prior_that_hides_the_losses_is_no_optimum(kind, size):
    """Its objective of 0 is known up to rounding errors alone, which exceed the losses."""
    X, y = np.repeat(np.eye(3), 4, axis=0), np.repeat(np.arange(3), 4)
    result = kind().solve(Multiclass(), X, y, 5.0, w_prior=size * np.eye(3).ravel())
    assert result.status.name == "NUMERICAL"
    assert result.tolerance == pytest.approx(1e-3 * result.primal) and result.gap > result.tolerance
    assert f"weights of w_prior are as large as {size:.0e}" in result.message


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_prior_whose_products_cancel_is_blamed_in_the_first_pass_too(dtype):
    """The scores of all decisions are the same, but for rounding errors as large as the costs."""
    rng = np.random.default_rng(0)
    X, costs = rng.normal(size=(30, 3)).astype(dtype), rng.uniform(1, 2, size=(30, 4))
    model = DecisionFocusedRegressor(GridPaths(2, 2))
    with pytest.warns(ConvergenceWarning, match="weights of w_prior are as large as"):
        model.fit(X, costs, w_prior=np.full(16, 1e14))
    assert model.result_.status is Status.NUMERICAL


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_a_large_prior_in_single_precision_is_improved_all_the_same(solver):
    """Its weights of a constant, the same for both classes, round more than the slack there is."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([np.where(y, 1, -1) * (1 + np.abs(rng.normal(size=40))), np.ones(40)])
    prior = np.array([-0.48, 1e3, 0.48, 1e3])
    exact = solver().solve(Multiclass(), X, y, 100.0, w_prior=prior)
    single = solver().solve(Multiclass(), X.astype(np.float32), y, 100.0, w_prior=prior)
    assert not np.array_equal(single.w, prior)
    np.testing.assert_allclose(single.w, exact.w, atol=1e-4)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.zeros(14), r"w_prior must be finite and of shape \(15,\); got shape \(14,\)"),
        (np.full(15, np.nan), "w_prior must be finite .* NaN or infinity"),
        (["a"] * 15, "w_prior must be finite and of shape"),
        (np.ma.masked_array(np.zeros(15), np.arange(15) < 1), "w_prior must not be masked"),
    ],
)
def test_priors_that_do_not_fit_are_named(prior, message):
    X, y, _ = blobs()
    with pytest.raises(ValueError, match=message):
        OneSlackCuttingPlane().solve(Multiclass(), X, y, 5.0, w_prior=prior)
