"""Item sets from graphs and from pandas."""

import networkx
import numpy as np
import pandas
import pytest
from refusals import refused
from scipy import sparse
from set_data import tensor

from structsvm.problems import ItemSet


def graph_and_features(seed, m=9, n=4):
    rng = np.random.default_rng(seed)
    graph = networkx.gnp_random_graph(m, 0.25, seed=seed, directed=True)
    graph.add_edge(0, 0)
    return graph, np.maximum(rng.normal(size=(m, n)), 0)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_links_and_co_citations(convert):
    graph, S = graph_and_features(0)
    items = ItemSet.from_graph(graph, convert(S))
    m, n = S.shape
    assert (items.n_node_features, items.n_pair_features) == (n, 2 * (n + 1))
    psi = tensor(items, m)
    for i in range(m):
        for j in range(m):
            product = np.append(S[i] * S[j], 1)
            linked = i != j and (graph.has_edge(i, j) or graph.has_edge(j, i))
            cited = i != j and any(
                graph.has_edge(u, i) and graph.has_edge(u, j) for u in graph if u not in (i, j)
            )
            np.testing.assert_allclose(psi[i, j, n : 2 * n + 1], linked * product)
            np.testing.assert_allclose(psi[i, j, 2 * n + 1 :], cited * product)


def test_links_alone():
    graph = networkx.DiGraph([("a", "b"), ("a", "c")])
    items = ItemSet.from_graph(graph)
    assert (items.n_node_features, items.n_pair_features) == (0, 2)
    np.testing.assert_array_equal(items.similarity([1.0, 0.0])[0], [0, 1, 1])
    np.testing.assert_array_equal(items.similarity([0.0, 1.0])[1], [0, 0, 1])


def test_weights_and_parallel_links_do_not_count():
    graph, S = graph_and_features(1)
    many = networkx.MultiDiGraph(graph)
    many.add_edges_from(graph.edges, weight=7.0)
    w = np.arange(14.0)
    K = ItemSet.from_graph(graph, S).similarity(w)
    np.testing.assert_allclose(ItemSet.from_graph(many, S).similarity(w), K)


def test_features_by_name_and_by_attribute():
    graph, S = graph_and_features(2)
    graph = networkx.relabel_nodes(graph, {i: f"page {i}" for i in graph})
    K = ItemSet.from_graph(graph, S).similarity(np.ones(14))
    shuffled = np.random.default_rng(0).permutation(9)
    frame = pandas.DataFrame(S[shuffled], index=[f"page {i}" for i in shuffled])
    by_name = ItemSet.from_graph(graph, frame)
    np.testing.assert_allclose(by_name.similarity(np.ones(14)), K)
    assert list(by_name.items)[:2] == ["page 0", "page 1"]
    networkx.set_node_attributes(graph, {f"page {i}": S[i] for i in range(9)}, "words")
    np.testing.assert_allclose(ItemSet.from_graph(graph, "words").similarity(np.ones(14)), K)
    networkx.set_node_attributes(graph, 2.0, "size")
    np.testing.assert_array_equal(ItemSet.from_graph(graph, "size").nodes, np.full((9, 1), 2.0))


def test_from_frames_aligns_by_name():
    nodes = pandas.DataFrame({"a": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    pairs = pandas.DataFrame(
        {"weight": [5.0, 7.0]}, index=pandas.MultiIndex.from_tuples([("z", "x"), ("y", "y")])
    )
    items = ItemSet.from_frames(nodes, pairs)
    assert list(items.items) == ["x", "y", "z"]
    np.testing.assert_array_equal(items.similarity([0.0, 1.0]), [[0, 0, 5], [0, 7, 0], [5, 0, 0]])
    alone = ItemSet.from_frames(pairs=pairs)
    assert list(alone.items) == ["z", "x", "y"]
    assert alone.n_features == 1
    assert list(ItemSet(nodes).items) == ["x", "y", "z"]


GRAPH, S = graph_and_features(0)
FRAME, NODES = pandas.DataFrame(S), pandas.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
MORE = pandas.concat([FRAME, FRAME[:1].set_axis(["more"])])
STRANGER = pandas.MultiIndex.from_tuples([("x", "q")])
OF_STRANGER = pandas.DataFrame({"w": [1.0]}, index=STRANGER)


test_what_does_not_match_is_refused = refused(
    lambda make, *given: make(*given),
    (ItemSet.from_graph, GRAPH, S[:8], "9 nodes, but there are 8 rows"),
    (ItemSet.from_graph, GRAPH, FRAME[:8], "no row of features: 8"),
    (ItemSet.from_graph, GRAPH, MORE, "'more', which is no node"),
    (ItemSet.from_graph, GRAPH, "words", "node 0 of the graph lacks the attribute 'words'"),
    (ItemSet.from_graph, np.eye(3), S, "must be a networkx graph with nodes; got array"),
    (ItemSet.from_frames, NODES, OF_STRANGER, "no row of features: 'q'"),
    (ItemSet.from_frames, NODES.set_axis(["x", "x"]), "'x' is there more than once"),
    (ItemSet.from_frames, NODES, NODES, "two levels"),
    (ItemSet.from_frames, NODES.to_numpy(), "a DataFrame of pandas; got .*ndarray"),
    (ItemSet.from_frames, "neither"),
)
