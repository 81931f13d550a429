"""Item sets: similarities and sums over pairs against loops, every source, every bad input."""

import tracemalloc

import networkx
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from structsvm.problems import ItemSet, PairMap, SupervisedKMeans
from structsvm.problems.set_clustering.item_sets.pair_map import _pairs


def tensor(items, m):
    """psi of shape (m, m, N), by the definition."""
    psi = np.zeros((m, m, items.n_features))
    if items.nodes is not None:
        S = items.nodes.toarray() if sparse.issparse(items.nodes) else items.nodes
        psi[:, :, : S.shape[1]] = S[:, None] * S[None]
    if items.pairs is not None:
        rows, cols, features = items.pairs
        dense = features.toarray() if sparse.issparse(features) else features
        for i, j, vector in zip(rows, cols, dense, strict=True):
            psi[i, j, items.n_node_features :] = psi[j, i, items.n_node_features :] = vector
    return psi


def pair_array(rng, m, n):
    array = rng.normal(size=(m, m, n))
    return array + array.transpose(1, 0, 2)


def some_pairs(rng, m, n, share=0.5, convert=np.asarray):
    rows, cols = np.triu_indices(m)
    chosen = rng.permutation(len(rows))[: int(share * len(rows))]
    swap = rng.random(len(chosen)) < 0.5
    i, j = np.where(swap, cols[chosen], rows[chosen]), np.where(swap, rows[chosen], cols[chosen])
    return i, j, convert(rng.normal(size=(len(chosen), n)) * (rng.random((len(chosen), n)) < 0.5))


def sets(rng, m=7):
    nodes = rng.normal(size=(m, 3))
    yield ItemSet(nodes)
    yield ItemSet(sparse.csr_matrix(np.maximum(nodes, 0)))
    yield ItemSet(sparse.coo_array(np.maximum(nodes, 0)))
    yield ItemSet(pairs=pair_array(rng, m, 2))
    yield ItemSet(pairs=some_pairs(rng, m, 2), n_items=m)
    yield ItemSet(pairs=some_pairs(rng, m, 4, 0.05, sparse.csr_matrix), n_items=m)
    yield ItemSet(nodes, pair_array(rng, m, 2))
    yield ItemSet(nodes, some_pairs(rng, m, 2, 0.3, sparse.csr_matrix))
    yield ItemSet(sparse.csr_matrix(nodes), some_pairs(rng, m, 2, 0.9, sparse.csc_matrix))
    yield ItemSet(nodes, some_pairs(rng, m, 2, 0.0))


@pytest.mark.parametrize("seed", range(5))
def test_against_the_definition(seed):
    rng, m = np.random.default_rng(seed), 7
    for items in sets(rng, m):
        psi, w = tensor(items, m), rng.normal(size=items.n_features)
        np.testing.assert_allclose(items.similarity(w), psi @ w, atol=1e-12)
        factors, weights = rng.normal(size=(m, 3)), rng.normal(size=3)
        Z = (factors * weights) @ factors.T
        expected = np.einsum("ij,ijn->n", Z, psi)
        np.testing.assert_allclose(items.weighted_sum(factors, weights), expected, atol=1e-10)
        expected = np.einsum("ij,ijn->n", factors @ factors.T, psi)
        np.testing.assert_allclose(items.weighted_sum(factors), expected, atol=1e-10)
        np.testing.assert_allclose(items.diagonal_sum(), np.einsum("iin->n", psi), atol=1e-12)
        rows, cols = rng.integers(m, size=(2, 9))
        vectors = items.pair_vectors(rows, cols)
        dense = vectors.toarray() if sparse.issparse(vectors) else vectors
        np.testing.assert_allclose(dense, psi[rows, cols], atol=1e-12)


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_the_similarity_gives_the_sum(m, seed):
    """<w, sum_ij Z_ij psi_ij> = sum_ij Z_ij K_ij for every kind of set."""
    rng = np.random.default_rng(seed)
    for items in sets(rng, m):
        w, Y = rng.normal(size=items.n_features), rng.normal(size=(m, 2))
        trace = np.trace(Y.T @ items.similarity(w) @ Y)
        assert np.isclose(w @ items.weighted_sum(Y), trace, atol=1e-9)


def test_pairs_may_be_given_in_either_order_and_on_the_diagonal():
    one = ItemSet(pairs=([0, 2, 1], [1, 0, 1], [[1.0], [2.0], [3.0]]), n_items=3)
    other = ItemSet(pairs=([1, 1, 0], [1, 0, 2], [[3.0], [1.0], [2.0]]), n_items=3)
    K = [[0, 1, 2], [1, 3, 0], [2, 0, 0]]
    np.testing.assert_array_equal(one.similarity([1.0]), K)
    np.testing.assert_array_equal(other.similarity([1.0]), K)


