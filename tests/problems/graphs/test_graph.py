"""Graphs from arrays, networkx and images, and the errors of those that are none."""

import networkx
import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from structsvm import ProblemError, StructuredSVM
from structsvm.problems import Graph, GraphLabelling, GraphSVM, grid_graph
from structsvm.problems.graphs.data import Graphs

FEATURES = np.arange(6.0).reshape(3, 2)


def packed(*graphs, directed=False):
    return Graphs.of(list(graphs), directed)


def test_graphs_are_packed_into_one():
    pandas, matrix = pytest.importorskip("pandas"), sparse.coo_matrix(FEATURES)
    given = Graph(FEATURES.tolist(), [[0, 1]]), Graph(pandas.DataFrame(FEATURES[:1]), [])
    graphs = packed(*given, Graph(matrix, [[2, 0]]))
    joined = np.vstack([FEATURES, FEATURES[:1], FEATURES])
    np.testing.assert_array_equal(graphs.nodes.values.toarray(), joined)
    assert repr(Graph(matrix, [[0, 1]])) == "<Graph of 3 nodes and 1 edges>"
    assert graphs.joined.tolist() == [[0, 1], [6, 4]]
    assert graphs.nodes.owner.tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert graphs.edges.owner.tolist() == [0, 2]
    assert graphs.nodes.sums(np.ones(7)).tolist() == [3, 1, 3]
    assert graphs[1:].joined.tolist() == [[3, 1]]
    assert len(graphs[2]) == 1 and graphs[2].joined.tolist() == [[2, 0]]
    assert graphs.is_forest


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph(np.empty((0, 2)), []), "has no nodes; leave it out"),
        (Graph(FEATURES, [[0, 3]]), r"edge \[0, 3\] joins a node outside of 0 to 2"),
        (Graph(FEATURES, [[1, 1]]), "joins node 1 to itself"),
        (Graph(FEATURES, [[0, 1], [1, 0]]), r"edge \[0, 1\] occurs 2 times, in either order"),
        (Graph(FEATURES, [[0, 1.5]]), r"edges must be integers.* and float64: transpose"),
        (Graph(FEATURES, [[0, 1], [2]]), "edges must be an array of single values"),
        (Graph(FEATURES, [[0, 1]], sparse.eye(1)), r"pass edge_features.toarray\(\)$"),
        (Graph(FEATURES, [0, 1]), "edges must be integers of shape"),
        (Graph(FEATURES, sparse.eye(3, k=1)), "edges must be integers.*_matrix of .*adjacency"),
        (Graph(FEATURES, sparse.csr_array((3, 3))), "edges must be .*csr_array of sh"),
        (Graph(FEATURES, [[0, 1]], np.ones((2, 1))), "a row for each of 1 edges"),
        (Graph(FEATURES, [[0, 1]], [[np.nan]]), "edge_features contains NaN"),
        (Graph(FEATURES, [[0, 1]], np.ones((1, 0))), "at least one column"),
        (Graph([[1.0, 2.0], [3.0]], []), "features must hold real numbers"),
        (Graph([[1.0, np.nan]], []), "features contains NaN"),
        (Graph(FEATURES[0], []), "features must be 2-d"),
        (FEATURES, "expected a structsvm.problems.Graph; got ndarray"),
        (networkx.path_graph(3), "got Graph: make one by .*Graph.from_networkx"),
    ],
)
def test_what_is_no_graph_is_an_error_that_names_it(graph, message):
    with pytest.raises(ValueError, match=r"X\[1\]: .*" + message):
        packed(Graph(FEATURES, [[0, 1]]), graph)


def test_directed_edges_may_lead_back_and_forth():
    graph = Graph(FEATURES, [[0, 1], [1, 0]])
    assert len(packed(graph, directed=True).joined) == 2
    with pytest.raises(ValueError, match="occurs 2 times; give it once"):
        packed(Graph(FEATURES, [[0, 1], [0, 1]]), directed=True)


def test_graphs_have_the_same_numbers_of_features():
    with pytest.raises(ValueError, match=r"X\[1\] has 1 features of a node, but X\[0\] has 2"):
        packed(Graph(FEATURES, []), Graph(FEATURES[:, :1], []))
    with pytest.raises(ValueError, match=r"X\[1\] has 2 features of an edge, but X\[0\] has 1"):
        packed(Graph(FEATURES, [[0, 1]]), Graph(FEATURES, [[0, 1]], [[1.0, 2.0]]))


BARE, NO_EDGES = Graph(FEATURES, [[0, 1]]), Graph(FEATURES, [])
DESCRIBED = BARE._replace(edge_features=[[2.0]])


