"""What every solver keeps to, whichever it is: the solvers are found in structsvm.solvers."""

import inspect
import logging
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from cases.solvers import DESCENTS, KINDS, SOLVERS, SUPERVISED, assert_same, blobs
from changed_tasks import with_task
from pressed import Press
from scipy import sparse
from sklearn.base import clone
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

import structsvm
from structsvm import (
    BlockCoordinateFrankWolfe,
    Checkpoint,
    EarlyStopping,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
    StructuredSVM,
    choose_solver,
)
from structsvm.planes.plane import SoftSource
from structsvm.problems import (
    AttractiveGraphLabelling,
    Chain,
    CPM3CProblem,
    IntegerProgram,
    ItemSet,
    Multiclass,
    MultivariateMMCProblem,
    PartialChain,
    SupervisedKMeansProblem,
)
from structsvm.saving import archive

solvers = pytest.mark.parametrize("case", SOLVERS.values(), ids=SOLVERS)
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
supervised = pytest.mark.parametrize(
    "case", [c for c in SOLVERS.values() if c.knows_outputs], ids=lambda case: case.name
)


@kinds
def test_it_is_public_and_documented(kind):
    assert kind.__name__ in structsvm.__all__
    documented = inspect.getdoc(kind)
    for parameter in kind().get_params():
        assert parameter in documented


# ---------------------------------------------------------------------- the optimum


PRIOR = np.random.default_rng(1).normal(size=15)
TIMES = np.resize([2, 1, 0, 3], 24)
#: Changes of the data, of C, and options of ``solve``.
TASKS = {
    "plain": (np.asarray, 20.0, {}),
    "small C": (np.asarray, 1e-3, {}),
    "large C": (np.asarray, 1e3, {}),
    "sparse": (sparse.csr_matrix, 20.0, {}),
    "float32": (np.float32, 20.0, {}),
    "prior": (np.asarray, 20.0, {"w_prior": PRIOR}),
    "far prior": (sparse.csr_array, 1.0, {"w_prior": 10 * PRIOR}),
    "weights": (np.asarray, 20.0, {"sample_weight": 5.5 * TIMES}),
    "start": (np.asarray, 20.0, {"w0": 100 * PRIOR}),
}


@pytest.mark.parametrize("name", TASKS)
@supervised
def test_it_finds_the_optimum_with_a_certificate(case, name):
    (convert, C, options), (X, y) = TASKS[name], blobs()
    rtol = 1e-2 if case.kind is BlockCoordinateFrankWolfe else 1e-4
    times = TIMES if name == "weights" else np.ones(24, int)
    copies = np.repeat(X, times, axis=0), np.repeat(y, times)
    prior = options.get("w_prior", 0.0)
    expected, w = case.optimum(Multiclass(), *copies, C, prior)
    result = case(rtol=rtol).solve(Multiclass(), convert(X), y, C, **options)
    assert result.status is Status.CONVERGED and result.gap <= rtol * result.primal
    error = 1e-5 * expected if name == "float32" else 1e-7 * expected
    assert result.dual - error <= expected <= result.primal + error
    assert np.linalg.norm(result.w - w) <= np.sqrt(2 * (result.gap + error))
    given = {"sample_weight": TIMES} if name == "weights" else {}
    assert result.verify(Multiclass(), convert(X), y, **given).matches
    assert name != "weights" or not result.verify(Multiclass(), X, y).matches
    assert result.solver.split(",")[0] == case.kind.__name__


@pytest.mark.parametrize("case", [c for c in SOLVERS.values() if not c.knows_outputs] + DESCENTS)
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_with_annotations_of_all_outputs_it_finds_the_optimum(case, C):
    X, problem = topics_data(), LatentTopics()
    Y = [tuple(y) for y in np.random.default_rng(0).integers(3, size=(6, 2)).tolist()]
    expected, _ = full_optimum(problem, X, Y, C)
    result = case(rtol=1e-5).solve(problem, X, Y, C)
    assert result.status is Status.CONVERGED and list(result.labels) == Y
    assert result.dual <= expected * (1 + 1e-7) and expected <= result.primal * (1 + 1e-7)