def test_sparse_sets_stay_small():
    """Two thousand items with a hundred thousand features: m x m x N would take 3 TB."""
    rng = np.random.default_rng(0)
    columns = rng.integers(100_000, size=60_000)
    S = sparse.csr_matrix((np.ones(60_000), columns, np.arange(0, 60_001, 30)), (2000, 100_000))
    pairs = (*np.triu_indices(2000, 1998), S[:3])
    tracemalloc.start()
    items = ItemSet(S, pairs)
    items.similarity(np.ones(items.n_features))
    items.weighted_sum(rng.normal(size=(2000, 5)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5e8


# ---------------------------------------------------------------------- pandas


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


def test_columns_in_another_order_are_found():
    nodes = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 1.0, 1.0]}, index=["x", "y", "z"])
    pairs = pandas.DataFrame(
        {"s": [5.0, 7.0], "t": [1.0, 0.0]},
        index=pandas.MultiIndex.from_tuples([("z", "x"), ("y", "y")]),
    )
    graph = networkx.path_graph(["x", "y", "z"])
    y, swapped = [[0, 0, 1]], nodes[["b", "a"]]
    for one, other, name in (
        (ItemSet(nodes), ItemSet(swapped), "node feature 0 .* 'b'; expecting 'a'"),
        (
            ItemSet.from_frames(nodes, pairs),
            ItemSet.from_frames(swapped, pairs),
            "node feature 0 .* 'b'",
        ),
        (
            ItemSet.from_frames(nodes, pairs),
            ItemSet.from_frames(nodes, pairs[["t", "s"]]),
            "pair feature 0 .* 't'; expecting 's'",
        ),
        (ItemSet.from_graph(graph, nodes), ItemSet.from_graph(graph, swapped), "node feature 0"),
    ):
        with pytest.raises(ValueError, match=name):
            SupervisedKMeans().fit([one, other], y * 2)
        with pytest.raises(ValueError, match=name):
            SupervisedKMeans().fit([one], y).predict([other])
    unnamed = ItemSet(nodes.to_numpy())
    with pytest.raises(ValueError, match="item set 2 is named 'b'"):
        SupervisedKMeans().fit([unnamed, ItemSet(nodes), ItemSet(swapped)], y * 3)
    with pytest.raises(ValueError, match="expecting 'a'"):
        SupervisedKMeans().fit([unnamed, ItemSet(nodes)], y * 2).predict([ItemSet(swapped)])


def test_bad_frames():
    nodes = pandas.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
    stranger = pandas.MultiIndex.from_tuples([("x", "q")])
    with pytest.raises(ValueError, match="no row of features: 'q'"):
        ItemSet.from_frames(nodes, pandas.DataFrame({"w": [1.0]}, index=stranger))
    with pytest.raises(ValueError, match="'x' is there more than once"):
        ItemSet.from_frames(nodes.set_axis(["x", "x"]))
    with pytest.raises(ValueError, match="two levels"):
        ItemSet.from_frames(nodes, nodes)
    with pytest.raises(ValueError, match="must be a DataFrame; got ndarray"):
        ItemSet.from_frames(nodes.to_numpy())
    with pytest.raises(ValueError, match="neither"):
        ItemSet.from_frames()


# ---------------------------------------------------------------------- graphs


