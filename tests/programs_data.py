"""Small programs whose 0/1 vectors can be enumerated."""

from itertools import product

import numpy as np
from scipy import sparse

from structsvm.problems import Program


def drawn(seed, n=3, v=6, convert=np.asarray, weights=False):
    """Programs whose relaxation is not integral, since odd cycles are covered; and solutions."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        cycle = np.zeros((5, v))
        cycle[np.arange(5), np.arange(5)] = cycle[np.arange(5), (np.arange(5) + 1) % 5] = 1
        constraints = {
            "cover": (cycle, np.ones(5)),
            "weight": (sparse.csr_matrix(rng.integers(1, 5, size=(1, v))), [8.5]),
        }
        X.append(Program(convert(rng.normal(size=(v, 3))), constraints))
        solutions = feasible_vectors(X[-1])
        y = solutions[rng.integers(len(solutions))]
        Y.append((y, rng.random(v)) if weights else y)
    return X, Y


def feasible_vectors(x):
    """All 0/1 vectors of a program whose constraints are a dict of pairs (A, b)."""
    vectors = np.array(list(product((0, 1), repeat=x.features.shape[0])))
    good = np.ones(len(vectors), dtype=bool)
    for A, b in x.constraints.values():
        A = A.toarray() if sparse.issparse(A) else np.asarray(A)
        good &= (vectors @ A.T <= b).all(axis=1)
    return vectors[good]
