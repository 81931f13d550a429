"""GraphSVM: its choice of inference, its scales, its certificate."""

import networkx
import numpy as np
import pytest
from refusals import refused
from sklearn.exceptions import ConvergenceWarning

from structsvm.problems import (
    AttractiveGraphLabelling,
    Graph,
    GraphLabelling,
    GraphSVM,
    TreeLabelling,
)
from structsvm.problems.graphs.task import TreeLabellingTask

DATA = {
    "tree": TreeLabelling.example_data(),
    "flow": AttractiveGraphLabelling.example_data(),
    "relaxation": AttractiveGraphLabelling.example_data(),
    "expansion": GraphLabelling.example_data(),
}


@pytest.mark.parametrize("name", DATA)
def test_the_inference_follows_from_graphs_labels_and_weights(name):
    X, Y = DATA[name]
    svm = GraphSVM(attractive=name == "flow").fit(X, Y)
    assert svm.inference_ == name
    exact = name in ("tree", "flow")
    assert svm.result_.guarantee.upper_bound == (name != "expansion")
    assert svm.result_.guarantee.lower_bound == (exact or name == "expansion")
    assert svm.score(X, Y) > 0.8
    assert svm.verify(X, Y).matches


def test_the_units_of_the_features_do_not_matter():
    X, Y = DATA["tree"]
    units = 1e3 ** np.arange(X[0].features.shape[1])
    scaled = [x._replace(features=units * (x.features + 3)) for x in X]
    one, other = (GraphSVM(rtol=1e-5).fit(graphs, Y) for graphs in (X, scaled))
    np.testing.assert_allclose(one.w_, other.w_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(one.coef_, units * other.coef_, rtol=1e-4, atol=1e-4)


def test_the_weights_are_those_of_the_features_as_given():
    X, Y = DATA["tree"]
    svm = GraphSVM(directed=True).fit(X, Y)
    x = X[4]
    unary = x.features @ svm.coef_.T + svm.intercept_
    for y, relaxed in zip(svm.predict(X), svm.predict_relaxed(X), strict=True):
        assert relaxed.persistent.all()  # the relaxation of a tree is tight
        np.testing.assert_array_equal(svm.classes_[relaxed.nodes.argmax(axis=1)], y)
    layout = svm.problem_.layout_
    scores, entries = layout.scores(svm._encoded([x]).X, svm.w_)
    np.testing.assert_allclose(scores, unary)
    of_edges = np.repeat(svm.pairwise_, len(x.edges), axis=0)  # of the one feature, which is 1
    np.testing.assert_allclose(layout.pairwise(entries), of_edges)


def test_attractive_weights_cost_a_score_where_labels_differ():
    svm = GraphSVM(attractive=True).fit(*DATA["flow"])
    assert (svm.pairwise_[:, [0, 1], [1, 0]] <= 0).all()
    assert not svm.pairwise_[:, [0, 1], [0, 1]].any()


test_bad_parameters_are_errors = refused(
    lambda svm: svm.fit(*DATA["expansion"]),
    (GraphSVM(attractive=True, directed=True), "attractive weights have no direction"),
    (GraphSVM(inference="tree"), r"X\[0\] has a cycle.*without cycles"),
    (GraphSVM(inference="flow"), r"GraphSVM\(attractive=True\)"),
    (GraphSVM(attractive="yes"), "attractive must be True or False"),
)


def test_a_cycle_is_an_error_where_trees_were_trained_on():
    X, Y = DATA["tree"]
    ring = Graph(np.eye(3), [[0, 1], [1, 2], [2, 0]])
    svm = GraphSVM().fit(X, Y)
    message = r"X\[1\] has a cycle.*train with inference='relaxation' or 'expansion'"
    with pytest.raises(ValueError, match=message):
        svm.predict([X[0], ring])
    with pytest.raises(ValueError, match=message):
        GraphSVM(early_stopping=True).fit(X, Y, X_val=[X[0], ring], y_val=[Y[0], [0, 1, 2]])
    assert len(GraphSVM(inference="expansion").fit(X, Y).predict([ring])[0]) == 3


def test_what_is_no_list_of_graphs_or_has_no_labels_is_an_error():
    X, Y = DATA["tree"]
    svm = GraphSVM().fit(X, Y)
    for single in (X[4], networkx.path_graph(3), np.zeros((2, 3))):
        for call in (svm.fit, svm.score):
            with pytest.raises(ValueError, match="pass a list of graphs"):
                call(single, Y[4])
    with pytest.raises(ValueError, match=r"y\[4\]\[1\] is None"):
        svm.fit(X[:5], [*Y[:4], ["a", None, *"bcd"]])


@pytest.mark.parametrize("kind", [{}, {"attractive": True}, {"inference": "expansion"}])
@pytest.mark.parametrize("max_iter", [1, 4])
def test_a_run_that_ends_early_is_no_worse_than_nodes_alone(kind, max_iter):
    X, Y = DATA["flow"]
    X, Y = X[:4], Y[:4]
    bare = [x._replace(edges=x.edges[:0], edge_features=x.edge_features[:0]) for x in X]
    alone = GraphSVM().fit(bare, Y)
    with pytest.warns(ConvergenceWarning):
        svm = GraphSVM(**kind, C=alone.C_, rtol=1e-6, max_iter=max_iter).fit(X, Y)
    assert svm.result_.primal <= alone.result_.primal * (1 + 1e-6)
    assert svm.score(X, Y) >= alone.score(bare, Y)


def test_ctrl_c_while_nodes_are_trained_ends_the_fit(monkeypatch):
    calls, soft = [], TreeLabellingTask.soft

    def interrupted(*args, **options):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return soft(*args, **options)

    monkeypatch.setattr(TreeLabellingTask, "soft", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GraphSVM().fit(*DATA["expansion"])
