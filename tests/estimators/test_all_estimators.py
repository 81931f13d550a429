"""A walk over all estimators: each has the parameters, methods and attributes that all share."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from fitted_models import MODELS, model_of
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from structsvm.data.containers import n_examples, take
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems import MMC

#: One model of every estimator; maps of features are transformers.
KINDS = {name.partition("-")[0]: type(make()[0]) for name, make in MODELS.items()}
KINDS = {name: kind for name, kind in KINDS.items() if hasattr(kind, "predict")}
#: Those that learn from outputs, and of these all that learn from several examples.
SUPERVISED = sorted(name for name in KINDS if issubclass(KINDS[name], StructuredEstimator))
ON_EXAMPLES = [name for name in SUPERVISED if name != "MultivariateSVM"]
CLUSTERERS = sorted(set(KINDS) - set(SUPERVISED))

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
#: Parameters of clusterers whose default is another than that of all.
OF_CLUSTERERS = {
    "max_iter": "there is a solver for each, with a limit of its own",
    "random_state": "results are drawn, as those of scikit-learn's clusterers",
    "rtol": "there is no other solver, whose own it could be",
    "C": "the loss is that of the model",
    "solver": "there are two programs, and one is the default",
}
#: Those that bring columns to one scale, or leave them as they are.
SCALING = [
    name for name in SUPERVISED
    if hasattr(KINDS[name], "scale") and name not in ("CorrelationClustering", "SupervisedKMeans")
]  # fmt: skip
#: Those with a rule for C='auto'. The others have a default that was measured as good as a rule
#: (docs/appendix/defaults.md), or a problem of any kind.
AUTOMATIC = {name for name, kind in KINDS.items() if getattr(kind, "C", None) == "auto"}


def signature(method):
    """Names of arguments that may be passed by position, and of all others."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    places = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return places, {p.name for p in parameters} - set(places)


def defaults(kind):
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def fitted(name, given=None, **parameters):
    """The first model of this name, fitted with these parameters and arguments."""
    model, data, options = model_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small data need not converge
        return clone(model).set_params(**parameters).fit(*data, **options, **(given or {}))


def units(name):
    """The example of every weight: the query of a document is one."""
    _, data, options = model_of(name)
    return options.get("qid", np.arange(n_examples(data[1])))


# ---------------------------------------------------------------------- parameters


@pytest.mark.parametrize("name", SUPERVISED)
def test_parameters_and_their_defaults_are_those_of_all(name):
    expected, found = defaults(StructuredEstimator), defaults(KINDS[name])
    assert {"C", "solver", "rtol", "max_iter", "time_limit", "warm_start"} <= set(found)
    assert name not in ON_EXAMPLES or set(expected) <= set(found)
    assert {key: expected[key] for key in found if key in expected and key != "C"} == {
        key: found[key] for key in found if key in expected and key != "C"
    }


@pytest.mark.parametrize("name", CLUSTERERS)
def test_parameters_of_clusterers_have_the_defaults_of_all(name):
    expected, found = defaults(StructuredEstimator), defaults(KINDS[name])
    different = {key for key in set(found) & set(expected) if found[key] != expected[key]}
    assert different <= set(OF_CLUSTERERS)
    of_mmc = defaults(MMC)
    if "search" in found:
        assert {key: found[key] for key in of_mmc} == of_mmc


@pytest.mark.parametrize("name", KINDS)
def test_one_parameter_may_be_passed_by_position_at_most(name):
    places, _ = signature(KINDS[name].__init__)
    assert places == ([POSITIONAL[name]] if name in POSITIONAL else [])


@pytest.mark.parametrize("name", KINDS)
def test_parameters_survive_a_clone_a_pickle_and_a_search(name):
    model = clone(model_of(name)[0])
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
    assert fitted(name, scale=None).scale_.tolist() == [1] * len(fitted(name).scale_)
    with pytest.raises(ValueError, match="scale must be 'auto' or None; got 'standard'"):
        fitted(name, scale="standard")


# ---------------------------------------------------------------------- methods


@pytest.mark.parametrize("name", SUPERVISED)
def test_methods_have_the_arguments_of_all(name):
    kind, groups = KINDS[name], GROUPS.get(name, set())
    places, others = signature(kind.fit)
    assert places == ["X", "y"] and {"w_prior", "checkpoint"} <= others
    if name in ON_EXAMPLES:
        held_out = {"X_val", "y_val"} | {f"{group}_val" for group in groups}
        assert others == {"sample_weight", "w_prior", "checkpoint"} | held_out | groups
    assert signature(kind.score) == (["X", "y", "sample_weight"], groups)
    places, others = signature(kind.verify)
    assert places == ["X", "y"]
    assert others >= groups | ({"sample_weight"} if name in ON_EXAMPLES else set())


