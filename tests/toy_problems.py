"""Small problems that the tests share, with outputs to enumerate, so that answers can be checked.

The oracles here are brute force unless a class is about its oracle.
"""

from collections import Counter
from itertools import permutations, product

import cvxopt
import cvxopt.solvers
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from structsvm import Problem, SelfLabelledProblem, SoftOutput, Task


class BruteForce(Problem):
    """A problem that searches its enumerated outputs."""

    def separation_oracle(self, x, y, w):
        return max(self.outputs(x), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))

    def slack_oracle(self, x, y, w):
        score = w @ self.joint_feature(x, y)
        return max(
            self.outputs(x),
            key=lambda z: self.loss(y, z) * (1 - score + w @ self.joint_feature(x, z)),
        )

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda z: w @ self.joint_feature(x, z))

    def soft_oracle(self, x, y, w, mu):
        outputs = list(self.outputs(x))
        losses = np.array([self.loss(y, z) for z in outputs])
        rows = self.joint_feature(x, y) - np.array([self.joint_feature(x, z) for z in outputs])
        scores = losses - rows @ w
        value = mu * logsumexp(scores / mu)
        p = np.exp((scores - value) / mu)
        return SoftOutput(value, p @ rows, p @ losses)


class Multilabel(BruteForce):
    """A tuple of 0/1 labels; Psi holds label-input products and label pairs; Hamming loss."""

    def __init__(self, n_labels=3):
        self.n_labels = n_labels
        self.max_loss = float(n_labels)

    def joint_feature(self, x, y):
        bits = np.array(y, dtype=float)
        pairs = np.outer(bits, bits)[np.triu_indices(self.n_labels, 1)]
        return np.concatenate([np.outer(bits, x).ravel(), pairs])

    def loss(self, y, y_hat):
        return float(sum(a != b for a, b in zip(y, y_hat, strict=True)))

    def outputs(self, x):
        return product((0, 1), repeat=self.n_labels)


class Tasked(Multilabel):
    """With a task of its own, so that blocks are as for arrays."""

    def task(self, X, Y=None):
        return Task(self, X, Y)


class RefiningTask(Task):
    """It refines outputs, one example after another."""

    def refine(self, w, outputs):
        triples = zip(self.X, self.Y, outputs, strict=True)
        return [self.problem.refined_output(x, y, w, y_hat) for x, y, y_hat in triples]


class Refining(Multilabel):
    """It refines outputs to themselves."""

    def task(self, X, Y=None):
        return RefiningTask(self, X, Y)

    def refined_output(self, x, y, w, y_hat):
        return y_hat


class LocalSearchMultilabel(Multilabel):
    """Flips one label at a time, from the truth: misses outputs, and says so."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return self.climbed(x, y, w, y)

    def climbed(self, x, y, w, best):
        for flip in range(self.n_labels):
            flipped = (*best[:flip], 1 - best[flip], *best[flip + 1 :])
            best = max(
                (best, flipped), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z)
            )
        return best


class ForgettingMultilabel(Multilabel):
    """Finds the worst output once per example, and afterwards the truth."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.seen = set()

    def separation_oracle(self, x, y, w):
        if x.tobytes() in self.seen:
            return y
        self.seen.add(x.tobytes())
        return super().separation_oracle(x, y, w)


class ConstrainedMultilabel(Multilabel):
    """With constraints A w <= b of a kind.

    'nonnegative': every weight; 'balanced': |sum of w| <= 0.1; 'equality': the sum of w is 0;
    'floor': the first weight is at least 0.5, so w = 0 is not feasible; 'infeasible'.
    """

    def __init__(self, kind, n_labels=3):
        super().__init__(n_labels)
        self.kind = kind

    def constraints(self):
        d = self.size_joint_feature
        ones, first = np.ones((1, d)), np.eye(d)[:1]
        return {
            "nonnegative": (-np.eye(d), np.zeros(d)),
            "balanced": (np.vstack([ones, -ones]), np.full(2, 0.1)),
            "equality": (np.vstack([ones, -ones]), np.zeros(2)),
            "floor": (-first, np.array([-0.5])),
            "infeasible": (np.vstack([first, -first]), np.full(2, -1.0)),
        }[self.kind]


class Assignment(Problem):
    """m items to m places; x[i, j] describes item i in place j; the loss counts misplaced items."""

    def joint_feature(self, x, y):
        return x[np.arange(len(x)), list(y)].sum(axis=0)

    def loss(self, y, y_hat):
        return float(np.sum(np.not_equal(y, y_hat)))

    def separation_oracle(self, x, y, w):
        return self._best(x @ w + self._losses(y))

    def decode(self, x, w):
        return self._best(x @ w)

    def outputs(self, x):
        return permutations(range(len(x)))

    def _losses(self, y):
        return 1.0 - np.eye(len(y))[list(y)]

    def _best(self, scores):
        return tuple(linear_sum_assignment(scores, maximize=True)[1].tolist())


class RelaxedAssignment(Assignment):
    """The oracle lets two items share a place: a superset of the assignments."""

    oracle_quality = "overgenerating"

    def separation_oracle(self, x, y, w):
        return tuple((x @ w + self._losses(y)).argmax(axis=1).tolist())


