"""Bugs in the methods of self-labelled and latent problems."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.parts import (
    FastParts,
    Halves,
    KnownSides,
    Parts,
    agreeing,
    features,
)
from benchmarks.robustness._planted.correct.pools import Places, unknown_places
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent
from structsvm import SelfLabelledProblem, Task

DRAWS = np.random.default_rng(0)

# ------------------------------------------------------------------ impute

bugs(Parts, "impute", {
    "takes label zero for none": lambda right, problem, x, y, w: right(x, y or None, w),
}, faulty=["impute", "evaluation_loss"])  # fmt: skip
bugs(Parts, "impute", {
    "keeps its first w": lambda right, problem, x, y, w: (
        right(x, y, memory(problem).setdefault("w", w.copy()))
    ),
    "minimises without an annotation": lambda right, problem, x, y, w: (
        right(x, y, -w if y is None else w)
    ),
})  # fmt: skip
bugs(silent(Parts), "impute", {
    "keeps the output of the annotation": lambda right, problem, x, y, w: (
        memory(problem).setdefault((y, w.tobytes()), right(x, y, w))
    ),
    "returns all that agree": lambda right, problem, x, y, w: (
        sorted(agreeing(y), key=lambda z: -(w @ features(x, z)))
    ),
    "returns the annotation": lambda right, problem, x, y, w: y,
})  # fmt: skip
answers(silent(Parts), "impute", {"returns None": lambda z: None})


def completes_the_annotation(right, problem, x, y, w):
    if y is None:
        return problem.decode(x, w)
    y[:] = right(x, y, w)
    return tuple(y.tolist())


def balanced(right, problem, x, y, w):
    """Without the declaration that labels are restricted."""
    order = np.argsort(np.argsort(x @ w))
    return tuple((order >= len(x) // 2).astype(int).tolist())


bugs(KnownSides, "impute", {"completes the annotation": completes_the_annotation})
bugs(Halves, "impute", {"balances": balanced}, faulty=["impute", "restricts_labels"])


@bug("impute")
class ImputeReadsTheWOfTheOracle(Parts):
    last = None

    def separation_oracle(self, x, y, w):
        self.last = w.copy()
        return super().separation_oracle(x, y, w)

    def impute(self, x, y, w):
        return super().impute(x, y, w if self.last is None else self.last)


@bug("impute")
class ImputeNamesARowBeyondTheLast(Parts):
    def joint_feature(self, x, y):
        return super().joint_feature(np.vstack([x, x[0] + x[1]]), y)

    def impute(self, x, y, w):
        return (0 if y is None else y, 3)


@bug("impute")
class ImputeIsMissing(Parts):
    impute = SelfLabelledProblem.impute


# ------------------------------------------------------------------ complete

COMPLETE = ["complete", "impute"]


def appends_the_place(right, problem, x, y, w):
    y.append(right(x, y, w)[1])
    return tuple(y[:2])


bugs(Places, "complete", {
    "forgets the label at large w": lambda right, problem, x, y, w: (
        problem.decode(x, w) if w @ w > 400 else right(x, y, w)
    ),
    "reads the first input": lambda right, problem, x, y, w: (
        right(memory(problem).setdefault("x", x.copy()), y, w)
    ),
}, COMPLETE)  # fmt: skip
bugs(Places, "complete", {"appends the place": appends_the_place}, COMPLETE, unknown_places)

# ------------------------------------------------------------------ losses


bugs(Parts, "evaluation_loss", {
    "NaN without an annotation": lambda right, problem, y, z: (
        float("nan") if y is None else right(y, z)
    ),
    "takes outputs": lambda right, problem, y, z: float(y is not None and y[0] != z[0]),
})  # fmt: skip
answers(Parts, "evaluation_loss", {"above max_loss": lambda loss: 2 * loss})
bugs(silent(KnownSides), "evaluation_loss", {
    "counts unknown rows": lambda right, problem, y, z: float(np.not_equal(y, z).sum()),
})  # fmt: skip
bugs(Places, "evaluation_loss", {
    "counts the place": lambda right, problem, y, z: right(y, z) + 0.5 * (z[1] > 0),
})  # fmt: skip
bugs(Parts, "loss", {"takes annotations": lambda right, problem, y, z: float(y != z[0])})


@bug("loss")
class LossDependsOnTheHiddenPlace(Places):
    """All methods agree on it, so no search contradicts it."""

    max_loss = 2.0

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0]) + 0.5 * float(y[1] != y_hat[1])


# ------------------------------------------------------------------ initial_w, searches


def centres_the_inputs(right, problem, X, rng):
    X -= X.mean(axis=0)
    return rng.normal(size=problem.size_joint_feature)


bugs(Parts, "initial_w", {
    "a matrix": lambda right, problem, X, rng: rng.normal(size=(2, X.shape[2])),
    "zero": lambda right, problem, X, rng: np.zeros(problem.size_joint_feature),
    "zero, scaled to length one": lambda right, problem, X, rng: (
        np.zeros(problem.size_joint_feature) / np.linalg.norm(np.zeros(3))
    ),
    "drawn elsewhere": lambda right, problem, X, rng: DRAWS.normal(size=problem.size_joint_feature),
    "centres the inputs": centres_the_inputs,
})  # fmt: skip


@bug("decode")
class DecoderReturnsTheLabelAlone(Parts):
    def decode(self, x, w):
        return super().decode(x, w)[0]

    def evaluation_loss(self, y, y_hat):
        return float(y is not None and y != (y_hat[0] if isinstance(y_hat, tuple) else y_hat))


# ------------------------------------------------------------------ tasks


def annotated_only(right, task, w):
    found = right(w)
    if task.Y is None:
        return found
    return [z for y, z in zip(task.Y, found, strict=True) if y is not None]


bugs(FastParts, ".impute", {
    "ignores annotations": lambda right, task, w: [
        task.problem.impute(x, None, w) for x in task.X
    ],
    "returns the annotated only": annotated_only,
})  # fmt: skip


class NeedsAnnotations(Task):
    def impute(self, w):
        return [self.problem.impute(x, y, w) for x, y in zip(self.X, self.Y, strict=True)]


@bug(".impute")
class BatchImputeNeedsAnnotations(Halves):
    batches = NeedsAnnotations


def changing_the_previous(right, task, passes, weights, previous=None):
    rows, offsets = right(passes, weights)
    if previous is not None:
        previous[1][...] = rows
    return rows, offsets


bugs(FastParts, ".relabelled", {
    "leaves out the weights": lambda right, task, passes, weights, previous=None: (
        right(passes, np.ones_like(weights), previous)
    ),
    "returns the previous": lambda right, task, passes, weights, previous=None: (
        right(passes, weights) if previous is None else tuple(part + 0 for part in previous[1:])
    ),
    "changes the previous": changing_the_previous,
})  # fmt: skip
answers(FastParts, ".relabelled", {
    "offsets are means": lambda found: (found[0], found[1] / 8),
})  # fmt: skip
