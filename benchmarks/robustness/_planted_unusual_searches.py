"""Correct: problems whose searches keep the contract in unusual ways."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct
from benchmarks.robustness._planted_grid import (
    POINTS,
    SIDE,
    Grid,
    RefinedGrid,
    augmented,
    climb,
    grid,
)
from benchmarks.robustness._planted_labels import (
    COSTS,
    Labels,
    labels,
    scores,
)
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_pairing import augmented as pair_scores
from benchmarks.robustness._planted_parts import Halves, unlabelled_rows
from benchmarks.robustness._planted_tagging import Tagging, potentials, sequences, viterbi

DRAWS = np.random.default_rng(0)


@correct(labels)
class TiesAreDrawn(Labels):
    """Any of the best outputs will do, so another one may be returned each time."""

    slack_oracle = None

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        return int(DRAWS.choice(np.flatnonzero(s == s.max())))

    def decode(self, x, w):
        s = scores(x, w)
        return int(DRAWS.choice(np.flatnonzero(s == s.max())))


@correct(pairs)
class RelaxedPairing(Pairing):
    """Every item takes its best partner: an oracle that is exact over a larger set."""

    oracle_quality = "overgenerating"

    def separation_oracle(self, x, y, w):
        return tuple(pair_scores(x, y, w).argmax(axis=1).tolist())


@correct(sequences)
class GreedyTagging(Tagging):
    """An oracle that takes the best tag at every position in turn, and says so."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        path = []
        for row in unary + (np.arange(3) != y[:, None]):
            path.append(int(np.argmax(row + pair[path[-1]] if path else row)))
        return np.array(path)


@correct(grid)
class RefinesRarely(RefinedGrid):
    """A search that starts from the truth, with a refinement that may return what it got."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return climb(augmented(x, y, w), y)

    def refine(self, x, y, w, y_hat):
        return y_hat if w @ w < 1 else super().refine(x, y, w, y_hat)


@correct(sequences)
class RoundedScores(Tagging):
    """Scores in single precision, declared as such."""

    roundoff = 1e-5

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x.astype(np.float32), w.astype(np.float32))
        return viterbi(unary + (np.arange(3) != y[:, None]), pair)


@correct(labels)
class RememberedScores(Labels):
    """A cache of one product, looked up by the values of x and w."""

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + self._scores(x, w)))

    def decode(self, x, w):
        return int(np.argmax(self._scores(x, w)))

    def _scores(self, x, w):
        key = (x.tobytes(), w.tobytes())
        if getattr(self, "key", None) != key:
            self.key, self.found = key, scores(x, w)
        return self.found


@correct(unlabelled_rows)
class BalancedHalves(Halves):
    """Labels of which half are 1, so that they are not always the best: declared."""

    restricts_labels = True

    def impute(self, x, y, w):
        order = np.argsort(np.argsort(x @ w))
        return tuple((order >= len(x) // 2).astype(int).tolist())


@correct(grid)
class SearchOverTable(Grid):
    """An oracle that reads the table of all losses and joint features, made by initialize."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.points = np.array(POINTS)
        self.losses = np.abs(self.points[:, None] - self.points).sum(axis=2)

    def separation_oracle(self, x, y, w):
        rows = np.array([self.joint_feature(x, z) for z in POINTS])
        return POINTS[int(np.argmax(self.losses[SIDE * y[0] + y[1]] + rows @ w))]
