"""The laws of all estimators: parameters, weights, C, what is held out, and fits that fail."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from cases.estimators import (
    DECLARED,
    KINDS,
    MODELS,
    ON_EXAMPLES,
    ON_ROWS,
    PUBLIC,
    SUPERVISED,
    applied,
    fitted,
    made,
    model_of,
    quietly,
    refitted,
)
from cases.forms import changed
from model_files import names_in
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from structsvm import load, save
from structsvm.data.containers import n_examples, take
from structsvm.estimators.cross_validation import FOLDS, STEP
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems import MMC, SDPMMC, PairMap
from structsvm.saving.names import find, name_of

#: The one parameter that a person would pass by position.
POSITIONAL = {
    "BayesianMMC": "n_clusters", "CPM3C": "n_clusters", "CorrelationClustering": "oracle",
    "DecisionFocusedRegressor": "optimize",
    "LatentSVM": "problem", "MultiLabelSVM": "structure", "MultivariateMMC": "n_clusters",
    "MultivariateSVM": "measure", "RankingSVM": "measure", "SegmentSVM": "features",
    "StructuredSVM": "problem", "SupervisedKMeans": "oracle", "TaxonomySVM": "taxonomy",
}  # fmt: skip
#: What X does not say: the sequence or the query of a row.
GROUPS = {"ChainSVM": {"groups"}, "RankingSVM": {"qid"}}
#: Parameters of clusterers whose default is another than that of all: each has its own program,
#: and results are drawn, as those of scikit-learn's clusterers.
OF_CLUSTERERS = {"max_iter", "random_state", "rtol", "C", "solver"}
#: Those that bring columns to one scale, or leave them as they are.
SCALING = [
    name for name in SUPERVISED
    if hasattr(KINDS[name], "scale") and name not in ("CorrelationClustering", "SupervisedKMeans")
]  # fmt: skip
#: Those with a rule for C='auto'. The others have a default that was measured as good as a rule
#: (docs/appendix/defaults.md), or a problem of any kind.
AUTOMATIC = {name for name, kind in KINDS.items() if getattr(kind, "C", None) == "auto"}
#: Those whose objective is convex.
CONVEX = [name for name in ON_EXAMPLES if name != "LatentSVM"]


def signature(method):
    """Names of arguments that may be passed by position, and of all others."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    places = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return places, {p.name for p in parameters} - set(places)


def defaults(kind):
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def units(name):
    """The example of every weight: the query of a document is one."""
    _, data, options = model_of(name)
    return options.get("qid", np.arange(n_examples(data[1])))


# ---------------------------------------------------------------------- parameters


def test_each_estimator_declares_what_pages_and_tests_ask():
    kinds = [kind for kind in PUBLIC if isinstance(kind, type) and hasattr(kind, "predict")]
    assert MMC in kinds
    assert sorted(map(repr, kinds)) == sorted(map(repr, DECLARED))
    assert all("about" in vars(kind) for kind in kinds)  # and inherits it from no other
    assert {*kinds, PairMap} <= {type(made(name)[0]) for name in MODELS}


@pytest.mark.parametrize("name", KINDS)
def test_parameters_and_their_defaults_are_those_of_all(name):
    expected, found = defaults(StructuredEstimator), defaults(KINDS[name])
    different = {key for key in {*found} & {*expected} if found[key] != expected[key]}
    assert signature(KINDS[name].__init__)[0] == ([POSITIONAL[name]] if name in POSITIONAL else [])
    if name in SUPERVISED:
        assert different <= {"C"}
        assert {"C", "solver", "rtol", "max_iter", "time_limit", "warm_start"} <= {*found}
        assert name not in ON_EXAMPLES or {*expected} <= {*found}
        return
    assert different <= OF_CLUSTERERS
    assert ("callback" in found) == (name == "SDPMMC")  # the others train by no one solver
    if "search" in found:
        of_mmc = defaults(MMC)
        assert {key: found[key] for key in of_mmc} == of_mmc


@pytest.mark.parametrize("name", KINDS)
def test_methods_have_the_arguments_of_all(name):
    kind, groups = KINDS[name], GROUPS.get(name, set())
    assert signature(kind.predict)[0] == ["X"]
    places, others = signature(kind.fit)
    assert places == ["X", "y"]
    if name not in SUPERVISED:
        return
    assert {"w_prior", "checkpoint"} <= others
    assert signature(kind.score) == (["X", "y", "sample_weight"], groups)
    if name in ON_EXAMPLES:
        held_out = {"X_val", "y_val"} | {f"{group}_val" for group in groups}
        assert others == {"sample_weight", "w_prior", "checkpoint"} | held_out | groups
        assert hasattr(kind, "set_fit_request")
    places, others = signature(kind.verify)
    assert places == ["X", "y"]
    assert others >= groups | ({"sample_weight"} if name in ON_EXAMPLES else set())


