"""
Clusters and their margin
=========================

Maximum margin clustering finds the labels that a support vector machine can separate best. Grey
areas are inside the margin. With the linear kernel the margin is a strip; with other kernels it
follows the clusters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons

from structsvm.problems import CPM3C, MMC

COLOURS = np.array(["tab:blue", "tab:orange", "tab:green"])

blobs, _ = make_blobs(300, centers=[[0, 3], [-3, -2], [3, -2]], random_state=0)
circles, _ = make_circles(300, factor=0.4, noise=0.06, random_state=0)
moons, _ = make_moons(300, noise=0.06, random_state=0)

panels = {
    "CPM3C(3)": (blobs, CPM3C(3, random_state=0)),
    'MMC(kernel="rbf", gamma=2)': (circles, MMC(kernel="rbf", gamma=2.0, random_state=0)),
    "MMC(n_components=2)": (moons, MMC(n_components=2, random_state=0)),
}

# %%
# The margin of a point is the difference of its two highest scores. With two clusters there is one
# score, and its sign is the cluster.


def margins(clusterer, points):
    scores = clusterer.decision_function(points)
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.sort(scores, axis=1)
    return best[:, -1] - best[:, -2]


figure, axes = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained")
for ax, (title, (X, clusterer)) in zip(axes, panels.items(), strict=True):
    clusterer.fit(X)
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    grid = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
    points = np.column_stack([axis.ravel() for axis in grid])
    inside = (margins(clusterer, points) < 1).reshape(grid[0].shape)
    ax.contourf(*grid, inside, levels=[0.5, 1.5], colors=["0.9"])
    ax.scatter(*X.T, c=COLOURS[clusterer.labels_], s=6)
    ax.set_title(title, family="monospace", fontsize=9)
    ax.set(xticks=[], yticks=[])
plt.show()
