"""Watched tasks: counting, timing, checked answers, and errors that name the example."""

import re

import numpy as np
import pytest
from changed_tasks import with_answer, with_task
from toy_problems import Multilabel, multilabel_data

from structsvm import (
    CCCP,
    LatentProblem,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedLBFGS,
    StructuredSVM,
    Task,
)
from structsvm.oracle.setup import initialize
from structsvm.problems import Chain, Multiclass
from structsvm.task.watched import Watched

X, Y = multilabel_data(n=70)
W = np.random.default_rng(0).normal(size=9)


def bind(problem, X=X, Y=Y):
    initialize(problem, X, Y)
    return Watched.of(problem, X, Y, np.arange(len(X)))


# ---------------------------------------------------------------------- answers of a task


def fail(answer):
    raise ArithmeticError("out of luck")


def third(value):
    return lambda a: np.where(np.arange(len(a)) == 3, value, a)


ROWS, LABELS = np.random.default_rng(0).normal(size=(6, 2)), [0, 1, 2, 0, 1, 2]
ONE, EACH = OneSlackCuttingPlane(), NSlackCuttingPlane()
#: Wrong answers of the methods of a task, and what the error says.
WRONG = {
    "search": [
        (lambda a: a[:-1], "must return 6 outputs; it returned 5"),
        (lambda a: None, "must return 6 outputs; it returned None"),
        (iter, "must return 6 outputs; it returned"),
        (fail, "raised ArithmeticError: out of luck"),
    ],
    "losses": [
        (lambda a: a[:-1], r"must return shape \(\d,\); got shape \(\d,\)"),
        (third(np.nan), "NaN.* example 3"),
        (third(-2), "must be >= 0; .*-2.* example 3"),
        (lambda a: [None, *a[1:]], "got list with None in it"),
    ],
    "plane": [
        (lambda a: a[..., :-1], r"got shape \(5,\)"),
        (lambda a: a * np.nan, "NaN or infinity"),
    ],
    "differences": [
        (lambda a: a[..., :-1], r"got shape \(6, 5\)"),
        (lambda a: a * np.nan, "NaN or infinity"),
    ],
}
USED = [(ONE, method) for method in ("search", "losses", "plane")]
USED += [(EACH, method) for method in ("search", "losses", "differences")]


@pytest.mark.parametrize(("solver", "method"), USED)
def test_answers_are_checked(solver, method):
    for answer, message in WRONG[method]:
        problem = with_answer(Multiclass, method, answer)()
        with pytest.raises(ProblemError, match=rf"WrongMulticlassTask\.{method}.*{message}"):
            solver.solve(problem, ROWS, LABELS)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda soft: soft._replace(values=soft.values[1:]), r"must return shape \(60,\)"),
        (lambda soft: soft._replace(values=np.r_[np.nan, soft.values[1:]]), "NaN.* example 0"),
        (lambda soft: soft._replace(loss=None), "returned None"),
        (lambda soft: soft._replace(slacks=soft.slacks[:5]), "must return shape"),
        (lambda soft: soft.values, "must return a SoftSum"),
    ],
)
def test_soft_sums_are_checked(broken, message):
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(60, 2)), rng.integers(3, size=60)
    with pytest.raises(ProblemError, match=rf"^WrongMulticlassTask\.soft.*{message}"):
        SmoothedLBFGS().solve(with_answer(Multiclass, "soft", broken)(), data, labels)


# ---------------------------------------------------------------------- the data of a task


#: What a task must hold, and what is said of one that does not.
UNFIT = [
    (lambda self, X, Y: None, ProblemError, r"^Bound\.task must return .* it returned None"),
    (lambda self, X, Y: (X, Y), ProblemError, r"^Bound\.task must return a structsvm\.Task"),
    (lambda self, X, Y: Task(self, X[1:], Y), ProblemError, "must hold the 30 .* it holds 29; str"),
    (lambda self, X, Y: Task(self, iter(X), Y), ValueError, "X is an iterator .*; pass list"),
    (lambda self, X, Y: {}["lost"], ProblemError, r"^Bound\.task raised KeyError: 'lost'"),
]


@pytest.mark.parametrize(("make", "error", "message"), UNFIT)
def test_a_task_that_does_not_hold_the_examples_is_named(make, error, message):
    problem = type("Bound", (Multilabel,), {"task": make, "block_size": 30})()
    with pytest.raises(error, match=message):
        ONE.solve(problem, X[:30], Y[:30])