@solvers
@pytest.mark.parametrize("prior", [None, 1.0])
def test_wherever_it_is_stopped_the_numbers_belong_to_w(case, prior):
    problem, X, Y, C = case.task()
    problem.initialize(X, Y)
    prior = None if prior is None else np.full(problem.size_joint_feature, prior)
    for max_iter in (1, 2, 3, 6):
        result = case(rtol=1e-9, max_iter=max_iter).solve(problem, X, Y, C, w_prior=prior)
        assert result.iterations == len(result.history) <= max_iter
        assert (result.status is Status.MAX_ITER) == (result.iterations == max_iter)
        assert result.verify(problem, X, Y).matches
        assert result.dual <= result.primal and result.gap == result.primal - result.dual
        if "loss" not in case.options:
            labels = Y if result.labels is None else result.labels
            rescaling = case.options.get("rescaling", "margin")
            center = 0.0 if prior is None else prior
            objective = full_objective(problem, X, labels, result.w, C, rescaling, center)
            assert result.primal == pytest.approx(objective, rel=1e-9)


@supervised
def test_the_history_has_bounds_that_only_improve(case):
    problem, X, Y, C = case.task()
    result = case(rtol=1e-5).solve(problem, X, Y, C)
    history = result.history
    assert [step.iteration for step in history] == list(range(1, len(history) + 1))
    assert np.all(np.diff([step.dual for step in history]) >= 0)
    assert np.all(np.diff([step.best_primal for step in history]) <= 1e-12 * result.primal)
    assert all(step.dual <= result.primal for step in history)
    assert all(step.primal >= result.dual * (1 - 1e-9) for step in history)
    assert np.all(np.diff([step.seconds for step in history]) >= 0)


def masses(result):
    """The sums of the dual variables of every example, as fractions of their cap C / n."""
    n, sums = result.n_examples, [Fraction(0)] * result.n_examples
    for source, alpha in result.support:
        while source is not None:
            if isinstance(source, SoftSource):
                places = range(n) if source.examples is None else source.examples
                shares, others = [1 / n] * n, source.others
            else:
                places = range(n) if source.example is None else [source.example]
                shares, others = source.weights, None
            for i, share in zip(places, shares, strict=False):
                sums[i] += Fraction(alpha) * Fraction(float(share))
            source = others
    return [n * total / Fraction(result.C) for total in sums]


@kinds
def test_no_number_of_steps_takes_dual_variables_above_their_caps(kind):
    rng = np.random.default_rng(0)
    task = Multiclass(), rng.normal(size=(20, 20)), rng.integers(4, size=20)
    if not kind.requires.known_outputs:
        task = LatentTopics(), topics_data(), None
    result = kind(rtol=1e-13, max_iter=60).solve(*task, 1.0)
    assert 0.9 < max(masses(result)) < 1 + 2.0**-50


# ---------------------------------------------------------------------- sizes and precision


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scale", [1e-308, 1e-160, 1e-100, 1e-30, 1e30, 1e100, 1e145])
@kinds
def test_features_of_any_scale(kind, scale):
    problem, X, Y, C = SOLVERS[kind.__name__].task()
    X = [scale * x for x in X] if Y is None else scale * X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that w is 0
        result = kind(max_iter=8).solve(problem, X, Y, C)
    assert 0 <= result.dual <= result.primal and result.verify(problem, X, Y).matches


@pytest.mark.parametrize("scale", [1e-14, 1e40])
@pytest.mark.parametrize("kind", SUPERVISED)
def test_losses_of_any_size_are_solved_alike(kind, scale):
    X, y = blobs()
    cost = 1 - np.eye(3)
    one, other = (kind().solve(Multiclass(s * cost), X, y, 10.0 * s) for s in (1.0, scale))
    assert one.status is other.status is Status.CONVERGED
    assert other.primal / scale**2 == pytest.approx(one.primal, rel=2e-3)


