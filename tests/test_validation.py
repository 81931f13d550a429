"""Bad input ends in an error that names the argument, or the method and the example, at once."""

import time

import numpy as np
import pytest
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    LatentTopics,
    Multilabel,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    InfeasibleConstraintsError,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Problem,
    ProblemError,
    SelfLabelledProblem,
    StructuredSVM,
)
from structsvm.problems import Multiclass

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
ARRAY, Y = multilabel_data()
X = list(ARRAY)  # so that every example is an object of its own
Y[3] = (1, 1, 1)
both = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(autouse=True)
def within_a_second():
    started = time.perf_counter()
    yield
    assert time.perf_counter() - started < 1


def solve(solver=OneSlackCuttingPlane, problem=None, X=X, Y=Y, C=1.0, w0=None, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C, w0=w0)


def faulty(method, fault, base=Multilabel, data=(X, Y)):
    """A problem one method of which goes wrong for example 3: it returns fault(right answer)."""
    third = [part[3] for part in data if part is not None]

    def wrong(self, first, *others):
        answer = getattr(base, method)(self, first, *others)
        return fault(answer) if any(first is value for value in third) else answer

    return type("Faulty", (base,), {method: wrong})()


def fail(answer):
    raise ArithmeticError("out of luck")


# ---------------------------------------------------------------------- the problem's methods


@both
@pytest.mark.parametrize(
    ("method", "fault", "message"),
    [
        ("joint_feature", lambda psi: psi * np.nan, "NaN or infinity"),
        ("joint_feature", lambda psi: np.where(psi == psi[0], np.inf, psi), "NaN|RuntimeWarning"),
        ("joint_feature", lambda psi: np.append(psi, 0), r"\(9,\) .*got shape \(10,\)"),
        ("joint_feature", lambda psi: psi[:4], r"\(9,\) .*got shape \(4,\)"),
        ("joint_feature", lambda psi: psi[None], r"\(9,\) .*got shape \(1, 9\)"),
        ("joint_feature", lambda psi: 1.0, r"\(9,\) .*got shape \(\)"),
        ("joint_feature", lambda psi: "text", "raised|text"),
        ("joint_feature", lambda psi: None, "None"),
        ("joint_feature", fail, "raised ArithmeticError for example 3: out of luck"),
        ("loss", lambda loss: np.nan, "NaN or infinity"),
        ("loss", lambda loss: np.inf, "NaN or infinity"),
        ("loss", lambda loss: -1.0, "must be >= 0; it is -1.0"),
        ("loss", lambda loss: None, "None"),
        ("loss", lambda loss: "text", "str"),
        ("loss", lambda loss: np.ones(2), r"got shape \(2,\)"),
        ("loss", fail, "raised ArithmeticError for example 3: out of luck"),
        ("separation_oracle", lambda y: None, "returned None for example 3; expected an output"),
        ("separation_oracle", fail, "raised ArithmeticError for example 3: out of luck"),
    ],
)  # fmt: skip
def test_the_faulty_method_and_example_are_named(solver, method, fault, message):
    with pytest.raises(ProblemError, match=message) as caught:
        solve(solver, faulty(method, fault, Bounded))
    assert method in str(caught.value)
    assert "example 3" in str(caught.value)


class Bounded(Multilabel):
    """Its oracle does not stumble over the faults of the other methods."""

    def separation_oracle(self, x, y, w):
        return tuple(1 - bit for bit in y)


@both
@pytest.mark.parametrize("garbage", [7, "ab", (1, 2), np.nan, object()])
def test_an_oracle_that_returns_garbage(solver, garbage):
    with pytest.raises(ProblemError, match=r"(loss|joint_feature).* example 3"):
        solve(solver, faulty("separation_oracle", lambda y: garbage))


@both
def test_the_slack_oracle_is_named_too(solver):
    problem = faulty("slack_oracle", fail)
    with pytest.raises(ProblemError, match="slack_oracle raised ArithmeticError for example 3"):
        solve(solver, problem, rescaling="slack")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda y: None, "decode returned None for example 3"),
        (fail, "decode raised ArithmeticError for example 3: out of luck"),
    ],
)
def test_a_faulty_decoder(fault, message):
    svm = StructuredSVM(faulty("decode", fault)).fit(X, Y)
    with pytest.raises(ProblemError, match=message):
        svm.predict(X)