class Bound(Multilabel):
    """Its task holds what a function makes of the data."""

    @staticmethod
    def held(X, Y):
        return [str(x) for x in X], Y

    def task(self, X, Y=None):
        return Task(self, *self.held(X, Y))


@pytest.mark.parametrize(
    ("held", "made"),
    [
        (lambda X, Y: ([{"row": x} for x in X], Y), "X[i]"),
        (lambda X, Y: (X, [str(y) for y in Y]), "Y[i]"),
        (lambda X, Y: ([[x] for x in X], [[y] for y in Y]), "X[i] and Y[i]"),
    ],
)
def test_a_task_that_makes_no_inputs_is_named(held, made):
    problem = type("Bound", (Bound,), {"held": staticmethod(held)})()
    message = re.escape(f"Task made {made}, which Bound's methods must accept")
    with pytest.raises(ProblemError, match=rf"oracle raised \w+ for example 0: .*{message}"):
        OneSlackCuttingPlane().solve(problem, X, Y)


def test_where_the_form_of_inputs_is_kept_the_task_is_not_named():
    class Kept(Bound):
        def held(self, X, Y):
            return list(X), Y

        def separation_oracle(self, x, y, w):
            raise LookupError("lost")

    with pytest.raises(ProblemError, match=r"lost$"):
        ONE.solve(Kept(), X, Y)
    message = r"decode raised .*Task made X\[i\], which Bound's methods must accept"
    with pytest.raises(ProblemError, match=message):
        bind(Bound()).decode(W)


def kind_of_task(kind):
    return lambda problem, X, Y=None: kind(problem, X, Y)


def own(kind, **members):
    """A problem whose task is of this kind."""
    return type("Own", (Multilabel,), {"task": kind_of_task(kind), **members})()


SOME = X[:20], Y[:20]


def unmade(task, problem, X, Y):
    task.problem = problem


@pytest.mark.parametrize(
    ("method", "changed", "message"),
    [
        ("__init__", unmade, r"Odd.__init__ must call super\(\).__init__\(problem, X, Y\)"),
        ("part", lambda task, places: task, "Odd.part must return the task of the 5 examples"),
        ("part", lambda task, places: None, "Odd.part must return .* the 5 examples.*None"),
    ],
)
def test_a_task_made_or_divided_wrongly_is_named(method, changed, message):
    odd = type("Odd", (Task,), {method: changed})
    with pytest.raises(ProblemError, match=message):
        ONE.solve(own(odd), *multilabel_data(n=30), 1.0)


def less_loss(task, outputs):
    return Task.losses(task, outputs) / task.n


def moved(task, outputs):
    outputs[0] = outputs[1]
    return Task.losses(task, outputs)


def unweighted(task, outputs, weights):
    return Task.plane(task, outputs, np.ones(task.n))


def halving(task, outputs, weights):
    weights /= 2
    return Task.plane(task, outputs, weights)


@pytest.mark.parametrize(
    ("method", "changed", "message"),
    [
        ("losses", less_loss, r"Odd.losses returned .* for example \d+, whose loss is"),
        ("losses", moved, "a method of Odd changed its argument outputs in place"),
        ("plane", unweighted, "Odd.plane is not the weighted sum of joint-feature differences"),
        ("plane", halving, r"Odd\.plane raised .*work on a copy"),
    ],
)
def test_a_fit_stops_where_a_task_of_its_own_answers_wrongly(method, changed, message):
    right, odd = (
        type("Odd", (Task,), {method: function}) for function in (getattr(Task, method), changed)
    )
    expected = ONE.solve(own(Task, work=1e9), *SOME, 10.0).primal
    assert ONE.solve(own(right, work=1e9), *SOME, 10.0).primal == pytest.approx(expected, rel=1e-3)
    with pytest.raises(ProblemError, match=message):
        ONE.solve(own(odd), *SOME, 10.0)


# ---------------------------------------------------------------------- overridden methods


def own_task(kind):
    """A subclass whose task has its own loss, in a loop."""

    class OwnTask(Task):
        def losses(self, outputs):
            pairs = zip(self.Y, outputs, strict=True)
            return np.array([kind.loss(self.problem, *pair) for pair in pairs])

    return type("Fast", (kind,), {"task": kind_of_task(OwnTask)})


