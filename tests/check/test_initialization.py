"""What initialize keeps, and what it need not be blamed for."""

import numpy as np
import pytest

from benchmarks.robustness._planted.bugs.declarations import takes_the_last_input_away
from benchmarks.robustness._planted.correct.labels import Labels, labels
from benchmarks.robustness._planted.correct.words import Words, worded
from benchmarks.robustness._planted.register import changed
from structsvm import ContractViolation, check_problem

DRAWS = np.random.default_rng(0)


def test_a_cache_of_the_class_is_accepted():
    class Cached(Words):
        cache = {}  # noqa: RUF012

        def joint_feature(self, x, y):
            key = (*x, y, self.size_joint_feature)
            if key not in self.cache:
                self.cache[key] = super().joint_feature(x, y)
            return self.cache[key].copy()

    assert "initialize_is_repeatable" in check_problem(Cached(), *worded()).checks


def test_the_users_data_stay_as_they_are():
    X, Y = list(labels()[0]), labels()[1]
    problem = changed(Labels, "initialize", takes_the_last_input_away)()
    with pytest.raises(ContractViolation, match="changed its argument X"):
        check_problem(problem, X, Y)
    assert len(X) == len(Y)


def test_an_oracle_that_is_random_is_no_mistake_of_initialize():
    class Rolls(Words):
        def separation_oracle(self, x, y, w):
            return int(DRAWS.integers(4))

    with pytest.raises(ContractViolation, match="separation_oracle") as caught:
        check_problem(Rolls(), *worded())
    assert "initialize" not in {finding.method for finding in caught.value.findings}


def test_a_joint_feature_with_a_part_for_each_example_is_no_error():
    class ByExample(Labels):
        slack_oracle = None

        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.shared_ = self.size_joint_feature
            self.size_joint_feature += len(X)

        def joint_feature(self, x, y):
            zeros = np.zeros(self.size_joint_feature - self.shared_)
            return np.append(super().joint_feature(x, y), zeros)

        def separation_oracle(self, x, y, w):
            return super().separation_oracle(x, y, w[: self.shared_])

        def decode(self, x, w):
            return super().decode(x, w[: self.shared_])

    check_problem(ByExample(), *labels())


def test_data_of_which_a_few_do_not_fit_are_not_judged():
    class Many(Labels):
        def initialize(self, X, Y):
            if len(X) < 20:
                raise ValueError("expected 20 examples")
            super().initialize(X, Y)

    check_problem(Many(), *labels(n=20), max_examples=5)
