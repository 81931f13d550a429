"""Bugs planted in searches that remember a w."""

import numpy as np
import pytest
from correct_problems import (
    EnumeratedMatching,
    LocalSearch,
    Multilabel,
    MultilabelTask,
    Relaxed,
    SilentChain,
    graphs,
    one_hot,
    sequences,
    vectors,
)
from planted_bugs import FIELDS, Mutants, assert_caught

from structsvm import ContractViolation, check_problem

MUTANTS = Mutants()
mutant = MUTANTS.register
task_mutant = MUTANTS.register_task


class Remembering:
    """Its oracle leaves behind its w, which the decoder uses."""

    def separation_oracle(self, x, y, w):
        self._w = w
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        return super().decode(x, getattr(self, "_w", w))


@mutant(sequences, "decode", seeds=3)
class DecoderRemembersW(Remembering, SilentChain):
    pass


@mutant(graphs, "decode", seeds=3)
class EnumeratedDecoderRemembersW(Remembering, EnumeratedMatching):
    pass


@mutant(graphs, "decode", seeds=5)
class LocalDecoderRemembersW(Remembering, LocalSearch):
    pass


@mutant(one_hot, "decode", seeds=5)
class RelaxedDecoderRemembersW(Remembering, Relaxed):
    pass


@mutant(sequences, "decode", seeds=3)
class DecoderRemembersScores(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self._scores = {}

    def separation_oracle(self, x, y, w):
        self._scores[x.tobytes()] = self.scores(x, w)
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        return self.viterbi(*self._scores.get(x.tobytes(), self.scores(x, w)))


@mutant(vectors, "slack_oracle", seeds=3)
class SlackOracleRemembersW(Multilabel):
    def separation_oracle(self, x, y, w):
        self._w = w
        return super().separation_oracle(x, y, w)

    def slack_oracle(self, x, y, w):
        return super().slack_oracle(x, y, self._w)


@task_mutant(Multilabel, vectors, "decode", seeds=3)
class DecodesWithTheLastW(MultilabelTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.last = []

    def decode(self, w):
        self.last.append(w)
        return super().decode(self.last[-2:][0])


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("seed", range(5))
def test_a_search_that_is_not_exact_may_not_answer_at_random(seed):
    class Random(LocalSearch):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self._rng = np.random.default_rng(0)

        def decode(self, x, w):
            return self.climb(x @ w, self._rng.permutation(len(x)))

    with pytest.raises(ContractViolation, match=r"decode .*two calls with the same arguments"):
        check_problem(Random(), *graphs(seed), random_state=seed)