def graph_and_features(seed, m=9, n=4):
    rng = np.random.default_rng(seed)
    graph = networkx.gnp_random_graph(m, 0.25, seed=seed, directed=True)
    graph.add_edge(0, 0)
    return graph, np.maximum(rng.normal(size=(m, n)), 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_links_and_co_citations(seed, convert):
    graph, S = graph_and_features(seed)
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


def test_kinds_of_pairs_can_be_left_out():
    graph, S = graph_and_features(0)
    assert ItemSet.from_graph(graph, S, links=False).n_pair_features == 5
    assert ItemSet.from_graph(graph, S, co_citations=False).n_pair_features == 5
    assert ItemSet.from_graph(graph, S, False, False).n_pair_features == 0
    lonely = networkx.empty_graph(9)
    assert ItemSet.from_graph(lonely, S).n_pair_features == 10


def test_links_alone():
    graph = networkx.DiGraph([("a", "b"), ("a", "c")])
    items = ItemSet.from_graph(graph)
    assert (items.n_node_features, items.n_pair_features) == (0, 2)
    np.testing.assert_array_equal(items.similarity([1.0, 0.0])[0], [0, 1, 1])
    np.testing.assert_array_equal(items.similarity([0.0, 1.0])[1], [0, 0, 1])


def test_features_of_the_user_are_not_changed():
    """Entries given twice are added up in a copy."""
    rows, cols = np.array([0, 0, 1]), np.array([1, 1, 0])
    S = sparse.coo_matrix((np.ones(3), (rows, cols)), shape=(2, 2)).tocsr()
    doubled = sparse.csr_matrix((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), (2, 2))
    items = ItemSet(doubled)
    assert doubled.nnz == 3
    np.testing.assert_array_equal(doubled.indices, [1, 1, 0])
    np.testing.assert_array_equal(items.nodes.toarray(), S.toarray())


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


def test_scalar_attributes_and_flags():
    graph = networkx.path_graph(3)
    networkx.set_node_attributes(graph, {0: 1.0, 1: 2.0, 2: 3.0}, "size")
    items = ItemSet.from_graph(graph, "size", links=False, co_citations=False)
    np.testing.assert_array_equal(items.nodes, [[1.0], [2.0], [3.0]])
    with pytest.raises(ValueError, match="links must be True or False; got 'no'"):
        ItemSet.from_graph(graph, "size", links="no")
    with pytest.raises(ValueError, match="neither links nor co_citations, node features are"):
        ItemSet.from_graph(graph, links=False, co_citations=False)


def test_pair_vectors_of_pairs_that_are_not_there():
    with pytest.raises(ValueError, match="items 0 to 2; they range from -1 to 0"):
        ItemSet(GOOD).pair_vectors([-1], [0])
    with pytest.raises(ValueError, match="equally many; got 2 and 1"):
        ItemSet(GOOD).pair_vectors([0, 1], [0])


def test_graphs_whose_nodes_do_not_match():
    graph, S = graph_and_features(0)
    with pytest.raises(ValueError, match="9 nodes, but there are 8 rows"):
        ItemSet.from_graph(graph, S[:8])
    frame = pandas.DataFrame(S)
    with pytest.raises(ValueError, match="no row of features: 8"):
        ItemSet.from_graph(graph, frame[:8])
    with pytest.raises(ValueError, match="'more', which is no node"):
        ItemSet.from_graph(graph, pandas.concat([frame, frame[:1].set_axis(["more"])]))
    with pytest.raises(ValueError, match="node 0 of the graph lacks the attribute 'words'"):
        ItemSet.from_graph(graph, "words")
    with pytest.raises(ValueError, match="must be a networkx graph; got ndarray"):
        ItemSet.from_graph(np.eye(3), S)


# ---------------------------------------------------------------------- bad input

GOOD = np.ones((3, 2))
ASYMMETRIC = np.arange(9.0).reshape(3, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "neither"),
        ({"nodes": GOOD[:1]}, "at least 2 items to cluster; got 1"),
        ({"nodes": GOOD[0]}, "2-d"),
        ({"nodes": GOOD[:, :0]}, "at least one column"),
        ({"nodes": [["a", "b"], ["c", "d"]]}, "must hold real numbers"),
        ({"nodes": GOOD * np.nan}, "NaN or infinity, first in row 0"),
        ({"nodes": GOOD * 1j}, "real numbers: got dtype complex128"),
        ({"nodes": GOOD.astype("M8[D]")}, "real numbers: got dtype datetime64"),
        ({"nodes": np.ma.masked_less(GOOD, 2)}, "must not be masked"),
        ({"nodes": GOOD[:, 0]}, r"features\[:, None\]"),
        ({"pairs": sparse.csr_matrix(GOOD)}, "a tuple .*; got csr_matrix"),
        ({"nodes": np.ones((4, 2)), "pairs": [[0], [1], [[1.0]]]}, "must be a tuple"),
        ({"nodes": sparse.csr_matrix(GOOD * np.inf)}, "NaN or infinity"),
        ({"nodes": sparse.csr_matrix(GOOD * 1j)}, "real numbers"),
        ({"pairs": np.ones((3, 3))}, r"shape \(3, 3, N_p\) for 3 items, or .*; got shape \(3, 3\)"),
        ({"pairs": np.ones((3, 4, 1))}, r"shape \(3, 3, N_p\)"),
        ({"pairs": ASYMMETRIC}, "symmetric.*items 0 and 2 differ by 4"),
        ({"pairs": np.full((3, 3, 1), np.nan)}, "NaN or infinity"),
        ({"pairs": [["a"], ["b"]]}, "tuple"),
        ({"nodes": GOOD, "pairs": np.ones((4, 4, 1))}, "nodes 3, pairs 4"),
        ({"nodes": GOOD, "n_items": 5}, "n_items 5, nodes 3"),
        ({"nodes": GOOD, "n_items": 3.5}, "n_items must be an integer"),
        ({"pairs": ([0], [1], [[1.0]])}, "n_items is wanted"),
        ({"nodes": GOOD, "pairs": ([0], [1])}, "triple.*got 2 parts"),
        ({"nodes": GOOD, "pairs": ([0, 1], [1], [[1.0]])}, "rows and cols .* many; got 2 and 1"),
        ({"nodes": GOOD, "pairs": ([0], [1], [[1.0], [2]])}, "equally many; got 1, 1 and 2"),
        ({"nodes": GOOD, "pairs": pandas.DataFrame(GOOD)}, "from_frames takes a DataFrame"),
        ({"nodes": pandas.DataFrame({"a": [1, 2], "b": ["1", "2"]})}, "got text in some places"),
        ({"nodes": GOOD, "pairs": ([0], [3], [[1.0]])}, "items 0 to 2; they range from 0 to 3"),
        ({"nodes": GOOD, "pairs": ([-1], [1], [[1.0]])}, "range from -1"),
        ({"nodes": GOOD, "pairs": ([0.5], [1], [[1.0]])}, "rows of the pairs .* item numbers"),
        ({"nodes": GOOD, "pairs": ([0, 1], [1, 0], [[1.0], [1]])}, "0 and 1 is given more than"),
        ({"nodes": GOOD, "pairs": ([0], [1], [[np.nan]])}, "NaN or infinity"),
    ],
)
def test_bad_item_sets(arguments, message):
    with pytest.raises(ValueError, match=message):
        ItemSet(**arguments)


