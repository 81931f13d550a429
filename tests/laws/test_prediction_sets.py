"""Prediction sets of all estimators: what is in them, and how often that is the truth."""

import pickle

import numpy as np
import pytest
from cases.estimators import MODELS
from sklearn.utils import _safe_indexing
from toy_problems import Multilabel, multilabel_data

from structsvm import ContractViolation, StructuredSVM, check_problem, load, save
from structsvm.conformal import Conformal
from structsvm.estimators.training import StructuredEstimator

#: Estimators whose outputs are hidden, are one for all rows, or need more than X.
OTHERS = ("LatentSVM", "MultivariateSVM", "SupervisedKMeans", "CorrelationClustering", "RankingSVM")
pytestmark = pytest.mark.filterwarnings("ignore:.*(calibration|features of X|ended at w)")


def is_calibrated(name):
    kind = type(MODELS[name]()[0])
    return issubclass(kind, StructuredEstimator) and not name.startswith(OTHERS)


NAMES = [name for name in MODELS if is_calibrated(name)]


def calibrated(name, **options):
    """A conformal model with the data that it was calibrated on, and trained on."""
    estimator, (X, y) = MODELS[name]()
    return Conformal(estimator.fit(X, y), **options).fit(X, y), X, y


@pytest.mark.parametrize("name", NAMES)
def test_sets_hold_what_is_no_further_below_the_best_than_the_threshold(name):
    conformal, X, y = calibrated(name, coverage=0.6)
    found = conformal.predict_set(X)
    inside = [y[i] in own for i, own in enumerate(found)]
    np.testing.assert_array_equal(inside, conformal.scores_ <= conformal.threshold_)
    assert conformal.score_coverage(X, y) == pytest.approx(np.mean(inside)) and any(inside)


@pytest.mark.parametrize("name", NAMES)
def test_the_prediction_is_first_in_every_slot_and_alternatives_are_in_the_set(name):
    conformal, X, _ = calibrated(name, coverage=0.6)
    found = conformal.predict_set(X)
    if found[0].parts is None:
        pytest.skip("a problem without parts")
    for i, own in enumerate(found[:5]):
        task = conformal.estimator_._bound(_safe_indexing(X, [i]))
        [places] = task.part_places(task.decode(conformal.estimator_.w_))
        assert (own._table.ravel()[places] == 0).all()
        if not name.startswith("SegmentSVM"):  # slots are positions
            assert [*np.ravel(own.prediction)] == [parts[0] for parts in own.parts]
        np.testing.assert_array_equal(own.sizes, [len(parts) for parts in own.parts])
        assert own.n_doubtful == own.sizes.sum() - len(own.sizes)
        others = own.alternatives(3)
        assert all(other in own for other in others) and len(others) == min(3, own.n_doubtful)


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_or_saved_model_makes_the_same_sets(name, tmp_path):
    conformal, X, _ = calibrated(name, coverage=0.6)
    save(conformal, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(conformal)), load(tmp_path / "model")):
        for one, other in zip(again.predict_set(X), conformal.predict_set(X), strict=True):
            assert repr(one) == repr(other)


@pytest.mark.parametrize("options", [{"coverage": 0.8}, {"risk": 0.1}])
def test_the_coverage_is_the_one_asked_on_average(options):
    """Over draws of calibration and new data, for label sets of a problem of a user's own."""
    X, Y = multilabel_data(n=500, seed=1)
    svm = StructuredSVM(Multilabel(), C=10.0).fit(X[:30], Y[:30])
    for kind in (Multilabel, WithParts, Greedy):
        problem = kind()
        problem.initialize(X, Y)
        svm.problem_ = problem
        if kind is not WithParts and "risk" in options:
            continue
        rng, found = np.random.default_rng(0), []
        for _ in range(15):
            order = rng.permutation(np.arange(30, 500))
            own, new = order[:60], order[60:160]
            conformal = Conformal(svm, **options).fit(X[own], [Y[i] for i in own])
            found.append(conformal.score_coverage(X[new], [Y[i] for i in new]))
        wanted = options.get("coverage", 1 - options.get("risk", 0))
        # The mean over draws; a set of outputs of equal scores may cover more.
        error = 4 * np.std(found) / np.sqrt(len(found))
        assert wanted - error <= np.mean(found) <= wanted + error + 0.1


class WithParts(Multilabel):
    """The same with the methods of parts."""

    def possible_parts(self, x):
        return [(0, 1)] * self.n_labels

    def chosen_parts(self, x, y):
        return y

    def decode_with(self, x, w, slot, part):
        some = (y for y in self.outputs(x) if y[slot] == part)
        return max(some, key=lambda y: w @ self.joint_feature(x, y))


class Greedy(Multilabel):
    """The same with a prediction that sets one label after the other, and misses the best."""

    oracle_quality = "undergenerating"

    def decode(self, x, w):
        y = (0,) * self.n_labels
        for label in range(self.n_labels):
            other = (*y[:label], 1, *y[label + 1 :])
            y = max(y, other, key=lambda z: w @ self.joint_feature(x, z))
        return y


@pytest.mark.parametrize("missing", ["possible_parts", "chosen_parts", "decode_with"])
def test_the_methods_of_parts_need_each_other(missing):
    X, Y = multilabel_data(n=8, seed=1)
    assert check_problem(WithParts(), X, Y)
    kind = type("Some", (WithParts,), {missing: None})
    with pytest.raises(ContractViolation, match=f"{missing}: it is missing|need each other"):
        check_problem(kind(), X, Y)
