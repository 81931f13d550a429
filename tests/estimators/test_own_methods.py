"""Methods that an estimator inherits have its name, and are the same otherwise."""

import inspect
import pickle

import numpy as np
import pytest
from test_all_problems import ESTIMATORS

from structsvm import StructuredSVM
from structsvm.estimators.own_methods import OwnMethods
from structsvm.problems import MMC, AssignmentSVM, MulticlassSVM, TaxonomySVM

ours = [type(estimator) for estimator in ESTIMATORS if isinstance(estimator, OwnMethods)]


@pytest.mark.parametrize("kind", ours)
def test_public_methods_have_the_name_of_the_estimator(kind):
    for name in ("__init__", "fit", "predict", "verify"):
        assert getattr(kind, name).__qualname__ == f"{kind.__name__}.{name}"


def test_a_copy_is_the_method_otherwise():
    own, inherited = AssignmentSVM.fit, StructuredSVM.fit
    assert own is not inherited and own.__code__ is inherited.__code__
    assert inspect.signature(own) == inspect.signature(inherited)
    assert own.__doc__ == inherited.__doc__ and own.__kwdefaults__ == inherited.__kwdefaults__
    assert pickle.loads(pickle.dumps(MMC(C=3.0).fit)).__self__.C == 3.0


def test_the_method_that_is_nearest_is_copied():
    assert TaxonomySVM.predict.__code__ is MulticlassSVM.predict.__code__
    assert MulticlassSVM.__init__.__code__ is not TaxonomySVM.__init__.__code__


def test_a_subclass_of_a_user_inherits_as_usual():
    class Mine(AssignmentSVM):
        def _problem(self):
            raise LookupError("mine")

    assert "fit" not in vars(Mine)
    with pytest.raises(LookupError, match="mine"):
        Mine().fit([np.ones((1, 1, 1))], [[0]])