@pytest.mark.parametrize(
    ("base", "method", "words"),
    [
        (own_task(Multilabel), "loss", "the task of Fast .* OwnTask.losses answers"),
        (Multiclass, "separation_oracle", "the task of Multiclass .* MulticlassTask.search ans"),
        (Multiclass, "joint_feature_difference", "MulticlassTask.differences answers"),
        (Multiclass, "soft_oracle", "MulticlassTask.soft answers"),
        (type("Known", (LatentProblem, Multiclass), {}), "loss", "the task of Multiclass"),
    ],
)
def test_an_override_that_the_task_ignores_is_an_error(base, method, words):
    def overriding(self, *arguments):
        return getattr(base, method)(self, *arguments)

    def task(self, X, Y=None):
        return base.task(self, X, Y)

    kind = type("Own", (type("Between", (base,), {method: overriding}),), {})
    again = type("Again", (kind,), {"task": task})
    data = (X[:20], Y[:20]) if base.__name__ == "Fast" else (X[:20], [y[0] for y in Y[:20]])
    solver = CCCP() if issubclass(base, LatentProblem) else OneSlackCuttingPlane()
    message = rf"^Between overrides {method}, which .*{words}.*structsvm.Task\(self, X, Y\)"
    with pytest.raises(ProblemError, match=message):
        solver.solve(kind(), *data)
    solver.solve(again(), *data)


def test_a_task_that_asks_the_methods_made_of_it_is_an_error():
    problem = type("Plain", (Chain,), {"task": kind_of_task(Task)})()
    message = "Plain.task returned a Task without its own search, .*: return a subclass"
    with pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(problem, *problem.example_data())


# ---------------------------------------------------------------------- what a task leaves undone


class Holding(Task):
    """It holds inputs under a name that ``part`` does not know."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.F = np.array(X)


class HoldingSearch(Holding):
    def search(self, w):
        oracle = self.problem.separation_oracle
        return [oracle(x, self.Y[i], w) for i, x in enumerate(self.F)]


class HoldingDecode(Holding):
    def decode(self, w):
        return [self.problem.decode(x, w) for x in self.F]


@pytest.mark.parametrize("kind", [HoldingSearch, HoldingDecode])
def test_a_task_whose_part_leaves_all_examples_is_told_before_the_passes(kind):
    message = rf"{kind.__name__}\.part leaves all 20 examples in F: override it to cut them too"
    if kind is HoldingDecode:
        with pytest.warns(UserWarning, match=message):
            ONE.solve(own(kind), *SOME)
    else:
        with pytest.raises(ProblemError, match=message):
            ONE.solve(own(kind), *SOME, callback=pytest.fail)


class Cut(HoldingSearch):
    def part(self, places):
        part = super().part(places)
        part.F = self.F[places]
        return part


def test_a_task_may_cut_what_it_holds():
    cut, plain = (ONE.solve(problem, *SOME).primal for problem in (own(Cut), Multilabel()))
    assert cut == pytest.approx(plain, rel=1e-12)


def test_the_task_that_scores_does_not_know_the_true_outputs():
    def decode(task, w):
        return Task.decode(task, w) if task.Y is None else task.Y

    kinds = Multilabel, with_task(Multilabel, decode=decode)
    models = [StructuredSVM(kind(), C=0.1, solver=ONE).fit(*SOME) for kind in kinds]
    first, second = (model.score(X, Y) for model in models)
    assert first == second < 1


def test_names_of_a_task_that_have_no_effect_are_noted():
    hard = type("Hard", (Multilabel,), {"soft_oracle": None})
    odd = with_task(hard, loses=lambda task, outputs: 0, soft=lambda task, w, mu, weights: 0)
    with pytest.warns(UserWarning) as seen:
        ONE.solve(odd(), *SOME)
    assert [str(each.message) for each in seen] == [
        "ChangedTask.loses is not in the contract: is losses meant?",
        "ChangedTask.soft is never called: ChangedHard does not define soft_oracle, which it "
        "answers for",
    ]


def test_a_task_that_needs_outputs_is_told_that_there_are_none_to_predict():
    class Counting(Task):
        def __init__(self, problem, X, Y=None):
            super().__init__(problem, X, Y)
            self.largest = len(Y)

    model = StructuredSVM(own(Counting), C=0.1, solver=ONE).fit(*SOME)
    with pytest.raises(ProblemError, match=r"Own\.task raised TypeError: .*Y is None to predict"):
        model.predict(X)
