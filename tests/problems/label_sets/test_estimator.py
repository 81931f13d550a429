"""MultiLabelSVM: kinds of data, structures by name, its default C, bad data, and real data."""

import os

import networkx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import MultiLabelBinarizer

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
    train, test = slice(0, 200), slice(200, 400)
    together = {}
    for structure in ("independent", "pairs"):
        svm = MultiLabelSVM(structure).fit(X[train], Y[train])
        found = svm.predict(X[test])
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
@pytest.mark.parametrize("structure", ["tree", "pairs"])
def test_the_scale_of_features_does_not_matter(scale, structure):
    X, Y = drawn()
    one = MultiLabelSVM(structure).fit(X, Y)
    other = MultiLabelSVM(structure).fit(scale * X, Y)
    np.testing.assert_allclose(one.w_, other.w_, atol=1e-4)
    np.testing.assert_array_equal(one.predict(X), other.predict(scale * X))


def test_the_weights_are_those_of_the_features_as_given():
    X, Y = drawn()
    svm = MultiLabelSVM("independent").fit(X, Y)
    np.testing.assert_array_equal(svm.predict(X), X @ svm.coef_.T + svm.intercept_ > 0)
    svm = MultiLabelSVM("pairs").fit(X, Y)
    sets = np.array(list(np.ndindex(2, 2, 2, 2)))
    a, b = svm.edges_.T
    scores = (X @ svm.coef_.T + svm.intercept_) @ sets.T + svm.pair_coef_ @ (
        sets[:, a] * sets[:, b]
    ).T
    np.testing.assert_array_equal(svm.predict(X), sets[scores.argmax(axis=1)])


def test_sparse_rows_and_frames_are_the_same_data():
    X, Y = drawn()
    svm = MultiLabelSVM().fit(X, Y)
    for rows in (sparse.csr_matrix(X), sparse.csc_matrix(X), X.astype(np.float32)):
        other = MultiLabelSVM().fit(rows, Y)
        np.testing.assert_allclose(other.score(rows, Y), svm.score(X, Y), atol=0.02)
        assert other.verify(rows, Y).matches
    for sets in (sparse.csr_matrix(Y), Y.astype(bool), Y.astype(float), Y.tolist()):
        np.testing.assert_array_equal(MultiLabelSVM().fit(X, sets).w_, svm.w_)
    frame = pd.DataFrame(Y, columns=["sun", "rain", "wind", "snow"])
    named = MultiLabelSVM([("sun", "snow"), ("wind", "rain")])
    named.fit(pd.DataFrame(X, columns=list("abcde")), frame)
    assert named.classes_.tolist() == ["sun", "rain", "wind", "snow"]
    assert named.edges_.tolist() == [[0, 3], [1, 2]]
    assert named.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="'fog', which is none of"):
        MultiLabelSVM([("sun", "fog")]).fit(X, frame)


def test_columns_of_other_names_are_refused():
    X, Y = drawn()
    frame = pd.DataFrame(Y, columns=["sun", "rain", "wind", "snow"])
    svm = MultiLabelSVM(early_stopping=True).fit(X, frame)
    assert svm.score(X, frame) == svm.score(X, Y)
    message = "y has other columns than in training: it has 'snow' in the place of 'sun'"
    other = frame[["snow", "rain", "wind", "sun"]]
    for call in (svm.score, svm.verify):
        with pytest.raises(ValueError, match=message):
            call(X, other)
    with pytest.raises(ValueError, match=message):
        svm.fit(X, frame, X_val=X[:9], y_val=other[:9])
    with pytest.raises(ValueError, match="it lacks 'snow' and has 'fog'"):
        svm.score(X, frame.rename(columns={"snow": "fog"}))


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


def test_f1_that_cannot_be_searched_is_refused_in_words_of_the_parameters():
    X, Y = drawn(n_labels=20)
    with pytest.raises(ValueError, match="needs structure='independent', or at most 14 labels"):
        MultiLabelSVM("pairs", cost="f1").fit(X, Y)
    with pytest.raises(ValueError, match="attractive=False"):
        MultiLabelSVM("independent", cost="f1", attractive=True).fit(X, Y)


