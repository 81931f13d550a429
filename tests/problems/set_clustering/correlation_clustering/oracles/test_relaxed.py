"""The linear relaxation."""

import numpy as np
import pytest
from set_data import symmetric

from structsvm.problems import GreedyOracle, RelaxedOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles import relaxed
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import inside


def test_relaxed_where_partitions_are_not_optimal():
    """Three pairs that attract in a ring of repulsion: halves beat every partition."""
    K = -10 * np.ones((4, 4))
    K[3, :3] = K[:3, 3] = 1
    i, j = np.triu_indices(4, 1)
    assert K[i, j] @ RelaxedOracle().cluster(K)[i, j] == pytest.approx(1.5)
    assert inside(K, GreedyOracle(20).cluster(K)) == pytest.approx(1)


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1e12])
def test_the_unit_of_the_similarity_does_not_matter(factor):
    K = symmetric(np.random.default_rng(0), 12)
    for oracle in (GreedyOracle(), RelaxedOracle()):
        np.testing.assert_allclose(oracle.cluster(factor * K), oracle.cluster(K), atol=1e-6)


def test_the_simplex_method_takes_over_where_interior_points_find_nothing(monkeypatch):
    K, solve, methods = np.array([[0.0, 2, -1], [2, 0, 3], [-1, 3, 0]]), relaxed.linprog, []
    expected = RelaxedOracle().cluster(K)

    def only_simplex(cost, *, method, **options):
        methods.append(method)
        answer = solve(cost, method=method, **options)
        if method == "highs-ipm":
            answer.x = None
        return answer

    monkeypatch.setattr(relaxed, "linprog", only_simplex)
    np.testing.assert_allclose(RelaxedOracle().cluster(K), expected, atol=1e-8)
    assert methods[:2] == ["highs-ipm", "highs-ds"]
