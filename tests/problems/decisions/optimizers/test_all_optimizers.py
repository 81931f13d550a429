"""Every optimizer against all of its decisions; copies, files, and what each refuses."""

from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs
from programs_data import drawn, feasible_vectors
from scipy import sparse
from scipy.optimize import LinearConstraint

import structsvm
from benchmarks.decisions.costs import knapsack_values, tour_distances
from structsvm.problems import IntegerProgram, Program
from structsvm.problems.decisions import optimizers
from structsvm.problems.decisions.optimizers import (
    Assignments,
    CallableOptimizer,
    GraphPaths,
    GridPaths,
    Knapsack,
    MixedIntegerProgram,
    SpanningTrees,
    Tours,
    as_optimizer,
    held_karp,
    knapsack,
)
from structsvm.problems.decisions.optimizers import tours as tours_module

# ---------------------------------------------------------------------- all decisions


def assignments(rows, columns):
    """All 0/1 matrices with as many ones as the smaller side, no two in a row or column."""
    matrices = np.array(list(product((0, 1), repeat=rows * columns))).reshape(-1, rows, columns)
    good = (matrices.sum(axis=1) <= 1).all(axis=1) & (matrices.sum(axis=2) <= 1).all(axis=1)
    good &= matrices.sum(axis=(1, 2)) == min(rows, columns)
    return matrices[good].reshape(-1, rows * columns)


def paths(graph, source, target):
    """All paths without repeated nodes, as 0/1 vectors of the edges."""
    number, found = {edge: i for i, edge in enumerate(graph.edges)}, []
    for nodes in nx.all_simple_paths(graph, source, target):
        found.append(np.zeros(graph.number_of_edges()))
        found[-1][[number[pair] for pair in nx.utils.pairwise(nodes)]] = 1
    return found


def grid(rows, columns):
    """The edges of a grid, counted as the docstring of GridPaths says."""
    graph = nx.DiGraph()
    graph.add_nodes_from(product(range(rows), range(columns)))
    edges = []
    for i in range(rows):
        edges += [((i, j), (i, j + 1)) for j in range(columns - 1)]
        edges += [((i, j), (i + 1, j)) for j in range(columns if i < rows - 1 else 0)]
    return graph, edges


def grid_paths(rows, columns):
    graph, edges = grid(rows, columns)
    graph.add_edges_from(edges)
    order = [list(graph.edges).index(edge) for edge in edges]
    return np.array(paths(graph, (0, 0), (rows - 1, columns - 1)))[:, order]


