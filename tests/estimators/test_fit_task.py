"""Callbacks of scikit-learn, which are told of every pass of a fit."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from structsvm import Blocks, OneSlackCuttingPlane, load, save
from structsvm.problems import (
    SDPMMC,
    BayesianMMC,
    ChainSVM,
    MulticlassSVM,
    MultivariateSVM,
    RankingSVM,
)
from structsvm.results.status import Status

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")

X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]
WEIGHTS = np.linspace(1, 2, len(y))


class Noting:
    """A callback that notes what it is told, and stops the fit after some passes."""

    def __init__(self, passes=np.inf):
        self.passes, self.told, self.models, self.given = passes, [], [], []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X, y):
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.told.append(f"end {context.task_name}")
        self.given.append((X, y, metadata))
        if context.task_name == "pass" and fitted_estimator is not None:
            self.models.append(fitted_estimator)
        return len(self.models) >= self.passes


def test_a_fit_is_a_task_and_its_passes_are_subtasks():
    noting = Noting()
    svm = MulticlassSVM().set_callbacks(noting).fit(X, y, sample_weight=WEIGHTS)
    told = ["setup", "begin fit", *["begin pass", "end pass"] * (svm.n_iter_ + 1)]
    assert noting.told == [*told, "end fit", "teardown"]  # the last pass was begun and not made
    assert len(noting.models) == svm.n_iter_
    assert all(model._fit_task is None for model in [svm, *noting.models])
    passes = noting.given[:-2]
    assert all(a is X and b is y and c["sample_weight"] is WEIGHTS for a, b, c in passes)


def test_the_model_of_a_pass_is_that_of_a_fit_that_ends_there():
    noting = Noting()
    svm = MulticlassSVM(solver=OneSlackCuttingPlane())
    svm.set_callbacks(noting).fit(X, y)
    assert len(noting.models) == svm.n_iter_ > 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in (1, 4, 9):
            model, solver = noting.models[k - 1], OneSlackCuttingPlane(max_iter=k)
            short = clone(svm).set_callbacks().set_params(solver=solver).fit(X, y)
            np.testing.assert_array_equal(model.coef_, short.coef_)
            assert model.score(X, y) == short.score(X, y)
            assert model.n_iter_ == k and model.result_.primal == short.result_.primal
    assert np.array_equal(noting.models[-1].w_, svm.w_)


def test_a_callback_stops_the_fit_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svm = MulticlassSVM(C=1e4).set_callbacks(Noting(passes=3)).fit(X, y)
    assert svm.result_.status is Status.STOPPED and svm.n_iter_ == 3


def test_the_parameter_callback_goes_on_working():
    noting, passes = Noting(), []
    svm = MulticlassSVM(callback=lambda iteration, w: passes.append(w.shape))
    svm.set_callbacks(noting).fit(X, y)
    assert len(passes) == len(noting.models) == svm.n_iter_
    assert clone(svm).set_params(callback=lambda *_: True).fit(X, y).n_iter_ == 1


def test_a_fit_that_fails_tears_down_and_leaves_the_last_one():
    noting = Noting()
    svm = MulticlassSVM().set_callbacks(noting).fit(X, y)
    before = dict(vars(svm))
    noting.told, noting.passes = [], "many"  # no number
    with pytest.raises(TypeError, match="'>=' not supported"):
        svm.fit(X, y)
    assert noting.told[:3] == ["setup", "begin fit", "begin pass"]
    assert noting.told[-1] == "teardown"
    assert vars(svm) == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_of_all_fits_of_a_search_come_back(n_jobs):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    search = GridSearchCV(MulticlassSVM().set_callbacks(monitor), {"C": [1.0, 100.0]}, cv=2)
    search.set_params(n_jobs=n_jobs).fit(X, y)
    rows = monitor.get_logs().data
    assert len({row["parent_task_id_path"][:3] for row in rows if row["task_name"] == "pass"}) == 5
    last = max(
        (row for row in rows if row["task_id_path"][:2] == (0, 1)), key=lambda r: r["task_id"]
    )
    assert last["accuracy"] == search.score(X, y) == search.best_estimator_.score(X, y)
    cross_validate(MulticlassSVM().set_callbacks(monitor), X, y, cv=3, n_jobs=n_jobs)
    assert len(monitor.get_logs("all")) == 1 + 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_progress_bar_of_a_search_shows_each_fit(n_jobs, capsys):
    pytest.importorskip("rich", reason="rich draws the bars")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), MulticlassSVM()), {"multiclasssvm__C": [1.0, 9.0]}, cv=2
    )
    search.set_params(n_jobs=n_jobs)
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(X, y)
    shown = capsys.readouterr().out
    assert shown.count("fit-final-estimator | Mul") == 5


def test_callbacks_survive_copies_and_pickles_and_are_left_out_of_files(tmp_path):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    svm = MulticlassSVM().set_callbacks(monitor).fit(X, y)
    assert clone(svm)._skl_callbacks == [monitor]
    assert len(pickle.loads(pickle.dumps(svm)).fit(X, y)._skl_callbacks[0].get_logs("all")) == 2
    save(svm, tmp_path / "model.npz")
    loaded = load(tmp_path / "model.npz")
    assert "_skl_callbacks" not in vars(loaded) and np.array_equal(loaded.w_, svm.w_)


@pytest.mark.parametrize(
    ("estimator", "labels"),
    [
        (MulticlassSVM(C="cv"), y),
        (MultivariateSVM(C="cv"), y == 1),
        (BayesianMMC(3, multi_class="bisecting", calibrate=True, n_init=1), None),
    ],
)
def test_fits_that_a_fit_makes_for_itself_are_not_told_of(estimator, labels):
    noting = Noting()
    estimator.set_callbacks(noting).fit(X, labels)
    assert noting.told.count("setup") == noting.told.count("end fit") == 1


def test_one_cluster_in_a_pipeline_takes_no_callbacks():
    noting = Noting()
    noting.max_propagation_depth = None
    pipe = make_pipeline(StandardScaler(), SDPMMC(n_clusters=1)).set_callbacks(noting)
    assert pipe.fit(X)[-1].labels_.any() == 0


def own_score(model, X, y, **given):
    return {"score": model.score(X, y, **given)}


SENTENCES = [[["a", "b"], ["b"]], [["b"], ["a"]]] * 5, [["x", "y"], ["y", "x"]] * 5


@pytest.mark.parametrize(
    ("model", "data", "options"),
    [
        (ChainSVM(), SENTENCES, {}),
        (ChainSVM(), SENTENCES, {"sample_weight": np.ones(10)}),
        (RankingSVM(), (X, y), {"qid": np.arange(len(y)) % 5}),
    ],
)
def test_scores_of_other_estimators_are_their_own(model, data, options):
    model.set_callbacks(callback.ScoringMonitor(scoring="accuracy"))
    with pytest.raises(ValueError, match=r"may need scoring=f, where .*; ValueError: "):
        model.fit(*data, **options)
    monitor = callback.ScoringMonitor(scoring=own_score)
    model.set_callbacks(monitor).fit(*data, **options)
    assert monitor.get_logs().data[-1]["score"] == model.score(*data, **options)


def test_a_monitor_of_blocks_is_refused():
    svm = MulticlassSVM().set_callbacks(callback.ScoringMonitor(scoring="accuracy"))
    with pytest.raises(ValueError, match="ScoringMonitor needs all examples in memory: leave it"):
        svm.fit(Blocks([(X, y)]))
    noting = Noting()
    svm.set_callbacks(noting).fit(Blocks([(X, y)]))
    assert len(noting.models) == svm.n_iter_


def test_probabilities_are_scored_after_each_pass():
    monitor = callback.ScoringMonitor(scoring="neg_log_loss")
    MulticlassSVM(loss="log_loss").set_callbacks(monitor).fit(X, y)
    scores = [row["neg_log_loss"] for row in monitor.get_logs().data if "neg_log_loss" in row]
    assert len(scores) > 3 and scores[-1] > scores[1]  # the first is of the whole fit
