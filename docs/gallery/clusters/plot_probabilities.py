"""
Probabilities of clusters, and a Universum
==========================================

:class:`structsvm.problems.BayesianMMC` gives the probability of each cluster. White points are a
Universum, rows that belong to neither cluster: near them the probabilities are close to one half. A
Universum beside a cluster has no use.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm.problems import BayesianMMC

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(-1.5, 1, (40, 2)), rng.normal(1.5, 1, (40, 2))])
low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
grid = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
points = np.column_stack([axis.ravel() for axis in grid])
panels = {
    "no Universum": None,
    "between the clusters": rng.normal(0, 0.5, (20, 2)),
    "beside one of them": rng.normal((2.5, -0.5), 0.3, (20, 2)),
}

# %%
# Clusters have no names: the cluster of the point (2, 2) is the one whose probability is drawn.

figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, (title, universum) in zip(axes, panels.items(), strict=True):
    bayes = BayesianMMC(kernel="rbf", offset=1.0, universum=universum).fit(X)
    p = bayes.predict_proba(points)[:, int(bayes.predict([[2.0, 2.0]])[0])]
    shades = ax.contourf(*grid, p.reshape(grid[0].shape), levels=np.linspace(0, 1, 21), cmap="RdBu")
    ax.scatter(*X.T, c="0.2", s=6)
    if universum is not None:
        ax.scatter(*universum.T, c="w", edgecolors="k", s=18)
    ax.set(xticks=[], yticks=[], title=title)
figure.colorbar(shades, ax=axes, ticks=[0, 0.5, 1])
plt.show()