def drawn_graph(seed, n_edges=13):
    """A graph without cycles, with a path from 'a' to 'e' or back; its nodes are in no order."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(list("abcdefg"))
    while True:
        ends = rng.integers(7, size=(n_edges, 2))
        graph = nx.DiGraph()
        graph.add_nodes_from("gfedcba")
        graph.add_edges_from(names[np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)].tolist())
        for ends in (("a", "e"), ("e", "a")):
            if nx.has_path(graph, *ends):
                return graph, *ends


def trees(graph):
    edges, found = list(graph.edges), []
    for chosen in combinations(range(len(edges)), len(graph) - 1):
        part = nx.Graph(edges[i] for i in chosen)
        if len(part) == len(graph) and nx.is_connected(part):
            found.append(np.isin(range(len(edges)), chosen).astype(float))
    return found


def tours(n):
    pairs, found = list(combinations(range(n), 2)), set()
    for order in permutations(range(n)):
        steps = {frozenset(step) for step in zip(order, (*order[1:], order[0]), strict=True)}
        found.add(tuple(float(frozenset(pair) in steps) for pair in pairs))
    return list(found)


def integers(A, b, lower, upper):
    """All integers within bounds that satisfy A z <= b."""
    ranges = [range(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    vectors = np.array(list(product(*ranges)))
    return vectors[(vectors @ np.transpose(A) <= np.add(b, 1e-9)).all(axis=1)]


def fitting(weights, capacities):
    m = np.shape(weights)[-1]
    return integers(np.atleast_2d(weights), np.atleast_1d(capacities), [0] * m, [1] * m)


# ---------------------------------------------------------------------- the best of them

WEIGHTS = {
    "two dimensions": (np.random.default_rng(0).integers(300, 800, (2, 8)) / 100, [20.0, 15.0]),
    "one dimension": (np.random.default_rng(1).integers(0, 9, 8), 17),
    "nearly seven": ([[3, 4, 5, 2]], [7 - 1e-10]),
    "nothing fits": ([[3.0, 4.0]], [2.5]),
    "all fit": ([[3.0, 0.0, 4.0]], [7.0]),
    "no room": ([[3.0, 0.0, 4.0]], [0.0]),
    "rounding": ([[0.1, 0.2, 0.3, 0.7]], [0.3]),
}
ACYCLIC = [drawn_graph(seed) for seed in range(4)]
GRAPHS = [nx.complete_graph(5), nx.cycle_graph("abcd"), nx.path_graph(4)]
SUMS = np.random.default_rng(0).integers(-3, 4, size=(3, 4)), np.array([4, 5, 6])
WITHIN = {"lower": [-2.5, 0, -1, 0], "upper": [1.9, 2, 3, 1]}
NUMBERS = integers(*SUMS, [-2, 0, -1, 0], [1, 2, 3, 1])


def dearest(costs):
    return np.eye(len(costs), dtype=int)[costs.argmax()]


def cheapest_of_each(costs):
    return np.eye(costs.shape[1], dtype=bool)[costs.argmin(axis=1)]


def program(sense):
    return MixedIntegerProgram({"all": (sparse.csr_array(SUMS[0]), SUMS[1])}, sense=sense, **WITHIN)


#: Makers of optimizers, and all decisions.
CASES = {
    **{f"assignments {shape}": (lambda shape=shape: Assignments(*shape), assignments(*shape))
       for shape in ((3, 3), (2, 4), (4, 2), (1, 1))},
    **{f"grid {shape}": (lambda shape=shape: GridPaths(*shape), grid_paths(*shape))
       for shape in ((1, 2), (5, 1), (2, 2), (3, 4), (5, 2))},
    **{f"graph {i}": (lambda given=given: GraphPaths(*given), paths(*given))
       for i, given in enumerate(ACYCLIC)},
    **{f"knapsack {name}": (lambda name=name: Knapsack(*WEIGHTS[name]), fitting(*WEIGHTS[name]))
       for name in WEIGHTS},
    **{f"trees {graph}": (lambda graph=graph: SpanningTrees(graph), trees(graph))
       for graph in GRAPHS},
    **{f"tours {n}": (lambda n=n: Tours(n), tours(n)) for n in (3, 4, 6)},
    **{f"program {sense}": (lambda sense=sense: program(sense), NUMBERS)
       for sense in ("min", "max")},
    "program of constraints": (
        lambda: as_optimizer(drawn(0)[0][0], "max"), feasible_vectors(drawn(0)[0][0])
    ),
    "function of values": (lambda: CallableOptimizer(dearest, sense="max"), np.eye(7)),
    "function of many": (lambda: CallableOptimizer(cheapest_of_each, batch=True), np.eye(7)),
    "function": (lambda: CallableOptimizer(GridPaths(2, 3)), grid_paths(2, 3)),
}  # fmt: skip
#: Those that another way solves where this is 0.
WAYS = {"knapsack": (knapsack, "MOST_ENTRIES"), "tours": (tours_module, "FEW")}
OTHER_WAYS = [(name, way) for name in CASES for way in WAYS if name.startswith(way)]


@pytest.mark.parametrize("name, way", [*((name, None) for name in CASES), *OTHER_WAYS])
def test_the_best_of_all_decisions_is_found(name, way, monkeypatch):
    if way:
        monkeypatch.setattr(*WAYS[way], 0)
    for module in (knapsack, held_karp):
        monkeypatch.setattr(module, "BLOCK", 500)
    make, decisions = CASES[name]
    optimizer = make()
    if name != "tours 6" and not name.startswith("function"):  # HiGHS takes long; it lists none
        assert_lists(optimizer, decisions)
    assert_best(optimizer, drawn_costs(0, 15, len(decisions[0])), decisions)


@pytest.mark.parametrize("way", WAYS)
def test_both_ways_agree_on_the_data_of_the_paper(way, monkeypatch):
    if way == "tours":
        _, costs = tour_distances(4, n_cities=11, degree=4, noise=0.5)
        values = (costs * Tours(11).batch(costs)).sum(axis=1)
        monkeypatch.setattr(*WAYS[way], 0)
        other = Tours(11).batch(costs)
    else:
        _, costs, weights = knapsack_values(6, degree=4, noise=0.5)
        values = (costs * Knapsack(weights, [20, 20]).batch(costs)).sum(axis=1)
        other = Knapsack(weights, [20, 20])._program.batch(costs)
    np.testing.assert_allclose((costs * other).sum(axis=1), values)


def test_each_way_is_taken_where_it_is_fast():
    rng = np.random.default_rng(0)
    few = Knapsack(rng.integers(300, 800, (2, 32)) / 100, [20, 20])
    tables, costs = Knapsack(rng.integers(1, 20, 60), 100), drawn_costs(0, 6, 60)
    assert few._sets is not None and few.oracle_cost == "cheap"
    assert tables._sets is None and tables.oracle_cost == "cheap"
    expected = (costs * tables._program.batch(costs)).sum(axis=1)
    np.testing.assert_allclose((costs * tables.batch(costs)).sum(axis=1), expected)
    for weights, capacity in ((rng.random(60), 20), (1e6 * rng.integers(1, 20, 60), 1e8)):
        assert Knapsack(weights, capacity).oracle_cost == "expensive"
    assert Knapsack(np.ones((2, 10_000)), [2.5, 2.5]).oracle_cost == "expensive"


def test_the_paths_of_a_grid_arrive_from_the_left():
    assert GridPaths(2, 2)([0, 0, 0, 0]).tolist() == [0, 1, 0, 1]
    assert GridPaths(5, 5).batch(np.empty((0, 40))).shape == (0, 40)


# ---------------------------------------------------------------------- files

#: One of each kind.
ALL = {type(make()).__name__: make() for make, _ in CASES.values()}


def test_every_optimizer_is_here():
    assert set(ALL) == set(optimizers.__all__) - {"Optimizer", "as_optimizer"}
    graph = nx.DiGraph([(0, 1)])
    graph.edges[0, 1]["length"] = 3
    state = GraphPaths(graph, 0, 1).__getstate__()
    assert state["graph"] == (True, [(0, {}), (1, {})], [(0, 1, {"length": 3})])


@pytest.mark.parametrize("name", ALL)
def test_a_loaded_optimizer_decides_the_same(name, tmp_path):
    costs = np.random.default_rng(0).normal(size=(5, ALL[name].n_costs or 7))
    structsvm.save(IntegerProgram(solver=ALL[name]), tmp_path / "problem")
    loaded = structsvm.load(tmp_path / "problem").solver
    assert repr(loaded) == repr(ALL[name])
    np.testing.assert_array_equal(loaded.batch(costs), ALL[name].batch(costs))


def test_a_loaded_program_has_its_constraints(tmp_path):
    constraints = {"size": ([[1, 1, 1]], 2), "order": LinearConstraint([[1, -1, 0]], 0, 1)}
    structsvm.save(IntegerProgram(solver=MixedIntegerProgram(constraints)), tmp_path / "problem")
    with pytest.raises(ValueError, match="'order'"):
        structsvm.load(tmp_path / "problem").solver.require_feasible([0, 1, 0])


# ---------------------------------------------------------------------- what is refused


def choice(**changed):
    return MixedIntegerProgram(**{"constraints": ([[1, 1, 1]], [2]), **changed})


def hasty(costs):
    return np.zeros_like(costs)


CHAIN, LOOP = nx.DiGraph([(0, 1), (1, 2)]), nx.DiGraph([(0, 1), (1, 0)])
SHAPES = r"weights must be of shape \(d, m\), .*; got shapes "
MAXIMISING = CallableOptimizer(hasty, sense="max")
UNEQUAL = Program(np.ones((3, 1)), (np.ones((1, 4)), 1))
REFUSED = {
    "n_rows must be an integer >= 1; got": lambda: Assignments(0, 2),
    "rows must be an integer >= 1; got 0": lambda: GridPaths(0, 3),
    "a grid has at least two nodes; got rows=1 and columns=1": lambda: GridPaths(1, 1),
    "weights must be finite and >= 0; got -2": lambda: Knapsack([1, -2], 3),
    "capacities must be finite and >= 0; got -3": lambda: Knapsack([1, 2], -3),
    r"of shape \(d,\); got shapes \(1, 2\) and \(2,\)": lambda: Knapsack([1, 2], [3, 4]),
    SHAPES + r"\(1, 0\)": lambda: Knapsack([], 3),
    "target must be a node of the graph; got 5": lambda: GraphPaths(CHAIN, 0, 5),
    r"source must be a node of the graph; got \[0\]": lambda: GraphPaths(CHAIN, [0], 2),
    "must be different nodes; both are 1": lambda: GraphPaths(CHAIN, 1, 1),
    "the graph has no path from 2 to 0": lambda: GraphPaths(CHAIN, 2, 0),
    r"SPO\+ solves for 2 predicted - true costs": lambda: GraphPaths(nx.cycle_graph(4), 0, 2),
    "a MixedIntegerProgram of flow": lambda: GraphPaths(LOOP, 0, 1),
    "a MultiDiGraph: put a node on": lambda: GraphPaths(nx.MultiDiGraph([(0, 1)]), 0, 1),
    "graph must have edges; it has none": lambda: GraphPaths(nx.empty_graph(3), 0, 1),
    "graph must be a graph of networkx; got list": lambda: GraphPaths([[0, 1]], 0, 1),
    r"a DiGraph: pass graph.to_undirected\(\)": lambda: SpanningTrees(nx.DiGraph([(0, 1)])),
    "from a node to itself; 1 has one": lambda: SpanningTrees(nx.Graph([(0, 1), (1, 1)])),
    "graph must be connected": lambda: SpanningTrees(nx.Graph([(0, 1), (2, 3)])),
    "n_cities must be an integer >= 3; got 2": lambda: Tours(2),
    "n_costs must be given where there are no constraints": lambda: choice(constraints=()),
    r"'constraints' must be a pair \(A, b\), .* scipy.*; got int": lambda: choice(constraints=3),
    "A of constraint set 'a' must": lambda: choice(constraints={"a": ([[1, 2], [1]], 1)}),
    "must have a column for each of 3 variables": lambda: as_optimizer(UNEQUAL),
    "n_costs must be an integer >= 1; got 0": lambda: choice(n_costs=0),
    "lower must be at most upper; for variable 0 they are 2 and 1": lambda: choice(lower=2),
    "are 0.2 and 0.8, with no integer between": lambda: choice(lower=0.2, upper=0.8),
    r"upper must be a number, or one for each of 3 .*shape \(2,\)": lambda: choice(upper=[1, 2]),
    "lower must be a number, .*not NaN": lambda: choice(lower=np.nan),
    "must be 1 for integers and 0 for real numbers; got 2": lambda: choice(integrality=2),
    "time_limit must be a finite number > 0; got 0": lambda: choice(time_limit=0),
    "mip_rel_gap must be a finite number >= 0; got -1": lambda: choice(mip_rel_gap=-1),
    "sense must be one of 'min', 'max'; got None": lambda: choice(sense=None),
    "a function as solver takes 0/1 variables only": lambda: choice(solver=max, upper=2),
    "function must be callable; got 3": lambda: CallableOptimizer(3),
    "batch must be True or False; got 1": lambda: CallableOptimizer(hasty, batch=1),
    "one of 'min', 'max'; got 'least'": lambda: CallableOptimizer(hasty, sense="least"),
    "oracle_quality must be one of": lambda: CallableOptimizer(hasty, oracle_quality=None),
    "GridPaths minimises: write sense='min'": lambda: as_optimizer(GridPaths(2, 2), "max"),
    "CallableOptimizer maximises: write sense='max'": lambda: as_optimizer(MAXIMISING),
    r"expected an optimizer; got a class: write GridPaths\(\.\.\.\)": lambda: as_optimizer(
        GridPaths
    ),
    "an optimizer, a Program, a model of PyEPO, or a function .*; got None": lambda: as_optimizer(
        None
    ),
    "got 'grid'": lambda: as_optimizer("grid"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_arguments_are_refused(message):
    with pytest.raises((ValueError, TypeError), match=message):
        REFUSED[message]()


def test_what_is_passed_in_the_place_of_an_optimizer():
    grid = GridPaths(2, 2)
    assert as_optimizer(grid) is as_optimizer(grid, "min") is grid
    hasty.oracle_quality = "undergenerating"
    made = as_optimizer(hasty, "max")
    assert isinstance(made, CallableOptimizer) and made.function is hasty
    assert (made.sense, made.oracle_quality) == ("max", "undergenerating")
    assert as_optimizer(np.sign).oracle_quality == "exact"
    assert as_optimizer(Program(np.ones((3, 1)))).n_costs == 3
    assert repr(Assignments(3)) == "Assignments(n_rows=3, n_columns=3)"


BAG = Knapsack([6, 5], 10)
LARGE = MixedIntegerProgram(([[1, 1]], [1e9]), upper=np.inf)
APART = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    "optimizer, decision, message",
    [
        (BAG, [1, 1], "constraint set 'capacities' in row 0: A y is 11, which"),
        (choice(), [1, 1, 1], "violates constraint set 'constraints' in row 0: A y is 3"),
        (choice(), [1, 1], r"the decision must be of shape \(3,\); got shape \(2,\)"),
        (choice(), [0.5, 0, 0], "must have an integer from 0 to 1 for variable 0; got 0.5"),
        (choice(), [0, 2, 0], "must have an integer from 0 to 1 for variable 1; got 2"),
        (choice(), [0, 0, np.nan], "must have an integer from 0 to 1 for variable 2; got nan"),
        (LARGE, [1e6 + 0.5, 0], "an integer from 0 to inf for variable 0; got"),
        (Tours(6), np.zeros(14), "must be 0 or 1 for each of 15 pairs of cities; got"),
        (Tours(6), np.ones(15), "the decision must be one tour through all cities"),
        (Tours(6), APART, "the decision must be one tour through all cities"),
    ],
)
def test_what_is_not_feasible_is_refused(optimizer, decision, message):
    with pytest.raises(ValueError, match=message):
        optimizer.require_feasible(decision)


def test_what_is_nearly_feasible_is_accepted():
    choice().require_feasible([1, 0, 1])
    LARGE.require_feasible([1e6, 2e6])


COSTS = np.zeros(40)


@pytest.mark.parametrize(
    "costs, message",
    [
        (COSTS[:39], r"GridPaths\(rows=5, columns=5\) needs costs of shape \(40,\).*\(39,\)"),
        (COSTS[None], r"needs costs of shape \(40,\), one for each of 40 .*\(1, 40\)"),
        ([*COSTS[:39], np.nan], r"costs must be finite; costs\[39\] is nan"),
        (["a"] * 40, "costs must hold real numbers"),
    ],
)
def test_bad_costs_are_refused(costs, message):
    grid = GridPaths(5, 5)
    with pytest.raises(ValueError, match=message):
        grid(costs)
    with pytest.raises(ValueError, match=r"costs of shape \(n, 40\), .*got shape \(40,\)"):
        grid.batch(COSTS)
    with pytest.raises(ValueError, match=r"costs\[1, 2\] is nan"):
        grid.batch(np.where(np.arange(120) == 42, np.nan, 0.0).reshape(3, 40))