def test_text_with_many_features():
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(100, 3))
    words = sparse.random(100, 100_000, density=2e-4, format="csr", random_state=0)
    X = sparse.hstack([sparse.csr_matrix(Y * (rng.random(Y.shape) < 0.9)), words], format="csr")
    svm = MultiLabelSVM().fit(X, Y)
    assert svm.coef_.shape == (3, 100_003) and svm.score(X, Y) > 0.9


def test_lists_of_labels_by_the_binarizer():
    X, Y = drawn()
    names = np.array(["sun", "rain", "wind", "snow"])
    lists = [names[y == 1].tolist() for y in Y]
    binarizer = MultiLabelBinarizer()
    svm = MultiLabelSVM().fit(X, binarizer.fit_transform(lists))
    found = binarizer.inverse_transform(svm.predict(X))
    assert np.mean([set(a) == set(b) for a, b in zip(found, lists, strict=True)]) > 0.7
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        MultiLabelSVM().fit(X, lists)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "structure, attractive, n_labels, problem, inference",
    [
        ("auto", False, 4, LabelSet, "enumeration"),
        ("auto", False, 15, LabelSet, "forest"),
        ("independent", False, 15, LabelSet, "forest"),
        ("pairs", False, 15, RelaxedLabelSet, "relaxation"),
        ("pairs", True, 4, AttractiveLabelSet, "cut"),
        (networkx.cycle_graph(15), False, 15, RelaxedLabelSet, "relaxation"),
        (networkx.cycle_graph(15), True, 15, AttractiveLabelSet, "cut"),
        (networkx.path_graph(7), False, 15, LabelSet, "forest"),
    ],
)
def test_the_problem_follows_from_structure_and_size(
    structure, attractive, n_labels, problem, inference
):
    X, Y = drawn(n=30, n_labels=n_labels)
    svm = MultiLabelSVM(structure, attractive=attractive, rtol=0.1).fit(X, Y)
    assert type(svm.problem_) is problem and svm.inference_ == inference
    exact = svm.problem_.oracle_quality == "exact"
    assert exact == (inference != "relaxation")
    if attractive:
        assert svm.pair_coef_.min() >= 0


def test_disconnected_trees_are_forests():
    X, Y = drawn()
    svm = MultiLabelSVM([(0, 3)]).fit(X, Y)
    assert svm.inference_ == "forest" and svm.pair_coef_.shape == (1,)
    # Labels of other trees are trained as by themselves.
    alone = MultiLabelSVM("independent", C=svm.C_, rtol=1e-6).fit(X, Y)
    joint = MultiLabelSVM([(0, 3)], C=svm.C_, rtol=1e-6).fit(X, Y)
    np.testing.assert_allclose(joint.coef_[1:3], alone.coef_[1:3], atol=5e-3)


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


@pytest.mark.parametrize("cost", ["hamming", "f1"])
def test_a_weight_of_two_is_the_example_twice(cost):
    X, Y = drawn()
    weights = np.repeat([2.0, 1.0, 0.0], 20)
    twice = np.repeat(np.arange(60), weights.astype(int))
    svm = MultiLabelSVM(cost=cost, rtol=1e-5).fit(X, Y, sample_weight=weights)
    other = MultiLabelSVM(cost=cost, rtol=1e-5).fit(X[twice], Y[twice])
    assert svm.C_ == pytest.approx(other.C_) and svm.scale_ == pytest.approx(other.scale_)
    np.testing.assert_allclose(svm.w_, other.w_, atol=0.02)
    assert svm.verify(X, Y, sample_weight=weights).matches
    assert svm.score(X, Y, weights) == pytest.approx(other.score(X[twice], Y[twice]), abs=0.01)


