"""Rosters like those of the past, found by CP-SAT of OR-tools."""

from itertools import product

import numpy as np
from ortools.sat.python import cp_model

from structsvm import Problem

OFF, DAY, NIGHT = SHIFTS = range(3)
#: The largest coefficient: CP-SAT computes with integers.
LARGEST = 10**10


class Roster(Problem):
    """Give people shifts: each shift has one person each day, and a night is followed by a day off.

    x holds features of shape (people, days, 3, d), y the shift of each person on each day.
    """

    oracle_cost, max_loss, roundoff = "expensive", 1.0, 1 / LARGEST

    def joint_feature(self, x, y):
        people, days = np.indices(y.shape)
        return x[people, days, y].mean(axis=(0, 1))

    def loss(self, y, y_hat):
        return np.mean(np.not_equal(y, y_hat))

    def separation_oracle(self, x, y, w):
        return best_roster(x @ w + (np.arange(3) != y[..., None]))

    def decode(self, x, w):
        return best_roster(x @ w)

    def outputs(self, x):
        rosters = (np.reshape(y, x.shape[:2]) for y in product(SHIFTS, repeat=x[..., 0, 0].size))
        return (y for y in rosters if is_allowed(y))

    @staticmethod
    def example_data(n=20, people=3, days=2, random_state=0):
        """Rosters that somebody made by wishes, costs and habits, not quite consistently."""
        rng = np.random.default_rng(random_state)
        X = rng.normal(size=(n, people, days, 3, 4))
        noise = rng.normal(0, 0.5, X.shape[:-1])
        return X, [best_roster(scores) for scores in X @ [2.0, -1.0, 0.5, 0.0] + noise]


def best_roster(scores):
    """The allowed roster of the largest sum of scores."""
    weights = np.rint(scores * (LARGEST / (np.abs(scores).max() or 1.0))).astype(int)
    model = cp_model.CpModel()
    has = np.reshape([model.new_bool_var("") for _ in range(weights.size)], weights.shape)
    for one in [*has.reshape(-1, 3), *has[:, :, [DAY, NIGHT]].reshape(len(has), -1).T]:
        model.add_exactly_one(one)
    for night, off in zip(has[:, :-1, NIGHT].flat, has[:, 1:, OFF].flat, strict=True):
        model.add_implication(night, off)
    model.maximize(cp_model.LinearExpr.weighted_sum(has.ravel(), weights.ravel()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same answer in each run
    status = solver.solve(model)
    if status != cp_model.OPTIMAL:
        raise ValueError(f"CP-SAT found no best roster: {solver.status_name(status)}")
    return np.vectorize(solver.value)(has).argmax(axis=2)


def is_allowed(y):
    once = all((y == shift).sum(axis=0).max() == 1 for shift in (DAY, NIGHT))
    covered = all((y == shift).any(axis=0).all() for shift in (DAY, NIGHT))
    return once and covered and bool((y[:, 1:][y[:, :-1] == NIGHT] == OFF).all())
