"""The laws of what all estimators are given: errors name what is wrong, and forms do not matter."""

import inspect
import re
import tracemalloc
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from cases.estimators import MODELS, OPTIONS, applied, fitted, model_of, quietly
from cases.forms import changed, in_format, read_only
from scipy import sparse
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.utils import get_tags

from structsvm.problems import (
    ChainSVM,
    DependencyParser,
    GraphSVM,
    MulticlassSVM,
    MultivariateSVM,
    SegmentSVM,
    TaxonomySVM,
)

#: One model of every estimator.
NAMES = [name for name in MODELS if "-" not in name]
WITH_OUTPUTS = [name for name in NAMES if len(model_of(name)[1]) > 1]
ON_ARRAYS = [name for name in NAMES if isinstance(model_of(name)[1][0], np.ndarray)]
#: Outputs of a latent problem may be missing.
SCORED = [name for name in WITH_OUTPUTS if hasattr(model_of(name)[0], "score")]


def refused(name, call, named):
    """The call fails with a message that names this, and no base class or module of ours."""
    with pytest.raises((ValueError, TypeError)) as caught:
        quietly(call)
    message = str(caught.value)
    assert re.search(rf"\b({named}|{name})\b", message), message
    bases = {base.__name__ for base in type(model_of(name)[0]).__mro__[1:-1]}  # not object
    assert not bases & set(re.findall(r"\w+", message)), message
    assert not re.search(r"structsvm\.[a-z_]+\.[a-z_]+", message), message


# ---------------------------------------------------------------------- errors


