"""LatentProblem: problems whose outputs are known in part, made of others by one method."""

from itertools import pairwise

import numpy as np
import pytest
from changed_tasks import with_answer, with_task
from toy_problems import Multilabel, multilabel_data

from benchmarks.robustness._planted.correct.pools import Places, places
from structsvm import (
    CCCP,
    ContractViolation,
    LatentProblem,
    LatentSVM,
    OneSlackCuttingPlane,
    ProblemError,
    StructuredSVM,
    Task,
    check_problem,
)
from structsvm.problems import Chain, Multiclass


class Semi(LatentProblem, Multilabel):
    """Outputs known for some examples."""


class PartlyKnown(LatentProblem, Multilabel):
    """An annotation is a tuple of 0, 1, and None for unknown."""

    def complete(self, x, y, w):
        agreeing = [z for z in self.outputs(x) if agrees(y, z)]
        return max(agreeing, key=lambda z: w @ self.joint_feature(x, z))

    def initialize(self, X, Y):
        Multilabel.initialize(self, X, [(0,) * self.n_labels])

    def evaluation_loss(self, y, y_hat):
        unknown = (None,) * self.n_labels
        return float(sum(a not in (None, b) for a, b in zip(y or unknown, y_hat, strict=True)))


def agrees(y, z):
    return all(a in (None, b) for a, b in zip(y, z, strict=True))


class SemiMulticlass(LatentProblem, Multiclass):
    """With a task."""


class SemiChain(LatentProblem, Chain):
    """With a task and containers of its own."""


def partly_known(seed=0, n=8):
    X, Y = multilabel_data(seed, n)
    rng = np.random.default_rng(seed)
    return X, [tuple(None if rng.random() < 0.4 else bit for bit in y) for y in Y]


def halved(Y):
    return [y if i % 2 else None for i, y in enumerate(Y)]


@pytest.mark.parametrize("kind", [SemiMulticlass, SemiChain])
def test_the_methods_of_the_known_problem_serve_unknown_outputs(kind):
    X, Y = kind.example_data()
    X, Y = X[:9], list(Y[:9])
    assert check_problem(kind(), X, halved(Y), max_examples=2).checks
    svm = StructuredSVM(kind(), C=10.0).fit(X, halved(Y))
    assert svm.problem_.loss(Y[1], svm.result_.labels[1]) == 0


def test_partly_known_outputs_pass_the_checks():
    X, Y = partly_known()
    report = check_problem(PartlyKnown(), X, [*Y[:-1], None], max_examples=3)
    assert "impute_maximises" in report.checks


@pytest.mark.parametrize("seed", range(3))
def test_completions_agree_and_are_the_best_and_the_descent_never_rises(seed):
    X, Y = partly_known(seed)
    problem, rng = PartlyKnown(), np.random.default_rng(seed)
    result = CCCP(search=False, random_state=seed).solve(problem, X, Y, 20.0)
    best = [iteration.best_primal for iteration in result.history]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(best))
    problem.initialize(X, Y)
    for x, y, label in zip(X, Y, result.labels, strict=True):
        assert agrees(y, label)
        w = rng.normal(size=problem.size_joint_feature)
        best = max(w @ problem.joint_feature(x, z) for z in problem.outputs(x) if agrees(y, z))
        assert w @ problem.joint_feature(x, problem.impute(x, y, w)) == pytest.approx(best)


class ReturnsNothing(PartlyKnown):
    def complete(self, x, y, w):
        super().complete(x, y, w)


def test_the_task_imputes_and_is_checked():
    X, Y = partly_known(n=4)
    calls = []
    counting = with_answer(PartlyKnown, "impute", lambda labels: calls.append(1) or labels)
    result = CCCP().solve(counting(), X, Y, 5.0)
    assert len(calls) > 1
    assert result.primal == CCCP().solve(PartlyKnown(), X, Y, 5.0).primal
    for kind, message in (
        (with_task(PartlyKnown, impute=Task.decode), "impute"),
        (with_answer(PartlyKnown, "impute", lambda labels: labels[1:]), "impute must return"),
    ):
        with pytest.raises(ContractViolation, match=message):
            check_problem(kind(), X, Y)


ARRAYS, CLASSES = places()
CLASSES = [*CLASSES[:-1], None]


class Listed(Places):
    """Inputs are lists of lists."""

    def initialize(self, X, Y):
        super().initialize(np.array(X), Y)

    def joint_feature(self, x, y):
        return super().joint_feature(np.array(x), y)


