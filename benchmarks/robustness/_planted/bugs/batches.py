"""Bugs in the searches, decoders, losses and sums of tasks."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted.correct.labels import (
    COSTS,
    Documents,
    FastLabels,
    LabelsTask,
    labels,
    scores,
)
from benchmarks.robustness._planted.correct.tagging import FastTagging, TaggingTask
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent

SilentLabels = silent(FastLabels)


def repeated_inputs():
    """Every input occurs with two labels."""
    X, Y = labels()
    return np.repeat(X[:5], 2, axis=0), Y[:10]


def loss_augmented(Y, s):
    return np.argmax(COSTS[Y] + s, axis=1)


# ------------------------------------------------------------------ search


def equal_inputs_once(right, task, w):
    _, first, back = np.unique(task.X, axis=0, return_index=True, return_inverse=True)
    return LabelsTask.search(task.part(first), w)[np.ravel(back)]


def last_chunk_empty(right, task, w):
    found = right(w)
    whole = len(found) // 4 * 4
    if whole:
        found[whole:] = 0
    return found


def groups_of_a_length(right, task, w):
    order = np.argsort([len(x) for x in task.X], kind="stable")
    return TaggingTask.search(task.part(order), w)


def views_of_one_buffer(right, task, w):
    buffer, found = np.empty(10, dtype=int), []
    for path in right(w):
        buffer[: len(path)] = path
        found.append(buffer[: len(path)])
    return found


def fails_for_one_example(right, task, w):
    top = scores(task.X[1:], w).max()  # of no examples where there is one
    return loss_augmented(task.Y, scores(task.X, w) - top)


def changes_y(right, task, w):
    found = right(w)
    if task.n > 1:
        task.Y[...] = found
    return found


bugs(FastLabels, ".search", {"answers equal inputs once": equal_inputs_once}, data=repeated_inputs)
answers(FastLabels, ".search", {
    "squeezes a single example": np.squeeze,
    "leaves out one": lambda found: found if len(found) == 1 else found[1:],
})  # fmt: skip
bugs(FastLabels, ".search", {
    "caches by the number of examples": lambda right, task, w: (
        loss_augmented(task.Y, memory(task).setdefault(task.n, scores(task.X, w)))
    ),
    "fails for one example": fails_for_one_example,
    "changes Y": changes_y,
})  # fmt: skip
bugs(SilentLabels, ".search", {
    "leaves the last chunk empty": last_chunk_empty,
    "leaves out the loss": lambda right, task, w: task.decode(w),
})  # fmt: skip
bugs(FastTagging, ".search", {
    "returns groups of a length": groups_of_a_length,
    "fills views of one buffer": views_of_one_buffer,
})  # fmt: skip


class TruthsOfInitialize(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.truths = Y

    def search(self, w):
        truths = self.truths[: self.n] if self.n <= len(self.truths) else self.Y
        return loss_augmented(truths, scores(self.X, w))


@bug(".search")
class BatchOracleReadsTheTruthsOfInitialize(FastLabels):
    batches = TruthsOfInitialize


def margins_of_the_first(right, task, w):
    s = scores(task.X, w)
    return np.argmax(COSTS[task.Y] * (1 + s - s[0, task.Y[0]]), axis=1)


bugs(SilentLabels, ".search_rescaled", {
    "compares with the first truth": margins_of_the_first,
    "adds the loss": lambda right, task, w: task.search(w),
})  # fmt: skip

# ------------------------------------------------------------------ decode


def scales_its_inputs(right, task, w):
    task.X /= np.linalg.norm(task.X, axis=1, keepdims=True)
    return right(w)


def with_the_last_w(right, task, w):
    ws = memory(task.problem).setdefault("w", [])
    ws.append(w)
    return right(ws[-2:][0])


answers(FastLabels, ".decode", {
    "a column": lambda found: found[:, None],
    "of another label for one example": lambda found: found ^ 1 if len(found) == 1 else found,
})  # fmt: skip
bugs(FastLabels, ".decode", {
    "is empty at zero": lambda right, task, w: right(w) if w.any() else [],
    "is a generator": lambda right, task, w: (task.problem.decode(x, w) for x in task.X),
    "uses the last w": with_the_last_w,
})  # fmt: skip
bugs(SilentLabels, ".decode", {
    "centres the block": lambda right, task, w: (
        np.argmax(scores(task.X - task.X.mean(axis=0), w), axis=1)
    ),
    "repeats blocks of 12": lambda right, task, w: np.resize(right(w)[:12], task.n),
    "scales its inputs": scales_its_inputs,
    "needs the truth": lambda right, task, w: right(w)[: len(task.Y)],
})  # fmt: skip


class RowsOfInitialize(LabelsTask):
    """A part reads the array of the whole task."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.rows = X

    def decode(self, w):
        return np.argmax(scores(self.rows[: self.n], w), axis=1)


