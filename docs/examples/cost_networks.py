"""Labels of any graph, found exactly by toulbar2."""

from itertools import product

import numpy as np
import pytoulbar2

from structsvm import Problem
from structsvm.problems import Graph

#: Decimal digits of costs, of which the largest is 1: toulbar2 computes with integers.
DIGITS = 10


class CostNetwork(Problem):
    """Label the nodes of a graph: each pair of labels has a weight where an edge joins them.

    x is a Graph, y an array with a label from 0 to n_labels - 1 for each node.
    """

    oracle_cost, max_loss, roundoff = "expensive", 1.0, 10.0**-DIGITS

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def joint_feature(self, x, y):
        labels = np.eye(self.n_labels)[y]
        starts, ends = labels[x.edges.T]
        parts = labels.T @ x.features, starts.T @ ends
        return np.concatenate([part.ravel() for part in parts]) / len(y)

    def loss(self, y, y_hat):
        return np.mean(np.not_equal(y, y_hat))

    def separation_oracle(self, x, y, w):
        return self._best(x, w, np.arange(self.n_labels) != np.asarray(y)[:, None])

    def decode(self, x, w):
        return self._best(x, w, 0.0)

    def _best(self, x, w, losses):
        alone, together = np.split(w, [self.n_labels * x.features.shape[1]])
        scores = x.features @ alone.reshape(self.n_labels, -1).T + losses
        largest = max(np.abs(scores).max(), np.abs(together).max()) or 1.0
        network = pytoulbar2.CFN(resolution=DIGITS)
        for i, row in enumerate(scores):
            network.AddVariable(f"node {i}", range(self.n_labels))
            network.AddFunction([i], -row / largest)
        for edge in x.edges.tolist():
            network.AddFunction(edge, -together / largest)
        labels, _, _ = network.Solve()
        return np.array(labels)

    def outputs(self, x):
        return map(np.array, product(range(self.n_labels), repeat=len(x.features)))

    @staticmethod
    def example_data(n=20, random_state=0):
        """Rings of six nodes with three chords, whose neighbours follow each other: 0, 1, 2, 0."""
        rng = np.random.default_rng(random_state)
        edges = [(i, (i + 1) % 6) for i in range(6)] + [(0, 3), (1, 4), (2, 5)]
        X = [Graph(rng.normal(size=(6, 3)), np.array(edges)) for _ in range(n)]
        w = np.concatenate([np.eye(3), 2 * np.roll(np.eye(3), 1, axis=1)], axis=None)
        noisy = [x._replace(features=x.features + rng.normal(0, 0.3, (6, 3))) for x in X]
        return X, [CostNetwork().decode(x, w) for x in noisy]