@pytest.mark.parametrize("name", KINDS)
def test_parameters_survive_a_clone_and_a_pickle(name):
    model = model_of(name)[0]
    before = {"n_iter_no_change": 3, "verbose": 1, "time_limit": 9.0, "random_state": 4}
    own = model.get_params(deep=False)
    model.set_params(**{key: value for key, value in before.items() if key in own})
    for copy in (clone(model), pickle.loads(pickle.dumps(model))):
        if name != "TaxonomySVM":  # its graph has no repr of its own
            assert repr(copy) == repr(model)
        assert list(copy.get_params()) == list(model.get_params())
    assert set(model.get_params(deep=False)) == set(defaults(KINDS[name])) == set(vars(model))


@pytest.mark.parametrize("name", SCALING)
def test_scale_is_auto_or_none(name):
    assert defaults(KINDS[name])["scale"] == "auto"
    assert set(refitted(name, scale=None).scale_) == {1}
    with pytest.raises(ValueError, match="scale must be 'auto' or None; got 'standard'"):
        refitted(name, scale="standard")


# ---------------------------------------------------------------------- what is fitted


@pytest.mark.parametrize("name", SUPERVISED)
def test_the_fit_is_reported_in_the_same_attributes(name):
    model, given = fitted(name)
    assert model.n_iter_ == model.result_.iterations
    assert model.w_.shape == (model.problem_.size_joint_feature,)
    np.testing.assert_array_equal(model.w_, model.result_.w)
    if isinstance(given, np.ndarray) and given.ndim == 2:
        assert model.n_features_in_ == given.shape[1]
    assert model.validation_indices_ is None and model.validation_scores_ == []


@pytest.mark.parametrize("name", SUPERVISED)
def test_C_is_a_number_or_that_of_a_rule(name):
    assert refitted(name, C=3.0).C_ == 3.0
    if name in AUTOMATIC:
        assert defaults(KINDS[name])["C"] == "auto" and fitted(name)[0].C_ > 0
    else:
        with pytest.raises(ValueError, match=f"{name} has no rule for C='auto'; C must be"):
            refitted(name, C="auto")
    words = "'auto' or 'cv'" if name in AUTOMATIC else "'cv'"
    with pytest.raises(ValueError, match=f"^C, if not {words}, must be a finite number > 0; got"):
        refitted(name, C="large")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", SUPERVISED)
def test_C_of_cross_validation_has_the_best_mean_score_of_the_path(name):
    model, first = refitted(name, C="cv"), fitted(name)[0]
    path, scores = model.C_path_, model.cv_scores_
    assert len(path) >= 2 and scores.shape == (len(path), FOLDS)
    np.testing.assert_allclose(path[1:] / path[:-1], STEP)
    assert np.isclose(path, first.C_ if name in AUTOMATIC else defaults(KINDS[name])["C"]).any()
    assert model.C_ == path[scores.mean(axis=1).argmax()]
    assert first.C_path_ is None and first.cv_scores_ is None
    np.testing.assert_array_equal(refitted(name, C=float(model.C_)).w_, model.w_)


@pytest.mark.parametrize("name", SUPERVISED)
def test_a_warm_start_takes_no_more_passes(name):
    model = refitted(name, warm_start=True)
    passes, (_, data, options) = model.n_iter_, model_of(name)
    assert quietly(model.fit, *data, **options).n_iter_ <= passes


@pytest.mark.parametrize("name", SUPERVISED)
def test_a_fit_that_fails_leaves_the_last_one_as_it_was(name):
    unfitted, data, options = model_of(name)
    model = pickle.loads(pickle.dumps(fitted(name)[0]))
    before = dict(vars(model))
    with pytest.raises(TypeError, match="callback"):
        model.set_params(callback=3).fit(*data, **options)
    assert {**vars(model), "callback": None} == before
    with pytest.raises(TypeError, match="callback"):
        unfitted.set_params(callback=3).fit(*data, **options)
    for method, given in (("predict", data[:1]), ("score", data), ("verify", data)):
        with pytest.raises(NotFittedError, match=name):
            getattr(unfitted, method)(*given)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONVEX)
def test_any_number_of_jobs_has_the_same_bits(name):
    one, two = (refitted(name, n_jobs=n_jobs, max_iter=3) for n_jobs in (1, 2))
    np.testing.assert_array_equal(two.w_, one.w_)
    given = model_of(name)[1][0]
    np.testing.assert_equal(applied(two, given), applied(one, given))


