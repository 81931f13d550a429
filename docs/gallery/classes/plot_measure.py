"""
Train for the measure you report
================================

One row in twenty is positive, and the classes overlap. A classifier trained for the error predicts
few rows as positive, because a doubtful row is more likely negative. Trained for F1,
:class:`structsvm.problems.MultivariateSVM` finds most positive rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score

from structsvm.problems import MultivariateSVM


def draw(rng, n):
    y = rng.random(n) < 0.05
    return rng.normal(size=(n, 2)) + np.outer(y, [1.6, 1.2]), y


rng = np.random.default_rng(0)
(X, y), (X_test, y_test) = draw(rng, 1500), draw(rng, 6000)

# %%
# Both have the same C; only the loss differs.

models = {m: MultivariateSVM(m, C=1000.0).fit(X, y) for m in ("error", "f1")}
for measure, svm in models.items():
    found = svm.predict(X_test)
    print(f"trained for {measure:5} F1 {f1_score(y_test, found):.2f}, {found.sum()} rows positive")

# %%

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.scatter(*X_test[~y_test].T, s=3, color="tab:gray", alpha=0.3, label="negative")
ax.scatter(*X_test[y_test].T, s=6, color="tab:orange", label="positive")
low, high = X_test.min(axis=0), X_test.max(axis=0)
grid = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
points = np.column_stack([axis.ravel() for axis in grid])
for (measure, svm), style in zip(models.items(), ("--", "-"), strict=True):
    scores = svm.decision_function(points).reshape(grid[0].shape)
    ax.contour(*grid, scores, [0.0], colors="tab:blue", linestyles=style)
    ax.plot([], [], "C0" + style, label=f"trained for {measure}")
ax.legend(loc="lower left")
plt.show()
