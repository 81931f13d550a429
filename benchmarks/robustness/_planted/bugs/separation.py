"""Bugs in separation oracles and slack oracles."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from benchmarks.robustness._planted.bugs.decoding import packs_greedily
from benchmarks.robustness._planted.correct.grid import (
    POINTS,
    SIDE,
    ClimbingGrid,
    Grid,
    augmented,
    climb,
)
from benchmarks.robustness._planted.correct.labels import COSTS, K, Labels, labels, scores
from benchmarks.robustness._planted.correct.pairing import ListPairing, Pairing
from benchmarks.robustness._planted.correct.pairing import augmented as pair_scores
from benchmarks.robustness._planted.correct.pools import Packing
from benchmarks.robustness._planted.correct.tagging import (
    Tagging,
    errors,
    greedy,
    potentials,
    viterbi,
)
from benchmarks.robustness._planted.correct.topics import SETS, Topics, difference
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent

ORACLE = "separation_oracle"
DRAWS = np.random.default_rng(0)


def long_inputs():
    X, Y = labels()
    return 1000 * X, Y


# ------------------------------------------------------------------ the loss


def without_the_truth(right, problem, x, y, w):
    s = COSTS[y] + scores(x, w)
    s[y] = -np.inf
    return int(np.argmax(s))


def with_loss(loss):
    """The oracle of tags, with losses of tags by the true ones."""

    def wrong(right, problem, x, y, w):
        unary, pair = potentials(x, w)
        return viterbi(unary + loss(y), pair)

    return wrong


bugs(silent(Labels), ORACLE, {
    "looks up the costs by column": lambda right, problem, x, y, w: (
        int(np.argmax(COSTS[:, y] + scores(x, w)))
    ),
    "excludes the truth": without_the_truth,
})  # fmt: skip
bugs(silent(Tagging), ORACLE, {
    "forgets the loss": lambda right, problem, x, y, w: problem.decode(x, w),
    "returns the truth": lambda right, problem, x, y, w: y.copy(),
    "adds the loss at the first position alone": with_loss(
        lambda y: errors(y) * (np.arange(len(y)) == 0)[:, None]
    ),
})  # fmt: skip

# ------------------------------------------------------------------ the score

bugs(silent(Tagging), ORACLE, {
    "rounds to half precision": lambda right, problem, x, y, w: (
        right(x, y, w.astype(np.float16).astype(float))
    ),
    "is right for small w": lambda right, problem, x, y, w: (
        right(x, y, w / max(1.0, np.linalg.norm(w) / 10))
    ),
})  # fmt: skip
bugs(silent(Grid), ORACLE, {"subtracts the score": lambda right, problem, x, y, w: right(x, y, -w)})
bugs(Labels, ORACLE, {
    "compares exponentials": lambda right, problem, x, y, w: (
        int(np.argmax(np.exp(COSTS[y] + scores(x, w))))
    ),
}, data=long_inputs)  # fmt: skip


@bug(ORACLE, "roundoff")
class OracleIsCoarserThanItsRoundoff(Labels):
    roundoff = 1e-12

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        return int(np.argmax(np.round(s / abs(s).max(), 2)))


# ------------------------------------------------------------------ the search


def from_zero(right, problem, x, y, w):
    """If all scores are negative, the first label wins."""
    s = COSTS[y] + scores(x, w)
    return int(s.argmax()) if s.max() > 0 else 0


def of_the_last_three(right, problem, x, y, w):
    """The true tags are kept before."""
    unary, pair = potentials(x[-3:], w)
    return np.append(y[:-3], viterbi(unary + errors(y[-3:]), pair)).astype(int)


def beam_of_one(right, problem, x, y, w):
    unary, pair = potentials(x, w)
    return greedy(unary + errors(y), pair)


def truth_where_predicted(right, problem, x, y, w):
    """It stops where the truth has the highest score, though not with the loss."""
    own, top = (w @ problem.joint_feature(x, z) for z in (y, problem.decode(x, w)))
    return y if own == top else right(x, y, w)


def wrong_bins(x, y, w):
    table = x @ w + 1
    table[np.arange(len(x)), list(y)] -= 1
    return table


bugs(silent(Labels), ORACLE, {"starts its maximum at zero": from_zero})
bugs(Tagging, ORACLE, {
    "skips sequences of length one": lambda right, problem, x, y, w: (
        right(x, y, w) if len(x) > 1 else y.copy()
    ),
    "keeps the true tags of the beginning": of_the_last_three,
})  # fmt: skip
bugs(silent(Tagging), ORACLE, {"keeps a beam of one": beam_of_one})
bugs(silent(Grid), ORACLE, {
    "leaves out the last column": lambda right, problem, x, y, w: (
        max([z for z in POINTS if z[1] < SIDE - 1], key=augmented(x, y, w))
    ),
})  # fmt: skip
bugs(Pairing, ORACLE, {"returns the truth where it is predicted": truth_where_predicted})
bugs(Packing, ORACLE, {
    "packs greedily": lambda right, problem, x, y, w: packs_greedily(wrong_bins(x, y, w)),
})  # fmt: skip


@bug(ORACLE, "decode")
class GreedyInBoth(silent(Tagging)):
    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return greedy(unary + errors(y), pair)

    def decode(self, x, w):
        return greedy(*potentials(x, w))


# ------------------------------------------------------------------ what is worse than chance

bugs(ClimbingGrid, ORACLE, {
    "subtracts the loss": lambda right, problem, x, y, w: (
        climb(lambda z: w @ problem.joint_feature(x, z) - problem.loss(y, z), (0, 0))
    ),
    "goes downhill": lambda right, problem, x, y, w: (
        climb(lambda z: problem.loss(y, z) - w @ problem.joint_feature(x, z), y)
    ),
    "climbs from a random point": lambda right, problem, x, y, w: (
        climb(augmented(x, y, w), POINTS[DRAWS.integers(len(POINTS))])
    ),
})  # fmt: skip
for kind in (ClimbingGrid, silent(ClimbingGrid)):
    bugs(kind, "decode", {"goes downhill": lambda right, problem, x, w: right(x, -w)})

# ------------------------------------------------------------------ what is no output

bugs(Labels, ORACLE, {
    "returns -1 at zero": lambda right, problem, x, y, w: right(x, y, w) if w.any() else -1,
})  # fmt: skip
answers(silent(Labels), ORACLE, {"returns a float": float})
answers(silent(Tagging), ORACLE, {"returns too short paths": lambda path: path[1:]})
bugs(silent(Topics), ORACLE, {
    "finds nothing without violation": lambda right, problem, x, y, w: (
        None if right(x, y, w) == y else right(x, y, w)
    ),
})  # fmt: skip
bugs(silent(Grid), ORACLE, {
    "returns NaN where w[5] is zero": lambda right, problem, x, y, w: (
        right(x, y, w) if w[5] else (right(x, y, w)[0], float("nan"))
    ),
})  # fmt: skip
bugs(silent(Pairing), ORACLE, {
    "pairs an item twice": lambda right, problem, x, y, w: (
        tuple(pair_scores(x, y, w).argmax(axis=1).tolist())
    ),
})  # fmt: skip


@bug(ORACLE)
class OracleReturnsAnIterator(Tagging):
    def separation_oracle(self, x, y, w):
        return map(int, super().separation_oracle(x, y, w))

    def joint_feature(self, x, y):
        return super().joint_feature(x, np.array(list(y), dtype=int))

    def loss(self, y, y_hat):
        return super().loss(np.array(list(y), dtype=int), np.array(list(y_hat), dtype=int))


def raises_where_outputs_tie(right, problem, x, y, w):
    every = permutations(range(len(x)))
    values = [problem.loss(y, z) + w @ problem.joint_feature(x, z) for z in every]
    if values.count(max(values)) > 1:
        raise ValueError("the maximum is not unique")
    return right(x, y, w)


bugs(Pairing, ORACLE, {"raises where outputs tie": raises_where_outputs_tie})


@bug(ORACLE, "oracle_quality")
class RelaxationIsDeclaredUndergenerating(Pairing):
    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return tuple(pair_scores(x, y, w).argmax(axis=1).tolist())


# ------------------------------------------------------------------ what it remembers and changes


def by_first_input_of(key):
    """Another input, or another w, with the same key gets the answer of the first."""

    def wrong(right, problem, x, y, w):
        x, w = memory(problem).setdefault(key(x, w), (x.copy(), w.copy()))
        return right(x, y, w)

    return wrong


def in_a_buffer(right, problem, x, y, w):
    buffer = memory(problem).setdefault("found", [])
    buffer[:] = right(x, y, w)
    return buffer


def alternates(right, problem, x, y, w):
    calls = memory(problem)["calls"] = memory(problem).get("calls", 0) + 1
    return right(x, y, w) if calls % 2 else problem.decode(x, w)


def normalises_w(right, problem, x, y, w):
    found = right(x, y, w)
    w /= max(np.linalg.norm(w), 1)
    return found


def adds_the_loss_to_its_input(right, problem, x, y, w):
    x += 1e-3 * (np.arange(len(x)) != np.array(y)[:, None])[:, :, None]
    return right(x, y, w)


def flips_y_in_place(right, problem, x, y, w):
    y[:] = right(x, y.copy(), w)
    return y.copy()


#: Other arrays may come to lie where the first one was, or not.
BY_CHANCE = "caches by the identity of its input"

bugs(silent(Labels), ORACLE, {
    "caches by the norm of w": by_first_input_of(
        lambda x, w: (x.tobytes(), float(np.abs(w).sum()))
    ),
    "normalises w": normalises_w,
})  # fmt: skip
bugs(Labels, ORACLE, {BY_CHANCE: by_first_input_of(lambda x, w: (id(x), w.tobytes()))})
bugs(Tagging, ORACLE, {
    "caches by w and length": by_first_input_of(lambda x, w: (len(x), w.tobytes())),
    "flips y in place": flips_y_in_place,
})  # fmt: skip
bugs(ListPairing, ORACLE, {"returns a buffer": in_a_buffer})
bugs(Pairing, ORACLE, {
    "alternates between two searches": alternates,
    "adds the loss to its input": adds_the_loss_to_its_input,
})  # fmt: skip


@bug(ORACLE, "decode")
class OracleAndDecoderShareAWorkspace(ListPairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.found = []

    def separation_oracle(self, x, y, w):
        self.found[:] = super().separation_oracle(x, y, w)
        return self.found

    def decode(self, x, w):
        self.found[:] = super().decode(x, w)
        return self.found


# ------------------------------------------------------------------ slack_oracle

SLACK = "slack_oracle"


def value_too(right, problem, x, y, w):
    s = scores(x, w)
    value = COSTS[y] * (1 - s[y] + s)
    return float(value.max()), int(value.argmax())


def of_rescaled(value, sets=SETS):
    """The slack oracle of topics, with changed values of the loss, the score and the score of y."""

    def wrong(right, problem, x, y, w):
        score = {z: w @ problem.joint_feature(x, z) for z in SETS}
        return max(sets, key=lambda z: value(difference(y, z), score[z], score[y]))

    return wrong


bugs(Labels, SLACK, {
    "the sign of the margin is reversed": lambda right, problem, x, y, w: right(x, y, -w),
    "returns its value too": value_too,
    "adds the loss at small w": lambda right, problem, x, y, w: (
        problem.separation_oracle(x, y, w) if w @ w < 1 else right(x, y, w)
    ),
})  # fmt: skip
bugs(silent(Labels), SLACK, {
    "adds the loss": lambda right, problem, x, y, w: problem.separation_oracle(x, y, w),
})  # fmt: skip
bugs(Topics, SLACK, {
    "leaves out the score of the truth": of_rescaled(lambda loss, s, own: loss * (1 + s)),
})  # fmt: skip


@bug(SLACK)
class SlackOracleReadsTheWOfTheOracle(Labels):
    last = None

    def separation_oracle(self, x, y, w):
        self.last = w
        return super().separation_oracle(x, y, w)

    def slack_oracle(self, x, y, w):
        return super().slack_oracle(x, y, w if self.last is None else self.last)


@bug(SLACK)
class SlackOracleReturnsALabelWithALossAboveMaxLoss(Labels):
    def loss(self, y, y_hat):
        return 9.0 if y_hat == K else super().loss(y, y_hat)

    def joint_feature(self, x, y):
        return super().joint_feature(x, y % K)

    def slack_oracle(self, x, y, w):
        return K
