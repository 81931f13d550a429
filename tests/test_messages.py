"""An estimator that is called wrongly names itself or the argument."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from cases.estimators import ESTIMATORS
from fitted_models import MODELS, model_of
from scipy.sparse import csr_matrix, dok_matrix
from sklearn.base import clone

#: One model of every estimator.
NAMES = sorted({name.partition("-")[0] for name in MODELS})
PARAMETERS = {
    "C": (-1, "x", None, np.nan),
    "n_jobs": (0, "x", 1.5),
    "callback": (3, "x", lambda iteration: None),
    "solver": ("x", 3),
    "rtol": (-1, "x", 1.0, np.nan),
    "max_iter": (0, "x"),
    "time_limit": (-1, "x"),
    "verbose": ("x", -1),
    "n_init": (0, "x"),
    "n_clusters": (0, "x"),
    "kernel": ("x", 3),
    "early_stopping": ("x",),
    "warm_start": ("x",),
}


def refused(name, call, named):
    """The call fails with a message that names this, and no base class or module of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
    message = str(caught.value)
    assert re.search(rf"\b({named}|{name})\b", message), message
    bases = {base.__name__ for base in type(model_of(name)[0]).__mro__[1:-1]}  # not object
    assert not bases & set(re.findall(r"\w+", message)), message
    assert not re.search(r"structsvm\.[a-z_]+\.[a-z_]+", message), message


def wrong_inputs():
    return {
        "generator": (x for x in [1, 2]), "none": None, "number": 3, "dict": {"a": 1},
        "set": {1, 2}, "texts": ["a", "b", "c"], "text": "abc", "empty": [],
    }  # fmt: skip


def test_every_estimator_is_here():
    assert {type(estimator).__name__ for estimator in ESTIMATORS} <= set(NAMES)


@pytest.mark.parametrize("what", wrong_inputs())
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_X_is_named(name, what):
    model, (_, *others), options = model_of(name)
    wrong = wrong_inputs()[what]
    if what == "empty":
        others = [data[:0] for data in others]
    refused(name, lambda: model.fit(wrong, *others, **options), "X")


WITH_OUTPUTS = [name for name in NAMES if len(model_of(name)[1]) > 1]


@pytest.mark.parametrize("what", ["generator", "none", "number"])
@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_wrong_outputs_are_named(name, what):
    model, (X, _), options = model_of(name)
    refused(
        name, lambda: model.fit(X, wrong_inputs()[what], **options), "[Yy]|outputs|PartialChain"
    )


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_inputs_and_outputs_of_other_lengths_or_in_the_wrong_order_are_named(name):
    model, (X, Y), options = model_of(name)
    refused(name, lambda: model.fit(X, Y[:-1], **options), "[Yy]")
    refused(name, lambda: model.fit(Y, X, **options), "X|[Yy]|true costs")


ON_ROWS = [name for name in NAMES if isinstance(model_of(name)[1][0], np.ndarray)]


@pytest.mark.parametrize("name", ON_ROWS)
def test_the_place_of_NaN_is_named(name):
    model, (X, *others), options = model_of(name)
    X = np.array(X, dtype=float)
    X[3, 1] = np.nan
    refused(name, lambda: model.fit(X, *others, **options), "X contains NaN .* row 3, column 1")
    X = X.astype(object)
    X[3, 1] = pd.NA
    of_frame = "column 1 of X has no value in row 3|X has no value in row 3, column 1"
    for given in (X, X.tolist(), pd.DataFrame(X)):
        refused(name, lambda given=given: model.fit(given, *others, **options), of_frame)


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("name", NAMES)
def test_parameters_out_of_range_are_named(name, parameter):
    model, (X, *others), options = model_of(name)
    if parameter not in model.get_params(deep=False):
        return
    for value in PARAMETERS[parameter]:
        wrong = clone(model).set_params(**{parameter: value})
        refused(name, lambda model=wrong: model.fit(X, *others, **options), parameter)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_that_there_are_not_are_named(name):
    model, (X, *others), options = model_of(name)
    refused(name, lambda: type(model)(nonsense=3), "nothing")
    refused(name, lambda: type(model)(*range(50)), "nothing")
    refused(name, lambda: model.set_params(nonsense=3), "nonsense")
    # Python's own messages, which name the class in which the method is written.
    with pytest.raises(TypeError, match=r"fit.* got an unexpected keyword argument 'nonsense'"):
        model.fit(X, *others, **options, nonsense=3)
    with pytest.raises(TypeError, match=r"fit.* missing 1 required positional argument: 'X'"):
        model.fit()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'X'"):
        model.predict() if hasattr(model, "predict") else model.transform()
    if "checkpoint" in inspect.signature(model.fit).parameters:
        refused(name, lambda: model.fit(X, *others, **options, checkpoint=3), "checkpoint")


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_is_not_fitted_names_itself(name):
    model, X, _ = model_of(name)
    refused(name, lambda: (getattr(model, "predict", None) or model.transform)(X), "nothing")


def test_a_sparse_matrix_that_is_a_dict_is_a_matrix():
    model, (X, y), _ = model_of("MulticlassSVM")
    found, expected = (clone(model).fit(rows, y).coef_ for rows in (dok_matrix(X), csr_matrix(X)))
    np.testing.assert_array_equal(found, expected)
