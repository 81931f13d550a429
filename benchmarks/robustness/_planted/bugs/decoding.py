"""Bugs in decoders."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted.correct.grid import ClimbingGrid, Grid
from benchmarks.robustness._planted.correct.labels import ONE_HOT, K, Labels, labels, scores
from benchmarks.robustness._planted.correct.pairing import Pairing, RelaxedPairing
from benchmarks.robustness._planted.correct.pools import CAPACITY, Packing
from benchmarks.robustness._planted.correct.tagging import (
    PartedTagging,
    Tagging,
    greedy,
    potentials,
    with_tag,
)
from benchmarks.robustness._planted.correct.topics import SETS, Topics
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent


def without_label_3():
    X, Y = labels()
    return X, Y % 3


# ------------------------------------------------------------------ the score

bugs(Labels, "decode", {
    "adds a loss": lambda right, problem, x, w: problem.separation_oracle(x, 0, w),
})  # fmt: skip
bugs(Pairing, "decode", {"minimises": lambda right, problem, x, w: right(x, -w)})
bugs(Tagging, "decode", {
    "rounds w": lambda right, problem, x, w: right(x, w.astype(np.float16).astype(float)),
})  # fmt: skip


# ------------------------------------------------------------------ the search


def packs_greedily(table):
    room, y = [CAPACITY] * table.shape[1], []
    for row in table:
        y.append(max((b for b in range(len(row)) if room[b]), key=lambda b: row[b]))
        room[y[-1]] -= 1
    return tuple(y)


def labels_with_weights(right, problem, x, w):
    """A label whose weights are all 0 scores 0, which is the best of negative scores."""
    known = np.flatnonzero(w.reshape(K, -1).any(axis=1))
    return int(known[np.argmax(scores(x, w)[known])]) if len(known) else 0


bugs(Labels, "decode", {"skips labels without weights": labels_with_weights})
bugs(silent(Tagging), "decode", {
    "goes from left to right": lambda right, problem, x, w: greedy(*potentials(x, w)),
})  # fmt: skip
bugs(Topics, "decode", {
    "takes at most two topics": lambda right, problem, x, w: (
        max(SETS[:11], key=lambda z: w @ problem.joint_feature(x, z))
    ),
})  # fmt: skip
bugs(Packing, "decode", {"packs greedily": lambda right, problem, x, w: packs_greedily(x @ w)})


@bug("decode", data=without_label_3)
class DecoderKnowsOnlyLabelsOfTheTraining(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.seen = np.unique(Y)

    def decode(self, x, w):
        return int(self.seen[np.argmax(scores(x, w)[self.seen])])


# ------------------------------------------------------------------ what is no output, or another

answers(Labels, "decode", {"returns a one-hot vector": lambda y: ONE_HOT[y]})
answers(silent(Tagging), "decode", {
    "returns None": lambda path: None,
    "is one short for length four": lambda path: path[:-1] if len(path) == 4 else path,
})  # fmt: skip
answers(Tagging, "decode", {"forgets to reverse the path": lambda path: path[::-1]})
bugs(silent(Grid), "decode", {
    "finds nothing below zero": lambda right, problem, x, w: (
        right(x, w) if w @ problem.joint_feature(x, right(x, w)) > 1e-3 else None
    ),
})  # fmt: skip
bugs(Grid, "decode", {
    "fails at zero": lambda right, problem, x, w: (
        right(x, np.array([entry / float(np.linalg.norm(w)) for entry in w.tolist()]))
    ),
})  # fmt: skip
bugs(Packing, "decode", {
    "ignores the capacities": lambda right, problem, x, w: tuple((x @ w).argmax(axis=1).tolist()),
})  # fmt: skip
bugs(Pairing, "decode", {
    "takes the best of every row": lambda right, problem, x, w: (
        tuple((x @ w).argmax(axis=1).tolist())
    ),
})  # fmt: skip

# ------------------------------------------------------------------ what it remembers and changes


def adds_to_the_last_path(right, problem, x, w):
    """As a mutable default does."""
    path = memory(problem).setdefault("path", [])
    path.extend(right(x, w).tolist())
    return np.array(path)


def centres_its_input(right, problem, x, w):
    found = right(x, w)
    x -= x.mean()
    return found


def scales_w_and_back(right, problem, x, w):
    w *= 2.0
    found = right(x, w)
    w /= 2.0
    return found


bugs(silent(Tagging), "decode", {"adds to the last path": adds_to_the_last_path})
bugs(Topics, "decode", {
    "caches by input alone": lambda right, problem, x, w: (
        memory(problem).setdefault(x.tobytes(), right(x, w))
    ),
})  # fmt: skip
bugs(silent(Labels), "decode", {"centres its input": centres_its_input})
bugs(Labels, "decode", {"scales w and back": scales_w_and_back})


class Remembering:
    """Its oracle leaves behind its w, which the decoder uses."""

    last = None

    def separation_oracle(self, x, y, w):
        self.last = w
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        return super().decode(x, w if self.last is None else self.last)


@bug("decode")
class DecoderRemembersW(Remembering, silent(Tagging)):
    pass


@bug("decode")
class EnumeratedDecoderRemembersW(Remembering, Pairing):
    pass


@bug("decode")
class ClimbingDecoderRemembersW(Remembering, ClimbingGrid):
    pass


@bug("decode")
class DecoderOfARelaxationRemembersW(Remembering, RelaxedPairing):
    pass


@bug("decode")
class DecoderRemembersTheTruth(Labels):
    """It avoids the label that the oracle was asked about last."""

    truth = None

    def separation_oracle(self, x, y, w):
        self.truth = (x.tobytes(), y)
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        s = scores(x, w)
        if self.truth and self.truth[0] == x.tobytes():
            s[self.truth[1]] -= 1
        return int(s.argmax())


# ------------------------------------------------------------------ parts of outputs

bugs(PartedTagging, "decode_with", {
    "ignores the part": lambda right, problem, x, w, slot, part: problem.decode(x, w),
    "goes from left to right": lambda right, problem, x, w, slot, part: (
        greedy(*with_tag(*potentials(x, w), slot, part))
    ),
    "knows no first tag": lambda right, problem, x, w, slot, part: (
        right(x, w, slot, part) if slot else None
    ),
})  # fmt: skip
bugs(PartedTagging, "chosen_parts", {
    "leaves out the last": lambda right, problem, x, y: right(x, y)[:-1],
})  # fmt: skip
