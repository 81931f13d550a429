"""Labels that were not seen, of other kinds or missing are named."""

import warnings

import numpy as np
import pytest
from cases.estimators import MODELS
from sklearn.base import clone

from structsvm.problems import Multiclass
from structsvm.problems.classification.labels import checked_class_weight


@pytest.mark.parametrize(
    ("classes", "unknown"),
    [
        ([0, 1], 2), ([0, 1], -1), ([0, 1], 0.5), ([0, 1], np.nan), ([0, 1], "a"),
        (["a", "b"], "c"), (["a", "b"], 1), ([3, 5], 4), ([3, 5], 6), ([3, 5], "a"),
    ],
)  # fmt: skip
def test_an_unknown_label_is_named(classes, unknown):
    problem = Multiclass()
    problem.initialize(np.eye(2), classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=rf"unknown label {unknown!r}; the classes are"):
            problem.loss(unknown, unknown)


def test_mixed_labels_are_refused():
    with pytest.raises(ValueError, match="mixes strings with others"):
        Multiclass().initialize(np.eye(4), [1, "a", 1, "a"])


@pytest.mark.parametrize(
    "labels", [[0, (1, 2)], np.zeros(2, dtype=[("a", int)])], ids=["list", "V"]
)
def test_labels_that_are_no_single_values(labels):
    with pytest.raises(ValueError, match="Y must be an array of single values"):
        Multiclass().initialize(np.eye(2), labels)


def test_class_weights_of_labels_that_do_not_occur():
    codes, names = np.array([0, 0, 1]), np.array(["a", "b"])
    with pytest.raises(
        ValueError, match="class_weight has 'B', which is no label; the labels are 'a', 'b'"
    ):
        checked_class_weight({"a": 1.0, "B": 2.0}, codes, names, None)
    found = checked_class_weight({"a": 1.0, "b": 3.0, "rare": 2.0}, codes, names, None)
    np.testing.assert_array_equal(found, [1.0, 3.0])
    np.testing.assert_array_equal(checked_class_weight({"b": 3.0}, codes, names, None), [1.0, 3.0])


@pytest.mark.parametrize("name", ["MulticlassSVM", "TaxonomySVM", "ChainSVM", "GraphSVM"])
def test_all_estimators_refuse_class_weights_of_other_labels(name):
    model, data = MODELS[name]()
    with pytest.raises(ValueError, match="class_weight has 'no', which is no label"):
        clone(model).set_params(class_weight={"no": 2.0}).fit(*data)