@pytest.mark.parametrize("name", KINDS)
def test_inputs_are_the_one_place_of_predict(name):
    assert signature(KINDS[name].predict)[0] == ["X"]
    assert signature(KINDS[name].fit)[0] == ["X", "y"]


# ---------------------------------------------------------------------- behaviour


@pytest.mark.parametrize("name", SUPERVISED)
def test_an_example_of_weight_0_is_not_scored(name):
    model, (X, y, *_), options = fitted(name), *model_of(name)[1:]
    unit = units(name)
    used = unit % 3 != 1
    rows = np.flatnonzero(used)
    part = {key: value[rows] for key, value in options.items()}
    expected = model.score(take(X, rows), take(y, rows), **part)
    found = model.score(X, y, np.where(used, 2.0, 0.0), **options)
    assert found == pytest.approx(expected, abs=1e-12)
    assert model.score(X, y, np.ones(len(unit)), **options) == pytest.approx(
        model.score(X, y, **options)
    )


@pytest.mark.parametrize("name", ON_EXAMPLES)
def test_an_example_of_weight_0_is_not_trained_on(name):
    weights = np.where(units(name) == 0, 0.0, 1.0)
    model = fitted(name, {"sample_weight": weights})
    assert model.C_ == pytest.approx(model.result_.C)
    _, data, options = model_of(name)
    assert model.verify(*data[:2], **options, sample_weight=weights).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ON_EXAMPLES)
def test_C_is_the_same_where_examples_are_held_out(name):
    whole, stopped = fitted(name), fitted(name, early_stopping=True, validation_fraction=0.4)
    assert stopped.C_ == whole.C_ == stopped.result_.C
    held_out = stopped.validation_indices_
    assert 0 < len(held_out) < whole.result_.n_examples
    assert stopped.result_.n_examples == whole.result_.n_examples - len(held_out)
    assert whole.validation_indices_ is None and whole.validation_scores_ == []
    _, data, options = model_of(name)
    assert stopped.verify(*data[:2], **options).matches


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ON_EXAMPLES)
def test_examples_to_hold_out_may_be_given(name):
    _, (X, y), options = model_of(name)
    given = {"X_val": X, "y_val": y, **{f"{key}_val": of for key, of in options.items()}}
    model = fitted(name, given, early_stopping=True)
    assert model.validation_indices_ is None and model.validation_scores_
    assert model.result_.n_examples == fitted(name).result_.n_examples
    with pytest.raises(ValueError, match="set early_stopping=True to use them"):
        fitted(name, given)
    with pytest.raises(ValueError, match=r"X_val and y_val, .* must be given both, or neither"):
        fitted(name, {key: of for key, of in given.items() if key != "y_val"}, early_stopping=True)


@pytest.mark.parametrize("name", SUPERVISED)
def test_C_is_a_number_or_that_of_a_rule(name):
    assert fitted(name, C=3.0).C_ == 3.0
    if name in AUTOMATIC:
        assert defaults(KINDS[name])["C"] == "auto" and fitted(name).C_ > 0
    else:
        with pytest.raises(ValueError, match=f"{name} has no rule for C='auto'; C must be"):
            fitted(name, C="auto")
    words = "'auto' or 'cv'" if name in AUTOMATIC else "'cv'"
    expected = f"C, if not {words}, must be"
    with pytest.raises(ValueError, match=f"^{expected} a finite number > 0; got 'large'"):
        fitted(name, C="large")


@pytest.mark.filterwarnings("ignore:all examples have the same best decision")
@pytest.mark.parametrize("name", SUPERVISED)
def test_a_fit_that_fails_leaves_the_last_one_as_it_was(name):
    model, (X, y, *_), options = fitted(name), *model_of(name)[1:]
    before = dict(vars(model))
    with pytest.raises(TypeError, match="callback"):
        model.set_params(callback=3).fit(X, y, **options)
    assert {**vars(model), "callback": None} == before
    unfitted = clone(model)
    with pytest.raises(TypeError, match="callback"):
        unfitted.fit(X, y, **options)
    with pytest.raises(NotFittedError, match=name):
        unfitted.predict(X)


@pytest.mark.parametrize("name", SUPERVISED)
def test_a_warm_start_takes_no_more_passes(name):
    model, (X, y, *_), options = fitted(name, warm_start=True), *model_of(name)[1:]
    passes = model.n_iter_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.fit(X, y, **options).n_iter_ <= passes


@pytest.mark.parametrize("name", SUPERVISED)
def test_the_fit_is_reported_in_the_same_attributes(name):
    model, (X, *_), _ = fitted(name), *model_of(name)[1:]
    assert model.n_iter_ == model.result_.iterations
    assert model.w_.shape == (model.problem_.size_joint_feature,)
    np.testing.assert_array_equal(model.w_, model.result_.w)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        assert model.n_features_in_ == X.shape[1]
