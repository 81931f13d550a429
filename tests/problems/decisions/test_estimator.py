"""DecisionFocusedRegressor: scikit-learn's manners, regret, C='auto', and mistakes."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from structsvm.datasets import shortest_path_costs
from structsvm.problems import Program
from structsvm.problems.decisions import (
    CallableOptimizer,
    DecisionFocusedRegressor,
    GridPaths,
    Instance,
    MixedIntegerProgram,
    best_decisions,
)

PATHS = GridPaths(4, 4)
X, COSTS = shortest_path_costs(200, 5, 4, 4, degree=6, noise=0.5)
TRAIN, TEST = slice(0, 100), slice(100, 200)


def relative_regret(costs, decisions):
    best = (costs * PATHS.batch(costs)).sum(axis=1)
    return ((costs * decisions).sum(axis=1) - best).sum() / np.abs(best).sum()


@pytest.fixture(scope="module")
def model():
    return DecisionFocusedRegressor(PATHS).fit(X[TRAIN], COSTS[TRAIN])


def test_it_regrets_less_than_least_squares(model):
    squares = LinearRegression().fit(X[TRAIN], COSTS[TRAIN]).predict(X[TEST])
    regret = model.regret(X[TEST], COSTS[TEST])
    assert regret < 0.9 * relative_regret(COSTS[TEST], PATHS.batch(squares))
    assert model.result_.status.name == "CONVERGED"
    assert model.verify(X[TRAIN], COSTS[TRAIN]).matches


def test_predictions_decisions_and_scores_agree(model):
    costs, decisions = model.predict(X[TEST]), model.decide(X[TEST])
    np.testing.assert_allclose(costs, X[TEST] @ model.coef_.T + model.intercept_, rtol=1e-9)
    np.testing.assert_array_equal(decisions, PATHS.batch(costs))
    regret = relative_regret(COSTS[TEST], decisions)
    assert model.regret(X[TEST], COSTS[TEST]) == pytest.approx(regret, rel=1e-12)
    assert model.score(X[TEST], COSTS[TEST]) == pytest.approx(1 - regret)
    part = model.regret(X[TEST][1:2], COSTS[TEST][1:2])
    one = model.regret(X[TEST], COSTS[TEST], sample_weight=np.arange(100) == 1)
    assert one == pytest.approx(part)


def test_known_best_decisions_are_taken(model):
    optima = best_decisions(PATHS, COSTS)
    objects = np.empty(len(optima), dtype=object)
    objects[:] = list(optima)
    for given in (optima, objects, list(optima)):
        again = DecisionFocusedRegressor(PATHS).fit(X[TRAIN], given[TRAIN])
        np.testing.assert_array_equal(again.w_, model.w_)
        assert again.score(X[TEST], given[TEST]) == model.score(X[TEST], COSTS[TEST])
        assert again.regret(X[TEST], given[TEST]) == model.regret(X[TEST], COSTS[TEST])


@pytest.mark.parametrize(
    ("of_x", "offset", "of_costs"),
    [(1e-6, 0.0, 1e9), (1.0, 1000.0, 1e-9), (10.0 ** np.arange(5), 0.0, 1.0)],
)
def test_units_and_offsets_do_not_matter(of_x, offset, of_costs):
    other, few = DecisionFocusedRegressor(PATHS, rtol=1e-5), slice(0, 20)
    expected = other.fit(X[few], COSTS[few]).predict(X[few])
    changed = of_x * (X[few] + offset)
    found = other.fit(changed, of_costs * COSTS[few]).predict(changed)
    np.testing.assert_allclose(found / of_costs, expected, rtol=0.05, atol=0.03)


def test_the_rule_for_C(model):
    s = COSTS[TRAIN].std()
    k = PATHS.batch(COSTS[TRAIN]).sum(axis=1).mean()
    assert model.C_ == pytest.approx(100 / 8 * 24 * s / k, rel=1e-9)
    given = DecisionFocusedRegressor(PATHS, scale=None, max_iter=2).fit(X[TRAIN], COSTS[TRAIN])
    q = np.square(X[TRAIN]).sum(axis=1).mean()
    assert given.C_ == pytest.approx(model.C_ / q, rel=1e-9)
    shared = np.repeat(X[:50, None, :], 24, axis=1) * np.arange(1, 25)[:, None]
    s, k = COSTS[:50].std(), PATHS.batch(COSTS[:50]).sum(axis=1).mean()
    fitted = DecisionFocusedRegressor(PATHS, max_iter=2).fit(shared, COSTS[:50])
    assert fitted.C_ == pytest.approx(50 / 8 * s / k, rel=1e-9)


def test_feasible_sets_of_their_own():
    rng = np.random.default_rng(0)
    grids = [GridPaths(*rng.integers(2, 5, size=2)) for _ in range(30)]
    features = [rng.normal(size=(grid.n_costs, 3)) for grid in grids]
    costs = [5.0 + x @ [1.0, -1.0, 0.5] for x in features]
    inputs = [Instance(x, grid) for x, grid in zip(features, grids, strict=True)]
    model = DecisionFocusedRegressor().fit(inputs[:20], costs[:20])
    assert model.coef_.shape == (3,) and np.isscalar(float(model.intercept_))
    assert model.regret(inputs[20:], costs[20:]) < 0.1
    assert [len(c) for c in model.predict(inputs)] == [grid.n_costs for grid in grids]
    programs = [Program(x, {"two": ([np.ones(len(x))], [2])}) for x in features]
    worth = DecisionFocusedRegressor(sense="max").fit(programs[:20], costs[:20])
    assert worth.regret(programs[20:], costs[20:]) < 0.1


# ---------------------------------------------------------------------- mistakes


def fit(optimize=PATHS, y=COSTS, X=X, **parameters):
    return DecisionFocusedRegressor(optimize, **parameters).fit(X, y)


def own(*optimizers):
    """Inputs with feasible sets of their own, the last for all that follow."""
    return [Instance(x, optimizers[min(i, len(optimizers) - 1)]) for i, x in enumerate(X)]


def few():
    """A model of an optimizer that takes costs of any number."""
    return fit(lambda c: np.eye(len(c))[c.argmin()], COSTS[:9], X[:9])


def shared():
    """A model of features of each cost."""
    return fit(y=COSTS[:9], X=np.ones((9, 24, 2)) + X[:9, :1, None])


OTHERS = list(best_decisions(lambda costs: PATHS(-costs), COSTS, sense="max"))
NONE = MixedIntegerProgram({"none": ([np.ones(24)], [-1])})
FREE = MixedIntegerProgram([], n_costs=24, upper=np.inf, lower=-np.inf, integrality=0)
HOLE = np.where(COSTS == COSTS[7, 3], np.nan, COSTS)
LEAST = CallableOptimizer(PATHS, sense="max")
TRUE = "optimize failed for the true costs of example "
MISTAKES = {
    TRUE + "0: there is no solution.*'none'": lambda: fit(NONE),
    TRUE + "7: there is no solution.*'none'": lambda: fit(None, X=own(*[PATHS] * 7, NONE)),
    TRUE + "0: there is no best solution": lambda: fit(FREE),
    "if it maximises, write sense='max'": lambda: fit(lambda c: PATHS(-c)),
    "if it minimises, write sense='min'": lambda: fit(LEAST, sense="max"),
    "or sense is the wrong one": lambda: fit(None, X=own(lambda c: PATHS(c)), sense="max"),
    "optimize is None": lambda: fit(None),
    "leave one of them out": lambda: fit(X=own(PATHS)),
    r"write Instance\(features, optimizer\)": lambda: fit(None, X=[(x, PATHS) for x in X]),
    r"y\[7\] has nan at 3": lambda: fit(y=HOLE),
    r"y\[0\] has shape \(\)": lambda: fit(y=COSTS[:, 0]),
    r"0: GridPaths.* needs costs of shape \(24,\).* \(23,\)": lambda: fit(y=COSTS[:, 1:]),
    r"^y\[0\] must hold costs of shape \(24,\), .*\(23,\)$": lambda: few().regret(X, COSTS[:, 1:]),
    r"must be an Optimum.* y\[1\] is ndarray": lambda: fit(y=[OTHERS[0], COSTS[1]], X=X[:2]),
    "pass best_decisions": lambda: fit(max_iter=1).regret(X, OTHERS),
    "is expecting|features of shape": lambda: fit(max_iter=1).predict(np.ones((3, 24, 5))),
    "features of shape": lambda: shared().predict(np.ones((3, 2))),
}


@pytest.mark.filterwarnings("ignore:all examples have the same best decision")
@pytest.mark.filterwarnings("ignore:training ended at w = 0")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_named(message):
    with pytest.raises((ValueError, TypeError), match=message):
        MISTAKES[message]()


def test_what_cannot_be_learnt_is_warned_of(model):
    with pytest.warns(UserWarning, match="the same true costs"):
        DecisionFocusedRegressor(PATHS).fit(X[:20], np.tile(COSTS[0], (20, 1)))
    with pytest.raises(ValueError, match="all have the value 0"):
        model.regret(X, np.zeros_like(COSTS))
    nearly = COSTS[0] * np.where(PATHS(COSTS[0]) > 0, 0.01, 1.0)
    with pytest.warns(UserWarning, match="the same best decision"):
        DecisionFocusedRegressor(PATHS).fit(X[:20], nearly * (1 + 0.01 * COSTS[:20]))


@pytest.mark.parametrize("batch", [False, True])
def test_a_solver_may_return_the_same_array_again(batch):
    kept = np.empty((40, 24) if batch else 24)

    def reusing(costs):
        found = kept[: len(costs)]
        found[:] = PATHS.batch(costs) if batch else PATHS(costs)
        return found

    optimizer = CallableOptimizer(reusing, batch=batch)
    first = best_decisions(optimizer, COSTS[:40]).decisions
    best_decisions(optimizer, COSTS[40:80])
    np.testing.assert_array_equal(first.reshape(40, 24), PATHS.batch(COSTS[:40]))
    model = DecisionFocusedRegressor(optimizer).fit(X[:40], COSTS[:40])
    np.testing.assert_array_equal(model.decide(X[:40]), PATHS.batch(model.predict(X[:40])))
