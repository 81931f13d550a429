"""Searches declared 'undergenerating': a note says how good they are."""

from benchmarks.robustness._planted.correct.grid import ClimbingGrid, grid
from structsvm import check_problem


def test_notes_say_how_often_the_best_output_was_found():
    _, oracle, decoder = check_problem(ClimbingGrid(), *grid()).notes
    assert oracle.startswith("separation_oracle found the best output in ")
    assert "; at w = 0 its outputs have a mean loss of 4.67, the best 5.17" in oracle
    assert decoder.startswith("decode found the best output in ")
    assert "left out" not in oracle


def test_a_note_doubts_an_oracle_that_returns_what_decode_returns():
    class Forgets(ClimbingGrid):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w)

    note = check_problem(Forgets(), *grid()).notes[1]
    assert "it always returned the output of decode" in note
    assert note.endswith("Is the loss left out, or subtracted?")
