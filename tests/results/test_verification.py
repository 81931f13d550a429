"""Result.verify accepts an honest result, and none that was tampered with."""

from dataclasses import replace

import numpy as np
import pytest
from correct_problems import Chain as SingleChain
from correct_problems import sequences
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, SmoothedLBFGS

C = 10.0
MULTILABEL, ASSIGNMENT, TOPICS = multilabel_data(), assignment_data(), (topics_data(), None)
RUNS = {
    "one-slack": (OneSlackCuttingPlane(), Multilabel(), *MULTILABEL),
    "n-slack": (NSlackCuttingPlane(), Multilabel(), *MULTILABEL),
    "one-slack, slack": (OneSlackCuttingPlane(rescaling="slack"), Multilabel(), *MULTILABEL),
    "n-slack, slack": (NSlackCuttingPlane(rescaling="slack"), Multilabel(), *MULTILABEL),
    "nonnegative": (OneSlackCuttingPlane(), ConstrainedMultilabel("nonnegative"), *MULTILABEL),
    "equality": (NSlackCuttingPlane(), ConstrainedMultilabel("equality"), *MULTILABEL),
    "floor": (OneSlackCuttingPlane(), ConstrainedMultilabel("floor"), *MULTILABEL),
    "relaxed": (NSlackCuttingPlane(), RelaxedAssignment(), *ASSIGNMENT),
    "cccp": (CCCP(), LatentTopics(), *TOPICS),
    "soft": (SmoothedLBFGS(), Multilabel(), *MULTILABEL),
    "log loss": (SmoothedLBFGS(loss="log_loss"), Multilabel(), *MULTILABEL),
}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    """A result and what it came from."""
    solver, problem, X, Y = RUNS[request.param]
    return solver.solve(problem, X, Y, C), problem, X, Y


def test_honest_results_match(run):
    result, problem, X, Y = run
    verification = result.verify(problem, X, Y)
    assert verification.matches
    assert verification.primal == pytest.approx(result.primal, rel=1e-9)
    assert verification.dual == pytest.approx(result.dual, rel=1e-9)
    assert verification.gap == verification.primal - verification.dual
    assert verification.constraint_violation <= 1e-6


def test_a_rounding_error_that_is_too_large_excuses_no_wrong_bound(run):
    result, problem, X, Y = run
    forged = replace(result, primal=0.99 * result.primal, rounding=result.primal)
    assert not forged.verify(problem, X, Y).matches
    forged = replace(result, dual=1.01 * result.dual, rounding=result.primal)
    assert not forged.verify(problem, X, Y).matches


def test_a_rough_dual_excuses_no_wrong_primal(run):
    result, problem, X, Y = run
    if not result.multipliers.any():
        pytest.skip("no constraint is active")
    rough = replace(result, multipliers=1e12 * result.multipliers)
    rough = replace(rough, dual=rough.verify(problem, X, Y).dual)
    assert rough.verify(problem, X, Y).matches
    assert not replace(rough, primal=0.99 * result.primal).verify(problem, X, Y).matches


def test_without_a_feasible_point_the_dual_is_compared(run):
    result, problem, X, Y = run
    unknown = replace(result, primal=np.inf, w=result.w)
    assert unknown.verify(problem, X, Y).matches
    assert not replace(unknown, dual=1.01 * result.dual).verify(problem, X, Y).matches


TAMPERED = {
    "w shifted": lambda r: {"w": r.w + 0.01 * np.abs(r.w).max()},
    "w scaled": lambda r: {"w": 1.01 * r.w},
    "w zero": lambda r: {"w": np.zeros_like(r.w)},
    "w nan": lambda r: {"w": np.full_like(r.w, np.nan)},
    "primal up": lambda r: {"primal": r.primal * 1.001},
    "primal down": lambda r: {"primal": r.primal * 0.999},
    "dual up": lambda r: {"dual": r.dual * 1.001},
    "alpha down": lambda r: {"support": tuple(p._replace(alpha=0.9 * p.alpha) for p in r.support)},
    "alpha up": lambda r: {"support": tuple(p._replace(alpha=1.1 * p.alpha) for p in r.support)},
    "alpha negative": lambda r: {"support": tuple(p._replace(alpha=-p.alpha) for p in r.support)},
    "plane lost": lambda r: {"support": r.support[1:]},
    "no support": lambda r: {"support": ()},
    "C down": lambda r: {"C": 0.9 * r.C},
    "C up": lambda r: {"C": 1.1 * r.C},
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_results_do_not_match(run, name):
    result, problem, X, Y = run
    tampered = replace(result, **TAMPERED[name](result))
    if name == "w nan" and result.loss != "hinge":
        with pytest.raises(ProblemError, match="soft_oracle returned NaN"):
            tampered.verify(problem, X, Y)
    else:
        assert not tampered.verify(problem, X, Y).matches


def test_other_data_do_not_match(run):
    result, problem, X, Y = run
    other = [1.01 * x for x in X]
    assert not result.verify(problem, other, Y).matches
    order = [1, 0, *range(2, len(X))]
    assert not result.verify(problem, [X[i] for i in order], Y).matches


@pytest.mark.parametrize("n", [5, 7])
def test_data_of_another_length_is_an_error_not_a_match(run, n):
    result, problem, X, Y = run
    X, Y = [*X, X[0]][:n], None if Y is None else [*Y, Y[0]][:n]
    with pytest.raises(ValueError, match=r"trained on 6 examples.* has"):
        result.verify(problem, X, Y)


def test_other_labels_do_not_match():
    X, Y = MULTILABEL
    result = OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)
    wrong = [(1 - Y[0][0], *Y[0][1:]), *Y[1:]]
    assert not result.verify(Multilabel(), X, wrong).matches
    other = CCCP().solve(LatentTopics(), *TOPICS, C)
    wrong = [other.labels[1], *other.labels[1:]]
    assert not replace(other, labels=wrong).verify(LatentTopics(), *TOPICS).matches


