"""Learning to align: the costs of substitutions and gaps, from aligned pairs of strings."""

import numpy as np

from structsvm import Problem


class Alignment(Problem):
    """Align two strings: pair some of their letters, in the order of both strings.

    An input x is a pair of strings. An output y has an entry for each letter of the first: the
    index of its partner in the second, or -1. Psi counts the pairs of letters, and the letters
    without a partner in both strings; so w holds the scores of substitutions and of a gap
    (Joachims, Hofmann, Yue & Yu, Predicting Structured Objects with Support Vector Machines,
    Communications of the ACM 2009). The loss is the number of entries that differ.
    """

    def __init__(self, alphabet="ACGT"):
        self.alphabet = alphabet

    def initialize(self, X, Y):
        self.size_joint_feature = len(self.alphabet) ** 2 + 1

    def joint_feature(self, x, y):
        first, second = map(self._codes, x)
        paired = np.flatnonzero(np.asarray(y) >= 0)
        k = len(self.alphabet)
        kinds = first[paired] * k + second[np.asarray(y)[paired]]
        gaps = len(first) + len(second) - 2 * len(paired)
        return np.append(np.bincount(kinds, minlength=k * k), gaps).astype(float)

    def loss(self, y, y_hat):
        return float(np.count_nonzero(np.asarray(y) != np.asarray(y_hat)))

    def separation_oracle(self, x, y, w):
        pairs, gap = self._scores(x, w)
        # Every entry but the true one costs 1 more.
        true = np.asarray(y)
        pairs += true[:, None] != np.arange(pairs.shape[1])
        return best_alignment(pairs, gap + (true != -1), gap)

    def decode(self, x, w):
        pairs, gap = self._scores(x, w)
        return best_alignment(pairs, np.full(len(pairs), gap), gap)

    def outputs(self, x):
        first, second = x
        return self._outputs(len(first), 0, len(second))

    @staticmethod
    def example_data(n=30, random_state=0):
        """Return strings and copies in which letters were replaced, dropped and inserted."""
        rng = np.random.default_rng(random_state)
        X, Y = [], []
        for length in rng.integers(6, 12, size=n):
            first, second, y = rng.choice(list("ACGT"), size=length), [], []
            for letter in first:
                if rng.random() < 0.1:
                    second.append(rng.choice(list("ACGT")))
                dropped = rng.random() < 0.1
                y.append(-1 if dropped else len(second))
                if not dropped:
                    # A and G replace each other, and so do C and T.
                    replaced = rng.random() < 0.3
                    second.append(letter.translate(SIMILAR) if replaced else letter)
            X.append(("".join(first), "".join(second)))
            Y.append(np.array(y))
        return X, Y

    def _codes(self, letters):
        return np.array([self.alphabet.index(letter) for letter in letters], dtype=int)

    def _scores(self, x, w):
        first, second = map(self._codes, x)
        substitutions = w[:-1].reshape(len(self.alphabet), -1)
        return substitutions[np.ix_(first, second)], w[-1]

    def _outputs(self, m, start, n):
        if m == 0:
            yield ()
            return
        for place in (-1, *range(start, n)):
            for rest in self._outputs(m - 1, max(start, place + 1), n):
                yield (place, *rest)


SIMILAR = str.maketrans("AGCT", "GATC")


def best_alignment(pairs, skipped, gap):
    """Return the alignment of highest score (Needleman & Wunsch, 1970).

    ``pairs[i, j]`` is the score of a pair, ``skipped[i]`` the score of leaving letter i of
    the first string alone, and ``gap`` the score of leaving a letter of the second string alone.
    """
    m, n = pairs.shape
    gaps = gap * np.arange(n + 1)
    best = np.tile(gaps, (m + 1, 1))
    for i in range(m):
        here = best[i] + skipped[i]
        here[1:] = np.maximum(here[1:], best[i, :-1] + pairs[i])
        # Leave letters of the second string before j alone, from the best start on.
        best[i + 1] = gaps + np.maximum.accumulate(here - gaps)
    y, i, j = np.full(m, -1), m, n
    while i:
        options = [best[i - 1, j] + skipped[i - 1]]
        if j:
            options += [best[i, j - 1] + gap, best[i - 1, j - 1] + pairs[i - 1, j - 1]]
        choice = int(np.argmax(options))
        i, j = i - (choice != 1), j - (choice != 0)
        if choice == 2:
            y[i] = j
    return y
