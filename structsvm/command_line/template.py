"""MyProblem: events in signals.

The comments in this template say what to replace for your problem.

The command ``structsvm check`` compares all methods with an enumeration of the outputs. The command
``python my_problem.py`` also trains and predicts.

    structsvm check my_problem:MyProblem
    python my_problem.py
"""

from itertools import product

import numpy as np

import structsvm


class MyProblem(structsvm.Problem):
    """Mark the events in a signal: runs of positions whose values differ from the remaining signal.

    An input x is an array of shape (m, 3), with three features for each of the m positions. An
    output y is an array of shape (m,), with 1 within an event and 0 elsewhere.
    """

    # The largest value of your loss, or None. It scales ``score``.
    max_loss = 1.0

    def joint_feature(self, x, y):
        # Return Psi(x, y), a vector of the same length for all x and y. The score of y is
        # <w, Psi(x, y)>. Here w[:3] weights the features within an event, and w[3] counts each
        # begin or end of an event.
        return np.append(x[y == 1].sum(axis=0), np.count_nonzero(np.diff(y)))

    def loss(self, y, y_hat):
        # Return the cost of predicting y_hat if y is true: >= 0, and 0 if y_hat is y.
        # Here it is the fraction of wrong positions.
        return np.mean(y != y_hat)

    def decode(self, x, w):
        # Return the prediction, an output with the largest score <w, Psi(x, y)>.
        return best_labels(scores_of_labels(x, w), w[3])

    def separation_oracle(self, x, y, w):
        # Return an output y_hat, possibly y, with the largest loss(y, y_hat) + <w, Psi(x, y_hat)>.
        # Here the loss is a sum over the positions, like the score: each wrong label adds 1/m. So
        # ``decode`` and this method share a search, with different scores. Prefer such a loss.
        # If your search may miss the best output, declare oracle_quality = "undergenerating".
        scores = scores_of_labels(x, w)
        scores[np.arange(len(x)), 1 - y] += 1 / len(x)
        return best_labels(scores, w[3])

    def outputs(self, x):
        # Return all outputs of x. Only the checker calls it, for the small inputs of example_data.
        return map(np.array, product((0, 1), repeat=len(x)))

    @staticmethod
    def example_data(n=40, random_state=0):
        # Return a few small inputs and their true outputs, such as some of your data.
        rng = np.random.default_rng(random_state)
        X, Y = [], []
        for m in rng.integers(6, 10, size=n):
            start, end = np.sort(rng.integers(m + 1, size=2))
            y = np.zeros(m, dtype=int)
            y[start:end] = 1
            # The features are one that is higher within an event, one of noise, and a constant.
            X.append(
                np.column_stack([y + 0.5 * rng.normal(size=m), rng.normal(size=m), np.ones(m)])
            )
            Y.append(y)
        return X, Y


def scores_of_labels(x, w):
    """Return the score of each position for the label 0 and for the label 1."""
    return np.column_stack([np.zeros(len(x)), x @ w[:3]])


def best_labels(scores, change):
    """Return the labels with the largest sum of scores, plus ``change`` for each change of label.

    The search is Viterbi's algorithm. Replace ``best_labels`` by the search of your problem.
    """
    changes = np.array([[0.0, change], [change, 0.0]])
    best, origins = scores[0], []
    for here in scores[1:]:
        sums = best[:, None] + changes  # a row per previous label, a column per label here
        origins.append(sums.argmax(axis=0))
        best = sums.max(axis=0) + here
    y = [best.argmax()]
    for origin in reversed(origins):
        y.append(origin[y[-1]])
    return np.array(y[::-1])


if __name__ == "__main__":
    X, Y = MyProblem.example_data()
    print(structsvm.check_problem(MyProblem(), X, Y))
    # A larger C fits the training data more closely. GridSearchCV can choose it.
    svm = structsvm.StructuredSVM(MyProblem(), C=100.0).fit(X, Y)
    print(svm.result_)
    X_new, Y_new = MyProblem.example_data(n=200, random_state=1)
    print(f"1 - mean loss: {svm.score(X, Y):.3f} in training, {svm.score(X_new, Y_new):.3f} on new")