@pytest.mark.parametrize(
    ("method", "fault", "message"),
    [
        ("impute", lambda y: None, "impute returned None for example 3"),
        ("impute", fail, "impute raised ArithmeticError for example 3: out of luck"),
        ("separation_oracle", lambda y: None, "separation_oracle returned None for example 3"),
        ("joint_feature", lambda psi: psi * np.nan, "joint_feature returned NaN .* example 3"),
    ],
)
def test_faults_of_self_labelled_problems(method, fault, message):
    data = topics_data()
    problem = faulty(method, fault, LatentTopics, (data,))
    if method == "joint_feature":  # max() over NaN is no fault of the oracle
        problem.separation_oracle = lambda x, y, w: (0,) * len(x)
        problem.impute = lambda x, y, w: (1,) * len(x)
    with pytest.raises(ProblemError, match=message):
        CCCP().solve(problem, data)


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize("start", [None, 0.1])
def test_an_oracle_that_always_returns_the_truth(solver, start):
    base, data = (LatentTopics, (topics_data(), None)) if solver is CCCP else (Multilabel, (X, Y))
    truthful = type("Truthful", (base,), {"separation_oracle": lambda self, x, y, w: y})()
    size = 6 if solver is CCCP else 9
    w0 = None if start is None else np.full(size, start)
    with pytest.raises(ProblemError, match=r"loss 0 for every example at w = 0.*returning the tru"):
        solve(solver, truthful, *data, w0=w0)


def test_an_oracle_that_forgets_the_loss():
    class Decoder(Multilabel):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w) if w.any() else y

    with pytest.raises(ProblemError, match="forgetting the loss"):
        solve(problem=Decoder())


# ---------------------------------------------------------------------- batch forms


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("batch_separation_oracle", lambda a: a[:-1], "must return 6 outputs; it returned 5"),
        ("batch_separation_oracle", lambda a: None, "must return 6 outputs; it returned None"),
        ("batch_separation_oracle", lambda a: 3, "must return 6 outputs; it returned"),
        ("batch_separation_oracle", iter, "must return 6 outputs; it returned"),
        ("batch_separation_oracle", fail, "raised ArithmeticError: out of luck"),
        ("batch_loss", lambda a: a[:-1], r"shape \(6,\); got shape \(5,\)"),
        ("batch_loss", lambda a: np.where(np.arange(6) == 3, np.nan, a), "NaN.* example 3"),
        ("batch_loss", lambda a: np.where(np.arange(6) == 3, -2, a), "loss.*-2.* example 3"),
        ("batch_loss", lambda a: None, "returned None"),
        ("batch_loss", fail, "raised ArithmeticError: out of luck"),
    ],
)
@both
def test_faulty_batch_forms(solver, method, answer, message):
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2]

    def wrong(self, *arguments):
        return answer(getattr(Multiclass, method)(self, *arguments))

    problem = type("Faulty", (Multiclass,), {method: wrong})()
    with pytest.raises(ProblemError, match=message) as caught:
        solve(solver, problem, data, labels)
    assert method in str(caught.value) or "loss must be >= 0" in str(caught.value)


@pytest.mark.parametrize(
    ("solver", "method"),
    [
        (OneSlackCuttingPlane, "sum_joint_feature_difference"),
        (NSlackCuttingPlane, "batch_joint_feature_difference"),
    ],
)
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda a: a[..., :-1], r"got shape \((6, )?5,?\)"),
        (lambda a: a * np.nan, "NaN or infinity"),
        (fail, "raised ArithmeticError: out of luck"),
    ],
)
def test_faulty_batch_joint_features(solver, method, answer, message):
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2]

    def wrong(self, *arguments):
        return answer(getattr(Multiclass, method)(self, *arguments))

    problem = type("Faulty", (Multiclass,), {method: wrong})()
    with pytest.raises(ProblemError, match=f"{method}.*{message}"):
        solve(solver, problem, data, labels)


# ---------------------------------------------------------------------- what is missing


class Nothing(Problem):
    pass


class NothingButSize(Problem):
    def initialize(self, X, Y):
        self.size_joint_feature = 2


@both
@pytest.mark.parametrize("problem", [Nothing(), NothingButSize()])
def test_a_problem_that_defines_nothing(solver, problem):
    name = type(problem).__name__
    with pytest.raises(
        (ProblemError, NotImplementedError),
        match=rf"{name} does not define (joint_feature|separation_oracle); what .*structsvm\.Prob",
    ):
        solve(solver, problem)


