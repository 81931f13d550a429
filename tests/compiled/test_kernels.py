"""Kernels beside the plain functions whose place they take: the same results."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from structsvm import compiled
from structsvm.features.plain_rows import plain_entries
from structsvm.problems.classification.states import AllStates, SeenStates, scores_of_entries
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import max_marginals, viterbi
from structsvm.problems.trees.arborescence import LARGEST
from structsvm.problems.trees.eisner import best_projective_trees, projective_sums
from structsvm.solvers.dual_ascent.steps import ascend

FOLDER = Path(compiled.__file__).parent


def scores_of_arcs(rng):
    """Sentences of one length, whether roots are single; some with ties or forbidden arcs."""
    n, m = rng.integers(1, 5), rng.integers(1, 12)
    scores = rng.normal(size=(n, m, m + 1)) * rng.choice([1e-200, 1.0, 1e200])
    if rng.random() < 0.5:
        scores = rng.integers(-2, 3, size=scores.shape).astype(rng.choice([np.float32, np.int64]))
    elif rng.random() < 0.5:
        scores[rng.random(scores.shape) < 0.3] = rng.choice([-LARGEST, -np.inf])
    return np.asarray(scores, order=rng.choice(["C", "F"])), bool(rng.integers(2))


def weights_of_arcs(rng):
    scores, single_root = scores_of_arcs(rng)
    return np.exp(np.clip(scores, -700, 0)), single_root


def state_of_an_ascent(rng):
    """Some sparse rows, and probabilities that have made steps."""
    n, d, k = rng.integers(1, 9), rng.integers(1, 6), rng.integers(1, 5)
    dtype = rng.choice([np.float32, np.float64])
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6) * rng.choice([0.1, 1.0, 10.0])
    rows, losses = sparse.csr_matrix(X.astype(dtype)), rng.choice([0.0, 1.0, 2.0], size=(n, k))
    p, W = rng.dirichlet(np.ones(k), size=n), rng.normal(size=(d, k)).astype(dtype)
    order = rng.permutation(n)[: rng.integers(n + 1)]
    return rows, rows.data / 2, order, losses, p, W, float(rng.choice([0.1, 10.0])), np.zeros(n)


def scores_of_chains(rng):
    """Sequences, some long, with ties or with labels and transitions that are not allowed."""
    longest, k = rng.choice([9, 900]), rng.integers(1, 6)
    layout = ChainLayout(rng.integers(1, longest, rng.integers(5)))
    unary, transition = rng.normal(size=(k, layout.starts[-1])), rng.normal(size=(k, k))
    if rng.random() < 0.5:
        unary, transition = unary.round(), transition.round()
        unary[rng.random(unary.shape) < 0.3] = transition[rng.random((k, k)) < 0.3] = -np.inf
    unary = rng.choice([1e-200, 1.0, 1e30]) * unary
    return unary.astype(rng.choice([np.float32, np.float64])), transition, layout


def entries_of_rows(rng):
    """Sparse rows, in which a column may be twice, and the weights of all or of some states."""
    n, d, k = rng.integers(0, 5), rng.integers(1, 6), rng.integers(1, 5)
    ends = np.append(0, rng.integers(0, 5, n).cumsum())
    states = AllStates(d, k) if rng.random() < 0.5 else seen_states(rng.random((d, k)) < 0.5)
    columns, w = rng.integers(d, size=ends[-1]).astype(np.int32), rng.normal(size=states.size)
    return states, columns, rng.normal(size=len(columns)), ends, w


def seen_states(pattern):
    return SeenStates(sparse.csr_matrix(pattern))


def rows_of_names(rng):
    """Lists of names to read or to learn from; in some there are others than strings alone."""
    names = ["a", "b", "t", "t:x", *["v", 3][: rng.integers(8) // 3]]
    rows = [rng.choice(len(names), rng.integers(len(names))).tolist() for _ in range(3)]
    rows = [[names[i] for i in row] for row in rows[: rng.integers(4)]]
    known = {name: j for j, name in enumerate(["t:x", "b", "c"][: rng.integers(4)])}
    return rows, known, {"t"}, {"v": 2}, bool(rng.integers(2))


#: The functions of each kernel, with what draws their arguments, and what rounding may change.
KERNELS = {
    "ascent": [(ascend, state_of_an_ascent, 1e-6)],
    "chain": [(viterbi, scores_of_chains, 0), (max_marginals, scores_of_chains, 0)],
    "eisner": [
        (best_projective_trees, scores_of_arcs, 0),
        (projective_sums, weights_of_arcs, 1e-9),
    ],
    "names": [(plain_entries, rows_of_names, 0)],
    "states": [(scores_of_entries, entries_of_rows, 0)],
}
CASES = [(name, *case) for name, cases in KERNELS.items() for case in cases]
ONE_ENTRY = np.array([1], dtype=np.int32), np.ones(1)
#: Calls with arrays whose shapes do not fit.
STATE = state_of_an_ascent(np.random.default_rng(1))
BAD_SHAPES = [
    ("chain", viterbi, (np.zeros((2, 3)), np.zeros((2, 2)), ChainLayout(np.array([2, 2])))),
    ("eisner", best_projective_trees, (np.zeros((2, 3, 3)), True)),
    ("ascent", ascend, (*STATE[:-1], np.zeros(1 + len(STATE[-1])))),
    ("states", scores_of_entries, (AllStates(2, 2), *ONE_ENTRY, np.array([0, 1]), np.zeros(3))),
]


def test_all_kernels_are_built_or_none():
    sources = {path.stem for path in FOLDER.glob("*.pyx")}
    assert sources == KERNELS.keys() and {*compiled.available()} in (sources, set())


@pytest.mark.parametrize(("name", "function", "drawn", "tolerance"), CASES)
def test_a_kernel_computes_the_same(name, function, drawn, tolerance):
    if name not in compiled.available():
        pytest.skip("no kernels were built")
    for seed in range(300):
        own, other = (drawn(np.random.default_rng(seed)) for _ in range(2))
        found, expected = function(*own), function.__wrapped__(*other)
        # What the functions change, too.
        for a, b in zip(arrays_in(found, own), arrays_in(expected, other), strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, strict=True)


def test_a_kernel_of_older_sources_leaves_the_plain_function():
    if "chain" not in compiled.available():
        pytest.skip("no kernels were built")
    with pytest.warns(UserWarning, match="kernel chain was built from older sources, without arr"):
        assert compiled.compiled("chain")(arrays_in) is arrays_in


def arrays_in(*values):
    """The arrays among values, however deep."""
    for value in values:
        if isinstance(value, tuple):
            yield from arrays_in(*value)
        elif isinstance(value, np.ndarray):
            yield value


@pytest.mark.parametrize("scores", [[-0.3, 0.4, -0.1, -0.2], [0.2, -0.5, -0.4, -0.3]])
def test_a_projection_ends_where_rounding_puts_an_entry_at_the_level(scores):
    losses, p = np.array([scores]), np.ones((1, 4))
    rows, W = sparse.csr_matrix([[1.0]]), np.zeros((1, 4))
    ascend(rows, rows.data, np.zeros(1, np.intp), losses, p, W, 1.0, np.zeros(1))
    assert p.sum() == pytest.approx(1) and p.min() >= 0


@pytest.mark.parametrize(("name", "function", "arguments"), BAD_SHAPES)
def test_arrays_that_do_not_fit_are_refused(name, function, arguments):
    if name not in compiled.available():
        pytest.skip("no kernels were built")
    with pytest.raises(ValueError, match="shape"):
        function(*arguments)


PLAIN = ["features", "problems/sequences/chain", "problems/trees", "solvers/dual_ascent"]


@pytest.mark.slow
@pytest.mark.parametrize("folder", PLAIN)
def test_the_plain_functions_pass_the_same_tests(folder):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", f"tests/{folder}"]
    environment = os.environ | {"STRUCTSVM_COMPILED": "0"}
    subprocess.run(command, cwd=Path(__file__).parents[2], env=environment, check=True)
