"""Searches declared 'undergenerating': worse than chance is an error, and a note says how good."""

import numpy as np
import pytest
from correct_problems import LocalSearch, graphs
from planted_bugs import FIELDS, Mutants, assert_caught

from structsvm import check_problem

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(graphs, "decode", seeds=3)
class DecoderDownhill(LocalSearch):
    def decode(self, x, w):
        return super().decode(-x, w)


@mutant(graphs, "decode", seeds=3)
class SilentDecoderDownhill(DecoderDownhill):
    outputs = None


@mutant(graphs, "separation_oracle", seeds=3)
class LocalSearchSubtractsTheLoss(LocalSearch):
    def separation_oracle(self, x, y, w):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return self.climb(x @ w - wrong, np.arange(len(x)))


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_notes_say_how_often_the_best_output_was_found():
    _, oracle, decoder = check_problem(LocalSearch(), *graphs(0)).notes
    assert oracle.startswith("separation_oracle found the best output in ")
    assert "; at w = 0 its outputs have a mean loss of 1, the best 1" in oracle
    assert decoder.startswith("decode found the best output in ")
    assert "left out" not in oracle


def test_a_note_doubts_an_oracle_that_returns_what_decode_returns():
    class Forgets(LocalSearch):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w)

    note = check_problem(Forgets(), *graphs(0)).notes[1]
    assert "it always returned the output of decode" in note
    assert note.endswith("Is the loss left out, or subtracted?")