@both
@pytest.mark.parametrize("missing", ["joint_feature", "loss", "separation_oracle", "decode"])
def test_each_missing_method_is_named(solver, missing):
    problem = type("Lacking", (Multilabel,), {missing: getattr(Problem, missing)})()
    if missing == "decode":
        svm = StructuredSVM(problem, solver=solver()).fit(X, Y)
        with pytest.raises(ProblemError, match="Lacking does not define decode; what it must ret"):
            svm.predict(X)
    else:
        with pytest.raises(
            (ProblemError, NotImplementedError), match=f"Lacking does not define {missing}; what"
        ):
            solve(solver, problem)


@pytest.mark.parametrize("size", [None, 0, -1, 2.5, "9", (9,), True])
def test_initialize_must_set_the_size(size):
    class Sizeless(Multilabel):
        def initialize(self, X, Y):
            if size is not None:
                self.size_joint_feature = size

    with pytest.raises(ProblemError, match=r"Sizeless.initialize must set size_joint_feature"):
        solve(problem=Sizeless())


@pytest.mark.parametrize("quality", ["perfect", None, 1, "Exact"])
def test_unknown_oracle_quality(quality):
    problem = Multilabel()
    problem.oracle_quality = quality
    with pytest.raises(ProblemError, match=r"oracle_quality must be one of .*got"):
        solve(problem=problem)


# ---------------------------------------------------------------------- constraints


@both
def test_infeasible_constraints(solver):
    with pytest.raises(InfeasibleConstraintsError, match=r"constraints .*no w satisfies"):
        solve(solver, ConstrainedMultilabel("infeasible"))


@both
@pytest.mark.parametrize(
    "answer",
    [
        (np.eye(9), np.zeros(8)),
        (np.eye(8), np.zeros(8)),
        (np.full((1, 9), np.nan), np.zeros(1)),
        (np.eye(9), np.full(9, np.nan)),
        (np.eye(9),),
        np.eye(9),
        7,
        ("a", "b"),
    ],
    ids=["b short", "A narrow", "A nan", "b nan", "A only", "no pair", "number", "strings"],
)
def test_malformed_constraints(solver, answer):
    problem = type("Odd", (Multilabel,), {"constraints": lambda self: answer})()
    with pytest.raises(ProblemError, match="constraints"):
        solve(solver, problem)


@both
def test_constraints_that_raise(solver):
    problem = type("Odd", (Multilabel,), {"constraints": lambda self: fail(None)})()
    with pytest.raises(ProblemError, match="constraints raised ArithmeticError: out of luck"):
        solve(solver, problem)


# ---------------------------------------------------------------------- data


@both
def test_lengths_differ(solver):
    with pytest.raises(ValueError, match="X has 6 examples but Y has 5"):
        solve(solver, Y=Y[:5])


def test_nothing_to_predict():
    svm = StructuredSVM(Multilabel(), C=10.0).fit(*multilabel_data())
    for call in (lambda: svm.predict([]), lambda: svm.score([], []), lambda: svm.verify([], [])):
        with pytest.raises(ValueError, match="X is empty"):
            call()


@both
@pytest.mark.parametrize("empty", [[], (), np.empty((0, 2))])
def test_no_examples(solver, empty):
    with pytest.raises(ValueError, match="X is empty"):
        solve(solver, X=empty, Y=[])


@both
@pytest.mark.parametrize("data", [None, 7, iter(X), object()])
def test_data_that_are_no_sequence(solver, data):
    with pytest.raises((ValueError, TypeError), match=r"^X must be a sequence"):
        solve(solver, X=data)
    with pytest.raises((ValueError, TypeError), match=r"^Y must be a sequence|Y; it is None"):
        solve(solver, Y=data)


@both
def test_data_indexed_by_label_as_in_pandas_are_refused(solver):
    """``series[0]`` is the row *labelled* 0: after a shuffle another one than ``array[0]``."""

    class Series(list):
        iloc = None

    for name, data in (("X", {"X": Series(X)}), ("Y", {"Y": Series(Y)})):
        with pytest.raises(ValueError, match=f"^{name} .*to_numpy"):
            solve(solver, **data)
    svm = StructuredSVM(Multilabel()).fit(X, Y)
    with pytest.raises(ValueError, match=r"to_numpy"):
        svm.predict(Series(X))
    with pytest.raises(ValueError, match=r"to_numpy"):
        svm.score(X, Series(Y))


