"""Early stopping of the estimators: what is held out, and what they refuse."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import OneSlackCuttingPlane, Problem, StructuredSVM
from structsvm.problems import Multiclass, MulticlassSVM

X, Y = load_digits(return_X_y=True)
X, Y = X[:400] / 16, Y[:400]
MULTILABEL, LABELS = multilabel_data(n=60)


def svm(**parameters):
    defaults = {"C": 1e3, "scale": None, "early_stopping": True, "n_iter_no_change": 2}
    return MulticlassSVM(**{**defaults, **parameters})


def structured(**parameters):
    defaults = {"C": 1e3, "early_stopping": True, "n_iter_no_change": 2}
    return StructuredSVM(Multiclass(), **{**defaults, **parameters})


@pytest.mark.parametrize("make", [svm, structured])
def test_held_out_examples_are_not_trained_on(make):
    trained = make().fit(X, Y)
    held_out = trained.validation_indices_
    assert len(held_out) == 40 and np.all(np.diff(held_out) > 0)
    assert trained.result_.status.name == "EARLY_STOPPED"
    assert trained.result_.n_examples == 360
    rest = np.delete(np.arange(400), held_out)
    own = make().fit(X[rest], Y[rest], X_val=X[held_out], y_val=Y[held_out])
    np.testing.assert_array_equal(own.result_.w, trained.result_.w)
    assert own.validation_indices_ is None
    assert own.validation_scores_ == trained.validation_scores_
    assert trained.verify(X, Y).matches and own.verify(X[rest], Y[rest]).matches


@pytest.mark.parametrize("make", [svm, structured])
def test_the_score_is_that_of_the_estimator(make):
    trained = make().fit(X, Y)
    held_out = trained.validation_indices_
    score = trained.score(X[held_out], Y[held_out])
    assert score == pytest.approx(max(trained.validation_scores_))
    best = trained.result_.history[trained.result_.best_iteration - 1]
    assert best.validation_score == max(trained.validation_scores_)


@pytest.mark.filterwarnings("ignore:all training rows are predicted")
def test_classes_keep_their_proportions():
    y = np.repeat([0, 1, 2], [300, 80, 20])
    held_out = svm().fit(X, y).validation_indices_
    np.testing.assert_array_equal(np.bincount(y[held_out]), [30, 8, 2])


@pytest.mark.parametrize("make", [svm, structured])
def test_the_random_state_decides_what_is_held_out(make):
    one, same, other = (make(random_state=state).fit(X, Y) for state in (0, 0, 1))
    np.testing.assert_array_equal(one.validation_indices_, same.validation_indices_)
    assert not np.array_equal(one.validation_indices_, other.validation_indices_)
    np.testing.assert_array_equal(one.result_.w, same.result_.w)


def test_without_early_stopping_nothing_is_held_out():
    trained = svm(early_stopping=False).fit(X, Y)
    assert trained.validation_indices_ is None and trained.validation_scores_ == []
    assert trained.result_.n_examples == 400
    assert trained.result_.status.name == "CONVERGED"


def test_early_stopping_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert svm().fit(X, Y).result_.status.name == "EARLY_STOPPED"


CONTAINERS = {
    "array": np.asarray,
    "list": list,
    "float32": np.float32,
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "DataFrame": pd.DataFrame,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_of_rows(kind):
    data = CONTAINERS[kind](X)
    plain = svm().fit(X, Y)
    trained = svm().fit(data, Y)
    np.testing.assert_array_equal(trained.validation_indices_, plain.validation_indices_)
    assert trained.result_.status.name == "EARLY_STOPPED"
    if kind in ("array", "csr_matrix", "csr_array"):
        held_out = StructuredSVM(Multiclass(), C=1e3, early_stopping=True).fit(data, list(Y))
        assert len(held_out.validation_indices_) == 40


def test_structured_outputs_in_lists():
    trained = StructuredSVM(Multilabel(), C=100.0, early_stopping=True, n_iter_no_change=1)
    trained.fit(list(MULTILABEL), LABELS)
    assert trained.result_.n_examples == 54
    assert trained.verify(list(MULTILABEL), LABELS).matches


def test_parameters_are_cloned_searched_and_pickled():
    grid = GridSearchCV(svm(), {"n_iter_no_change": [1, 3], "validation_fraction": [0.2]}, cv=2)
    grid.fit(X, Y)
    assert set(grid.best_params_) == {"n_iter_no_change", "validation_fraction"}
    assert clone(svm(validation_fraction=0.3)).get_params()["validation_fraction"] == 0.3
    copy = pickle.loads(pickle.dumps(svm().fit(X, Y)))
    assert copy.result_.best_iteration is not None and copy.verify(X, Y).matches


def test_a_warm_start_goes_on():
    trained = svm(warm_start=True, solver=OneSlackCuttingPlane()).fit(X, Y)
    first, scores = trained.result_.w, trained.validation_scores_
    again = trained.fit(X, Y)
    assert again.validation_scores_[0] >= max(scores) - 0.1
    assert again.result_.history[0].best_primal < 0.9 * 1e3
    assert first.shape == again.result_.w.shape


def test_latent_variables_without_outputs_need_examples_of_their_own():
    data = topics_data()
    latent = StructuredSVM(LatentTopics(), C=50.0, early_stopping=True, n_iter_no_change=1)
    with pytest.raises(ValueError, match=r"y, which is None; give examples .* as X_val and y_val"):
        latent.fit(data)
    known = StructuredSVM(LatentTopics(), C=50.0).fit(data).predict(data)
    assert latent.fit(data, X_val=data, y_val=known).validation_scores_


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, 2, "a"])
def test_a_fraction_out_of_range(fraction):
    with pytest.raises(ValueError, match="validation_fraction must be a number > 0 and < 1; got"):
        svm(validation_fraction=fraction).fit(X, Y)


@pytest.mark.parametrize(
    ("make", "data", "message"),
    [
        (structured, (X[:1], Y[:1]), "Give more examples, or some to hold out as X_val"),
        (svm, (X[:6], [0, 0, 0, 0, 0, 1]), "(?s)only 1 member.*as X_val and y_val, or set early"),
        (svm, (X[:9], [0, 0, 0, 1, 1, 1, 2, 2, 2]), "(?s)number of classes.*Give more examples"),
    ],
)
def test_too_few_examples(make, data, message):
    with pytest.raises(ValueError, match=message):
        make().fit(*data)


@pytest.mark.parametrize("make", [svm, structured])
@pytest.mark.parametrize("given", [{"X_val": X}, {"y_val": Y}])
def test_one_of_two_held_out_parts(make, given):
    with pytest.raises(ValueError, match=r"X_val and y_val, .* must be given both, or neither"):
        make().fit(X, Y, **given)


@pytest.mark.parametrize("make", [svm, structured])
def test_held_out_examples_without_early_stopping(make):
    with pytest.raises(ValueError, match="set early_stopping=True to use them"):
        make(early_stopping=False).fit(X, Y, X_val=X, y_val=Y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (svm, "unknown label 77"),
        (structured, "(?s)held-out .*unknown label 77.*must occur there; pass X_val and y_val"),
    ],
)
def test_a_held_out_label_that_is_not_trained_on(make, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y, X_val=X[:2], y_val=[0, 77])


@pytest.mark.parametrize("make", [svm, structured])
def test_held_out_parts_of_unequal_lengths(make):
    with pytest.raises(ValueError, match=r"inconsistent numbers|X_val has 3"):
        make().fit(X, Y, X_val=X[:3], y_val=Y[:2])


def test_flags_and_numbers():
    with pytest.raises(ValueError, match="early_stopping must be True or False; got 'yes'"):
        svm(early_stopping="yes").fit(X, Y)
    with pytest.raises(ValueError, match="n_iter_no_change must be an integer >= 1; got 0"):
        svm(n_iter_no_change=0).fit(X, Y)
    with pytest.raises(ValueError, match="random_state must be"):
        svm(random_state="a").fit(X, Y)


def test_an_error_of_the_decoder_names_the_held_out_examples():
    class Broken(Multilabel):
        def decode(self, x, w):
            raise LookupError("no such row")

    broken = StructuredSVM(Broken(), C=100.0, early_stopping=True)
    assert isinstance(broken.problem, Problem)
    message = r"held-out examples, counted from 0 .*Broken.decode raised LookupError for example 0"
    with pytest.raises(ValueError, match=message):
        broken.fit(MULTILABEL, LABELS)


def test_many_classes_of_one_example_are_not_all_listed():
    with pytest.raises(ValueError, match=r"(?s)only 1 member.*as X_val and y_val") as raised:
        svm().fit(np.eye(300), [f"class {i}" if i < 100 else "other" for i in range(300)])
    assert len(str(raised.value)) < 600
