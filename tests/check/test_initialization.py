"""Bugs planted in initialize: what it keeps of other data, of other copies, and of chance."""

import numpy as np
import pytest
from planted_bugs import Mutants, assert_caught

from structsvm import Problem, check_problem

DRAWS = np.random.default_rng(0)


def texts(seed):
    X = [["a", "b"], ["b"], ["c"], ["a"], ["d", "e"], ["f"], ["e", "f"], ["d"]]
    return X, [0, 1, 2, 0, 1, 2, 0, 1]


class Texts(Problem):
    """Classes of lists of words, of which each has a weight for every class."""

    def initialize(self, X, Y):
        self.places_ = {word: i for i, word in enumerate(sorted({w for x in X for w in x}))}
        self.size_joint_feature = 3 * len(self.places_)

    def joint_feature(self, x, y):
        table = np.zeros((3, self.size_joint_feature // 3))
        table[y, [self.places_[word] for word in x]] = 1
        return table.ravel()

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def separation_oracle(self, x, y, w):
        return max(range(3), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))

    def decode(self, x, w):
        return max(range(3), key=lambda z: w @ self.joint_feature(x, z))

    def outputs(self, x):
        return range(3)


mutants = Mutants()


@mutants.register(texts, "initialize")
class KeepsWords(Texts):
    def initialize(self, X, Y):
        self.known_ = getattr(self, "known_", []) + list(X)
        super().initialize(self.known_, Y)


@mutants.register(texts, "initialize")
class KeepsWordsInTheClass(Texts):
    known = []  # noqa: RUF012

    def initialize(self, X, Y):
        self.known.extend(X)
        super().initialize(self.known, Y)


@mutants.register(texts, "initialize")
class KeepsTheLargestSize(Texts):
    def initialize(self, X, Y):
        before = getattr(self, "size_joint_feature", 0)
        super().initialize(X, Y)
        self.size_joint_feature = max(before, self.size_joint_feature)


@mutants.register(texts, "initialize")
class ShufflesThePlaces(Texts):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        order = DRAWS.permutation(len(self.places_)).tolist()
        self.places_ = dict(zip(self.places_, order, strict=True))


@mutants.register(texts, "initialize")
class TakesTheLastExampleAway(Texts):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        X.pop()


@pytest.mark.parametrize(("cls", "data", "method", "example", "seeds", "only"), mutants)
def test_what_initialize_keeps_is_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_the_correct_problem_and_caches_of_a_class_are_accepted():
    class Cached(Texts):
        cache = {}  # noqa: RUF012

        def joint_feature(self, x, y):
            key = (*x, y, self.size_joint_feature)
            if key not in self.cache:
                self.cache[key] = super().joint_feature(x, y)
            return self.cache[key].copy()

    X, Y = texts(0)
    for problem in (Texts(), Cached()):
        assert "initialize_is_repeatable" in check_problem(problem, X, Y).checks


def test_the_users_data_stay_as_they_are():
    X, Y = texts(0)
    with pytest.raises(ValueError, match="changed its argument X"):
        check_problem(TakesTheLastExampleAway(), X, Y)
    assert len(X) == 8


def test_an_oracle_that_is_random_is_no_mistake_of_initialize():
    class Rolls(Texts):
        def separation_oracle(self, x, y, w):
            return int(DRAWS.integers(3))

    with pytest.raises(ValueError, match="separation_oracle") as caught:
        check_problem(Rolls(), *texts(0))
    assert "initialize" not in {finding.method for finding in caught.value.findings}