@both
def test_self_labelled_without_labels_needs_cccp(solver):
    with pytest.raises(ValueError, match=rf"{solver.__name__} needs the outputs Y.*CCCP"):
        solve(solver, LatentTopics(), topics_data(), None)


def test_known_outputs_need_another_solver_than_cccp():
    with pytest.raises(TypeError, match="CCCP needs a SelfLabelledProblem; Multilabel has known"):
        solve(CCCP)


def test_self_labelled_that_cannot_size_itself():
    class Sizeless(SelfLabelledProblem):
        joint_feature, loss = Multilabel.joint_feature, Multilabel.loss

    with pytest.raises((ProblemError, NotImplementedError), match=r"Sizeless .*initialize"):
        CCCP().solve(Sizeless(), topics_data())


# ---------------------------------------------------------------------- parameters


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    "C", [0, -1.0, np.nan, np.inf, "1", True, np.True_, None, [1.0], np.ones(1), 1j], ids=repr
)
def test_C(solver, C):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match="C must be a finite number > 0; got "):
        solve(solver, *data, C=C)


def test_C_of_an_estimator():
    with pytest.raises(ValueError, match="C must be a finite number > 0; got -1"):
        StructuredSVM(Multilabel(), C=-1).fit(X, Y)


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [(name, value, "must be a finite number >= 0") for name in ("rtol", "atol")
     for value in (-1e-3, np.nan, np.inf, "x", None, True)]
    + [("max_iter", value, "must be an integer >= 1") for value in (0, -1, 1.5, "x", None, True)]
    + [("time_limit", value, "must be a finite number > 0") for value in (0, -1, np.nan, "x", True)]
    + [("prune_after", value, "must be an integer >= 0") for value in (-1, 1.5, "x", None, True)],
)  # fmt: skip
def test_parameters_of_solvers(solver, name, value, message):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match=f"^{name} {message}; got "):
        solve(solver, *data, **{name: value})


@both
@pytest.mark.parametrize("rescaling", ["both", None, 1, "Margin"])
def test_unknown_rescaling(solver, rescaling):
    with pytest.raises(ValueError, match="rescaling must be 'margin' or 'slack'; got"):
        solve(solver, rescaling=rescaling)


@both
def test_slack_rescaling_needs_its_oracle(solver):
    with pytest.raises(ValueError, match=r"rescaling='slack' needs Assignment\.slack_oracle"):
        solve(solver, Assignment(), *assignment_data(), rescaling="slack")


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize(
    "w0",
    [np.ones(4), np.ones((1, 9)), 1.0, [], "text", np.full(9, np.nan), np.full(9, np.inf),
     [None] * 9, object()],
    ids=["short", "2-d", "number", "empty", "text", "nan", "inf", "None", "object"],
)  # fmt: skip
def test_w0(solver, w0):
    data = (LatentTopics(), topics_data(), None) if solver is CCCP else (Multilabel(), X, Y)
    with pytest.raises(ValueError, match=r"^w0 must be finite and of shape \([69],\)"):
        solve(solver, *data, w0=w0)


def test_w0_of_zero_implies_no_labels():
    with pytest.raises(ValueError, match="w0 must not be zero"):
        solve(CCCP, LatentTopics(), topics_data(), None, w0=np.zeros(6))


@pytest.mark.parametrize("start", [np.ones(5), np.full(6, np.nan), "text", None])
def test_a_start_of_the_problems_own_that_is_no_w(start):
    problem = type("Odd", (LatentTopics,), {"initial_w": lambda self, X, rng: start})()
    with pytest.raises(ValueError, match=r"initial_w .*finite.* shape \(6,\)"):
        solve(CCCP, problem, topics_data(), None)


@both
@pytest.mark.parametrize("callback", ["text", 7, [print]])
def test_callback(solver, callback):
    with pytest.raises((TypeError, ValueError), match="callback must be callable"):
        solver().solve(Multilabel(), X, Y, callback=callback)


@pytest.mark.parametrize("random_state", ["text", -1, 1.5])
def test_random_state(random_state):
    with pytest.raises((TypeError, ValueError), match="random_state"):
        CCCP(random_state=random_state).solve(LatentTopics(), topics_data())
