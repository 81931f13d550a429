"""Labels that were not seen or are missing, and labels with weights."""

import warnings

import numpy as np
import pytest
from cases.estimators import MODELS
from cases.problems import initialized
from refusals import refused
from sklearn.base import clone

from structsvm.problems import Chain, Multiclass, MulticlassSVM, WeightedLabels
from structsvm.problems.classification.labels import checked_class_weight
from structsvm.problems.classification.weighted_labels import flat_weights


@pytest.mark.parametrize(
    ("classes", "unknown"),
    [
        ([0, 1], 2), ([0, 1], -1), ([0, 1], 0.5), ([0, 1], np.nan), ([0, 1], "a"),
        (["a", "b"], "c"), (["a", "b"], 1), ([3, 5], 4), ([3, 5], 6), ([3, 5], "a"),
    ],
)  # fmt: skip
def test_an_unknown_label_is_named(classes, unknown):
    problem = initialized(Multiclass(), np.eye(2), classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=rf"unknown label {unknown!r}; the classes are"):
            problem.loss(unknown, unknown)


test_mixed_labels_and_those_that_are_no_single_values_are_refused = refused(
    lambda labels: Multiclass().initialize(np.eye(2), labels),
    ([1, "a"], "mixes strings with others"),
    ([0, (1, 2)], "Y must be an array of single values"),
    (np.zeros(2, dtype=[("a", int)]), "Y must be an array of single values"),
)


def test_class_weights_of_labels_that_do_not_occur():
    counts, names = np.array([2.0, 1.0]), np.array(["a", "b"])
    found = checked_class_weight({"a": 1.0, "b": 3.0, "rare": 2.0}, counts, names)
    np.testing.assert_array_equal(found, [1.0, 3.0])
    np.testing.assert_array_equal(checked_class_weight({"b": 3.0}, counts, names), [1.0, 3.0])


@pytest.mark.parametrize("name", ["MulticlassSVM", "TaxonomySVM", "ChainSVM", "GraphSVM"])
def test_all_estimators_refuse_class_weights_of_other_labels(name):
    model, data = MODELS[name]()
    message = "class_weight has 'no', which is no label; the labels are "
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(class_weight={"no": 2.0}).fit(*data)


def test_class_weights_multiply_those_of_the_rows():
    model, (X, y) = MODELS["MulticlassSVM"]()
    weights, of_classes = np.random.default_rng(0).uniform(size=len(y)), {"ü": 2.0, "b": 0.5}
    found = clone(model).set_params(class_weight=of_classes).fit(X, y, sample_weight=weights)
    both = weights * [of_classes.get(label, 1.0) for label in y]
    np.testing.assert_array_equal(found.coef_, clone(model).fit(X, y, sample_weight=both).coef_)


test_unusable_class_weights = refused(
    lambda class_weight: MulticlassSVM(class_weight=class_weight).fit(np.eye(2), ["a", "b"]),
    *((bad, "class_weight") for bad in ("even", {"a": -1.0}, {"a": np.nan}, 3, np.ones(3))),
)


def test_weighted_labels_are_read_as_the_labels():
    y = WeightedLabels(["a", "b", "b"], [1, 5, 0])
    assert len(y) == 3 and list(y) == ["a", "b", "b"] and y[1] == "b"
    np.testing.assert_array_equal(np.asarray(y), ["a", "b", "b"])
    np.testing.assert_array_equal(flat_weights([["a"], y]), [1, 1, 5, 0])
    assert flat_weights([["a"], ["b"]]) is None


def test_the_loss_is_the_weight_of_the_wrong_positions():
    y = WeightedLabels(["a", "b", "b"], [1.0, 5.0, 0.5])
    chain = Chain(class_weight={"b": 2.0})
    chain.initialize([np.zeros((3, 1))], [y])
    assert chain.loss(y, ["b", "b", "a"]) == 1 + 2 * 0.5
    assert chain.loss(["a", "b", "b"], ["a", "a", "b"]) == 2


def test_balanced_weights_are_those_of_scikit_learn():
    found = checked_class_weight("balanced", np.array([3.0, 1.0]), np.array(["a", "b"]))
    np.testing.assert_allclose(found, [4 / (2 * 3), 4 / (2 * 1)])


test_bad_weights_are_named = refused(
    lambda weights: WeightedLabels(["a", "b"], weights),
    ([1.0], r"expected a weight for each of 2 labels; got shape \(1,\)"),
    ([1.0, -1.0], r"weights must be finite and >= 0; weights\[1\] is -1"),
    ([np.nan, 1.0], r"weights must be finite and >= 0; weights\[0\] is nan"),
    (["x", "y"], "weights must hold real numbers"),
)
