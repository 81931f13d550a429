"""No inputs, and labels that were not trained on, in every estimator."""

import inspect
import re
import warnings
from functools import cache

import numpy as np
import pytest
from fitted_models import MODELS, fitted, model_of
from sklearn.model_selection import LeaveOneOut, cross_val_score

from structsvm.problems import (
    ChainSVM,
    DependencyParser,
    GraphSVM,
    MulticlassSVM,
    MultivariateSVM,
    SegmentSVM,
    TaxonomySVM,
)

fitted = cache(fitted)
#: Arguments of methods besides X.
ARGUMENTS = {"n": 2, "temperature": 1.0}


def methods(name):
    """The methods that apply the model to inputs, with their further arguments."""
    model, _ = fitted(name)
    for key in dir(type(model)):
        applies = re.fullmatch("predict(_(?!.*single).*)?|decision_function|decide|transform", key)
        if applies and hasattr(model, key):
            taken = ARGUMENTS.keys() & inspect.signature(getattr(model, key)).parameters
            yield key, {argument: ARGUMENTS[argument] for argument in taken}


@pytest.mark.parametrize("name", MODELS)
def test_no_inputs_have_no_outputs_where_these_are_a_list_and_are_refused_where_an_array(name):
    model, X = fitted(name)
    listed = isinstance(X, list) and not name.startswith("DecisionFocused")
    for key, arguments in methods(name):
        for nothing in ([], X[:0]):
            if listed:
                assert getattr(model, key)(nothing, **arguments) == []
                continue
            with pytest.raises(ValueError, match=r"^X has no rows; expected .*, test len\(X\)"):
                getattr(model, key)(nothing, **arguments)


@pytest.mark.parametrize("name", [name for name in MODELS if hasattr(fitted(name)[0], "score")])
def test_no_inputs_have_no_score(name):
    model, _ = fitted(name)
    options = {key: [] for key in model_of(name)[2]}
    with pytest.raises(ValueError, match=r"^X (is empty|has no|holds no)|^no example can"):
        model.score([], [], **options)


def test_a_table_without_rows_has_no_labels():
    model = ChainSVM(loss="log_loss").fit(np.eye(4), [*"abab"], groups=[1, 1, 2, 2])
    assert model.predict(np.empty((0, 4)), groups=[]).shape == (0,)
    assert model.predict_proba(np.empty((0, 4)), groups=[]).shape == (0, 2)


def replaced(y):
    """The same outputs with labels that no other has; heads, starts and stops stay."""
    if isinstance(y, np.ndarray):
        return np.full(y.shape, "strange" if y.dtype.kind == "U" else 77)
    if isinstance(y, tuple):
        return (*y[:-1], "strange")
    return [replaced(part) for part in y] if isinstance(y, list) else "strange"


PARSED = [[("a", "D"), ("dog", "N")], [("dogs", "N"), ("bark", "V")], [("go", "V")]]
TREES = [[(2, "det"), (0, "root")], [(2, "subj"), (0, "root")], [(0, "root")]]
#: Estimators whose score counts labels, each with its data.
LABELLED = (
    ChainSVM, DependencyParser, GraphSVM, MulticlassSVM, MultivariateSVM, SegmentSVM, TaxonomySVM,
)  # fmt: skip
OF_LABELS = {
    name: data for name in MODELS for model, data, _ in [model_of(name)]
    if isinstance(model, LABELLED) and name != "DependencyParser"
} | {"DependencyParser": (PARSED, TREES)}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")  # small data need not converge
@pytest.mark.parametrize("name", OF_LABELS)
def test_labels_that_were_not_trained_on_count_as_wrong(name):
    X, y = OF_LABELS[name]
    model = model_of(name)[0].fit(X, y)
    y = list(y) if not isinstance(y, np.ndarray) else y
    strange = replaced(y)
    with pytest.warns(UserWarning, match=r"(\d+) of \1 labels were not trained on: they count as"):
        assert model.score(X, strange) == 0.0
    mixed = [strange[0], *y[1:]] if isinstance(y, list) else np.append(strange[:1], y[1:])
    weights = np.arange(len(y)) > 0
    with pytest.warns(UserWarning, match="labels were not trained on: they count as wrong"):
        some = model.score(X, mixed)
    assert 0 < some < model.score(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(X, y, weights) > 0


@pytest.mark.parametrize("measure", ["error", "f1", "roc_area", "precision_at_k"])
def test_no_measure_counts_a_label_that_was_not_trained_on_as_right(measure):
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5), np.array([0, 0, 1, 1] * 5)
    model = MultivariateSVM(measure).fit(X, y)
    with pytest.warns(UserWarning, match="20 of 20 labels were not trained on"):
        assert model.score(X, y + 7) == 0.0
    with pytest.warns(UserWarning, match="1 of 20 labels were not trained on"):
        assert model.score(X, np.where(np.arange(20) == 0, 7, y)) < 1 == model.score(X, y)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["ChainSVM", "DependencyParser", "GraphSVM", "SegmentSVM"])
def test_leaving_one_out_gives_no_nan_where_only_it_has_a_label(name):
    X, y = ([data[i] for i in range(3)] for data in OF_LABELS[name])
    y[0] = replaced(y[0])
    scores = cross_val_score(model_of(name)[0], X, y, cv=LeaveOneOut(), error_score="raise")
    assert scores[0] == 0 and np.isfinite(scores).all()
