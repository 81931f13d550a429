"""An example of weight 2 is two examples, one of weight 0 is none: for every solver and problem."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from toy_problems import (
    Assignment,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    StructuredSVM,
)
from structsvm.problems import Chain, DependencyTree, Multiclass, PartialIntegerProgram, Segments

#: Times that each example is taken, in turn.
TIMES = 1, 3, 0, 2
#: Relative gap, and for objectives what two gaps can make them differ by.
RTOL = 1e-6


def multiclass(convert=np.asarray):
    X, y = load_iris(return_X_y=True)
    return Multiclass(), convert(X[::3] - X.mean(axis=0)), y[::3]


def sparse_multiclass():
    # The problem offers mini-batches of these, and so an ascent of the dual.
    rng = np.random.default_rng(0)
    X = sparse.random(300, 1000, 0.01, format="csr", random_state=0)
    return Multiclass(), X, rng.integers(3, size=300)


PROBLEMS = {
    "single forms": lambda: (Multilabel(), *multilabel_data()),
    "assignment": lambda: (Assignment(), *assignment_data()),
    "classes": multiclass,
    "sparse classes": lambda: multiclass(sparse.csr_matrix),
    "mini-batches": sparse_multiclass,
    "costs": lambda: (Multiclass([[0, 1, 2], [3, 0, 1], [2, 2, 0]]), *multiclass()[1:]),
    "chain": lambda: (Chain(), *Chain.example_data()),
    "segments": lambda: (Segments(10), *Segments.example_data()),
    "trees": lambda: (DependencyTree(), *DependencyTree.example_data()),
}
SOLVERS = {
    "one slack": OneSlackCuttingPlane,
    "one slack, slack rescaling": lambda rtol: OneSlackCuttingPlane(rtol, rescaling="slack"),
    "n slacks": NSlackCuttingPlane,
    "n slacks, slack rescaling": lambda rtol: NSlackCuttingPlane(rtol, rescaling="slack"),
    "Frank-Wolfe": BlockCoordinateFrankWolfe,
    "L-BFGS": SmoothedLBFGS,
    "smoothed planes": SmoothedCuttingPlane,
}
#: Searches of one example at a time that end at this relative gap in seconds.
LOOSE = {"Frank-Wolfe": 1e-3}


def taken(data, places):
    """Some examples, in a container of the same kind."""
    return [data[i] for i in places] if isinstance(data, list) else data[places]


def times(n):
    return np.resize(TIMES, n)


def trained():
    """The names of problems and of the solvers for them."""
    for name in PROBLEMS:
        for solver in SOLVERS:
            if "slack rescaling" in solver:
                offered = name in ("single forms", "classes", "costs")
            else:
                offered = name != "assignment" or solver not in ("L-BFGS", "smoothed planes")
            if offered:
                yield name, solver


@pytest.mark.sampled(17)
@pytest.mark.parametrize(("name", "solver"), list(trained()))
def test_a_weight_is_a_number_of_copies(name, solver):
    problem, X, Y = PROBLEMS[name]()
    rtol = LOOSE.get(solver, RTOL)
    weights = times(len(Y))
    copies = np.repeat(np.arange(len(Y)), weights)
    whole = taken(X, copies), taken(Y, copies)
    expected = SOLVERS[solver](rtol).solve(problem, *whole, C=7.0)
    found = SOLVERS[solver](rtol).solve(problem, X, Y, C=7.0, sample_weight=5.5 * weights)
    assert expected.status.name == found.status.name == "CONVERGED"
    assert found.primal == pytest.approx(expected.primal, rel=2 * rtol)
    # The objective is strongly convex: 1/2 |w - w*|^2 <= P(w) - P*.
    assert np.linalg.norm(found.w - expected.w) <= 2 * np.sqrt(2 * rtol * expected.primal)
    assert found.verify(problem, X, Y, sample_weight=weights).matches
    assert not found.verify(problem, X, Y).matches
    # The certificate is one for the copies, too.
    assert expected.dual - rtol * expected.primal <= found.dual <= expected.primal


@pytest.mark.parametrize("search", [True, False])
def test_latent_variables(search):
    X, annotations = topics_data(n=8), [(i % 3, None) for i in range(8)]
    weights, solver = times(8), CCCP(rtol=1e-6, search=search)
    copies = np.repeat(np.arange(8), weights)
    w0 = np.random.default_rng(3).normal(size=6)
    problem = LatentTopics()
    start = {"C": 9.0, "w0": w0}
    expected = solver.solve(problem, taken(X, copies), taken(annotations, copies), **start)
    found = solver.solve(problem, X, annotations, sample_weight=weights, **start)
    assert found.primal == pytest.approx(expected.primal, rel=1e-5)
    assert found.verify(problem, X, annotations, sample_weight=weights).matches


def test_partly_known_outputs():
    X, Y = PartialIntegerProgram.example_data()
    for y in Y:
        y[::2] = -1
    weights = times(len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    problem, w0 = PartialIntegerProgram(), None
    expected = CCCP(rtol=1e-6).solve(problem, taken(X, copies), taken(Y, copies), 9.0, w0=w0)
    w0 = expected.w
    found = CCCP(rtol=1e-6, search=False).solve(problem, X, Y, 9.0, w0=w0, sample_weight=weights)
    assert found.primal <= expected.primal * (1 + 1e-5)


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_an_oracle_that_may_miss(solver):
    X, Y = multilabel_data(n=8)
    weights = times(8)
    copies = np.repeat(np.arange(8), weights)
    problem = LocalSearchMultilabel()
    expected = solver(rtol=1e-6).solve(problem, taken(X, copies), taken(Y, copies), C=5.0)
    found = solver(rtol=1e-6).solve(problem, X, Y, C=5.0, sample_weight=weights)
    assert found.dual == pytest.approx(expected.dual, rel=1e-5)


def test_the_result_does_not_depend_on_n_jobs():
    problem, X, Y = multiclass()
    problem.set_params()
    problem.block_size = 5
    weights = np.random.default_rng(0).uniform(size=len(Y))
    results = [
        OneSlackCuttingPlane().solve(problem, X, Y, sample_weight=weights, n_jobs=jobs)
        for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(results[0].w, results[1].w)


def test_equal_weights_change_nothing():
    problem, X, Y = multiclass()
    plain = SmoothedLBFGS().solve(problem, X, Y)
    weighted = SmoothedLBFGS().solve(problem, X, Y, sample_weight=np.full(len(Y), 0.25))
    np.testing.assert_array_equal(plain.w, weighted.w)


def test_large_and_small_weights():
    problem, X, Y = multiclass()
    weights = times(len(Y)).astype(float)
    plain = OneSlackCuttingPlane(1e-6).solve(problem, X, Y, sample_weight=weights)
    for factor in (1e-300, 1e300):
        found = OneSlackCuttingPlane(1e-6).solve(problem, X, Y, sample_weight=factor * weights)
        assert found.primal == pytest.approx(plain.primal, rel=1e-5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], r"a number >= 0 for each of 50 examples; got shape \(2,\)"),
        (3.0, r"a number >= 0 for each of 50 examples; got shape \(\)"),
        (["1"] * 50, "must hold real numbers; got dtype"),
        ([1j] * 50, "must hold real numbers; got dtype complex128"),
        (np.ma.masked_array([1] * 50, [True] + [False] * 49), "must not be masked"),
        ([10**400] + [1] * 49, "must hold real numbers.*int too large"),
        ([None] + [1] * 49, r"sample_weight\[0\] is nan"),
        ([1] * 49 + [-1], r"sample_weight\[49\] is -1"),
        ([1] * 3 + [np.nan] + [1] * 46, r"sample_weight\[3\] is nan"),
        ([np.inf] + [1] * 49, r"sample_weight\[0\] is inf"),
        ([0] * 50, "for each of 50 examples; sample_weight is zero for all"),
    ],
)
def test_weights_that_are_none(weights, message):
    problem, X, Y = multiclass()
    with pytest.raises(ValueError, match=message):
        OneSlackCuttingPlane().solve(problem, X, Y, sample_weight=weights)
    svm = StructuredSVM(problem)
    with pytest.raises(ValueError, match=message):
        svm.fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        svm.set_params(early_stopping=True).fit(X, Y, sample_weight=weights)
    svm.set_params(early_stopping=False).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        svm.score(X, Y, weights)
    with pytest.raises(ValueError, match=message):
        svm.verify(X, Y, sample_weight=weights)


def test_the_score_is_a_weighted_mean():
    problem, X, Y = multiclass()
    svm = StructuredSVM(problem, C=0.1).fit(X, Y)
    weights = times(len(Y)).astype(float)
    right = svm.predict(X) == Y
    assert 0 < right.sum() < len(Y)
    assert svm.score(X, Y, weights) == pytest.approx(np.average(right, weights=weights))


def test_held_out_examples_keep_their_weights():
    problem, X, Y = multiclass()
    weights = np.random.default_rng(0).uniform(size=len(Y))
    svm = StructuredSVM(problem, early_stopping=True, validation_fraction=0.4)
    svm.fit(X, Y, sample_weight=weights)
    held_out = svm.validation_indices_
    expected = svm.score(X[held_out], Y[held_out], weights[held_out])
    assert max(svm.validation_scores_) == pytest.approx(expected)
    assert svm.verify(X, Y, sample_weight=weights).matches
    rest = np.delete(np.arange(len(Y)), held_out)
    rule = EarlyStopping(X[held_out], Y[held_out], sample_weight=weights[held_out])
    result = SmoothedLBFGS().solve(
        problem, X[rest], Y[rest], 100.0, sample_weight=weights[rest], early_stopping=rule
    )
    assert result.primal == pytest.approx(svm.result_.primal, rel=2e-3)
