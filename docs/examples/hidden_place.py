"""A class that shows at one of many places of an input; the place is not known."""

import numpy as np
from sklearn.datasets import load_digits

from structsvm import LatentProblem, Task


class HiddenPlace(LatentProblem):
    """Find the class of an input and the place where it shows.

    An input is a matrix of shape (m, d), a row of features for each of m places; X has the shape
    (n, m, d). An output is an array (class, place), an annotation the class, an integer from 0. Psi
    is the row at the place in the block of the class, and the loss is 1 for a wrong class (Yu &
    Joachims, Learning Structural SVMs with Latent Variables, ICML 2009). With ``background`` class
    0 shows nowhere: its joint feature is 0, and its place is 0.
    """

    max_loss = 1.0

    def __init__(self, n_classes=2, background=False):
        self.n_classes = n_classes
        self.background = background

    def initialize(self, X, Y):
        self.size_joint_feature = (self.n_classes - self.background) * X.shape[2]
        self.annotations_ = list(Y)

    def initial_w(self, X, rng):
        """Return for each class the features at a random place of an example, less the mean."""
        mean = X.mean(axis=(0, 1))
        shown = [
            X[rng.choice(examples), rng.integers(X.shape[1])] - mean
            for label in range(self.background, self.n_classes)
            if (examples := [i for i, y in enumerate(self.annotations_) if y == label])
        ]
        return np.concatenate(shown)

    # ---------------------------------------------------------- what a latent problem defines

    def joint_feature(self, x, y):
        psi = np.zeros((self.n_classes, x.shape[1]))
        psi[y[0]] = x[y[1]]
        return psi[self.background :].ravel()

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def separation_oracle(self, x, y, w):
        return self.task(x[None], [y]).search(w)[0]

    def decode(self, x, w):
        return self.task(x[None]).decode(w)[0]

    def complete(self, x, y, w):
        return self.task(x[None], [y]).impute(w)[0]

    def evaluation_loss(self, y, y_hat):
        return 0.0 if y is None else float(y != y_hat[0])

    # ---------------------------------------------------------- for tests and for speed

    def outputs(self, x):
        for label in range(self.n_classes):
            for place in range(1 if self.background and label == 0 else len(x)):
                yield np.array([label, place])

    def task(self, X, Y=None):
        return PlacesTask(self, X, Y)

    def scores(self, X, w):
        """Return the scores of all outputs, shape (n, n_classes, m)."""
        n, m, d = X.shape
        shown = w.reshape(-1, d) @ X.reshape(-1, d).T
        scores = np.zeros((n, self.n_classes, m))
        scores[:, self.background :] = shown.reshape(-1, n, m).swapaxes(0, 1)
        if self.background:
            scores[:, 0, 1:] = -np.inf
        return scores


class PlacesTask(Task):
    """All examples; Y holds annotations until labels are imputed."""

    def search(self, w):
        wrong = np.arange(self.problem.n_classes) != np.array(self.Y)[:, :1]
        return best(self.problem.scores(self.X, w) + wrong[:, :, None])

    def decode(self, w):
        return best(self.problem.scores(self.X, w))

    def impute(self, w):
        scores = self.problem.scores(self.X, w)
        known = np.array([-1 if y is None else y for y in self.Y])[:, None]
        scores[(known >= 0) & (known != np.arange(self.problem.n_classes))] = -np.inf
        return best(scores)

    def losses(self, outputs):
        return (np.array(self.Y)[:, 0] != np.array(outputs)[:, 0]).astype(float)

    def plane(self, outputs, weights):
        k, X = self.problem.n_classes, self.X
        total = np.zeros((k, X.shape[2]))
        for found, sign in ((self.Y, 1), (outputs, -1)):
            labels, places = np.array(found).T
            votes = sign * weights * (np.arange(k)[:, None] == labels)
            total += votes @ X[np.arange(self.n), places]
        return total[self.problem.background :].ravel()


class MostInk(HiddenPlace):
    """A problem that starts from the places with the largest sum of features, such as ink."""

    def initial_w(self, X, rng):
        rows = X[np.arange(len(X)), X.sum(axis=2).argmax(axis=1)]
        labels = np.array(self.annotations_)
        classes = range(self.background, self.n_classes)
        return np.concatenate([rows[labels == c].mean(axis=0) - rows.mean(axis=0) for c in classes])


def best(scores):
    """Return the outputs of largest score, shape (n, 2)."""
    n, _, m = scores.shape
    return np.column_stack(np.divmod(scores.reshape(n, -1).argmax(axis=1), m))


def hidden_digits(side=16, noise=0.1, random_state=0):
    """Draw the bundled digits of 8 x 8 pixels, each at a random place of a noisy square image.

    Returns images (1797, side, side), digits (1797,) and the rows and columns of their places.
    """
    rng = np.random.default_rng(random_state)
    small, digits = load_digits(return_X_y=True)
    images = noise * rng.normal(size=(len(small), side, side))
    corners = rng.integers(side - 7, size=(len(small), 2))
    for image, digit, (row, column) in zip(images, small.reshape(-1, 8, 8), corners, strict=True):
        image[row : row + 8, column : column + 8] += digit / 16
    return images, digits, corners


def windows(images, size=8, step=1):
    """Return square windows of images as rows of pixels and a 1: (n, m, size**2 + 1)."""
    found = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(1, 2))
    rows = found[:, ::step, ::step].reshape(len(images), -1, size * size)
    return np.concatenate([rows, np.ones((*rows.shape[:2], 1))], axis=2)