def wrong_inputs():
    return {
        "generator": (x for x in [1, 2]), "none": None, "number": 3, "dict": {"a": 1},
        "set": {1, 2}, "texts": ["a", "b", "c"], "text": "abc", "empty": [],
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_X_is_named(name):
    model, (_, *others), options = model_of(name)
    for what, wrong in wrong_inputs().items():
        given = [data[:0] for data in others] if what == "empty" else others
        refused(name, lambda X=wrong, y=given: model.fit(X, *y, **options), "X")


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_wrong_outputs_are_named(name):
    model, (X, Y), options = model_of(name)
    for what in ("generator", "none", "number"):
        wrong = wrong_inputs()[what]
        refused(name, lambda y=wrong: model.fit(X, y, **options), "[Yy]|outputs|PartialChain")
    refused(name, lambda: model.fit(X, Y[:-1], **options), "[Yy]")
    refused(name, lambda: model.fit(Y, X, **options), "X|[Yy]|true costs")


@pytest.mark.parametrize("name", ON_ARRAYS)
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
    "warm_start": ("x", None, 2.0, [True], np.ones(2)),
    "fit_intercept": ("x", None, 2.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_out_of_range_are_named(name):
    model, (X, *others), options = model_of(name)
    for parameter in PARAMETERS.keys() & model.get_params(deep=False):
        for value in PARAMETERS[parameter]:
            wrong = model_of(name)[0].set_params(**{parameter: value})
            refused(name, lambda model=wrong: model.fit(X, *others, **options), parameter)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_that_there_are_not_are_named(name):
    model, data, options = model_of(name)
    refused(name, lambda: type(model)(nonsense=3), "nothing")
    refused(name, lambda: type(model)(*range(50)), "nothing")
    refused(name, lambda: model.set_params(nonsense=3), "nonsense")
    # Python's own messages, which name the class in which the method is written.
    with pytest.raises(TypeError, match=r"fit.* got an unexpected keyword argument 'nonsense'"):
        model.fit(*data, **options, nonsense=3)
    for method in (model.fit, getattr(model, "predict", None) or model.transform):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'X'"):
            method()
    if "checkpoint" in inspect.signature(model.fit).parameters:
        refused(name, lambda: model.fit(*data, **options, checkpoint=3), "checkpoint")
    refused(name, lambda: (getattr(model, "predict", None) or model.transform)(data[0]), "nothing")


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


@pytest.mark.parametrize("name", SCORED)
def test_wrong_outputs_to_score_are_refused(name):
    model, (_, (X, y), options) = fitted(name)[0], model_of(name)
    longer = np.concatenate([y, y[:1]]) if isinstance(y, np.ndarray) else [*y, y[0]]
    incomplete = [masked(y), one(y, None), one(y, np.nan)] if name != "LatentSVM" else []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for wrong in (y[:-1], longer):
            with pytest.raises(ValueError, match=str(len(wrong))):
                model.score(X, wrong, **options)
        for wrong in incomplete:
            with pytest.raises(ValueError, match=r"^\S"):
                model.score(X, wrong, **options)


# ---------------------------------------------------------------------- nothing, and unseen labels

#: Arguments of methods besides X.
ARGUMENTS = {"n": 2, "temperature": 1.0}


def methods(model):
    """The methods that apply the model to inputs, with their further arguments."""
    for key in dir(type(model)):
        applies = re.fullmatch("predict(_(?!.*single).*)?|decision_function|decide|transform", key)
        if applies and hasattr(model, key):
            taken = ARGUMENTS.keys() & inspect.signature(getattr(model, key)).parameters
            yield key, {argument: ARGUMENTS[argument] for argument in taken}


@pytest.mark.parametrize("name", MODELS)
def test_no_inputs_have_no_outputs_where_these_are_a_list_and_are_refused_where_an_array(name):
    model, X = fitted(name)
    listed = isinstance(X, list) and not name.startswith("DecisionFocused")
    for key, arguments in methods(model):
        for nothing in ([], X[:0]):
            if listed:
                assert getattr(model, key)(nothing, **arguments) == []
                continue
            with pytest.raises(ValueError, match=r"^X has no rows; expected .*, test len\(X\)"):
                getattr(model, key)(nothing, **arguments)
    if hasattr(model, "score"):
        with pytest.raises(ValueError, match=r"^X (is empty|has no|holds no)|^no example can"):
            model.score([], [], **{key: [] for key in OPTIONS.get(name, ())})


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
    if isinstance(model, LABELLED) and not name.startswith("DependencyParser")
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
    if isinstance(y, list) and name in MODELS.keys() - {"ChainSVM-dicts", "ChainSVM-bio"}:
        X, y = X[:3], [replaced(y[0]), *y[1:3]]
        alone = {"cv": LeaveOneOut(), "error_score": "raise"}
        scores = cross_val_score(model_of(name)[0], X, y, **alone)
        assert scores[0] == 0 and np.isfinite(scores).all()


def test_a_table_without_rows_has_no_labels():
    model = ChainSVM(loss="log_loss").fit(np.eye(4), [*"abab"], groups=[1, 1, 2, 2])
    assert model.predict(np.empty((0, 4)), groups=[]).shape == (0,)
    assert model.predict_proba(np.empty((0, 4)), groups=[]).shape == (0, 2)


@pytest.mark.parametrize("measure", ["error", "f1", "roc_area", "precision_at_k"])
def test_no_measure_counts_a_label_that_was_not_trained_on_as_right(measure):
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5), np.array([0, 0, 1, 1] * 5)
    model = MultivariateSVM(measure).fit(X, y)
    with pytest.warns(UserWarning, match="20 of 20 labels were not trained on"):
        assert model.score(X, y + 7) == 0.0
    with pytest.warns(UserWarning, match="1 of 20 labels were not trained on"):
        assert model.score(X, np.where(np.arange(20) == 0, 7, y)) < 1 == model.score(X, y)


# ---------------------------------------------------------------------- forms of numbers


def tens(x):
    """Numbers that all forms hold."""
    return np.round(10 * np.abs(x.toarray() if sparse.issparse(x) else x))


def duplicates(x):
    """Every entry as two in uint8, in falling order of their columns."""
    x = sparse.csr_matrix(x[:, ::-1])
    data = np.column_stack([x.data // 2, x.data - x.data // 2]).astype(np.uint8).ravel()
    columns = np.repeat(x.shape[1] - 1 - x.indices, 2)
    return sparse.csr_matrix((data, columns, 2 * x.indptr), x.shape)


DENSE = {
    **{name: lambda x, name=name: x.astype(name) for name in ("u1", "i8", "longdouble", ">f8")},
    "Fortran": np.asfortranarray,
    "read-only": read_only,
}
SPARSE = {
    name: in_format(name)
    for name in ("csr_array", "csc_matrix", "coo_array", "lil_matrix", "dok_matrix", "dia_matrix",
                 "bsr_array")
} | {"duplicates": duplicates}  # fmt: skip


def fitted_to(name, form):
    """What a model makes of its inputs in this form."""
    model, (X, *rest), options = model_of(name)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    X = quietly(changed, X, lambda x: form(tens(x)))  # it may warn of many diagonals
    return applied(quietly(model.fit, X, *rest, **options), X)


def of_matrices(form):
    """Arrays of three axes, and of one, are left."""
    return lambda x: form(x) if x.ndim == 2 else x


DENSE_FORM, SPARSE_FORM = np.asarray, of_matrices(sparse.csr_matrix)
canonical = cache(fitted_to)
DENSE_ALONE = [name for name in ON_ARRAYS if not get_tags(model_of(name)[0]).input_tags.sparse]
FORMS = [(name, form) for name in NAMES for form in DENSE]
FORMS += [(name, form) for name in NAMES if name not in DENSE_ALONE for form in SPARSE]
FORMS += [(name, form) for name in MODELS if name.endswith("-sparse") for form in SPARSE]


@pytest.mark.sampled(29)
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_a_form_of_numbers_fits_the_same(name, form):
    other = DENSE[form] if form in DENSE else of_matrices(SPARSE[form])
    expected = canonical(name, DENSE_FORM if form in DENSE else SPARSE_FORM)
    found = fitted_to(name, other)
    if form == "Fortran" and getattr(expected, "dtype", str) == np.float64:
        # The BLAS sums in another order.
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    else:
        np.testing.assert_equal(found, expected)


ON_SPARSE_ROWS = [
    name for name in ON_ARRAYS
    if name in WITH_OUTPUTS and get_tags(model_of(name)[0]).input_tags.sparse
]  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ON_SPARSE_ROWS)
def test_rows_of_text_stay_sparse(name):
    """Rows with few of 100,000 columns take less than a quarter of a dense array's bytes."""
    model, (X, *rest), options = model_of(name)
    copies = 1 + 1000 // len(X)
    rows = np.concatenate([X] * copies)
    words = sparse.random(len(rows), 100_000, density=2e-4, format="csr", random_state=0)
    X = sparse.hstack([sparse.csr_matrix(rows), words], format="csr")
    rest = [np.concatenate([part] * copies) for part in rest]
    options = {key: np.concatenate([part] * copies) for key, part in options.items()}
    tracemalloc.start()
    found = applied(quietly(model.set_params(max_iter=3).fit, X, *rest, **options), X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == len(rows)
    assert peak < 0.25 * 8 * X.shape[0] * X.shape[1], peak