@pytest.mark.parametrize("size", [1e12, 1e100])
@pytest.mark.parametrize("kind", SUPERVISED)
def test_a_prior_that_hides_the_losses_is_no_optimum(kind, size):
    """Its objective of 0 is known up to rounding errors alone, which exceed the losses."""
    X, y = np.repeat(np.eye(3), 4, axis=0), np.repeat(np.arange(3), 4)
    result = kind().solve(Multiclass(), X, y, 5.0, w_prior=size * np.eye(3).ravel())
    assert result.status is Status.NUMERICAL
    assert result.tolerance == pytest.approx(1e-3 * result.primal) and result.gap > result.tolerance
    assert f"weights of w_prior are as large as {size:.0e}" in result.message


# ---------------------------------------------------------------------- limits and callbacks


@solvers
def test_a_callback_sees_every_pass_and_may_stop_the_run(case):
    seen, (problem, X, Y, C) = [], case.task()

    def callback(iteration, w):
        seen.append(iteration)
        assert w.ndim == 1
        return len(seen) == 3

    result = case(rtol=1e-9, max_iter=3).solve(problem, X, Y, C, callback=callback)
    assert result.status is Status.STOPPED and result.history == tuple(seen)
    assert result.verify(problem, X, Y).matches


@solvers
def test_a_callback_cannot_change_w(case):
    def change(iteration, w):
        w[:] = np.nan

    problem, X, Y, C = case.task()
    watched = case(rtol=0.01).solve(problem, X, Y, C, callback=change)
    assert_same(watched, case(rtol=0.01).solve(problem, X, Y, C))


@kinds
def test_a_time_limit_ends_the_run_after_the_pass_at_work(kind):
    def wait(iteration, w):
        time.sleep(0.02)

    problem, X, Y, C = SOLVERS[kind.__name__].task()
    result = kind(rtol=1e-12, time_limit=0.03).solve(problem, X, Y, C, callback=wait)
    assert result.status is Status.TIME_LIMIT and result.verify(problem, X, Y).matches
    assert all(step.seconds < 0.03 for step in result.history[:-1])
    assert result.iterations <= 3  # each of which waits


@kinds
def test_it_is_silent_and_logs_unless_verbose(kind, capsys, caplog):
    problem, X, Y, C = SOLVERS[kind.__name__].task()
    with caplog.at_level(logging.DEBUG, logger="structsvm"):
        result = kind(rtol=0.1).solve(problem, X, Y, C)
    assert capsys.readouterr() == ("", "")
    passes = [r for r in caplog.records if r.levelno == logging.DEBUG and "primal=" in r.message]
    assert len(passes) == result.iterations
    assert [r.message for r in caplog.records if r.levelno == logging.INFO][-1] == str(result)
    kind(rtol=0.1).solve(problem, X, Y, C, verbose=True)
    shown = capsys.readouterr()
    last = result.solver.split("; ")[-1].split(",")[0]
    assert shown.out == "" and last in shown.err and "pass" in shown.err


# ---------------------------------------------------------------------- Ctrl-C


@solvers
def test_ctrl_c_in_a_callback_keeps_what_was_found(case):
    def press(iteration, w):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    problem, X, Y, C = case.task()
    result = case(rtol=1e-9).solve(problem, X, Y, C, callback=press)
    assert result.status is Status.INTERRUPTED and result.iterations == 2
    assert result.verify(problem, X, Y).matches


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.requires.task])
@pytest.mark.parametrize("method", ["separation_oracle", "loss"])
def test_ctrl_c_in_a_method_before_anything_is_known_propagates(kind, method):
    def press(self, *arguments):
        raise KeyboardInterrupt

    base, data = Multilabel, multilabel_data()
    if not kind.requires.known_outputs:
        base, data = LatentTopics, (topics_data(), None)
    pressed = type("Pressed", (base,), {method: press})()
    with pytest.raises(KeyboardInterrupt):
        kind().solve(pressed, *data, 20.0)