def test_a_class_of_its_own_takes_lists():
    X = [x.tolist() for x in ARRAYS]
    assert LatentSVM(Listed(), C=10.0, n_init=2).fit(X, CLASSES).result_.status.name == "CONVERGED"


class Incomplete(Places):
    complete = LatentProblem.complete


def test_complete_is_named_where_it_is_missing():
    with pytest.raises(ContractViolation, match="not an annotation") as caught:
        check_problem(Incomplete(), ARRAYS, CLASSES, max_examples=2)
    assert "task" not in str(caught.value)
    with pytest.raises(ProblemError, match=r"y is what impute returned \(complete, in a Latent"):
        LatentSVM(Incomplete()).fit(ARRAYS, CLASSES)


# ------------------------------------------------------------------ bad inputs


@pytest.mark.parametrize("estimator", [StructuredSVM, LatentSVM])
def test_nothing_known_is_refused(estimator):
    for problem, X in ((Semi(), multilabel_data()[0]), (Places(), ARRAYS)):
        for Y in (None, [None] * len(X)):
            with pytest.raises(ValueError, match="has nothing to learn from: all of y is None"):
                estimator(problem).fit(X, Y)


def test_a_completion_that_is_none_is_refused():
    X, Y = partly_known()
    with pytest.raises(
        ProblemError, match="impute raised ValueError for example 0: complete returned None"
    ):
        LatentSVM(ReturnsNothing()).fit(X, Y)


def test_only_cccp_trains_it():
    with pytest.raises(ValueError, match="n_init must be"):
        LatentSVM(Semi(), n_init=0).fit(*multilabel_data())
    with pytest.raises(ValueError, match="LatentSVM trains by CCCP"):
        LatentSVM(Semi(), solver=OneSlackCuttingPlane()).fit(*multilabel_data())
    with pytest.raises(TypeError, match="CCCP needs a SelfLabelledProblem"):
        StructuredSVM(Multilabel(), solver=CCCP()).fit(*multilabel_data())
    with pytest.raises(TypeError, match=r"Multilabel is neither .*\(LatentProblem, Multilabel\)"):
        LatentSVM(Multilabel()).fit(*multilabel_data())
    with pytest.raises(TypeError, match=r"problem must be an instance of .*the class Semi"):
        LatentSVM(Semi).fit(*multilabel_data())


def test_the_order_of_the_base_classes_is_checked():
    with pytest.raises(TypeError, match=r"write class Late\(LatentProblem, Multilabel\)"):
        type("Late", (Multilabel, LatentProblem), {})


def test_a_class_of_its_own_needs_initialize():
    class NoInitialize(Places):
        initialize = LatentProblem.initialize

    with pytest.raises(ValueError, match=r"NoInitialize needs an initialize.*IndexError"):
        LatentSVM(NoInitialize()).fit(ARRAYS, CLASSES)


def test_an_initial_w_of_zeros_is_named():
    class Zeros(Places):
        def initial_w(self, X, rng):
            return np.zeros(self.size_joint_feature)

    with pytest.raises(ValueError, match=r"Zeros\.initial_w must not be zero"):
        LatentSVM(Zeros()).fit(ARRAYS, CLASSES)


@pytest.mark.parametrize("weights", [[0, 1, 0, 1], [0, 1, 1, 1]])
def test_known_outputs_of_weight_0_are_no_start(weights):
    X, _ = multilabel_data(n=4)
    Y = [(0,) * len(multilabel_data()[1][0]), None, (1,) * len(multilabel_data()[1][0]), None]
    svm = LatentSVM(Semi(), C=10.0, n_init=2).fit(X, Y, sample_weight=weights)
    assert svm.objectives_.shape == (2,)


def some_classes():
    X, Y = Multiclass.example_data()
    return X[::2], list(Y[::2])


def test_weights_of_unknown_outputs_go_from_none_to_full():
    X, Y = some_classes()
    half, latent = halved(Y), LatentSVM(SemiMulticlass(), C=10.0, rtol=1e-6, n_init=1)
    known = CCCP(rtol=1e-6).solve(SemiMulticlass(), X[1::2], Y[1::2], 10.0)
    latent.fit(X, half, sample_weight=np.arange(len(X)) % 2)
    np.testing.assert_allclose(latent.w_, known.w, atol=1e-2)
    primal = latent.fit(X, half).result_.primal
    assert latent.fit(X, half, sample_weight=np.ones(len(X))).result_.primal == primal
    assert not np.allclose(latent.w_, known.w, atol=1e-1)
    weights = np.linspace(1, 2, len(X))
    expected = latent.score(X[1::2], Y[1::2], weights[1::2])
    assert latent.score(X, half, weights) == pytest.approx(expected)