# ---------------------------------------------------------------------- weights


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["MulticlassSVM-balanced", *CONVEX])
def test_a_weight_is_a_number_of_copies_in_any_order(name):
    if name == "RankingSVM":
        pytest.skip("its weights are those of queries")
    model, (X, y), _ = model_of(name)
    weights = np.resize([2, 1, 3, 0, 2], len(y))
    copies = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), weights))
    model.set_params(rtol=1e-6)
    expected = clone(model).fit(take(X, copies), take(y, copies)).result_
    found = model.fit(X, y, sample_weight=weights).result_
    assert found.C == pytest.approx(expected.C)
    assert found.primal == pytest.approx(expected.primal, rel=1e-5)
    np.testing.assert_allclose(found.w, expected.w, atol=5e-3 * np.sqrt(2 * expected.primal))
    assert model.verify(X, y, sample_weight=weights).matches


@pytest.mark.parametrize("name", SUPERVISED)
def test_an_example_of_weight_0_is_neither_scored_nor_trained_on(name):
    model, (_, (X, y), options) = fitted(name)[0], model_of(name)
    unit = units(name)
    rows = np.flatnonzero(unit % 3 != 1)
    part = {key: value[rows] for key, value in options.items()}
    expected = model.score(take(X, rows), take(y, rows), **part)
    found = model.score(X, y, np.where(unit % 3 != 1, 2.0, 0.0), **options)
    assert found == pytest.approx(expected, abs=1e-12)
    for size in (1.0, 1e-320, 1e308):
        weighted = model.score(X, y, np.full(len(unit), size), **options)
        assert weighted == pytest.approx(model.score(X, y, **options))
    if name in ON_EXAMPLES:
        weights = np.where(unit == 0, 0.0, 1.0)
        weighted = refitted(name, {"sample_weight": weights})
        assert weighted.C_ == pytest.approx(weighted.result_.C)
        assert weighted.verify(X, y, **options, sample_weight=weights).matches


#: Weights that are refused, made of ones, and what the message says.
UNUSABLE = [
    (lambda weights: weights[:-1], "sample_weight must hold .* got shape"),
    (lambda weights: -weights, r"sample_weight\[0\] is -1"),
    (lambda weights: np.nan * weights, r"sample_weight\[0\] is nan"),
    (lambda weights: 0 * weights, "sample_weight is zero for all"),
    (lambda weights: 1j * weights, "sample_weight must hold real numbers"),
    (lambda weights: weights.astype(str), "sample_weight must hold real numbers"),
    (lambda weights: [10**400, *weights[1:]], "sample_weight must hold real numbers"),
    (lambda weights: np.ma.masked_array(weights, weights > 0), "must not be masked"),
    (lambda weights: (1.0 for _ in weights), r"sample_weight is an iterator.*list\(sample_w"),
]


@pytest.mark.parametrize("name", ON_EXAMPLES)
def test_unusable_weights_are_named(name):
    model, data, options = model_of(name)
    for change, message in UNUSABLE:
        for call in (model.fit, fitted(name)[0].score):
            with pytest.raises(ValueError, match=message):
                call(*data, **options, sample_weight=change(np.ones(len(units(name)))))


# ---------------------------------------------------------------------- held-out examples


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ON_EXAMPLES)
def test_what_is_held_out_is_not_trained_on(name):
    whole, (_, (X, y), options) = fitted(name)[0], model_of(name)
    stopped = refitted(name, early_stopping=True, validation_fraction=0.4)
    assert stopped.C_ == whole.C_ == stopped.result_.C
    held_out = stopped.validation_indices_
    assert 0 < len(held_out) < whole.result_.n_examples
    assert stopped.result_.n_examples == whole.result_.n_examples - len(held_out)
    assert stopped.verify(X, y, **options).matches
    given = {"X_val": X, "y_val": y, **{f"{key}_val": of for key, of in options.items()}}
    model = refitted(name, given, early_stopping=True)
    assert model.validation_indices_ is None and model.validation_scores_
    assert model.result_.n_examples == whole.result_.n_examples
    with pytest.raises(ValueError, match="set early_stopping=True to use them"):
        refitted(name, given)
    del given["y_val"]
    with pytest.raises(ValueError, match=r"X_val and y_val, .* must be given both, or neither"):
        refitted(name, given, early_stopping=True)


# ---------------------------------------------------------------------- priors


