"""Kernels beside the plain functions whose place they take: the same results, to the bit."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from structsvm import compiled
from structsvm.problems.trees.arborescence import LARGEST
from structsvm.problems.trees.eisner import best_projective_trees

FOLDER = Path(compiled.__file__).parent


def scores_of_arcs(rng):
    """Sentences with a shape (n, m, m + 1), single roots or not; ties, and arcs that are forbidden."""
    n, m = rng.integers(1, 5), rng.integers(1, 12)
    scores = rng.normal(size=(n, m, m + 1)) * rng.choice([1e-200, 1.0, 1e200])
    if rng.random() < 0.5:
        scores = rng.integers(-2, 3, size=scores.shape).astype(rng.choice([np.float32, np.int64]))
    elif rng.random() < 0.5:
        scores[rng.random(scores.shape) < 0.3] = rng.choice([-LARGEST, -np.inf])
    return np.asarray(scores, order=rng.choice(["C", "F"])), bool(rng.integers(2))


#: The functions that have a kernel, with what draws their arguments.
KERNELS = {"eisner": (best_projective_trees, scores_of_arcs)}
#: Calls with arrays whose shapes do not fit.
BAD_SHAPES = {"eisner": (best_projective_trees, (np.zeros((2, 3, 3)), True))}


def test_all_kernels_are_built_or_none():
    sources = {path.stem for path in FOLDER.glob("*.pyx")}
    assert sources == KERNELS.keys() == BAD_SHAPES.keys()
    assert {*compiled.available()} in (sources, set())


def with_a_kernel(name):
    if name not in compiled.available():
        pytest.skip("no kernels were built")
    return KERNELS[name]


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_computes_the_same(name):
    function, drawn = with_a_kernel(name)
    for seed in range(300):
        arguments = drawn(np.random.default_rng(seed))
        found, expected = function(*arguments), function.__wrapped__(*arguments)
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("name", BAD_SHAPES)
def test_arrays_that_do_not_fit_are_refused(name):
    with_a_kernel(name)
    function, arguments = BAD_SHAPES[name]
    with pytest.raises(ValueError, match="shape"):
        function(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["tests/problems/trees"])
def test_the_plain_functions_pass_the_same_tests(folder):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", folder]
    environment = os.environ | {"STRUCTSVM_COMPILED": "0"}
    subprocess.run(command, cwd=Path(__file__).parents[2], env=environment, check=True)
