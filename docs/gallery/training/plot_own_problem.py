"""
A problem of your own: grades
=============================

Grades from 0 to 4, where a prediction that is wrong by two costs twice as much as one that is wrong
by one. The four methods are the whole definition.
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
# Work and talent make a mark, and the mark, with some noise, the grade.

rng = np.random.default_rng(0)
X = np.column_stack([rng.normal(size=(900, 2)), np.ones(900)])
y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(0, 0.7, 900), [-2, -0.7, 0.7, 2])
train, test = slice(0, 300), slice(300, 900)

# %%
# The checker compares the methods with each other before they are trained.

check_problem(Grades(), X[train], y[train].tolist())
svm = StructuredSVM(Grades(), C=100.0).fit(X[train], y[train].tolist())
print(svm.result_)

# %%
# Beside it an estimator that counts all mistakes alike.

grades = np.array(svm.predict(X[test]))
classes = MulticlassSVM().fit(X[train], y[train]).predict(X[test])
for name, found in (("grades", grades), ("classes", classes)):
    print(f"{name}: wrong by {np.mean(abs(found - y[test])):.3f} in the mean")

# %%

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
for ax, (title, shown) in zip(axes, (("true", y[test]), ("predicted", grades)), strict=True):
    points = ax.scatter(*X[test, :2].T, c=shown, s=10, cmap="viridis", vmin=0, vmax=4)
    ax.set(title=title, xlabel="work")
axes[0].set_ylabel("talent")
figure.colorbar(points, ax=axes, ticks=range(5), label="grade")
plt.show()
