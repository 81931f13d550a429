"""Kernels beside the plain functions whose place they take: the same results."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from structsvm import compiled
from structsvm.problems.trees.arborescence import LARGEST
from structsvm.problems.trees.eisner import best_projective_trees, projective_sums

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


#: The functions of each kernel, with what draws their arguments, and the rounding allowed.
KERNELS = {
    "eisner": [
        (best_projective_trees, scores_of_arcs, 0),
        (projective_sums, weights_of_arcs, 1e-12),
    ]
}
CASES = [(name, *case) for name, cases in KERNELS.items() for case in cases]
#: Calls with arrays whose shapes do not fit.
BAD_SHAPES = [("eisner", best_projective_trees, (np.zeros((2, 3, 3)), True))]


def test_all_kernels_are_built_or_none():
    sources = {path.stem for path in FOLDER.glob("*.pyx")}
    assert sources == KERNELS.keys() and {*compiled.available()} in (sources, set())


@pytest.mark.parametrize(("name", "function", "drawn", "rtol"), CASES)
def test_a_kernel_computes_the_same(name, function, drawn, rtol):
    if name not in compiled.available():
        pytest.skip("no kernels were built")
    for seed in range(300):
        arguments = drawn(np.random.default_rng(seed))
        results = function(*arguments), function.__wrapped__(*arguments)
        several = [result if isinstance(result, tuple) else (result,) for result in results]
        for found, expected in zip(*several, strict=True):
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-300, strict=True)


@pytest.mark.parametrize(("name", "function", "arguments"), BAD_SHAPES)
def test_arrays_that_do_not_fit_are_refused(name, function, arguments):
    if name not in compiled.available():
        pytest.skip("no kernels were built")
    with pytest.raises(ValueError, match="shape"):
        function(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["tests/problems/trees"])
def test_the_plain_functions_pass_the_same_tests(folder):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", folder]
    environment = os.environ | {"STRUCTSVM_COMPILED": "0"}
    subprocess.run(command, cwd=Path(__file__).parents[2], env=environment, check=True)