def weights_given(model):
    """Weights for the features as they were given, whatever the scale of the columns."""
    return model._encoding.weights_given(model.w_, model.problem_)


@pytest.mark.filterwarnings("ignore:training ended at w_prior")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*CONVEX, "MultivariateSVM"])
def test_weights_are_carried_for_the_features_as_they_were_given(name):
    source, (_, (X, y), options) = fitted(name)[0], model_of(name)
    given, larger = weights_given(source), changed(X, lambda x: 7 * x)

    def with_prior(prior, **parameters):
        model = model_of(name)[0].set_params(**parameters)
        return quietly(model.fit, larger, y, **options, w_prior=prior)

    # With a tiny C the prior is kept.
    kept = with_prior(source, C=1e-12)
    np.testing.assert_allclose(weights_given(kept), given, atol=1e-6 * abs(given).max())
    by_array = with_prior(given, C=1e-12)
    np.testing.assert_allclose(by_array.w_, kept.w_, atol=1e-9 * abs(kept.w_).max())
    with pytest.raises(ValueError, match="w_prior must not be masked"):
        with_prior(np.ma.array(given, mask=given > 0))
    # An estimator may be its own prior.
    again = pickle.loads(pickle.dumps(source)).set_params(C=1e-12)
    quietly(again.fit, larger, y, **options, w_prior=again)
    np.testing.assert_array_equal(again.w_, kept.w_)
    # With the usual C it is another objective, whose certificate holds.
    near = with_prior(source)
    assert near.verify(larger, y, **options).matches
    assert not np.array_equal(near.w_, with_prior(None).w_)


# ---------------------------------------------------------------------- saving

#: Modules whose names files may hold.
FOR_FILES = ("structsvm", "structsvm.features", "structsvm.planes", "structsvm.problems")


def assert_alike(a, b):
    """Equal to the last bit, also inside of lists and tuples."""
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        for one, other in zip(a, b, strict=True):
            assert_alike(one, other)
    else:
        np.testing.assert_array_equal(a, b)


def through_skops(model):
    io = pytest.importorskip("skops.io", reason="skops is not installed")
    data = io.dumps(model)
    return io.loads(data, trusted=io.get_untrusted_types(data=data))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_loaded_as_it_was_saved(name, tmp_path):
    path = tmp_path / "model.npz"
    save(model_of(name)[0], path)
    assert load(path).get_params().keys() == model_of(name)[0].get_params().keys()
    model, X = fitted(name)
    save(model, path)
    again = load(path)
    assert type(again) is type(model) and vars(again).keys() == vars(model).keys()
    for other in (again, pickle.loads(pickle.dumps(model)), through_skops(model)):
        assert_alike(applied(other, X), applied(model, X))
    stored = {name for name in names_in(path) if name.startswith("structsvm")}
    assert stored
    for place in stored:
        assert place.partition(":")[0] in FOR_FILES
        assert name_of(find(place)) == place


# ---------------------------------------------------------------------- scikit-learn


class Following:
    """A callback of scikit-learn that keeps the models it is given."""

    def __init__(self):
        self.begun, self.models = 0, []

    def setup(self, estimator, context):
        self.begun += 1

    def teardown(self, estimator, context):
        self.begun -= 1

    def on_fit_task_begin(self, estimator, context):
        self.begun += 1

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        self.begun -= 1
        self.models += [fitted_estimator] if fitted_estimator is not None else []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in MODELS if type(made(name)[0]) in KINDS.values()])
def test_callbacks_of_scikit_learn_are_told_of_passes(name):
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")
    model, data, options = model_of(name)
    following = Following()
    quietly(model.set_callbacks(following).fit, *data, **options)
    passes = model.n_iter_ if isinstance(model, StructuredEstimator) else 0
    assert following.begun == 0 and len(following.models) == passes + 1
    for one in (following.models[0], following.models[-1]):
        applied(one, data[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("estimator", ON_ROWS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, np.float32])
def test_training_spills_no_warnings(estimator, convert):
    if convert is sparse.csr_matrix and not get_tags(estimator).input_tags.sparse:
        pytest.skip("it takes dense X")
    # Classes that overlap: where they do not, the objective of a fit in single precision may be so
    # small that its rounding errors are above the tolerance, which a warning says.
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=4.0, random_state=0)
    labels = None
    if is_classifier(estimator):
        labels = y if get_tags(estimator).classifier_tags.multi_class else y == 0
    # Two clusters of three such classes are undecided, which a warning of SDPMMC says.
    settings = {"n_clusters": 3} if isinstance(estimator, SDPMMC) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(estimator).set_params(**settings).fit(convert(X), labels).predict(convert(X))