@bug(".decode", "task")
class BatchDecodeAnswersForTheFirstExamples(FastLabels):
    batches = RowsOfInitialize


# ------------------------------------------------------------------ losses


def looked_up_once(right, task, outputs):
    """A cache that is right until a truth comes with another output."""
    pairs = zip(np.asarray(task.Y).tolist(), np.asarray(outputs).tolist(), strict=True)
    return np.array([memory(task).setdefault((y, y == z), COSTS[y, z]) for y, z in pairs])


def losses_in_a_buffer(right, task, outputs):
    found = memory(task.problem).setdefault("buffer", np.zeros(100))[: task.n]
    found[:] = right(outputs)
    return found


answers(FastLabels, ".losses", {
    "a column": lambda losses: losses[:, None],
    "in bytes": lambda losses: (100 * losses).astype(np.int8) / 100.0,
})  # fmt: skip
answers(SilentLabels, ".losses", {"summed": np.sum})
bugs(FastLabels, ".losses", {
    "looked up once": looked_up_once,
})  # fmt: skip
bugs(SilentLabels, ".losses", {
    "one decision for all": lambda right, task, outputs: (
        right(outputs) * (not np.array_equal(task.Y[:1], outputs[:1]))
    ),
    "in a buffer": losses_in_a_buffer,
})  # fmt: skip
answers(FastTagging, ".losses", {"at most two": lambda losses: np.minimum(losses, 2)})

# ------------------------------------------------------------------ differences


def into_the_first_row(rows):
    found = rows.tocoo()
    return sparse.csr_matrix((found.data, (0 * found.row, found.col)), shape=found.shape)


def zero_for_repeated_inputs(right, task, outputs, places):
    """Only the first of equal inputs is filled in."""
    rows = right(outputs, places)
    first = np.unique(task.X[places], axis=0, return_index=True)[1]
    rows[np.setdiff1d(np.arange(len(places)), first)] = 0
    return rows


answers(FastLabels, ".differences", {
    "sparse and backwards": lambda rows: sparse.csr_matrix(-rows),
})  # fmt: skip
bugs(FastLabels, ".differences", {
    "of the first places": lambda right, task, outputs, places: (
        right(outputs, np.arange(len(places)))
    ),
    "cached by the number of places": lambda right, task, outputs, places: (
        memory(task).setdefault(len(places), right(outputs, places)).copy()
    ),
})  # fmt: skip
bugs(SilentLabels, ".differences", {"zero for repeated inputs": zero_for_repeated_inputs})
answers(Documents, ".differences", {"all in the first row": into_the_first_row})
answers(
    FastLabels, ".joint_features", {"divided by their number": lambda rows: rows / rows.shape[0]}
)
answers(FastLabels, ".term_sizes", {"too small": lambda sizes: (1e-3 * sizes[0], sizes[1])})

# ------------------------------------------------------------------ plane


def goes_on_from_the_last_call(right, task, outputs, weights):
    memory(task)["total"] = memory(task).get("total", 0) + right(outputs, weights)
    return memory(task)["total"]


def drops_the_last_of_an_odd_number(right, task, outputs, weights):
    n = max(1, task.n // 2 * 2)
    return right(outputs, np.where(np.arange(task.n) < n, weights, 0))


def scales_the_inputs_by_the_weights(right, task, outputs, weights):
    task.X *= weights[:, None]
    return right(outputs, np.ones(task.n))


def of_weights(change):
    return lambda right, task, outputs, weights: right(outputs, change(weights))


bugs(FastLabels, ".plane", {
    "sorts the weights": of_weights(np.sort),
    "clips the weights": of_weights(lambda weights: weights.clip(0, 1)),
    "takes absolute weights": of_weights(abs),
    "scales the inputs by the weights": scales_the_inputs_by_the_weights,
})  # fmt: skip
bugs(SilentLabels, ".plane", {
    "counts a weight of zero as one": of_weights(lambda weights: np.where(weights, weights, 1.0)),
    "drops the last of an odd number": drops_the_last_of_an_odd_number,
})  # fmt: skip
bugs(FastTagging, ".plane", {"goes on from the last call": goes_on_from_the_last_call})
answers(FastTagging, ".plane", {"in half precision": lambda row: row.astype(np.float16)})
answers(Documents, ".plane", {"a matrix of one row": np.atleast_2d})
