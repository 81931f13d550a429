"""Mistakes that no gap shows: changed inputs, a loss of the truth, a decoder that misses."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases.solvers import SUPERVISED
from changed_tasks import with_task
from toy_problems import (
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, StructuredSVM
from structsvm.problems import Multiclass

ON_ANY_TASK = [kind for kind in SUPERVISED if not kind.requires.task]
every = pytest.mark.parametrize("solver", ON_ANY_TASK)

X, Y = multilabel_data(n=40)


# ---------------------------------------------------------------------- repeated calls


class RandomStarts(Multilabel):
    """Searches at random, from a state that advances, and declares that it may miss outputs."""

    oracle_quality = "undergenerating"

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.rng_ = np.random.default_rng(0)

    def separation_oracle(self, x, y, w):
        some = self.rng_.permutation(list(self.outputs(x)))[:3]
        return max(map(tuple, some), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))


def test_an_oracle_that_answers_at_random_is_named_whatever_its_quality():
    with pytest.warns(UserWarning, match="two calls of the oracle of RandomStarts .* differ: for"):
        result = OneSlackCuttingPlane(max_iter=3).solve(RandomStarts(), X, Y)
    assert result.oracle_calls == 3 * len(X)


class LeavesOutTheTruth(Multilabel):
    """An oracle that is declared exact, and returns the best of the wrong outputs."""

    def separation_oracle(self, x, y, w):
        others = (z for z in map(tuple, self.outputs(x)) if z != tuple(y))
        return max(others, key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))


@pytest.mark.parametrize("quality", ["exact", "undergenerating"])
def test_an_exact_oracle_that_leaves_out_the_truth_is_doubted(quality):
    kind = type("Problem", (LeavesOutTheTruth,), {"oracle_quality": quality})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        OneSlackCuttingPlane().solve(kind(), X[:15], Y[:15], 1e4)
    doubts = [str(one.message) for one in caught if "leave out the true output" in str(one.message)]
    assert len(doubts) == (quality == "exact")


# ---------------------------------------------------------------------- inputs


def changing(base, method, place):
    """A problem one method of which changes this one of its arguments."""

    def changed(self, *arguments):
        arguments[place][:] = [0 * value for value in arguments[place]]
        return getattr(base, method)(self, *arguments)

    return type("Changing", (base,), {method: changed})()


OF_X = r"Changing changed its x in place, that of example \d+.*check_problem\("
OF_Y = r"Changing changed its y in place.*If Y was"
OF_W = (
    r"Changing\.separation_oracle raised ValueError.*arguments must not be changed: work on a copy"
)


@pytest.mark.parametrize(
    ("solver", "method", "place", "message"),
    [*((solver, "separation_oracle", 0, OF_X) for solver in ON_ANY_TASK),
     (NSlackCuttingPlane, "separation_oracle", 1, OF_Y),
     (OneSlackCuttingPlane, "separation_oracle", 1, OF_Y),
     (OneSlackCuttingPlane, "separation_oracle", 2, OF_W),
     (OneSlackCuttingPlane, "decode", 0, OF_X),
     (CCCP, "impute", 0, OF_X)],
)  # fmt: skip
def test_the_method_that_changes_an_argument_is_named(solver, method, place, message):
    base, data = Multilabel, (list(np.array(X[:9])), [list(y) for y in Y[:9]])
    if solver is CCCP:
        base, data = LatentTopics, (topics_data(n=3), None)
    with pytest.raises(ProblemError, match=message):
        solver(max_iter=20).solve(changing(base, method, place), *data, 10.0)


def test_the_decoder_that_changes_its_w_is_named():
    with pytest.warns(UserWarning, match=r"Changing\.decode raised ValueError.*work on a copy"):
        OneSlackCuttingPlane().solve(changing(Multilabel, "decode", 1), X, Y, 10.0)


class Cached:
    """An input that computes something once and keeps it: this is no change of its data."""

    def __init__(self, values):
        self.values, self.mean = values, None


class Caching(Multilabel):
    def joint_feature(self, x, y):
        x.mean = x.values.mean()
        return super().joint_feature(x.values, y)


# ---------------------------------------------------------------------- the loss


class Shifted(Multilabel):
    """A true output has a loss, of this share of the unit."""

    def __init__(self, shift=1.0, unit=1.0):
        super().__init__()
        self.shift, self.unit = shift, unit

    def loss(self, y, y_hat):
        return self.unit * (super().loss(y, y_hat) + self.shift)


@every
def test_a_loss_of_the_true_output_is_an_error(solver):
    expected = r"Shifted.loss\(y, y\) must be 0; it is 1 for the true output of .*check_problem\("
    with pytest.raises(ProblemError, match=expected):
        solver().solve(Shifted(), X, Y, 10.0)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e30])
def test_the_loss_of_the_truth_is_compared_with_the_largest_loss(unit):
    with pytest.raises(ProblemError, match=r"Shifted.loss\(y, y\) must be 0"):
        OneSlackCuttingPlane().solve(Shifted(1e-3, unit), X[:9], Y[:9])
    result = OneSlackCuttingPlane().solve(Shifted(1e-15, unit), X[:9], Y[:9], 10.0 * unit)
    assert result.status.name == "CONVERGED"


# ---------------------------------------------------------------------- the decoder


class Worst(Multilabel):
    def decode(self, x, w):
        return min(self.outputs(x), key=lambda z: w @ self.joint_feature(x, z))


class Raising(Multilabel):
    def decode(self, x, w):
        raise ArithmeticError("out of luck")


class Mute(Multilabel):
    decode = None


BatchWorst = with_task(
    Multilabel, decode=lambda task, w: [Worst.decode(task.problem, x, w) for x in task.X]
)


@pytest.mark.parametrize(
    ("problem", "method"), [(Worst(), "Worst.decode"), (BatchWorst(), "Task.decode")]
)
def test_a_decoder_that_misses_is_warned_of(problem, method):
    expected = (
        rf"{method} misses outputs: for example \d+ .*Either .*decode is "
        r"wrong, or this true output is one that the searches do not consider.*check_problem\("
    )
    with pytest.warns(UserWarning, match=expected) as seen:
        result = OneSlackCuttingPlane().solve(problem, X[:20], Y[:20], 100.0)
    assert seen[0].filename == __file__
    assert result.verify(Multilabel(), X[:20], Y[:20]).matches


@pytest.mark.parametrize(
    ("kind", "reason"), [(Raising, "Raising.decode raised Arit"), (Mute, "Mute does not define d")]
)
def test_a_decoder_that_fails_does_not_cost_the_training(kind, reason):
    with pytest.warns(UserWarning, match=f"no output can be predicted: {reason}"):
        svm = StructuredSVM(kind(), C=10.0).fit(X, Y)
    assert svm.result_.status.name == "CONVERGED"


def test_predict_says_that_it_takes_a_sequence():
    svm = StructuredSVM(Multilabel(), C=10.0).fit(X[:9], Y[:9])
    with pytest.raises(ProblemError, match=r"for one, predict\(\[x\]\)"):
        svm.predict(["one"])


def test_a_score_below_0_is_warned_of():
    class Narrow(Multilabel):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.max_loss = 0.1

    svm = StructuredSVM(Narrow(), C=10.0).fit(X[:9], Y[:9])
    with pytest.warns(UserWarning, match="the score is below 0: .*, is above max_loss, 0.1; set"):
        assert svm.score(X, [tuple(1 - bit for bit in y) for y in Y]) < 0


class Greedy(LocalSearchMultilabel, Worst):
    """Declared to miss, so its decoder may."""


def test_correct_problems_are_not_warned_of():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    rows = (np.eye(3)[y] + rng.normal(size=(60, 3)) + 1e4).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneSlackCuttingPlane().solve(LocalSearchMultilabel(), X, Y)
        NSlackCuttingPlane().solve(Greedy(), X, Y, 10.0)
        OneSlackCuttingPlane().solve(Multiclass(), rows, y, 1.0)
        OneSlackCuttingPlane().solve(Caching(), [Cached(x) for x in X], Y, 10.0)


# ---------------------------------------------------------------------- the caller's problem


class Remembering(Multilabel):
    """Learns from the data in ``initialize``, and uses it in the oracle."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.shift = np.mean(X, axis=0)

    def joint_feature(self, x, y):
        return super().joint_feature(x - getattr(self, "shift", 0.0), y)


def test_threads_share_a_problem():
    data = [multilabel_data(seed, 5 + seed, n_labels=2, d=2 + seed % 4) for seed in range(6)]
    solver = OneSlackCuttingPlane(rtol=1e-2)
    expected = [solver.solve(Remembering(2), *pair, 10.0) for pair in data]
    problem = Remembering(2)
    before = dict(vars(problem))
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda pair: solver.solve(problem, *pair, 10.0), data))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.w, other.w)
        assert one.gap == other.gap
    assert vars(problem) == before


def test_solving_in_place_initializes_the_problem_itself():
    problem = Remembering()
    result = OneSlackCuttingPlane().solve(problem, X[:9], Y[:9], 10.0, copy=False)
    np.testing.assert_array_equal(problem.shift, X[:9].mean(axis=0))
    assert len(result.w) == problem.size_joint_feature
