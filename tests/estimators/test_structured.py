"""StructuredSVM keeps scikit-learn's conventions."""

import warnings

import numpy as np
import pytest
from correct_problems import Parts, parted
from set_data import drawn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from toy_problems import LatentTopics, Multilabel, full_objective, multilabel_data, topics_data

from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedLBFGS,
    StructuredSVM,
)
from structsvm.problems import (
    Multiclass,
    MulticlassSVM,
    SupervisedKMeans,
)

X, Y = multilabel_data(n=30)
IRIS = load_iris(return_X_y=True)
SETS = drawn(0, spread=0.5)


def test_the_users_problem_and_solver_stay_as_they_were():
    problem, solver = Multilabel(), OneSlackCuttingPlane()
    before = vars(problem).copy(), vars(solver).copy()
    StructuredSVM(problem, solver=solver).fit(X, Y)
    assert (vars(problem), vars(solver)) == before
    problem = Multiclass()
    StructuredSVM(problem).fit(*IRIS)
    assert vars(problem) == {"cost": None}


def test_a_second_fit_forgets_the_first():
    svm = StructuredSVM(Multiclass(), C=10.0).fit(*IRIS)
    other = IRIS[0][:100, :2], IRIS[1][:100]
    svm.fit(*other)
    fresh = StructuredSVM(Multiclass(), C=10.0).fit(*other)
    np.testing.assert_array_equal(svm.w_, fresh.w_)
    assert svm.w_.shape == (4,)


ESTIMATORS = {
    "StructuredSVM": (StructuredSVM(Multilabel(), C=10.0), (X, Y)),
    "MulticlassSVM": (MulticlassSVM(), IRIS),
    "SupervisedKMeans": (SupervisedKMeans(), SETS),
}


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    """An estimator with a solver, and its data."""
    estimator, data = ESTIMATORS[request.param]
    return clone(estimator), data


