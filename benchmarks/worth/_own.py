"""Problems as users write them: only four methods, with an exact and with a greedy search."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm import Problem


class Grades(Problem):
    """A grade for each row: a mistake costs the number of grades that it is off by."""

    def initialize(self, X: Any, Y: Any) -> None:
        self.n_grades = int(np.max(Y)) + 1
        self.size_joint_feature = self.n_grades * (len(X[0]) + 1)

    def joint_feature(self, x: Any, y: Any) -> Any:
        return np.outer(np.arange(self.n_grades) == y, np.append(x, 1.0)).ravel()

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(abs(y - y_hat))

    def decode(self, x: Any, w: Any) -> int:
        return int(self._scores(x, w).argmax())

    def separation_oracle(self, x: Any, y: Any, w: Any) -> int:
        return int((self._scores(x, w) + np.abs(np.arange(self.n_grades) - y)).argmax())

    def _scores(self, x: Any, w: Any) -> Any:
        return w.reshape(self.n_grades, -1) @ np.append(x, 1.0)


class GreedyWords(Problem):
    """Letters of words, found from left to right: the search often misses the best word."""

    oracle_quality = "undergenerating"

    def initialize(self, X: Any, Y: Any) -> None:
        self.pixels = X[0].shape[1]
        self.size_joint_feature = 26 * (self.pixels + 26)

    def joint_feature(self, x: Any, y: Any) -> Any:
        states, pairs = np.zeros((26, self.pixels)), np.zeros((26, 26))
        np.add.at(states, y, x)
        np.add.at(pairs, (y[:-1], y[1:]), 1.0)
        return np.concatenate([states, pairs], axis=None)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.mean(y != y_hat))

    def decode(self, x: Any, w: Any) -> Any:
        return self._found(x, w, np.zeros((len(x), 26)))

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return self._found(x, w, (np.arange(26) != np.asarray(y)[:, None]) / len(x))

    def _found(self, x: Any, w: Any, extra: Any) -> Any:
        states, pairs = np.split(w.reshape(26 * (self.pixels + 26)), [26 * self.pixels])
        scores = x @ states.reshape(26, -1).T + extra
        y = [int(scores[0].argmax())]
        for own in scores[1:]:
            y.append(int((own + pairs.reshape(26, 26)[y[-1]]).argmax()))
        return np.array(y)