AT_WORK = "structsvm/planes/", "structsvm/qp/", "structsvm/oracle/", "structsvm/solvers/"
#: What is around the passes, or works when there is a result.
AROUND = "shared/loop.py", "shared/solver.py", "oracle/workers.py"
PARTS = 30


def pressed(kind, place=None, visit=1):
    """A run with Ctrl-C at a visit of a line after the first pass, and the visits."""
    press, task = Press(AT_WORK, place, visit), (LatentTopics(), topics_data(0, n=4))
    if kind.requires.known_outputs:
        task = Multiclass(), *blobs(n=12, d=6)

    def arm(iteration, w):
        press.armed = True

    with press.watching():
        result = kind(rtol=1e-6, max_iter=9).solve(*task, C=10.0, callback=arm)
    return result, press, task


@cache
def visits(kind):
    """Every third of the lines visited after the first pass, and how often."""
    found = pressed(kind)[1].visits.items()
    return sorted(visit for visit in found if not visit[0][0].endswith(AROUND))[::3]


@pytest.mark.sampled(PARTS + 1)
@kinds
@pytest.mark.parametrize("part", range(PARTS))
def test_ctrl_c_at_any_line(kind, part):
    for place, times in visits(kind)[part::PARTS]:
        result, press, task = pressed(kind, place, (times + 1) // 2)
        assert press.pressed and result.status is Status.INTERRUPTED, place
        assert result.verify(*task).matches and result.dual <= result.primal, place


# ---------------------------------------------------------------------- the same bits


def example(kind):
    return kind(), *kind.example_data()


def offset_rows():
    """Classes whose differences are small beside a common part, in single precision."""
    X, y = blobs(n=15)
    return (X + 3e4).astype(np.float32), y


def item_sets():
    """Two sets of items near the centres of their clusters."""
    rng, parts = np.random.default_rng(0), [np.arange(6) % 2, np.arange(8) % 3]
    X = [2 * np.eye(3)[labels] + rng.normal(size=(len(labels), 3)) for labels in parts]
    return [(ItemSet(x), labels.max() + 1) for x, labels in zip(X, parts, strict=True)], parts


X, Y = blobs()
CLASSES = Multiclass(), X, Y
#: Further runs: a solver, a problem with data, and options of ``solve``.
RUNS = {
    "sparse": (OneSlackCuttingPlane(), (Multiclass(), sparse.csr_matrix(X), Y), {}),
    "bounds": (OneSlackCuttingPlane(), example(AttractiveGraphLabelling), {}),
    "refining": (OneSlackCuttingPlane(), (SupervisedKMeansProblem(), *item_sets()), {}),
    "refining planes": (SmoothedCuttingPlane(max_iter=16), example(IntegerProgram), {}),
    "structured": (BlockCoordinateFrankWolfe(max_iter=9), example(Chain), {}),
    "start": (OneSlackCuttingPlane(), CLASSES, {"w0": PRIOR}),
    "prior": (SmoothedLBFGS(), CLASSES, {"w_prior": PRIOR}),
    "weights": (SmoothedLBFGS(), CLASSES, {"sample_weight": Y + 1.0}),
    "double precision": (OneSlackCuttingPlane(), (Multiclass(), *offset_rows()), {}),
    "early stopping": (
        SmoothedLBFGS(rtol=1e-5), CLASSES, {"early_stopping": EarlyStopping(X[:9], Y[:9], 3)}
    ),
    "partly known": (SOLVERS["SmoothedCCCP"](max_iter=16), example(PartialChain), {}),
    "clusters": (SOLVERS["CCCP"](), (CPM3CProblem(3, 0.3), [X], None), {}),
    "tables": (SOLVERS["CCCP"](random_state=3), (MultivariateMMCProblem(), [X[:7]], None), {}),
}  # fmt: skip
for case in SOLVERS.values():
    *task, _ = case.task()
    RUNS[case.name] = case(rtol=1e-4, max_iter=16), task, {}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on_from_a_checkpoint_to_the_same_bits(name, tmp_path, monkeypatch):
    monkeypatch.setattr(archive.os, "fsync", lambda descriptor: None)
    solver, task, options = RUNS[name]
    whole = solver.solve(*task, 20.0, **options)
    last = max(whole.iterations - 1, 1)
    for passes in {1, max(last // 2, 1), last}:
        path, short = tmp_path / f"{passes}.npz", clone(solver).set_params(max_iter=passes)
        short.solve(*task, 20.0, checkpoint=Checkpoint(path, seconds=0), **options)
        again = solver.solve(*task, 20.0, checkpoint=Checkpoint(path, seconds=1e9), **options)
        assert_same(again, whole)


@solvers
def test_jobs_and_repetition_do_not_change_a_bit(case, monkeypatch):
    problem, X, Y, C = case.task()
    monkeypatch.setattr(type(problem), "block_size", max(2, len(X) // 3))  # else there is one block
    monkeypatch.setattr(type(problem), "parallelism", "threads")
    options = {"early_stopping": EarlyStopping(X[:9], Y[:9], 2)} if case.knows_outputs else {}
    one, again, two = (
        case(max_iter=20).solve(problem, X, Y, C, n_jobs=n, **options) for n in (1, 1, 2)
    )
    assert_same(again, one)
    assert_same(two, one)


@supervised
def test_neutral_options_change_no_bit_and_data_stay_as_they_are(case):
    problem, X, Y, C = case.task()
    kept, w0 = X.copy(), np.ones(15)
    X.setflags(write=False)
    neutral = {"w_prior": np.zeros(15), "sample_weight": np.full(24, 0.25)}
    found = case(rtol=0.01).solve(problem, X, Y, C, **neutral)
    assert_same(found, case(rtol=0.01).solve(problem, X, Y, C))
    case(max_iter=3).solve(problem, X, Y, C, w0=w0)
    assert np.array_equal(X, kept) and np.all(w0 == 1)


# ---------------------------------------------------------------------- other starts


@solvers
def test_a_warm_start_spares_passes_and_fits_other_tasks(case):
    problem, X, Y, C = case.task()
    cold = case().solve(problem, X, Y, C)
    points = []
    warm = case().solve(
        problem, X, Y, C, warm_start=cold, callback=lambda step, w: points.append(w)
    )
    assert warm.status is Status.CONVERGED and warm.verify(problem, X, Y).matches
    assert warm.primal <= cold.primal * (1 + 1e-3)
    if case.knows_outputs:
        assert warm.iterations <= cold.iterations
        more = {"sample_weight": 1.0 + np.arange(24) % 3, "w_prior": PRIOR}
        exact = case(rtol=1e-6).solve(problem, X, Y, 30.0, **more)
        other = case().solve(problem, X, Y, 30.0, warm_start=cold, **more)
        assert other.verify(problem, X, Y, sample_weight=more["sample_weight"]).matches
        assert other.primal <= exact.primal * (1 + 2e-3)
        for step in other.history:  # every dual value is below the optimum
            assert step.dual <= exact.primal * (1 + 1e-9)


# ---------------------------------------------------------------------- what a problem offers


def suits(kind, problem):
    return kind.requires.are_met(problem) and not kind.requires.task


@pytest.mark.parametrize("problem", [LocalSearchMultilabel(), ConstrainedMultilabel("balanced")])
@pytest.mark.parametrize("kind", SUPERVISED)
def test_it_keeps_constraints_and_misses_of_oracles_or_refuses_them(kind, problem):
    X, Y = multilabel_data(n=8)
    if not suits(kind, problem):
        with pytest.raises((ValueError, TypeError), match="use OneSlackCuttingPlane"):
            kind().solve(problem, X, Y)
        return
    prior = np.random.default_rng(0).normal(size=9)
    optimum, _ = full_optimum(problem, X, Y, 5.0, prior=prior)
    result = kind(rtol=1e-3).solve(problem, X, Y, 5.0, w_prior=prior)
    assert result.status is Status.CONVERGED and result.verify(problem, X, Y).matches
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.guarantee.lower_bound
    if problem.constraints is None:
        assert not result.guarantee.upper_bound
    else:
        A, b = problem.constraints()
        assert np.all(A @ result.w <= b + 1e-6) and optimum <= result.primal * (1 + 1e-6)


@pytest.mark.parametrize(
    ("kind", "method"),
    [(kind, m) for kind in SUPERVISED for m in kind.requires.task],
)
def test_without_a_method_of_its_task_it_is_neither_chosen_nor_possible(kind, method):
    less, (X, y) = with_task(Multiclass, **{method: None}), blobs()
    made = choose_solver(less(), X, y).solver.solve(less(), X, y)
    assert kind.__name__ not in made.solver
    message = f"{kind.__name__} needs {method}, which ChangedMulticlassTask does not"
    with pytest.raises(TypeError, match=message):
        kind().solve(less(), X, y)


@solvers
def test_estimators_take_it(case):
    problem, X, Y, C = case.task()
    options = {"loss": case.options["loss"]} if "loss" in case.options else {}
    assert options.items() <= case().get_params().items()
    svm = clone(StructuredSVM(problem, C=C, solver=case())).fit(X, Y)
    assert svm.result_.status is Status.CONVERGED and len(svm.predict(X)) == len(X)


#: Parameters and arguments of solve, what the message says, and values that are refused.
REFUSED = {
    "C": (
        "C must be a finite number > 0; got ",
        (0, -1.0, np.nan, np.inf, "1", True, np.True_, None, [1.0], np.ones(1), 1j,
         10**400, Decimal(1), np.longdouble("1e400")),
    ),
    "rtol": (
        "rtol must be a number >= 0 and < 1; got ",
        (-1e-3, 1, np.nan, "x", None, True, 10**400, Decimal(1), Fraction(1, 2)),
    ),
    "atol": ("atol must be a finite number >= 0; got ", (-1e-3, np.nan, np.inf, "x", None, True)),
    "max_iter": ("max_iter must be an integer >= 1; got ", (0, -1, 1.5, "x", None, True)),
    "time_limit": ("time_limit must be a finite number > 0; got ", (0, -1, np.nan, "x", True)),
    "prune_after": ("prune_after must be an integer >= 0; got ", (-1, 1.5, "x", None, True)),
    "random_state": ("random_state must be ", (-1, 1.5, "a")),
    "rescaling": ("rescaling must be one of 'margin', 'slack'; got", ("both", None, 1, "Margin")),
    "loss": ("loss must be one of 'hinge', 'softmax_margin', 'log_", ("logistic", None)),
    "w0": (
        r"w0 must be finite and of shape \((6|15),\)",
        (np.ones(4), np.ones((1, 15)), 1.0, [], "text", np.full(15, np.nan), np.full(15, np.inf),
         [None] * 15, object()),
    ),
    "w_prior": (
        "w_prior must (be finite and of shape|not be masked)",
        (np.ones(4), np.full(15, np.nan), ["a"] * 15, np.ma.masked_array(np.zeros(15), True)),
    ),
    "sample_weight": (
        r"sample_weight(\[0\]| must)",
        ([1, 1], 3.0, ["1"] * 24, [1j] * 24, [np.inf] + [1] * 23, [-1] * 24, [0] * 24,
         [10**400] + [1] * 23, [None] + [1] * 23, np.ma.masked_array([1] * 24, True)),
    ),
    "n_jobs": (
        "n_jobs must be None, the number of jobs, from 1 to 10000",
        (0, 1.5, "all", True, 10**30, -(10**30), 1_000_000),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@kinds
def test_bad_parameters_and_arguments_are_named(kind, name):
    problem, X, Y, C = SOLVERS[kind.__name__].task()
    message, values = REFUSED[name]
    for value in values:
        given, options = {"C": C}, {}
        if name in ("C", "w0", "w_prior", "sample_weight", "n_jobs"):
            given[name] = value
        elif name in kind().get_params():
            options[name] = value
        else:
            return
        with pytest.raises(ValueError, match=f"^{message}"):
            kind(**options).solve(problem, X, Y, **given)
