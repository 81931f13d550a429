"""Planted bugs: how a test registers them and what check_problem must find, with their data."""

from typing import Any

import numpy as np
import pytest
from correct_problems import sequences

from structsvm import ContractViolation, check_problem

#: The parameters of a test of mutants.
FIELDS = ("cls", "data", "method", "example", "seeds", "only")


class Mutants(list[Any]):
    """Problems with one bug each, as parameters of a test: a correct problem, one method broken."""

    def register(self, data, method, example=None, seeds=1, only=True):
        """Add a class: its data by seed, the method to blame, the example to be named.

        ``only`` says that nothing else may be blamed.
        """

        def register(cls):
            self.append(pytest.param(cls, data, method, example, seeds, only, id=cls.__name__))
            return cls

        return register

    def register_task(self, problem, data, method, **how):
        """Add a class of tasks, as those of a problem; ``method`` is the task's, or 'task'."""

        def register(cls):
            name = method if method == "task" else f"{cls.__name__}.{method}"
            self.register(data, name, **how)(with_task(problem, cls))
            return cls

        return register


def with_task(problem, kind):
    """The class of problems that has these tasks."""
    methods = {"task": lambda self, X, Y=None: kind(self, X, Y)}
    return type(kind.__name__, (problem,), methods)


def assert_caught(cls, data, method, example, seeds, only):
    """Assert that check_problem finds the bug and blames the method that has it."""
    for seed in range(seeds):
        X, Y = data(seed)
        with pytest.raises(ContractViolation, match=cls.__name__) as caught:
            check_problem(cls(), X, Y, random_state=seed)
        findings = caught.value.findings
        blamed = {finding.method for finding in findings}
        assert method in blamed, caught.value
        if only:
            assert blamed == {method}, caught.value
        if example is not None:
            assert example in {f.example for f in findings if f.method == method}, caught.value


def classes(seed, n=20, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.r_[0, 1, 2, rng.integers(3, size=n - 3)]


def eight_classes(seed):
    X, y = classes(seed)
    return X[:10], y[:10]


def words(seed):
    X, y = eight_classes(seed)
    return X, np.array(["a", "b", "c"])[y]


def blobs(seed):
    rng = np.random.default_rng(seed)
    return [np.vstack([rng.normal(-1, 1, (12, 3)), rng.normal(1, 1, (12, 3))])], None


def long_sequences(seed):
    return sequences(seed, n=12, longest=12, d=4, k=4)


def label_sequences(seed):
    """Of different lengths, so that they fit each other's labels only if the order is kept."""
    rng = np.random.default_rng(seed)
    lengths = [1, 2, 3, 4, 2, 3]
    X = [rng.normal(size=(length, 2)) for length in lengths]
    return X, [
        rng.integers(3, size=length) if i else np.array([2]) for i, length in enumerate(lengths)
    ]


def is_third(x):
    return x.shape == THIRD.shape and np.array_equal(x, THIRD)


THIRD = sequences(0)[0][3]


def greedy(unary, pair):
    path = [int(unary[0].argmax())]
    for scores in unary[1:]:
        path.append(int((scores + pair[path[-1]]).argmax()))
    return path


def greedy_matching(scores):
    scores, y = scores.copy(), np.empty(len(scores), dtype=int)
    for _ in range(len(y)):
        i, j = np.unravel_index(scores.argmax(), scores.shape)
        y[i] = j
        scores[i, :] = scores[:, j] = -np.inf
    return y