@pytest.mark.filterwarnings("ignore:the learned similarity divides")
def test_limits_are_those_of_the_solver_that_auto_chooses(estimator):
    svm, data = estimator
    chosen = svm.fit(*data).result_
    assert "; chosen because " in chosen.solver
    svm.set_params(rtol=0.3)
    loose = svm.fit(*data).result_
    assert loose.solver.split("; ")[-1] == chosen.solver.split("; ")[-1]
    assert loose.tolerance == pytest.approx(0.3 * loose.primal)
    assert loose.iterations <= chosen.iterations
    svm.set_params(rtol=1e-9, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="MAX_ITER"):
        assert svm.fit(*data).n_iter_ == 1
    svm.set_params(max_iter=None, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert svm.fit(*data).n_iter_ == 1


def test_a_solver_object_has_limits_of_its_own(estimator):
    svm, data = estimator
    svm.set_params(solver=OneSlackCuttingPlane(), rtol=0.1, max_iter=5)
    expected = r"rtol=0.1, max_iter=5 beside a solver object.* write solver=OneSlackCuttingPlane\("
    with pytest.raises(ValueError, match=expected):
        svm.fit(*data)
    svm.set_params(rtol=None, max_iter=None, solver__rtol=0.3)
    assert svm.fit(*data).result_.tolerance == pytest.approx(0.3 * svm.result_.primal)


def test_a_solver_object_has_a_loss_of_its_own():
    svm = MulticlassSVM(loss="log_loss", solver=SmoothedLBFGS())
    with pytest.raises(ValueError, match=r"write solver=SmoothedLBFGS\(loss='log_loss'\), or sol"):
        svm.fit(*IRIS)
    with pytest.raises(ValueError, match=r"parameters of its own: use solver='auto'$"):
        svm.set_params(solver=NSlackCuttingPlane()).fit(*IRIS)


def test_a_nested_name_with_auto_says_what_to_write(estimator):
    svm, data = estimator
    expected = r"solver='auto': write rtol=0.01, or .*solver=OneSlackCuttingPlane\(rtol=0.01\)"
    with pytest.raises(ValueError, match=expected):
        svm.set_params(solver__rtol=0.01)
    with pytest.raises(ValueError, match=expected):
        GridSearchCV(svm, {"solver__rtol": [0.01]}, cv=2).fit(*data)
    with pytest.raises(ValueError, match=r"write a solver with this .*Plane\(prune_after=3\)"):
        svm.set_params(solver__prune_after=3)
    svm.set_params(solver=NSlackCuttingPlane(), solver__rtol=0.01)
    assert svm.solver.rtol == 0.01


def test_auto_chooses_by_the_kind_of_problem():
    svm = StructuredSVM(LatentTopics(), C=10.0).fit(topics_data())
    assert svm.result_.labels is not None
    assert svm.result_.w.shape == (6,)
    predicted = svm.predict(topics_data())
    assert len(predicted) == 6


def test_score_is_scaled_by_the_largest_loss():
    svm = StructuredSVM(Multilabel(), C=10.0).fit(X, Y)
    predicted = svm.predict(X)
    loss = np.mean([Multilabel().loss(y, z) for y, z in zip(Y, predicted, strict=True)])
    assert svm.score(X, Y) == pytest.approx(1 - loss / 3)
    assert svm.score(X, predicted) == 1.0
    opposite = [tuple(1 - bit for bit in y) for y in predicted]
    assert svm.score(X, opposite) == 0.0


def test_score_without_a_known_largest_loss_is_one_minus_the_mean_loss():
    svm = StructuredSVM(LatentTopics(), C=10.0).fit(topics_data())
    data = topics_data()
    predicted = svm.predict(data)
    shifted = [tuple((label + 1) % 3 for label in y) for y in predicted]
    losses = [LatentTopics().loss(y, z) for y, z in zip(shifted, predicted, strict=True)]
    assert svm.score(data, shifted) == pytest.approx(1 - np.mean(losses))


def test_the_default_C_does_on_first_contact():
    scores = cross_val_score(StructuredSVM(Multiclass()), *IRIS, cv=5)
    assert scores.mean() > 0.9  # 0.467 with C=1


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane(), NSlackCuttingPlane()])
def test_warm_start_begins_at_the_last_w(solver):
    starts = []

    def first(iteration, w):
        if iteration.iteration == 1:
            starts.append(w)

    svm = StructuredSVM(Multilabel(), C=10.0, solver=solver, warm_start=True, callback=first)
    before = svm.fit(X, Y).w_.copy()
    svm.set_params(C=11.0).fit(X, Y)
    np.testing.assert_array_equal(starts[1], before)
    cold = StructuredSVM(Multilabel(), C=11.0, solver=solver).fit(X, Y)
    assert svm.result_.primal == pytest.approx(cold.result_.primal, rel=2e-3)
    svm.set_params(warm_start=False).fit(X, Y)
    np.testing.assert_array_equal(starts[2], np.zeros(9))


def test_warm_start_from_data_of_another_size():
    svm = StructuredSVM(Multiclass(), warm_start=True).fit(*IRIS)
    with pytest.raises(ValueError, match=r"shape \(8,\).*shape \(12,\)"):
        svm.fit(IRIS[0][:100], IRIS[1][:100])


def test_a_limit_that_was_reached_warns_with_what_to_do():
    svm = StructuredSVM(Multilabel(), C=1e3, solver=OneSlackCuttingPlane(max_iter=2))
    with pytest.warns(ConvergenceWarning, match=r"MAX_ITER: .*raise max_iter.*\(gap ") as caught:
        svm.fit(X, Y)
    assert caught[0].filename == __file__
    assert svm.result_.primal == pytest.approx(
        full_objective(Multilabel(), X, Y, svm.w_, 1e3), rel=1e-9
    )


def test_converging_or_stopping_by_callback_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredSVM(Multilabel()).fit(X, Y)
        StructuredSVM(Multilabel(), C=1e3, callback=lambda iteration, w: True).fit(X, Y)


def test_ctrl_c_keeps_the_best_so_far():
    def callback(iteration, w):
        if iteration.iteration == 3:
            raise KeyboardInterrupt

    svm = StructuredSVM(Multilabel(), C=1e3, callback=callback)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        svm.fit(X, Y)
    assert len(svm.predict(X)) == 30


