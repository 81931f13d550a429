"""Structural SVMs by any solver: ``1/2 |w|^2 + C sum_i xi_i``, in double precision for all.

Solvers are run at smaller and smaller tolerances, each in its own units; compared is the CPU time
to the same objective. ``gap`` is the relative duality gap that a solver certifies, if it does.
"""

import numpy as np
from benchopt import BaseObjective
from benchopt.stopping_criterion import SufficientProgressCriterion


class Objective(BaseObjective):
    name = "Structural SVM"
    min_benchopt_version = "1.10"
    sampling_strategy = "tolerance"
    stopping_criterion = SufficientProgressCriterion(eps=1e-5, patience=4, strategy="tolerance")
    test_dataset_name = "digits"

    def set_data(self, problem, X, y, C):
        self.problem, self.X, self.y, self.C = problem, X, y, C

    def get_objective(self):
        return {"problem": self.problem, "X": self.X, "y": self.y, "C": self.C}

    def evaluate_result(self, w, seconds, gap=None):
        self.problem.initialize(self.X, self.y)
        task = self.problem.task(self.X, self.y)
        y_hat = task.search(w)
        slack = task.losses(y_hat).sum() - task.plane(y_hat, np.ones(len(self.y))) @ w
        return {"value": float(0.5 * w @ w + self.C * slack), "CPU s": seconds, "gap": gap}

    def get_one_result(self):
        self.problem.initialize(self.X, self.y)
        return {"w": np.zeros(self.problem.size_joint_feature), "seconds": 0.0}
