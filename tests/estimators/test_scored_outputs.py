"""The outputs at ``score``: as many as inputs, none masked and none missing, by any estimator."""

import warnings

import numpy as np
import pytest
from fitted_models import MODELS, fitted, model_of

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


@pytest.mark.parametrize("name", ["MulticlassSVM", "TaxonomySVM", "MultivariateSVM"])
def test_a_label_for_each_row_is_asked_for_as_scikit_learn_does(name):
    model, (X, y) = fitted(name)[0], model_of(name)[1]
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples \[{len(y)}, 3\]"):
        model.score(X, list(y[:3]))