def test_the_first_start_is_what_was_trained_on_the_known_outputs():
    X, Y = some_classes()
    queried = []
    svm = LatentSVM(SemiMulticlass(), C=10.0, n_init=2, callback=lambda it, w: queried.append(w))
    svm.fit(X, halved(Y))
    known = CCCP().solve(SemiMulticlass(), X[1::2], Y[1::2], 10.0)
    assert any(np.array_equal(w, known.w) for w in queried)
    assert svm.objectives_.shape == (2,) and svm.result_.primal <= svm.objectives_.min()
    assert svm.score(X, halved(Y)) == svm.score(X[1::2], Y[1::2])
    with pytest.raises(ValueError, match="no example can be scored"):
        svm.score(X, [None] * len(X))


def test_a_callback_and_the_time_end_all_starts():
    X, Y = partly_known(n=12)
    stopped = LatentSVM(PartlyKnown(), n_init=9, callback=lambda it, w: it.iteration == 3)
    stopped.fit(X, Y)
    assert stopped.objectives_.shape == (1,) and stopped.result_.status.name == "STOPPED"
    with pytest.warns(UserWarning, match="TIME_LIMIT"):
        late = LatentSVM(PartlyKnown(), n_init=9, time_limit=1e-9).fit(X, Y)
    assert late.objectives_.shape == (1,)


def test_ctrl_c_keeps_the_starts_made():
    X, Y = partly_known(n=6)
    passes = []

    def interrupt(iteration, w):
        passes.append(iteration.iteration)
        if passes.count(1) == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="INTERRUPTED"):
        svm = LatentSVM(PartlyKnown(), C=10.0, n_init=9, callback=interrupt).fit(X, Y)
    assert 2 <= len(svm.objectives_) <= 3


class Interrupted(CCCP):
    """Ctrl-C comes before the first pass of the run that goes on from the best start."""

    def begin(self, program, start):
        if start.point is not None:
            raise KeyboardInterrupt
        return super().begin(program, start)


def test_ctrl_c_before_the_last_run_keeps_the_best_start():
    X, Y = partly_known(n=6)
    with pytest.warns(UserWarning, match="INTERRUPTED"):
        svm = LatentSVM(PartlyKnown(), C=10.0, n_init=3, solver=Interrupted()).fit(X, Y)
    assert svm.objectives_.shape == (3,) and svm.result_.primal == svm.objectives_.min()


def test_the_first_start_is_that_of_a_structured_svm():
    X, Y = partly_known(n=6)
    one = LatentSVM(PartlyKnown(), C=10.0, n_init=1).fit(X, Y)
    np.testing.assert_array_equal(one.w_, StructuredSVM(PartlyKnown(), C=10.0).fit(X, Y).w_)
    more = LatentSVM(PartlyKnown(), C=10.0, n_init=3).fit(X, Y)
    roughly = LatentSVM(PartlyKnown(), C=10.0, n_init=1, rtol=0.1).fit(X, Y)
    assert more.objectives_[0] == roughly.result_.primal
    # Imputing where the best start ended may raise the loss.
    assert more.result_.primal <= 1.01 * more.objectives_.min()
    assert more.result_.gap <= 1e-3 * more.result_.primal


class FixedStart(PartlyKnown):
    def initial_w(self, X, rng):
        return np.ones(self.size_joint_feature)


@pytest.mark.parametrize("search", [True, False])
def test_no_start_is_made_twice(search):
    """Where initial_w is always the same, there are a search from it and a descent.

    And the run that goes on from the best.
    """
    begun = []

    class Begins(FixedStart):
        def impute(self, x, y, w):
            begun.append(w.copy())
            return super().impute(x, y, w)

    X, Y = partly_known(n=1)
    firsts = []

    def note(iteration, w):
        if iteration.iteration == 1:
            firsts.append(begun[0])
        begun.clear()

    svm = LatentSVM(Begins(), n_init=5, solver=CCCP(search=search), callback=note).fit(X, Y)
    assert len(firsts) - 1 == len(svm.objectives_) == 1 + search
    np.testing.assert_array_equal(firsts[:-1], 1)
