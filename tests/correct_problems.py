"""Correct problems of many kinds, on which check_problem must stay silent; mutants break them."""

from itertools import permutations, product

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from structsvm import Problem, SelfLabelledProblem, SoftOutput, Task


class SilentChain(Problem):
    """Label sequences by Viterbi: emissions and transitions, Hamming loss; nothing optional.

    x has shape (T, d); y is a list of T labels in 0..k-1.
    """

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        self.n_features_ = X[0].shape[1]
        self.size_joint_feature = self.n_labels * (self.n_features_ + self.n_labels)

    def joint_feature(self, x, y):
        emission, transition = np.zeros((self.n_labels, x.shape[1])), np.zeros((self.n_labels,) * 2)
        np.add.at(emission, np.asarray(y), x)
        np.add.at(transition, (np.asarray(y)[:-1], np.asarray(y)[1:]), 1)
        return np.concatenate([emission.ravel(), transition.ravel()])

    def loss(self, y, y_hat):
        return float(sum(a != b for a, b in zip(y, y_hat, strict=True)))

    def scores(self, x, w):
        split = self.n_labels * self.n_features_
        return x @ w[:split].reshape(self.n_labels, -1).T, w[split:].reshape((self.n_labels,) * 2)

    def separation_oracle(self, x, y, w):
        unary, pair = self.scores(x, w)
        augmented = unary + (np.arange(self.n_labels) != np.asarray(y)[:, None])
        return self.viterbi(augmented, pair)

    def decode(self, x, w):
        return self.viterbi(*self.scores(x, w))

    def viterbi(self, unary, pair):
        best, back = unary[0], []
        for scores in unary[1:]:
            table = best[:, None] + pair
            back.append(table.argmax(axis=0))
            best = table.max(axis=0) + scores
        path = [int(best.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return path[::-1]


class Chain(SilentChain):
    """The same with its outputs enumerated, a soft oracle and a maximum of the loss."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.max_loss = float(max(map(len, X)))

    def outputs(self, x):
        return (list(y) for y in product(range(self.n_labels), repeat=len(x)))

    def soft_oracle(self, x, y, w, mu):
        outputs = list(self.outputs(x))
        losses = np.array([self.loss(y, z) for z in outputs])
        rows = self.joint_feature(x, y) - np.array([self.joint_feature(x, z) for z in outputs])
        augmented = losses - rows @ w
        value = mu * logsumexp(augmented / mu)
        p = np.exp((augmented - value) / mu)
        return SoftOutput(value, p @ rows, p @ losses)


class MultilabelTask(Task):
    """All rows at once."""

    def matrix(self):
        return self.X

    def search(self, w):
        return self.problem.best(self.matrix(), w, self.problem.gains(self.Y))

    def decode(self, w):
        return self.problem.best(self.matrix(), w, 0.0)

    def losses(self, outputs):
        return self.problem.cost_[self.Y, outputs].sum(axis=1)

    def differences(self, outputs, places):
        changes = np.subtract(self.Y, outputs)[places]
        return (changes[:, :, None] * self.matrix()[places, None, :]).reshape(len(places), -1)

    def plane(self, outputs, weights):
        return (np.subtract(self.Y, outputs).T @ (self.matrix() * weights[:, None])).ravel()


class Multilabel(Problem):
    """Independent 0/1 labels as arrays, weighted Hamming loss, a task and a slack oracle."""

    max_loss = 6.0

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        self.n_features_ = X.shape[1]
        self.size_joint_feature = self.n_labels * self.n_features_
        self.cost_ = np.array([[0.0, 1.0], [2.0, 0.0]])

    def task(self, X, Y=None):
        return MultilabelTask(self, X, Y)

    def joint_feature(self, x, y):
        return np.outer(y, np.ravel(x)).ravel()

    def loss(self, y, y_hat):
        return float(self.cost_[np.asarray(y), np.asarray(y_hat)].sum())

    def outputs(self, x):
        return (np.array(y) for y in product((0, 1), repeat=self.n_labels))

    def separation_oracle(self, x, y, w):
        return self.best(x, w, self.gains(y))

    def slack_oracle(self, x, y, w):
        truth = w @ self.joint_feature(x, y)
        return max(
            self.outputs(x),
            key=lambda z: self.loss(y, z) * (1 - truth + w @ self.joint_feature(x, z)),
        )

    def decode(self, x, w):
        return self.best(x, w, 0.0)

    def gains(self, y):
        return self.cost_[y, 1] - self.cost_[y, 0]

    def best(self, x, w, gains):
        return (x @ w.reshape(self.n_labels, -1).T + gains > 0).astype(int)


class Rows:
    """Rows of a matrix, in a container of their own."""

    def __init__(self, matrix):
        self.matrix, self.shape = matrix, matrix.shape

    def __getitem__(self, which):
        rows = self.matrix[which]
        return rows if isinstance(which, (int, np.integer)) else Rows(rows)


class PreparedTask(MultilabelTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, Rows(X), Y)

    def matrix(self):
        return self.X.matrix


class Prepared(Multilabel):
    """The same with a task that keeps the rows in a container."""

    def task(self, X, Y=None):
        return PreparedTask(self, X, Y)


class Matching(Problem):
    """x is a (k, k, d) array of edge features, y a permutation; exact by the Hungarian method."""

    def joint_feature(self, x, y):
        return x[np.arange(len(y)), y].sum(axis=0)

    def loss(self, y, y_hat):
        return np.mean(y != y_hat)

    def separation_oracle(self, x, y, w):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return linear_sum_assignment(x @ w + wrong, maximize=True)[1]

    def decode(self, x, w):
        return linear_sum_assignment(x @ w, maximize=True)[1]


class EnumeratedMatching(Matching):
    max_loss = 1.0

    def outputs(self, x):
        return map(np.array, permutations(range(len(x))))


class LocalSearchTask(Task):
    def refine(self, w, outputs):
        return [
            self.problem.climb(x @ w + self.problem.losses(y), z)
            for x, y, z in zip(self.X, self.Y, outputs, strict=True)
        ]


class LocalSearch(EnumeratedMatching):
    """Swaps two, from the truth, while that helps; declared as what it is."""

    oracle_quality = "undergenerating"

    def task(self, X, Y=None):
        return LocalSearchTask(self, X, Y)

    def losses(self, y):
        return (np.arange(len(y)) != y[:, None]) / len(y)

    def separation_oracle(self, x, y, w):
        return self.climb(x @ w + self.losses(y), y)

    def decode(self, x, w):
        return self.climb(x @ w, np.arange(len(x)))

    def climb(self, scores, y):
        rows, improved = np.arange(len(y)), True
        while improved:
            improved = False
            for i, j in product(rows, rows):
                z = y.copy()
                z[[i, j]] = z[[j, i]]
                if scores[rows, z].sum() > scores[rows, y].sum() + 1e-12:
                    y, improved = z, True
        return y


class Relaxed(Problem):
    """Exactly one of k labels, relaxed to each label on or off: overgenerating by declaration.

    Decoding is exact. The oracle returns a 0/1 vector with any number of ones.
    """

    oracle_quality = "overgenerating"
    k = 3

    def joint_feature(self, x, y):
        return np.outer(np.asarray(y, dtype=float), x).ravel()

    def loss(self, y, y_hat):
        return float(np.abs(np.asarray(y) - y_hat).sum() / 2)

    def separation_oracle(self, x, y, w):
        return (w.reshape(self.k, -1) @ x + 0.5 - np.asarray(y) > 0).astype(float)

    def decode(self, x, w):
        return np.eye(self.k)[(w.reshape(self.k, -1) @ x).argmax()]

    def outputs(self, x):
        return iter(np.eye(self.k))


class Attractive(Problem):
    """A binary chain whose search is right only for a nonnegative coupling, and insists on it."""

    def initialize(self, X, Y):
        self.size_joint_feature = X[0].shape[1] + 1

    def joint_feature(self, x, y):
        return np.append(x.T @ y, np.sum(y[1:] == y[:-1]))

    def loss(self, y, y_hat):
        return float(np.sum(y != y_hat))

    def outputs(self, x):
        return map(np.array, product((0, 1), repeat=len(x)))

    def constraints(self):
        A = sparse.csr_matrix(([-1.0], ([0], [self.size_joint_feature - 1])))
        return A, np.zeros(1)

    def separation_oracle(self, x, y, w):
        return self.search(x, w, lambda z: self.loss(y, z))

    def decode(self, x, w):
        return self.search(x, w, lambda z: 0.0)

    def search(self, x, w, extra):
        if w[-1] < -1e-6:
            raise ValueError("the coupling must not be negative")
        return max(self.outputs(x), key=lambda z: extra(z) + w @ self.joint_feature(x, z))


class Sentence:
    """An input object that caches inside and holds what cannot be copied or pickled."""

    def __init__(self, features):
        self.features = features
        self._cache = None
        self._handle = lambda: None

    @property
    def total(self):
        if self._cache is None:
            self._cache = self.features.sum(axis=0)
        return self._cache


class Tags(Problem):
    """Inputs that are objects, outputs that are frozensets of words: nothing is an array."""

    words = ("noun", "verb", "other")

    def initialize(self, X, Y):
        self.size_joint_feature = 3 * len(X[0].total)

    def joint_feature(self, x, y):
        return np.concatenate([x.total if word in y else 0 * x.total for word in self.words])

    def loss(self, y, y_hat):
        return len(y ^ y_hat)

    def outputs(self, x):
        for keep in product((0, 1), repeat=3):
            yield frozenset(word for word, k in zip(self.words, keep, strict=True) if k)

    def separation_oracle(self, x, y, w):
        return self.search(x, w, lambda z: len(y ^ z))

    def decode(self, x, w):
        return self.search(x, w, lambda z: 0)

    def search(self, x, w, extra):
        return max(self.outputs(x), key=lambda z: extra(z) + w @ self.joint_feature(x, z))


class Latent(SelfLabelledProblem):
    """A class per example, annotated for some of them (else None); impute keeps annotations."""

    max_loss = 1.0
    k = 3

    def initialize(self, X, Y):
        self.size_joint_feature = self.k * X.shape[1]

    def joint_feature(self, x, y):
        return np.outer(np.eye(self.k)[y], x).ravel()

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def separation_oracle(self, x, y, w):
        return int((w.reshape(self.k, -1) @ x + (np.arange(self.k) != y)).argmax())

    def decode(self, x, w):
        return int((w.reshape(self.k, -1) @ x).argmax())

    def impute(self, x, y, w):
        return self.decode(x, w) if y is None else y


class Parts(SelfLabelledProblem):
    """One of the rows of x shows its class: y = class, output = (class, row), row latent."""

    max_loss = 1.0

    def __init__(self, n_classes=3):
        self.n_classes = n_classes

    def initialize(self, X, Y):
        self.size_joint_feature = self.n_classes * X[0].shape[1]

    def joint_feature(self, x, y):
        label, row = y
        return np.outer(np.eye(self.n_classes)[label], x[row]).ravel()

    def loss(self, y, y_hat):
        return self.evaluation_loss(y[0], y_hat)

    def evaluation_loss(self, y, y_hat):
        return float(y != y_hat[0])

    def scores(self, x, w):
        return w.reshape(self.n_classes, -1) @ x.T

    def separation_oracle(self, x, y, w):
        return self.best(self.scores(x, w) + (np.arange(self.n_classes) != y[0])[:, None])

    def decode(self, x, w):
        return self.best(self.scores(x, w))

    def impute(self, x, y, w):
        return self.decode(x, w) if y is None else (y, int(self.scores(x, w)[y].argmax()))

    def outputs(self, x):
        return product(range(self.n_classes), range(len(x)))

    def best(self, scores):
        label, row = np.unravel_index(scores.argmax(), scores.shape)
        return (int(label), int(row))


class Scaled(SilentChain):
    """The chain with losses of any size."""

    scale = 1e-10

    def loss(self, y, y_hat):
        return self.scale * super().loss(y, y_hat)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w / self.scale)


class Huge(Scaled):
    scale = 1e40


class OneOutput(Problem):
    """The first example has two outputs, all others the true one alone."""

    def joint_feature(self, x, y):
        return np.asarray(x) * y

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def outputs(self, x):
        return (0, 1) if x[0] > 0 else (0,)

    def separation_oracle(self, x, y, w):
        return max(self.outputs(x), key=lambda z: (z != y) + w @ self.joint_feature(x, z))

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda z: w @ self.joint_feature(x, z))


class Thresholds(Problem):
    """X is 1-d, outputs are dicts, and many of them tie: Psi knows only how many are on."""

    names = ("a", "b", "c")

    def initialize(self, X, Y):
        self.size_joint_feature = 2

    def joint_feature(self, x, y):
        on = sum(y.values())
        return np.array([x * on, on])

    def loss(self, y, y_hat):
        return sum(y[name] != y_hat[name] for name in self.names)

    def outputs(self, x):
        return (dict(zip(self.names, on, strict=True)) for on in product((0, 1), repeat=3))

    def separation_oracle(self, x, y, w):
        return self.search(x, w, lambda z: self.loss(y, z))

    def decode(self, x, w):
        return self.search(x, w, lambda z: 0)

    def search(self, x, w, extra):
        return max(self.outputs(x), key=lambda z: extra(z) + w @ self.joint_feature(x, z))


class LongWeights(Problem):
    """A long sparse Psi: classes of a bag of words."""

    d = 4_000

    def initialize(self, X, Y):
        self.size_joint_feature = 2 * self.d

    def joint_feature(self, x, y):
        return sparse.csr_matrix(
            (np.ones(len(x)), (np.zeros(len(x), dtype=int), y * self.d + np.asarray(x))),
            shape=(1, 2 * self.d),
        )

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def separation_oracle(self, x, y, w):
        return int(np.argmax([w[np.asarray(x) + z * self.d].sum() + (z != y) for z in (0, 1)]))

    def decode(self, x, w):
        return int(np.argmax([w[np.asarray(x) + z * self.d].sum() for z in (0, 1)]))


def sequences(seed, n=6, longest=4, d=2, k=3):
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(rng.integers(2, longest + 1), d)) for _ in range(n)]
    return X, [rng.integers(k, size=len(x)).tolist() for x in X]


def vectors(seed, n=8, d=4, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(2, size=(n, k))


def graphs(seed, n=5, k=4, d=3):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(k, k, d)) for _ in range(n)], [rng.permutation(k) for _ in range(n)]


def one_hot(seed, n=7, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.eye(3)[rng.integers(3, size=n)]


def binary(seed):
    X, Y = sequences(seed, k=2)
    return X, [np.array(y) for y in Y]


def sentences(seed, n=5):
    rng = np.random.default_rng(seed)
    X = [Sentence(rng.normal(size=(4, 2))) for _ in range(n)]
    return X, [frozenset(rng.choice(Tags.words, 2)) for _ in X]


def annotated(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(9, 3)), [0, None, 1, None, None, 2, None, None, 1]


def parted(seed, n=12, d=4):
    """One row of each input is near the centre of its class, the others are noise."""
    rng = np.random.default_rng(seed)
    Y, centres = rng.permutation(np.arange(n) % 3), 3 * rng.normal(size=(3, d))
    X = [rng.normal(size=(3, d)) for _ in Y]
    for x, y in zip(X, Y, strict=True):
        x[rng.integers(3)] += centres[y]
    return X, Y.tolist()


def tiny_sequences(seed):
    X, Y = sequences(seed)
    return [1e-8 * x for x in X], Y


def huge_sequences(seed):
    X, Y = sequences(seed)
    return [1e8 * x for x in X], Y


def single(seed):
    X, Y = sequences(seed)
    return X[:1], Y[:1]


def switches(seed):
    rng = np.random.default_rng(seed)
    return [np.array([1.0, 2.0]), *(-rng.random((4, 2)) - 0.1)], [1, 0, 0, 0, 0]


def numbers(seed):
    rng = np.random.default_rng(seed)
    Y = [
        dict(zip(Thresholds.names, map(int, on), strict=True))
        for on in rng.integers(2, size=(6, 3))
    ]
    return rng.normal(size=6), Y


def bags(seed):
    rng = np.random.default_rng(seed)
    return [rng.choice(LongWeights.d, 5, replace=False).tolist() for _ in range(8)], [0, 1] * 4


#: Every kind, with its data by seed.
CORRECT = [
    (SilentChain, sequences),
    (Chain, sequences),
    (Multilabel, vectors),
    (Prepared, vectors),
    (Matching, graphs),
    (EnumeratedMatching, graphs),
    (LocalSearch, graphs),
    (Relaxed, one_hot),
    (Attractive, binary),
    (Tags, sentences),
    (Latent, annotated),
    (Parts, parted),
    (Scaled, sequences),
    (Scaled, tiny_sequences),
    (Scaled, huge_sequences),
    (Huge, sequences),
    (Huge, tiny_sequences),
    (Chain, single),
    (OneOutput, switches),
    (Thresholds, numbers),
    (LongWeights, bags),
]
