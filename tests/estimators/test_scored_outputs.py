"""Labels of rows in all forms that ``fit`` and ``score`` take, and missing ones."""

import numpy as np
import pandas as pd
import pytest
from cases.estimators import fitted, model_of
from sklearn.exceptions import DataConversionWarning

OF_ROWS = ["MulticlassSVM", "TaxonomySVM", "MultivariateSVM"]


@pytest.mark.parametrize("name", OF_ROWS)
def test_labels_are_scored_in_the_forms_in_which_they_are_fitted(name):
    model, (X, y) = fitted(name)[0], model_of(name)[1]
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples \[{len(y)}, 3\]"):
        model.score(X, list(y[:3]))
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
