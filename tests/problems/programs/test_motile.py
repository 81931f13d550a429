"""motile with structsvm in place of the package that it names: its own tests, and ours."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

motile = pytest.importorskip("motile", reason="motile is not installed: make .venv/has-motile")
#: The source distribution, which has the tests.
SOURCE = Path(sys.prefix) / "motile-1.0.1"


@pytest.mark.skipif(not SOURCE.is_dir(), reason="motile's source is not there: .venv/has-motile")
def test_motiles_own_tests_pass_unchanged():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "37 passed" in done.stdout
    code = "import motile.ssvm; print(motile.ssvm.ssvm.SoftMarginLoss.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "structsvm.problems.programs.soft_margin_loss"


def graph_of_tracks(noise):
    """Seven cells in three frames, and their links; two of five weights are of noise, if asked."""
    import networkx as nx

    rng = np.random.default_rng(0)
    graph = nx.DiGraph()
    for i, (t, x) in enumerate([(0, 1), (0, 25), (1, 0), (1, 26), (2, 2), (2, 24), (2, 35)]):
        graph.add_node(i, t=t, x=x, score=rng.random(), noise=noise * rng.normal())
    for pair in [(0, 2), (1, 3), (0, 3), (2, 4), (3, 5), (2, 5), (3, 6)]:
        graph.add_edge(*pair, score=rng.random(), noise=noise * rng.normal())
    for i in (0, 2, 4):
        graph.nodes[i]["gt"] = 1
    for pair, gt in {(0, 2): 1, (2, 4): 1, (2, 5): 0, (0, 3): 0}.items():
        graph.edges[pair]["gt"] = gt
    return motile.TrackGraph(graph)


def solver_of(graph):
    from motile.constraints import MaxChildren, MaxParents
    from motile.costs import EdgeSelectedCost, NodeAppearCost, NodeSelectedCost

    solver = motile.Solver(graph)
    solver.add_constraint(MaxParents(1))
    solver.add_constraint(MaxChildren(1))
    solver.add_cost(NodeSelectedCost(weight=1.0, attribute="score", constant=1.0))
    solver.add_cost(EdgeSelectedCost(weight=1.0, attribute="score"))
    solver.add_cost(EdgeSelectedCost(weight=1.0, attribute="noise"), name="noise")
    solver.add_cost(NodeAppearCost(constant=1.0))
    return solver


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_the_estimator_finds_motiles_weights_from_its_graph(noise):
    from from_motile import fit_weights
    from motile.variables import NodeSelected

    graph = graph_of_tracks(noise)
    solver = solver_of(graph)
    solver.fit_weights("gt", regularizer_weight=0.01, max_iterations=500, eps=1e-9)
    theirs = solver.weights.to_ndarray()
    svm = fit_weights(solver, graph, "gt", 0.01, rtol=1e-9)
    np.testing.assert_allclose(svm.w_, theirs, atol=1e-4)
    variables = solver.get_variables(NodeSelected)
    selected = np.array(solver.solve()) > 0.5
    for node, attributes in graph.nodes.items():
        if "gt" in attributes:
            assert selected[variables[node]] == attributes["gt"]
