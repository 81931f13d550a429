"""TaxonomySVM: what it learns of one class counts for others, and its manners as a classifier."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss

#: Three groups of three classes.
TREE = nx.DiGraph([("all", g) for g in "ABC"] + [(g, f"{g}{i}") for g in "ABC" for i in range(3)])


def drawn(n, seed=0, d=20):
    """Rows around centers: those of the groups are far apart, those of their classes near."""
    of_groups, of_classes = np.random.default_rng(5), np.random.default_rng(6)
    centers = of_groups.normal(size=(3, 1, d)) + 0.6 * of_classes.normal(size=(3, 3, d))
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(9), rng.integers(9, size=n - 9)]
    X = centers.reshape(9, d)[codes] + 1.5 * rng.normal(size=(n, d))
    return X, np.array([f"{'ABC'[c // 3]}{c % 3}" for c in codes])


@pytest.mark.parametrize("kind", [MulticlassSVM, TaxonomySVM])
def test_costs_are_in_the_order_of_the_classes(kind):
    X, y = drawn(20)
    names = np.unique(y)
    cost = pd.DataFrame(np.triu(np.ones((9, 9)), 1) + 2 * np.tril(np.ones((9, 9)), -1))
    expected = kind(cost=cost.to_numpy()).fit(X, y).coef_
    np.testing.assert_array_equal(kind(cost=cost).fit(X, y).coef_, expected)
    cost = cost.set_axis(names, axis=0).set_axis(names, axis=1)
    np.testing.assert_array_equal(kind(cost=cost).fit(X, y).coef_, expected)
    with pytest.raises(ValueError, match=r"index of cost must be .*\['A0'.*got \['C2'"):
        kind(cost=cost[::-1]).fit(X, y)
    with pytest.raises(ValueError, match=r"columns of cost must be .*loc\[classes, classes\]"):
        kind(cost=cost[names[::-1]]).fit(X, y)


def test_mistakes_are_nearer_in_the_tree():
    svms = [MulticlassSVM(), TaxonomySVM(TREE), TaxonomySVM(TREE, cost="distance")]
    X_test, y_test = drawn(200, 100)
    found = [[svm.fit(*drawn(45, seed)).predict(X_test) for seed in range(2)] for svm in svms]
    flat, shared, near = (
        np.mean([tree_distance_loss(y_test, labels, TREE) for labels in each]) for each in found
    )
    assert near < shared - 0.05 < flat - 0.05


def test_weights_of_classes_are_sums_along_their_paths():
    X, y = drawn(60)
    svm = TaxonomySVM(TREE, C=10.0).fit(X, y)
    assert set(svm.node_coef_) == set(TREE) - {"all"}
    for name, row in zip(svm.classes_, svm.coef_, strict=True):
        np.testing.assert_allclose(row, svm.node_coef_[name] + svm.node_coef_[name[0]] / 2)
    scores = svm.decision_function(X)
    assert scores.shape == (60, 9)
    np.testing.assert_array_equal(svm.classes_[scores.argmax(axis=1)], svm.predict(X))


def test_classes_at_inner_nodes_and_with_several_parents():
    graph = nx.DiGraph([*TREE.edges, ("B", "A0")])
    X, y = drawn(60)
    y = np.where(y == "C0", "C", y)
    svm = TaxonomySVM(graph).fit(X, y)
    assert "C" in svm.classes_ and "C0" not in svm.node_coef_
    row = svm.coef_[svm.classes_.tolist().index("A0")]
    of_nodes = svm.node_coef_
    np.testing.assert_allclose(row, (of_nodes["A"] + of_nodes["B"]) / 2 + of_nodes["A0"])


def test_labels_of_other_kinds():
    X, y = drawn(30)
    numbers = {name: i for i, name in enumerate(TREE)}
    svm = TaxonomySVM(nx.relabel_nodes(TREE, numbers)).fit(X, [numbers[name] for name in y])
    expected = TaxonomySVM(TREE).fit(X, y).predict(X)
    assert svm.predict(X).tolist() == [numbers[name] for name in expected]
    objects = TaxonomySVM(TREE).fit(X, y.astype(object))
    np.testing.assert_array_equal(objects.predict(X), expected)


def test_two_classes_have_one_score_and_others_are_unknown():
    X, y = drawn(30)
    some = np.isin(y, ["A0", "B1"])
    svm = TaxonomySVM(TREE).fit(X[some], y[some])
    assert svm.decision_function(X[some]).ndim == 1
    assert svm.score(X[some], y[some]) > 0.9
    with pytest.raises(ValueError, match="unknown label"):
        svm.verify(X, y)
