"""Early stopping of the estimators: what is held out, and what they refuse."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import OneSlackCuttingPlane, Problem, StructuredSVM
from structsvm.problems import Multiclass, MulticlassSVM

X, Y = load_digits(return_X_y=True)
X, Y = X[:200] / 16, Y[:200]
MULTILABEL, LABELS = multilabel_data(n=60)


def svm(**parameters):
    defaults = {"C": 1e3, "scale": None, "early_stopping": True, "n_iter_no_change": 2}
    return MulticlassSVM(**{**defaults, **parameters})


def structured(**parameters):
    defaults = {"C": 1e3, "early_stopping": True, "n_iter_no_change": 2}
    return StructuredSVM(Multiclass(), **{**defaults, **parameters})


@pytest.mark.parametrize("make", [svm, structured])
def test_held_out_examples_are_not_trained_on(make):
    trained, same, other = (make(random_state=state).fit(X, Y) for state in (0, 0, 1))
    held_out = trained.validation_indices_
    assert len(held_out) == 20 and np.all(np.diff(held_out) > 0)
    assert trained.result_.status.name == "EARLY_STOPPED"
    np.testing.assert_array_equal(same.validation_indices_, held_out)
    np.testing.assert_array_equal(same.result_.w, trained.result_.w)
    assert not np.array_equal(other.validation_indices_, held_out)
    rest = np.delete(np.arange(len(Y)), held_out)
    own = make().fit(X[rest], Y[rest], X_val=X[held_out], y_val=Y[held_out])
    np.testing.assert_array_equal(own.result_.w, trained.result_.w)
    assert own.validation_scores_ == trained.validation_scores_
    assert own.verify(X[rest], Y[rest]).matches
    score = trained.score(X[held_out], Y[held_out])
    assert score == pytest.approx(max(trained.validation_scores_))
    best = trained.result_.history[trained.result_.best_iteration - 1]
    assert best.validation_score == max(trained.validation_scores_)


@pytest.mark.filterwarnings("ignore:all training rows are predicted")
def test_classes_keep_their_proportions():
    y = np.repeat([0, 1, 2], [140, 40, 20])
    held_out = svm().fit(X, y).validation_indices_
    np.testing.assert_array_equal(np.bincount(y[held_out]), [14, 4, 2])


def test_early_stopping_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert svm().fit(X, Y).result_.status.name == "EARLY_STOPPED"


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