@pytest.mark.parametrize("make", [GraphSVM, lambda: StructuredSVM(GraphLabelling())])
def test_a_column_of_edge_features_is_not_the_same_as_none(make):
    y = [["a", "a", "b"]] * 2
    for one, other, with_, has, found in (
        (BARE, DESCRIBED, "without", "has no", "some"),
        (DESCRIBED, BARE, "with", "has", "none"),
    ):
        message = rf"X\[0\] {has} edge_features, but X\[1\] has {found}"
        with pytest.raises(ValueError, match=message):
            make().fit([one, other], y)
        svm = make().fit([NO_EDGES, one], y)
        assert len(svm.predict([one, NO_EDGES])) == 2
        message = rf"trained {with_} edge_features, but X\[.\] has {found}: give them for all"
        for call in (svm.predict, lambda X, svm=svm: svm.score(X, y)):
            with pytest.raises((ValueError, ProblemError), match=message):
                call([one, other])


def test_a_graph_of_networkx():
    graph = networkx.DiGraph()
    graph.add_node("b", x=[1.0, 2.0], size=3)
    graph.add_node("a", x=[4.0, 5.0], size=6)
    graph.add_edge("a", "b", length=7.0)
    found = Graph.from_networkx(graph, ["x", "size"], "length")
    assert found.features.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert found.edges.tolist() == [[1, 0]]
    assert found.edge_features.tolist() == [[7]]
    graph.add_node("c", y=[3.0])
    with pytest.raises(ValueError, match="the attribute 'y' of nodes must hold real numbers"):
        networkx.set_node_attributes(graph, {"a": [1.0, 2.0], "b": [3.0]}, "y")
        Graph.from_networkx(graph, "y")
    with pytest.raises(ValueError, match="node 'c' has no attribute 'x'"):
        Graph.from_networkx(graph, "x")
    with pytest.raises(ValueError, match="got a MultiGraph: merge edges"):
        Graph.from_networkx(networkx.MultiGraph(graph), "x")


@pytest.mark.parametrize("neighbours", (4, 8))
def test_the_edges_of_a_grid_join_all_neighbours_once(neighbours):
    h, w = 3, 4
    graph = grid_graph(np.zeros((h, w, 1)), neighbours)
    places = np.column_stack(np.divmod(np.arange(h * w), w))
    apart = np.abs(places[:, None] - places)
    near = apart.max(axis=2) == 1 if neighbours == 8 else apart.sum(axis=2) == 1
    expected = {tuple(pair) for pair in np.argwhere(np.triu(near))}
    assert {tuple(sorted(edge)) for edge in graph.edges.tolist()} == expected
    assert len(graph.edges) == len(expected)
    steps = places[graph.edges[:, 1]] - places[graph.edges[:, 0]]
    for direction in range(neighbours // 2):
        assert len(np.unique(steps[graph.edge_features[:, direction] == 1], axis=0)) == 1
    np.testing.assert_array_equal(graph.edge_features.sum(axis=1), 1)


def test_edges_within_a_surface_are_told_from_those_across_a_boundary():
    image = np.zeros((4, 4, 3))
    image[:, 2:] = 1.0
    graph = grid_graph(np.zeros((4, 4, 1)), image=image)
    across = graph.edges[:, 0] % 4 + graph.edges[:, 1] % 4 == 3
    likeness = graph.edge_features[:, 2:].sum(axis=1)
    assert (likeness[~across] == 1).all() and (likeness[across] < 0.1).all()
    constant = grid_graph(np.zeros((2, 2, 1)), image=np.ones((2, 2, 3)))
    np.testing.assert_array_equal(constant.edge_features[:, 2:].sum(axis=1), 1)
    assert grid_graph(np.zeros((1, 1, 2)), image=np.ones((1, 1, 3))).edges.shape == (0, 2)


test_what_is_no_image_is_an_error = refused(
    grid_graph,
    (np.zeros((2, 2)), r"features must be of shape \(h, w, d\)"),
    (np.zeros((0, 2, 1)), "none of them 0"),
    (np.zeros((2, 2, 1)), 6, "neighbours must be 4 or 8; got 6"),
    (np.zeros((2, 2, 1)), 4, np.zeros((2, 3, 1)), "image must have 2 x 2 pixels"),
    (np.zeros((2, 2, 1)), 4, np.full((2, 2, 1), np.nan), "image contains NaN"),
    (np.full((2, 2, 1), np.inf), "features contains NaN or infinity"),
)
