"""
Probabilities of clusters
=========================

How sure is it that a row belongs to a cluster? :class:`structsvm.problems.BayesianMMC` gives the
probability of each cluster, by a posterior over classifiers with a large margin. A Gaussian mixture
also gives probabilities, for clusters that are ellipses.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss
from sklearn.mixture import GaussianMixture

from structsvm.problems import BayesianMMC

X, y = make_moons(100, noise=0.15, random_state=0)
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.meshgrid(np.linspace(low[0], high[0], 100), np.linspace(low[1], high[1], 100))
points = np.column_stack([axis.ravel() for axis in grid])

# %%
# The background shows the probability, pale where the two clusters are equally likely. Dots have
# the colour of their true cluster.

figure, axes = plt.subplots(2, figsize=(5, 5.4), layout="constrained")
for ax, model in zip(axes, (GaussianMixture(2, random_state=0), BayesianMMC()), strict=True):
    model.fit(X)
    first = int(np.mean(model.predict(X) == y) < 0.5)  # clusters have no names
    p = model.predict_proba(X)[:, [first, 1 - first]]
    right, name = np.mean(p.argmax(axis=1) == y), type(model).__name__
    print(f"{name:15} {right:.0%} of the rows right, log loss {log_loss(y, p):.3f}")
    shades = model.predict_proba(points)[:, first].reshape(grid[0].shape)
    ax.contourf(*grid, shades, levels=np.linspace(0, 1, 21), cmap="RdBu", alpha=0.7)
    for label, colour in enumerate(("darkred", "darkblue")):
        ax.scatter(*X[y == label].T, s=14, color=colour)
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