def test_verify_recomputes_and_leaves_the_model_alone():
    svm = StructuredSVM(Multiclass(), C=10.0).fit(*IRIS)
    before = svm.predict(IRIS[0])
    assert svm.verify(*IRIS).matches
    with pytest.raises(ValueError, match="trained on 150 examples"):
        svm.result_.verify(svm.problem_, IRIS[0][:6], ["x", "y", "z"] * 2)
    np.testing.assert_array_equal(svm.predict(IRIS[0]), before)
    with pytest.raises(ValueError, match="needs the outputs y"):
        svm.verify(IRIS[0])
    with pytest.raises(TypeError, match="the class Multiclass: pass an object"):
        svm.result_.verify(Multiclass, *IRIS)


def test_grid_search_over_a_problem_and_in_a_pipeline():
    grid = {"C": [1.0, 100.0], "problem__cost": [None, (1 - np.eye(3)).tolist()]}
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(StructuredSVM(Multiclass()), grid, cv=folds).fit(*IRIS)
    assert search.best_params_["C"] == 100.0 and search.best_score_ > 0.9
    pipeline = make_pipeline(StandardScaler(), MulticlassSVM(C=1.0, fit_intercept=True))
    grid = {"multiclasssvm__C": [1.0, 30.0], "multiclasssvm__cost": [None, 1 - np.eye(3)]}
    assert GridSearchCV(pipeline, grid, cv=3).fit(*IRIS).best_score_ > 0.93


# ---------------------------------------------------------------------- latent variables


class Unevaluated(Parts):
    """Its loss is of outputs, and nothing compares annotations."""

    evaluation_loss = None

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])


def test_predictions_are_outputs_and_annotations_are_scored():
    X, labels = parted(0, n=30)
    svm = StructuredSVM(Parts(), C=10.0).fit(X, labels)
    predictions = svm.predict(X)
    assert all(len(prediction) == 2 for prediction in predictions)
    right = np.mean([found == y for (found, _), y in zip(predictions, labels, strict=True)])
    assert svm.score(X, labels) == pytest.approx(right) and right > 0.9
    wrong = [(y + 1) % 3 for y in labels]
    assert svm.score(X, wrong) < 0.2
    assert svm.verify(X, labels).matches


def test_a_loss_that_does_not_take_annotations_says_what_to_define():
    X, labels = parted(0)
    svm = StructuredSVM(Unevaluated()).fit(X, labels)
    with pytest.raises(ProblemError, match=r"y an annotation: define evaluation_loss"):
        svm.score(X, labels)


def test_an_oracle_that_fails_for_an_incomplete_label_names_impute():
    class Incomplete(Parts):
        def impute(self, x, y, w):
            return y

    with pytest.raises(ProblemError, match=r"separation_oracle raised .*y is what impute returned"):
        StructuredSVM(Incomplete()).fit(*parted(0))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (-1.0, "^evaluation_loss must be >= 0; it is -1.0 for example 0$"),
        ("1", "^evaluation_loss must return a number for example 0; got str; y_hat is what decode"),
        (np.nan, "^evaluation_loss returned NaN or infinity for example 0"),
    ],
)
def test_an_evaluation_loss_is_checked(returned, message):
    class Wrong(Parts):
        def loss(self, y, y_hat):
            return float(y[0] != y_hat[0])

        def evaluation_loss(self, y, y_hat):
            return returned

    X, labels = parted(0)
    with pytest.raises(ProblemError, match=message):
        StructuredSVM(Wrong()).fit(X, labels).score(X, labels)


def test_the_random_state_reaches_the_start_of_the_solver_chosen():
    starts = []

    def fitted(random_state, **options):
        svm = StructuredSVM(
            LatentTopics(),
            C=10.0,
            random_state=random_state,
            callback=lambda iteration, w: starts.append(w),
            **options,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return svm.fit(topics_data())

    for seed in (0, 0, 1, np.random.RandomState(0), np.random.RandomState(0), None):
        fitted(seed, max_iter=1)
    assert np.array_equal(starts[0], starts[1]) and np.array_equal(starts[3], starts[4])
    assert len({w.tobytes() for w in starts}) == 4
    CCCP().solve(LatentTopics(), topics_data(), C=10.0, callback=lambda *at: starts.append(at[1]))
    assert np.array_equal(starts[6], starts[0])
    with pytest.raises(ValueError, match="random_state must be"):
        fitted("one")
    before = len(starts)
    fitted(1, solver=CCCP(max_iter=1))
    assert np.array_equal(starts[before], starts[0])
