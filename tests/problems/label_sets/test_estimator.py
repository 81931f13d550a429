"""MultiLabelSVM: kinds of data, structures by name, its default C, bad data, and real data."""

import os

import networkx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from benchmarks.label_sets._data import label_sets
from structsvm.datasets import FOLDER_VARIABLE
from structsvm.problems import AttractiveLabelSet, LabelSet, MultiLabelSVM, RelaxedLabelSet


def drawn(seed=0, n=60, n_labels=4, d=5):
    """Rows of which the first labels follow, and the last is the second where the first is not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, n_labels)) + 0.3 * rng.normal(size=(n, n_labels)) > 0).astype(int)
    Y[:, -1] = (1 - Y[:, 0]) & Y[:, 1]
    return X, Y


def test_pairs_learn_what_excludes_each_other():
    X, Y = drawn(n=400)
    together = {}
    for structure in ("independent", "pairs"):
        svm = MultiLabelSVM(structure).fit(X[:200], Y[:200])
        found = svm.predict(X[200:])
        together[structure] = int(np.sum(found[:, 0] & found[:, 3]))
    assert together["pairs"] == 0 < together["independent"]
    weights = dict(zip(map(tuple, svm.edges_.tolist()), svm.pair_coef_, strict=True))
    assert weights[0, 3] == min(weights.values()) < 0


def test_the_score_is_that_of_the_loss():
    X, Y = drawn()
    svm = MultiLabelSVM().fit(X, Y)
    found = svm.predict(X)
    assert found.dtype.kind == "i" and found.shape == Y.shape
    assert svm.score(X, Y) == pytest.approx(np.mean(found == Y))
    svm = MultiLabelSVM(cost="f1").fit(X, Y)
    f1 = f1_score(Y, svm.predict(X), average="samples", zero_division=1.0)
    assert svm.score(X, Y) == pytest.approx(f1)
    svm = MultiLabelSVM(cost=[[2, 1], [1, 1], [0, 0], [1, 4]]).fit(X, Y)
    found = svm.predict(X)
    missed, extra = (Y & (1 - found)).mean(axis=0), (found & (1 - Y)).mean(axis=0)
    loss = missed @ [2, 1, 0, 1] + extra @ [1, 1, 0, 4]
    assert svm.score(X, Y) == pytest.approx(1 - loss / 7)


@pytest.mark.parametrize("scale", [1e-4, 1e5])
def test_the_scale_of_features_does_not_matter(scale):
    X, Y = drawn()
    one, other = MultiLabelSVM().fit(X, Y), MultiLabelSVM().fit(scale * X, Y)
    np.testing.assert_allclose(one.w_, other.w_, atol=1e-4)
    np.testing.assert_array_equal(one.predict(X), other.predict(scale * X))


def test_the_weights_are_those_of_the_features_as_given():
    X, Y = drawn()
    svm = MultiLabelSVM("independent").fit(X, Y)
    np.testing.assert_array_equal(svm.predict(X), X @ svm.coef_.T + svm.intercept_ > 0)
    svm = MultiLabelSVM("pairs").fit(X, Y)
    sets = np.array(list(np.ndindex(2, 2, 2, 2)))
    a, b = svm.edges_.T
    scores = (X @ svm.coef_.T + svm.intercept_) @ sets.T
    scores += svm.pair_coef_ @ (sets[:, a] * sets[:, b]).T
    np.testing.assert_array_equal(svm.predict(X), sets[scores.argmax(axis=1)])


def test_labels_have_the_names_of_columns():
    X, Y = drawn()
    frame = pd.DataFrame(Y, columns=["sun", "rain", "wind", "snow"])
    svm = MultiLabelSVM([("sun", "snow"), ("wind", "rain")]).fit(X, frame)
    assert svm.classes_.tolist() == ["sun", "rain", "wind", "snow"]
    assert svm.edges_.tolist() == [[0, 3], [1, 2]]
    for sets in (sparse.csr_matrix(Y), Y.astype(bool), Y.astype(float), Y.tolist()):
        other = MultiLabelSVM([(0, 3), (2, 1)]).fit(X, sets)
        np.testing.assert_array_equal(other.w_, svm.w_)
    with pytest.raises(ValueError, match="3 columns; expected 4"):
        svm.score(X, Y[:, :3])
    with pytest.raises(ValueError, match="'fog', which is none of"):
        MultiLabelSVM([("sun", "fog")]).fit(X, frame)
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        MultiLabelSVM().fit(X, [["sun"], ["rain", "wind"]] * 30)


def test_costs_are_in_the_order_of_the_labels():
    X, Y = drawn()
    frame = pd.DataFrame(Y, columns=["sun", "rain", "wind", "snow"])
    cost = pd.Series([1.0, 2.0, 3.0, 4.0], frame.columns)
    named = MultiLabelSVM(cost=cost).fit(X, frame)
    plain = MultiLabelSVM(cost=pd.Series(cost.to_numpy())).fit(X, frame)
    np.testing.assert_array_equal(named.w_, plain.w_)
    both = pd.DataFrame({"missed": cost, "extra": cost})
    np.testing.assert_array_equal(MultiLabelSVM(cost=both).fit(X, frame).w_, named.w_)
    for other in (cost[::-1], both[::-1]):
        with pytest.raises(ValueError, match=r"index of cost must be .*\['sun'.*got \['snow'"):
            MultiLabelSVM(cost=other).fit(X, frame)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "structure, attractive, n_labels, inference",
    [
        ("auto", False, 4, "enumeration"),
        ("auto", False, 15, "forest"),
        ("independent", False, 15, "forest"),
        ("pairs", False, 15, "relaxation"),
        ("pairs", True, 4, "cut"),
        (networkx.cycle_graph(15), False, 15, "relaxation"),
        (networkx.cycle_graph(15), True, 15, "cut"),
        (networkx.path_graph(7), False, 15, "forest"),
    ],
)
def test_the_problem_follows_from_structure_and_size(structure, attractive, n_labels, inference):
    X, Y = drawn(n=30, n_labels=n_labels)
    svm = MultiLabelSVM(structure, attractive=attractive, max_iter=2).fit(X, Y)
    kinds = {"cut": AttractiveLabelSet, "relaxation": RelaxedLabelSet}
    assert type(svm.problem_) is kinds.get(inference, LabelSet) and svm.inference_ == inference
    if attractive:
        assert svm.pair_coef_.min() >= 0


def test_the_default_c_goes_with_examples_labels_and_costs():
    X, Y = drawn()
    assert MultiLabelSVM().fit(X, Y).C_ == pytest.approx(3 * 60 / 4)
    assert MultiLabelSVM().fit(X[:30], Y[:30]).C_ == pytest.approx(3 * 30 / 4)
    assert MultiLabelSVM(cost=[2, 2, 2, 2]).fit(X, Y).C_ == pytest.approx(2 * 3 * 60 / 4)
    size = Y.sum(axis=1).mean()
    assert MultiLabelSVM(cost="f1").fit(X, Y).C_ == pytest.approx(60 / size)
    # For losses s times as large, C s times as large gives the same predictions.
    plain, doubled = MultiLabelSVM(rtol=1e-5).fit(X, Y), MultiLabelSVM(cost=[2] * 4, rtol=1e-5)
    np.testing.assert_allclose(doubled.fit(X, Y).w_, 2 * plain.w_, atol=0.02)


def test_labels_that_never_or_always_occur_are_learned_as_such():
    X, Y = drawn()
    Y = np.column_stack([Y, np.zeros(60, int), np.ones(60, int)])
    for structure in ("tree", "pairs"):
        found = MultiLabelSVM(structure, rtol=0.05).fit(X, Y).predict(X)
        assert not found[:, 4].any() and found[:, 5].all()


@pytest.mark.parametrize("cost", ["hamming", "f1"])
def test_empty_label_sets_are_sets(cost):
    X, Y = drawn()
    none = MultiLabelSVM(cost=cost).fit(X, np.zeros_like(Y))
    assert not none.predict(X).any() and none.score(X, np.zeros_like(Y)) == 1.0
    Y[:30] = 0
    X[:30] -= 3
    assert not MultiLabelSVM(cost=cost).fit(X, Y).predict(X)[:30].any()


def test_bad_parameters_are_refused():
    for bad in ({"attractive": 1}, {"pair_scale": -1.0}, {"structure": "chain"}, {"cost": "map"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            MultiLabelSVM(**bad).fit(*drawn())


@pytest.mark.skipif(not os.environ.get(FOLDER_VARIABLE), reason="no folder of data files is named")
def test_scene_by_the_defaults():
    X, Y, train = label_sets("scene")
    found = MultiLabelSVM().fit(X[train], Y[train]).predict(X[~train])
    assert np.mean(found != Y[~train]) <= 0.095
    assert f1_score(Y[~train], found, average="samples", zero_division=1.0) >= 0.70