class LatentTopics(BruteForce, SelfLabelledProblem):
    """Each example is a bag of points with a label each, unknown; Psi sums x_p into y_p's block.

    The loss counts how far apart the labels are, so that it jumps when labels change: relabelling
    may raise the restricted objective. An annotation is a tuple of labels with None where unknown.
    """

    def __init__(self, n_topics=3):
        self.n_topics = n_topics

    def initialize(self, X, Y=None):
        self.size_joint_feature = self.n_topics * X[0].shape[1]

    def joint_feature(self, x, y):
        return (np.eye(self.n_topics)[list(y)].T @ x).ravel() / len(x)

    def loss(self, y, y_hat):
        return float(np.mean(np.abs(np.subtract(y, y_hat))))

    def impute(self, x, y, w):
        agreeing = (z for z in self.outputs(x) if y is None or _agree(z, y))
        return max(agreeing, key=lambda z: w @ self.joint_feature(x, z))

    def outputs(self, x):
        return product(range(self.n_topics), repeat=len(x))


class CountedTopics(LatentTopics):
    """Counts the calls of the engine; its labels are new objects at every call."""

    def initialize(self, X, Y=None):
        super().initialize(X, Y)
        self.calls = Counter()

    def joint_feature(self, x, y):
        self.calls["joint_feature"] += 1
        return super().joint_feature(x, y)

    def loss(self, y, y_hat):
        self.calls["loss"] += 1
        return super().loss(y, y_hat)

    def separation_oracle(self, *arguments):
        return LatentTopics().separation_oracle(*arguments)

    def impute(self, *arguments):
        self.calls["impute"] += 1
        return self.label(LatentTopics().impute(*arguments))

    def label(self, label):
        return (*label,)


def _agree(labels, annotation):
    return all(b is None or a == b for a, b in zip(labels, annotation, strict=True))


def multilabel_data(seed=0, n=6, n_labels=3, d=2):
    """Labels of noisy linear scores, so that some examples keep a slack."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, n_labels)) + 0.5 * rng.normal(size=(n, n_labels))
    return X, [tuple(int(score > 0) for score in row) for row in scores]


def assignment_data(seed=0, n=6, m=3, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m, m, d))
    w = rng.normal(size=d)
    noisy = X @ w + 0.5 * rng.normal(size=(n, m, m))
    return X, [Assignment()._best(scores) for scores in noisy]


def topics_data(seed=0, n=6, points=2, k=3, d=2):
    rng = np.random.default_rng(seed)
    centres = 2 * rng.normal(size=(k, d))
    return [centres[rng.integers(k, size=points)] + rng.normal(size=(points, d)) for _ in range(n)]


def all_differences(problem, X, Y, rescaling="margin"):
    """Every constraint of the full problem: rows a, offsets b and examples of a.w >= b - xi."""
    rows, offsets, examples = [], [], []
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        for z in problem.outputs(x):
            loss = problem.loss(y, z)
            difference = problem.joint_feature(x, y) - problem.joint_feature(x, z)
            rows.append(difference if rescaling == "margin" else loss * difference)
            offsets.append(loss)
            examples.append(i)
    return np.array(rows), np.array(offsets), np.array(examples)


def full_objective(problem, X, Y, w, C, rescaling="margin", prior=0.0):
    """The objective at w from all outputs, independent of the engine."""
    rows, offsets, examples = all_differences(problem, X, Y, rescaling)
    slacks = np.zeros(len(X))
    np.maximum.at(slacks, examples, offsets - rows @ w)
    return 0.5 * np.sum((w - prior) ** 2) + C * slacks.mean()


def full_optimum(problem, X, Y, C, rescaling="margin", prior=0.0):
    """The optimal objective and w by cvxopt, from all outputs, independent of the engine.

    The variables are w and the slacks in units of 1 / C.
    """
    problem.initialize(X, Y)
    d, n = problem.size_joint_feature, len(X)
    rows, offsets, examples = all_differences(problem, X, Y, rescaling)
    membership = np.eye(n)[examples]
    G = np.vstack([np.hstack([-rows, -membership]), np.hstack([np.zeros((n, d)), -np.eye(n)])])
    h = np.concatenate([-offsets, np.zeros(n)])
    if problem.constraints is not None:
        A, b = problem.constraints()
        G, h = np.vstack([G, np.hstack([A, np.zeros((len(b), n))])]), np.concatenate([h, b])
    P = np.diag(np.concatenate([np.ones(d), np.zeros(n)]))
    q = np.concatenate([np.broadcast_to(-np.asarray(prior), d), np.full(n, C / n)])
    options = {"show_progress": False, "abstol": 1e-13, "reltol": 1e-11, "feastol": 1e-11}
    size = max(1.0, C / n)  # else cvxopt stops early at large C
    answer = cvxopt.solvers.qp(
        *(cvxopt.matrix(part) for part in (P / size, q / size, G, h)), options=options
    )
    w = np.array(answer["x"]).ravel()[:d]
    return full_objective(problem, X, Y, w, C, rescaling, prior), w


def blobs(n=100, d=6, k=4, dtype=float):
    """Rows around a unit vector for each class."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    return (np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d))).astype(dtype), y


def chains(n=60):
    """Sequences of one to five rows, and their labels."""
    rng = np.random.default_rng(0)
    Y = [rng.integers(3, size=length) for length in rng.integers(1, 6, size=n)]
    return [np.eye(3, 4)[y] + 0.5 * rng.normal(size=(len(y), 4)) for y in Y], Y
