"""
Clusters with the largest margin
================================

Maximum margin clustering finds the two clusters that a support vector machine separates best. With
a kernel the clusters may be curved; k-means cuts straight through them.
:class:`structsvm.problems.MMC` counts single rows, :class:`structsvm.problems.MultivariateMMC`
compares whole clusterings.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from structsvm.displays import MarginDisplay
from structsvm.problems import MMC, MultivariateMMC

circles = make_circles(300, factor=0.4, noise=0.06, random_state=0)
moons = make_moons(300, noise=0.06, random_state=0)
kernel = {"kernel": "rbf", "gamma": 2.0, "random_state": 0}

# %%
# K-means is above, maximum margin clusters are below. The area within the margin is grey.

figure, axes = plt.subplots(2, 2, figsize=(5, 4.4), layout="constrained")
for clusterer, (X, y), (above, below) in (
    (MMC(**kernel), circles, axes[:, 0]),
    (MultivariateMMC(**kernel), moons, axes[:, 1]),
):
    k_means = KMeans(2, random_state=0).fit(X)
    above.scatter(*X.T, s=10, c=[f"C{label}" for label in k_means.labels_])
    MarginDisplay.from_estimator(clusterer.fit(X), X, clusterer.labels_, ax=below)
    below.get_legend().remove()
    for ax, method in ((above, k_means), (below, clusterer)):
        name = type(method).__name__
        ax.set(title=name, xticks=[], yticks=[], xlabel="", ylabel="")
        print(f"{name:15} adjusted Rand index {adjusted_rand_score(y, method.labels_):.3f}")
plt.show()
