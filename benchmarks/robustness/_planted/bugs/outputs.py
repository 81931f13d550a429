"""Bugs in enumerations of outputs, and in refinements."""

from __future__ import annotations

from itertools import permutations

from benchmarks.robustness._planted.correct.grid import (
    POINTS,
    STEPS,
    Grid,
    RefinedGrid,
    augmented,
    climb,
)
from benchmarks.robustness._planted.correct.labels import Labels
from benchmarks.robustness._planted.correct.pairing import ListPairing, Pairing
from benchmarks.robustness._planted.correct.pairing import augmented as pair_scores
from benchmarks.robustness._planted.correct.topics import SETS, Topics
from benchmarks.robustness._planted.register import bug, bugs, memory
from structsvm import Task


def interrupted(right, problem, x):
    yield from POINTS[:3]
    raise IndexError("out of points")


def one_list(right, problem, x):
    """Every item of the generator is the same list."""
    found = list(range(len(x)))
    for order in permutations(range(len(x))):
        found[:] = order
        yield found


bugs(Labels, "outputs", {
    "repeat one": lambda right, problem, x: [0, 1, 2, 3, 3],
    "none": lambda right, problem, x: iter(()),
})  # fmt: skip
bugs(Topics, "outputs", {
    "exhausted after one use": lambda right, problem, x: (
        memory(problem).setdefault("outputs", iter(SETS))
    ),
    "sets of at most two": lambda right, problem, x: [z for z in SETS if len(z) < 3],
})  # fmt: skip
bugs(Grid, "outputs", {
    "one row too many": lambda right, problem, x: [(a, b) for a in range(5) for b in range(4)],
    "an error at the fourth": interrupted,
})  # fmt: skip
bugs(ListPairing, "outputs", {"in one list": one_list})


@bug("outputs")
class OutputsHaveTheLengthOfTheFirstInput(Pairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.m = len(X[0])

    def outputs(self, x):
        return permutations(range(self.m))


@bug("outputs")
class OutputsLackEverySecondBesidesTheTruths(Pairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.truths = set(Y)

    def outputs(self, x):
        every = enumerate(super().outputs(x))
        return (y for i, y in every if i % 2 or y in self.truths)


@bug("outputs")
class OutputsLackTheTruths(OutputsLackEverySecondBesidesTheTruths):
    def outputs(self, x):
        return (y for y in Pairing.outputs(self, x) if y not in self.truths)


# ------------------------------------------------------------------ refine


def refining(refined):
    """A refinement of one output after the other, by task, x, y, w and the output."""

    def wrong(right, task, w, outputs):
        triples = zip(task.X, task.Y, outputs, strict=True)
        return [refined(task, x, y, w, z) for x, y, z in triples]

    return wrong


def of_the_first_input(task, x, y, w, z):
    return climb(augmented(memory(task).setdefault("x", x.copy()), y, w), z)


def remembered(task, x, y, w, z):
    return memory(task).setdefault((x.tobytes(), z), climb(augmented(x, y, w), z))


def best_move(task, x, y, w, z):
    moves = [z, *((z[0] + a, z[1] + b) for a, b in STEPS)]
    return max(moves, key=augmented(x, y, w))


bugs(RefinedGrid, ".refine", {
    what: refining(refined) for what, refined in {
        "starts from the truth": lambda task, x, y, w, z: climb(augmented(x, y, w), y),
        "leaves the grid": best_move,
        "ignores the distance": lambda task, x, y, w, z: (
            climb(lambda at: w @ task.problem.joint_feature(x, at), z)
        ),
        "fails at the truth": lambda task, x, y, w, z: (
            None if z == y else climb(augmented(x, y, w), z)
        ),
        "keeps its first input": of_the_first_input,
        "remembers what it refined": remembered,
    }.items()
})  # fmt: skip


class SwapsInPlace(Task):
    def refine(self, w, outputs):
        for x, y, z in zip(self.X, self.Y, outputs, strict=True):
            table = pair_scores(x, y, w)
            for i in range(len(z) - 1):
                j, a, b = i + 1, z[i], z[i + 1]
                if table[i, b] + table[j, a] > table[i, a] + table[j, b] + 1e-12:
                    z[i], z[j] = b, a
        return outputs


@bug(".refine")
class RefinementSwapsInPlace(ListPairing):
    batches = SwapsInPlace
