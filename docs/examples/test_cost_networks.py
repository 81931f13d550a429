"""toulbar2 as oracle: its searches against all labellings, and against our own exact ones."""

import numpy as np
import pytest

pytest.importorskip("pytoulbar2", reason="pytoulbar2 is not installed")

from cost_networks import CostNetwork
from enumeration import assert_oracles_are_those_of_all_outputs

from structsvm import StructuredSVM
from structsvm.problems import Graph, GraphSVM


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_the_searches_find_the_best_of_all_labellings(seed, scale):
    rng = np.random.default_rng(seed)
    x, problem = CostNetwork.example_data(1, seed)[0][0], CostNetwork()
    every, w = list(problem.outputs(x)), scale * rng.normal(size=18)
    y = every[rng.integers(len(every))]
    problem.initialize([x], [y])
    assert_oracles_are_those_of_all_outputs(problem, [x], [y], w)


@pytest.mark.parametrize("attractive", [True, False])
def test_it_labels_as_our_own_exact_searches_do(attractive):
    """A minimum cut for two labels that attract each other, max-product for trees."""
    rng = np.random.default_rng(0)
    edges = [(i, i + 1) for i in range(7)] + ([(0, 7), (1, 5), (2, 6)] if attractive else [])
    X = [Graph(rng.normal(size=(8, 2)), np.array(edges)) for _ in range(20)]
    Y = [np.cumsum(x.features[:, 0] > 0.3) % 2 for x in X]
    svm = GraphSVM(attractive=attractive, C=10.0).fit(X, Y)
    assert svm.inference_ == ("flow" if attractive else "tree")
    w = np.concatenate([np.c_[svm.coef_, svm.intercept_], svm.pairwise_[0]], axis=None)
    with_constant = [x._replace(features=np.insert(x.features, 2, 1.0, axis=1)) for x in X]
    found = [CostNetwork(2).decode(x, w) for x in with_constant]
    np.testing.assert_array_equal(found, svm.predict(X))


def test_training_reaches_the_optimum_of_an_enumeration():
    class Enumerated(CostNetwork):
        def _best(self, x, w, losses):
            losses = losses + np.zeros((6, 3))
            return max(
                self.outputs(x),
                key=lambda y: w @ self.joint_feature(x, y) + losses[range(6), y].mean(),
            )

    X, Y = CostNetwork.example_data(n=4)
    ours, theirs = (StructuredSVM(kind(), C=1.0).fit(X, Y) for kind in (Enumerated, CostNetwork))
    assert theirs.result_.primal == pytest.approx(ours.result_.primal, rel=1e-3)