def test_weights_of_another_length():
    items = ItemSet(GOOD, np.ones((3, 3, 1)))
    with pytest.raises(ValueError, match="2 node and 1 pair features; got shape \\(2,\\)"):
        items.similarity([1.0, 2.0])
    assert repr(items) == "ItemSet(3 items, 2 node features, 1 pair features)"
    assert len(items) == 3


# ---------------------------------------------------------------------- mapped pairs


@pytest.mark.parametrize("m", [2, 3, 8])
def test_pairs_are_numbered_as_in_triu_indices(m):
    rows, cols = np.triu_indices(m)
    found = _pairs(np.arange(len(rows)), m)
    np.testing.assert_array_equal(found, [rows, cols])


def test_a_map_of_all_pairs_gives_kernel_expansions():
    """Equation 8 exactly, with as many components as there are pairs."""
    rng = np.random.default_rng(0)
    X = [next(sets(rng, 4)), next(sets(rng, 3))]
    nystroem = Nystroem(gamma=0.5, n_components=16, random_state=0)
    mapped = PairMap(nystroem).fit(X).transform(X)
    vectors = np.vstack([x.pair_vectors(*np.triu_indices(len(x))) for x in X])
    alpha = rng.normal(size=16)
    w = mapped[0].pair_vectors(*np.triu_indices(4)).T @ alpha[:10]
    w = w + mapped[1].pair_vectors(*np.triu_indices(3)).T @ alpha[10:]
    for x, z in zip(X, mapped, strict=True):
        rows, cols = np.triu_indices(len(x))
        expected = rbf_kernel(x.pair_vectors(rows, cols), vectors, gamma=0.5) @ alpha
        np.testing.assert_allclose(z.similarity(w)[rows, cols], expected, atol=1e-6)


def test_maps_of_sparse_pairs_and_of_other_kinds():
    rng = np.random.default_rng(0)
    for items in sets(rng, 6):
        for transformer in (None, PolynomialFeatures(2), StandardScaler(with_mean=False)):
            mapped = PairMap(transformer, n_pairs=15).fit_transform([items])[0]
            assert mapped.n_node_features == 0
            assert len(mapped) == 6
    again = [PairMap(n_pairs=5, random_state=3).fit_transform([items])[0] for _ in range(1)]
    assert again[0].n_pair_features == 5


def test_the_default_map_is_drawn_by_its_seed():
    X = [ItemSet(np.random.default_rng(0).normal(size=(20, 3)))]
    maps = [PairMap(random_state=seed).fit(X).transformer_.components_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(maps[0], maps[1])
    assert not np.array_equal(maps[0], maps[2])


def test_bad_maps():
    X = [ItemSet(GOOD), ItemSet(np.ones((3, 3)))]
    with pytest.raises(ValueError, match="item set 1 has 3 node"):
        PairMap().fit(X)
    with pytest.raises(ValueError, match="n_pairs must be an integer >= 1; got 0"):
        PairMap(n_pairs=0).fit(X[:1])
    with pytest.raises(ValueError, match="random_state must be an integer >= 0; got 'a'"):
        PairMap(random_state="a").fit(X[:1])
    with pytest.raises(ValueError, match="expecting 2 and 0 features, as in training"):
        PairMap(Nystroem(n_components=2)).fit(X[:1]).transform(X[1:])
