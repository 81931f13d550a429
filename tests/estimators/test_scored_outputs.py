"""The outputs at ``score``: as many as inputs, none masked and none missing, by any estimator."""

import warnings

import numpy as np
import pandas as pd
import pytest
from fitted_models import MODELS, fitted, model_of
from sklearn.exceptions import DataConversionWarning

SCORED = [name for name in MODELS if hasattr(model_of(name)[0], "score")]
#: Outputs of a latent problem may be missing.
COMPLETE = [name for name in SCORED if name != "LatentSVM"]


def one(y, label):
    """y with one label replaced."""
    if isinstance(y, np.ndarray):
        changed = y.astype(object if y.dtype.kind in "OU" else float)
        changed.flat[0] = label
        return changed
    return [label, *y[1:]]


def masked(y):
    """y with one masked entry, in the first output where there is an array for each."""
    whole = isinstance(y, np.ndarray)
    first = np.ma.array(y if whole else y[0])
    first[(0,) * first.ndim] = np.ma.masked
    return first if whole else [first, *y[1:]]


WRONG = {
    "shorter": lambda y: y[:-1],
    "longer": lambda y: np.concatenate([y, y[:1]]) if isinstance(y, np.ndarray) else [*y, y[0]],
    "masked": masked,
    "missing": lambda y: one(y, None),
    "nan": lambda y: one(y, np.nan),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("name", COMPLETE)
def test_wrong_outputs_are_refused(name, kind):
    model, (X, y), options = fitted(name)[0], model_of(name)[1], model_of(name)[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError) as error:
            model.score(X, WRONG[kind](y), **options)
    if kind in ("shorter", "longer"):
        assert str(len(WRONG[kind](y))) in str(error.value)


@pytest.mark.parametrize("kind", ["shorter", "longer"])
def test_annotations_to_score_are_as_many_as_inputs(kind):
    model, (X, y) = fitted("LatentSVM")[0], model_of("LatentSVM")[1]
    with pytest.raises(ValueError, match="they must be equal"):
        model.score(X, WRONG[kind](y))


OF_ROWS = ["MulticlassSVM", "TaxonomySVM", "MultivariateSVM"]


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_label_for_each_row_is_asked_for_as_scikit_learn_does(name):
    model, (X, y) = fitted(name)[0], model_of(name)[1]
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples \[{len(y)}, 3\]"):
        model.score(X, list(y[:3]))


@pytest.mark.parametrize("name", OF_ROWS)
def test_labels_are_scored_in_the_forms_in_which_they_are_fitted(name):
    model, (X, y) = fitted(name)[0], model_of(name)[1]
    for column in (np.reshape(y, (-1, 1)), pd.DataFrame({"y": y})):
        for call in (model_of(name)[0].fit, model.score):
            with pytest.warns(DataConversionWarning):
                found = call(X, column)
        assert found == model.score(X, y)
    one_hot = np.eye(2)[np.arange(len(y)) % 2]
    for call in (model_of(name)[0].fit, model.score):
        with pytest.raises(ValueError, match=r"; pass y\.argmax\(axis=1\)$"):
            call(X, one_hot)
    for other in (np.reshape(y, (-1, 1, 1)), np.stack([y, y], axis=1)):
        with pytest.raises(ValueError, match=r"got shape \([\d, ]+\)(; pass y\.ravel\(\))?$"):
            model.score(X, other)


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_missing_label_is_named_by_its_row(name):
    model, (X, y) = model_of(name)[0], model_of(name)[1]
    numbers = pd.Series(np.arange(len(y)) % 2).where(np.arange(len(y)) != 1)
    objects = [numbers.astype(object).where(numbers.notna(), v) for v in (None, pd.NA, np.nan)]
    for missing in (numbers, numbers.astype("Int64").array, numbers.to_frame(), *objects):
        for given in (missing, np.asarray(missing), np.asarray(missing).tolist()):
            with pytest.raises(ValueError, match="first in row 1; every row needs a label"):
                model.fit(X, given)
