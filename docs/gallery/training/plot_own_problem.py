"""
A problem of your own: grades
=============================

Predict a grade from 0 to 4, where a prediction that is wrong by two costs twice as much as a
prediction that is wrong by one. Four methods define the problem, and
:class:`structsvm.StructuredSVM` trains it. :class:`structsvm.problems.MulticlassSVM` counts all
mistakes alike.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm import Problem, StructuredSVM, check_problem
from structsvm.problems import MulticlassSVM


class Grades(Problem):
    def joint_feature(self, x, y):
        return np.outer(np.eye(5)[y], x).ravel()

    def loss(self, y, y_hat):
        return abs(y - y_hat)

    def separation_oracle(self, x, y, w):
        scores = w.reshape(5, -1) @ x
        return int(np.argmax(scores + abs(np.arange(5) - y)))

    def decode(self, x, w):
        return int(np.argmax(w.reshape(5, -1) @ x))


# %%
# Work and talent make a mark, and the mark, with much noise, the grade.

rng = np.random.default_rng(0)
X = np.column_stack([rng.normal(size=(2300, 2)), np.ones(2300)])
y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(0, 1.2, 2300), [-2, -0.7, 0.7, 2])
train, test = slice(0, 300), slice(300, 2300)

# %%
# The checker compares the methods with each other before training.

check_problem(Grades(), X[train], y[train].tolist())
svm = StructuredSVM(Grades(), C=1000.0).fit(X[train], y[train].tolist())

# %%
# On the test part half as many grades are wrong by two or more.

models = {"classes": MulticlassSVM().fit(X[train], y[train]), "grades": svm}
figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for shift, (name, model) in zip((-0.2, 0.2), models.items(), strict=True):
    errors = abs(np.array(model.predict(X[test])) - y[test])
    print(f"{name}: wrong by {errors.mean():.3f} on average")
    counts = [np.sum(errors == 1), np.sum(errors > 1)]
    ax.bar_label(ax.bar(np.arange(1, 3) + shift, counts, 0.4, label=name))
ax.set(xlabel="wrong by", ylabel="test rows", xticks=[1, 2], xticklabels=["1", "2 or more"])
ax.legend(frameon=False)
plt.show()
