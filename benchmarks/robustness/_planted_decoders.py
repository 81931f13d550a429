"""Bugs in decoders."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import SIDE, Grid, grid
from benchmarks.robustness._planted_labels import ONE_HOT, K, Labels, labels, scores
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_tagging import Tagging, potentials, sequences
from benchmarks.robustness._planted_topics import SETS, Topics, topics
from benchmarks.robustness._planted_topics import features as topic_features

BEST = "argmax over y of <w, Psi(x, y)>"


def without_label_3():
    X, Y = labels()
    return X, Y % 3


@planted(without_label_3, {"decode"}, BEST)
class DecoderKnowsOnlyLabelsOfTheTraining(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.seen = np.unique(Y)

    def decode(self, x, w):
        return int(self.seen[np.argmax(scores(x, w)[self.seen])])


@planted(labels, {"decode"}, BEST, listed=False)
class DecoderComparesAbsoluteScores(Labels):
    def decode(self, x, w):
        return int(np.argmax(abs(scores(x, w))))


@planted(grid, {"decode"}, "Ensures: an output of x that attains the maximum, for every w")
class DecoderFailsAtZero(Grid):
    def decode(self, x, w):
        norm = float(np.linalg.norm(w))
        return super().decode(x, np.array([entry / norm for entry in w.tolist()]))


@planted(sequences, {"decode"}, "Ensures: an output of x", listed=False)
class DecoderHasAMutableDefault(Tagging):
    """The list of the first call is still there at the second."""

    def decode(self, x, w, path=[]):  # noqa: B006
        path.extend(super().decode(x, w).tolist())
        return np.array(path)


@planted(sequences, {"decode"}, BEST)
class DecoderForgetsToReverseThePath(Tagging):
    def decode(self, x, w):
        return super().decode(x, w)[::-1]


@planted(pairs, {"decode"}, BEST)
class DecoderReturnsTheInverse(Pairing):
    def decode(self, x, w):
        return tuple(np.argsort(super().decode(x, w)).tolist())


@planted(topics, {"decode"}, BEST, listed=False)
class DecoderKeepsTheRecordOfEarlierCalls(Topics):
    best = -np.inf
    found = frozenset()

    def decode(self, x, w):
        for z in SETS:
            if (value := w @ topic_features(x, z)) > self.best:
                self.best, self.found = value, z
        return self.found


@planted(labels, {"decode"}, "Ensures: an output of x (never None)")
class DecoderReturnsAOneHotVector(Labels):
    def decode(self, x, w):
        return ONE_HOT[super().decode(x, w)]


@planted(grid, {"decode"}, BEST)
class DecoderRoundsTheOptimumOfTheRelaxation(Grid):
    """The stationary point of the parabola, rounded: right only where it is concave."""

    def decode(self, x, w):
        t = np.tanh(x)
        curvature = np.array([[2 * w[4], -w[6]], [-w[6], 2 * w[5]]])
        if not np.linalg.det(curvature):
            return super().decode(x, w)
        a, b = np.linalg.solve(curvature, [w[:2] @ t, w[2:4] @ t])
        return tuple(np.clip(np.rint([a, b]), 0, SIDE - 1).astype(int).tolist())


@planted(labels, {"decode"}, BEST)
class DecoderSkipsLabelsWithoutWeights(Labels):
    """A label whose weights are all 0 scores 0, which is the best of negative scores."""

    def decode(self, x, w):
        known = np.flatnonzero(w.reshape(K, -1).any(axis=1))
        return int(known[np.argmax(scores(x, w)[known])]) if len(known) else 0


@planted(sequences, {"decode"}, BEST, listed=False)
class DecoderMultipliesExponentials(Tagging):
    """Products of exponentials overflow or vanish where w is large."""

    def decode(self, x, w):
        unary, pair = (np.exp(part) for part in potentials(x, w))
        best, back = unary[0], []
        for row in unary[1:]:
            candidates = best[:, None] * pair
            back.append(candidates.argmax(axis=0))
            best = candidates.max(axis=0) * row
        path = [int(best.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return np.array(path[::-1])
