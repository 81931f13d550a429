"""The note on batch forms that work on all of the data at every call, planted and on problems."""

import sys
import tracemalloc

import numpy as np
import pytest
from correct_problems import Multilabel, vectors
from planted_bugs import classes

from structsvm import check_problem
from structsvm.problems import Chain, Multiclass

X, Y = vectors(0)


class PreparesAll(Multilabel):
    """It scales all examples at every call, and takes those it is given."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.data = X

    def batch_separation_oracle(self, X, Y, w):
        self.prepared()
        return super().batch_separation_oracle(X, Y, w)

    def prepared(self):
        return self.data / np.abs(self.data).max(axis=0)


class PreparesAllInALoop(PreparesAll):
    """One example at a time: it never holds much memory."""

    def prepared(self):
        for x in self.data:
            np.linalg.norm(x)


class PreparesOnce(PreparesAllInALoop):
    """It keeps what it has made of all examples."""

    def prepared(self):
        if not hasattr(self, "_done"):
            super().prepared()
            self._done = True


class KeepsAll(PreparesAll):
    """It holds the data and reads those of one example."""

    def prepared(self):
        return self.data[0] * 2


def notes(problem, X, Y):
    return [note for note in check_problem(problem, X, Y).notes if "whatever examples" in note]


@pytest.mark.parametrize("kind", [PreparesAll, PreparesAllInALoop])
def test_a_batch_form_that_prepares_all_data_at_every_call_is_named(kind):
    (note,) = notes(kind(), X, Y)
    assert note.startswith(f"batch_separation_oracle does work for all {len(X)} examples")
    assert "in prepare" in note


@pytest.mark.parametrize("kind", [Multilabel, PreparesOnce, KeepsAll])
def test_others_are_not(kind):
    assert not notes(kind(), X, Y)


@pytest.mark.parametrize("problem", [Multiclass(), Chain()], ids=lambda p: type(p).__name__)
def test_the_librarys_own_problems_are_not(problem):
    assert not notes(problem, *problem.example_data())
    if isinstance(problem, Multiclass):
        assert not notes(problem, *classes(0, n=2000))


def test_each_such_method_is_named():
    class All(PreparesAll):
        def batch_loss(self, Y, Y_hat):
            self.prepared()
            return super().batch_loss(Y, Y_hat)

    named = [note.split()[0] for note in notes(All(), X, Y)]
    assert named == ["batch_separation_oracle", "batch_loss"]


def test_a_problem_that_refuses_repeated_examples_is_not_judged():
    class Distinct(PreparesAll):
        def initialize(self, X, Y):
            if len(np.unique(X, axis=0)) < len(X):
                raise ValueError("twice the same")
            super().initialize(X, Y)

    assert not notes(Distinct(), X, Y)


@pytest.mark.parametrize("tracing", [False, True])
def test_profilers_are_left_as_they_were(tracing):
    def profiler(frame, event, argument):
        pass

    if tracing:
        tracemalloc.start()
    before = sys.getprofile()
    sys.setprofile(profiler)
    try:
        check_problem(Multilabel(), X, Y)
        assert sys.getprofile() is profiler
        assert tracemalloc.is_tracing() == tracing
    finally:
        sys.setprofile(before)
        tracemalloc.stop()