def test_labels_that_never_or_always_occur_are_learned_as_such():
    X, Y = drawn()
    Y = np.column_stack([Y, np.zeros(60, int), np.ones(60, int)])
    for structure in ("independent", "tree", "pairs"):
        found = MultiLabelSVM(structure).fit(X, Y).predict(X)
        assert not found[:, 4].any() and found[:, 5].all()


def test_one_label_is_a_binary_classifier():
    X, Y = drawn()
    svm = MultiLabelSVM().fit(X, Y[:, :1])
    assert svm.predict(X).shape == (60, 1) and svm.score(X, Y[:, :1]) > 0.9
    assert svm.edges_.shape == (0, 2)


@pytest.mark.parametrize("cost", ["hamming", "f1"])
def test_empty_label_sets_are_sets(cost):
    X, Y = drawn()
    none = MultiLabelSVM(cost=cost).fit(X, np.zeros_like(Y))
    assert not none.predict(X).any() and none.score(X, np.zeros_like(Y)) == 1.0
    Y[:30] = 0
    X[:30] -= 3
    assert not MultiLabelSVM(cost=cost).fit(X, Y).predict(X)[:30].any()


@pytest.mark.parametrize(
    "parameters, change, message",
    [
        ({}, lambda X, Y: (X, Y[:, 0]), "must be 2-d"),
        ({}, lambda X, Y: (X, Y[:-1]), "60 examples"),
        ({}, lambda X, Y: (X, 2 * Y), r"is 2"),
        ({}, lambda X, Y: (X, Y - 0.5), r"is -?0\.5"),
        ({}, lambda X, Y: (X, np.where(Y, np.nan, 0)), "is nan"),
        ({}, lambda X, Y: (np.where(X > 1, np.nan, X), Y), "NaN"),
        ({}, lambda X, Y: (X, None), "y must"),
        ({"cost": [1, 1]}, lambda X, Y: (X, Y), "shape"),
        ({"cost": [1, 1, 1, -1]}, lambda X, Y: (X, Y), ">= 0"),
        ({"cost": "accuracy"}, lambda X, Y: (X, Y), "cost"),
        ({"pair_scale": -1.0}, lambda X, Y: (X, Y), "pair_scale"),
        ({"attractive": 1}, lambda X, Y: (X, Y), "attractive"),
        ({"structure": "chain"}, lambda X, Y: (X, Y), "structure"),
        ({"C": 0}, lambda X, Y: (X, Y), "C"),
    ],
)
def test_bad_data_are_refused(parameters, change, message):
    with pytest.raises(ValueError, match=message):
        MultiLabelSVM(**parameters).fit(*change(*drawn()))


def test_score_refuses_another_number_of_labels():
    X, Y = drawn()
    svm = MultiLabelSVM().fit(X, Y)
    with pytest.raises(ValueError, match="3 columns; expected 4"):
        svm.score(X, Y[:, :3])
    with pytest.raises(ValueError, match="features"):
        svm.predict(X[:, :2])


def test_it_is_cloned_searched_and_stopped_early():
    X, Y = drawn()
    search = GridSearchCV(
        MultiLabelSVM(), {"structure": ["tree", "pairs"], "pair_scale": [1.0, 5.0]}
    )
    assert search.fit(X, Y).best_score_ > 0.8
    svm = clone(MultiLabelSVM("tree", early_stopping=True)).fit(X, Y)
    assert len(svm.validation_indices_) == 6 and svm.validation_scores_
    svm.fit(X, Y, X_val=X[:5], y_val=Y[:5])
    assert svm.verify(X, Y).matches


def data(name):
    if not os.environ.get(FOLDER_VARIABLE):
        pytest.skip(f"{FOLDER_VARIABLE} names no folder of data files")
    from benchmarks.label_sets._data import label_sets

    return label_sets(name)


def test_scene_by_the_defaults():
    X, Y, train = data("scene")
    found = MultiLabelSVM().fit(X[train], Y[train]).predict(X[~train])
    assert np.mean(found != Y[~train]) <= 0.095
    assert f1_score(Y[~train], found, average="samples", zero_division=1.0) >= 0.70
