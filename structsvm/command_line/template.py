"""MyProblem: events in signals. The comments say what to replace to make it your problem.

Compare all methods with an enumeration of the outputs, then check, train and predict:

    structsvm check my_problem:MyProblem
    python my_problem.py
"""

from itertools import product

import numpy as np

import structsvm


class MyProblem(structsvm.Problem):
    """Mark the events in a signal: the positions in a row where it differs from the rest.

    An input x is an array of shape (m, 3), three features of each of m positions. An output y is an
    array of shape (m,): 1 within an event, 0 elsewhere.
    """

    # The largest value of your loss, or None; it scales ``score``.
    max_loss = 1.0

    def joint_feature(self, x, y):
        # Psi(x, y): a vector that is as long for all x and y. The score of y is <w, Psi(x, y)>.
        # Here w[:3] says what an event looks like, and w[3] what it costs to begin or end one.
        return np.append(x[y == 1].sum(axis=0), np.count_nonzero(np.diff(y)))

    def loss(self, y, y_hat):
        # What it costs to predict y_hat where y is true: >= 0, and 0 for y itself.
        # Here: the fraction of the positions that are wrong.
        return np.mean(y != y_hat)

    def decode(self, x, w):
        # The prediction: an output of largest score <w, Psi(x, y)>.
        return best_labels(scores_of_labels(x, w), w[3])

    def separation_oracle(self, x, y, w):
        # An output y_hat of largest loss(y, y_hat) + <w, Psi(x, y_hat)>, among all, y included.
        # Here the loss is a sum over the positions, as the score is: each wrong label adds 1/m. So
        # the search is that of ``decode``, with other scores. Prefer a loss for which that is so.
        # If your search may miss the best output, say so: oracle_quality = "undergenerating".
        scores = scores_of_labels(x, w)
        scores[np.arange(len(x)), 1 - y] += 1 / len(x)
        return best_labels(scores, w[3])

    def outputs(self, x):
        # All outputs of x; only the checker asks for them, on the small inputs of ``example_data``.
        return map(np.array, product((0, 1), repeat=len(x)))

    @staticmethod
    def example_data(n=40, random_state=0):
        # A few small inputs and their true outputs: some of your own data.
        rng = np.random.default_rng(random_state)
        X, Y = [], []
        for m in rng.integers(6, 10, size=n):
            start, end = np.sort(rng.integers(m + 1, size=2))
            y = np.zeros(m, dtype=int)
            y[start:end] = 1
            # A feature that is higher within an event, one that is noise, and a constant.
            X.append(
                np.column_stack([y + 0.5 * rng.normal(size=m), rng.normal(size=m), np.ones(m)])
            )
            Y.append(y)
        return X, Y


def scores_of_labels(x, w):
    """The score of each position with the label 0, and with the label 1."""
    return np.column_stack([np.zeros(len(x)), x @ w[:3]])


def best_labels(scores, change):
    """The labels of largest sum of scores, and of ``change`` where a label differs from the last.

    This is Viterbi's algorithm; your problem has a search of its own.
    """
    changes = np.array([[0.0, change], [change, 0.0]])
    best, origins = scores[0], []
    for here in scores[1:]:
        sums = best[:, None] + changes  # a row for each label before, a column for each here
        origins.append(sums.argmax(axis=0))
        best = sums.max(axis=0) + here
    y = [best.argmax()]
    for origin in reversed(origins):
        y.append(origin[y[-1]])
    return np.array(y[::-1])


if __name__ == "__main__":
    X, Y = MyProblem.example_data()
    print(structsvm.check_problem(MyProblem(), X, Y))
    # A larger C fits the training data more closely; GridSearchCV chooses it.
    svm = structsvm.StructuredSVM(MyProblem(), C=100.0).fit(X, Y)
    print(svm.result_)
    X_new, Y_new = MyProblem.example_data(n=200, random_state=1)
    print(f"1 - mean loss: {svm.score(X, Y):.3f} in training, {svm.score(X_new, Y_new):.3f} on new")