def test_tampered_multipliers_do_not_match():
    X, Y = MULTILABEL
    problem = ConstrainedMultilabel("balanced")
    result = OneSlackCuttingPlane().solve(problem, X, Y, 100.0)
    assert result.verify(problem, X, Y).matches
    assert result.multipliers.max() > 0.1, "on these data the constraint binds"
    for tampered in (0.5 * result.multipliers, -result.multipliers, result.multipliers[::-1]):
        assert not replace(result, multipliers=tampered).verify(problem, X, Y).matches


def test_w_that_breaks_the_constraints_does_not_match():
    X, Y = MULTILABEL
    free = OneSlackCuttingPlane().solve(Multilabel(), X, Y, 100.0)
    result = replace(free, multipliers=np.zeros(9))
    verification = result.verify(ConstrainedMultilabel("nonnegative"), X, Y)
    assert verification.constraint_violation > 0.01
    assert not verification.matches


@pytest.mark.parametrize(
    "tamper",
    [
        lambda r: {"C": 0.5 * r.C},
        lambda r: {"support": (r.support[0]._replace(alpha=-1e-3), *r.support[1:])},
        lambda r: {"support": (*r.support, r.support[0]._replace(alpha=-1e-3))},
        lambda r: {"multipliers": -r.multipliers},
    ],
)
def test_forged_values_of_an_infeasible_dual_do_not_match(tamper):
    """The stored values are those of the tampered variables; only these give it away."""
    (X, Y), problem = MULTILABEL, ConstrainedMultilabel("balanced")
    result = NSlackCuttingPlane(rtol=1e-6).solve(problem, X, Y, 1.0)
    assert result.multipliers.max() > 0.01
    forged = replace(result, **tamper(result))
    values = forged.verify(problem, X, Y)
    forged = replace(forged, primal=values.primal, dual=values.dual)
    verification = forged.verify(problem, X, Y)
    assert (verification.primal, verification.dual) == (forged.primal, forged.dual)
    assert not verification.matches


def test_a_stronger_oracle_corrects_the_primal():
    X, Y = multilabel_data(0, n_labels=4)
    result = OneSlackCuttingPlane(rtol=1e-6).solve(LocalSearchMultilabel(4), X, Y, 1.0)
    exact = result.verify(Multilabel(4), X, Y)
    assert exact.primal >= result.primal
    assert str(exact) == (
        f"exact oracle: {exact.dual:.6g} <= optimum <= {exact.primal:.6g}; the reported primal "
        f"{result.primal:.6g} was too low by {exact.primal - result.primal:.3g}"
    )
    assert exact.dual == pytest.approx(result.dual, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("one-slack", "exact oracle: {dual:.6g} <= optimum <= {primal:.6g}"),
        ("relaxed", "overgenerating oracle: optimum <= {primal:.6g}"),
        ("cccp", "exact oracle: {dual:.6g} <= optimum <= {primal:.6g} for the labels kept"),
    ],
)
def test_it_prints_the_bounds(name, bounds):
    solver, problem, X, Y = RUNS[name]
    found = solver.solve(problem, X, Y, C).verify(problem, X, Y)
    assert str(found) == f"{bounds.format(**found._asdict())}; matches the result"


def test_it_prints_no_bound_that_does_not_hold():
    X, Y = MULTILABEL
    result = OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)
    lost = replace(result, multipliers=-np.ones(9))
    text = str(lost.verify(ConstrainedMultilabel("nonnegative"), X, Y))
    assert text.startswith("exact oracle: no bounds; ")
    assert "w violates the constraints by " in text and "the dual solution is not feasible" in text


def test_a_dual_value_above_the_primal_is_called_impossible():
    X, Y = MULTILABEL
    result = OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)

    class Weak(Multilabel):
        def separation_oracle(self, x, y, w):
            return y

    assert "which is impossible: these are other data, or" in str(result.verify(Weak(), X, Y))


def test_the_problem_comes_first():
    X, Y = MULTILABEL
    result = OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)
    with pytest.raises(TypeError, match=r"the problem first: verify\(problem, X, Y\)$"):
        result.verify(X, Y, Multilabel())


def test_a_soft_oracle_that_is_missing_is_named():
    class Hard(SingleChain):
        soft_oracle = None

    X, Y = sequences(0)
    result = SmoothedLBFGS().solve(SingleChain(), X, Y, 10.0)
    with pytest.raises(
        ValueError, match="which verify needs too; Hard does not define soft_oracle"
    ):
        result.verify(Hard(), X, Y)
