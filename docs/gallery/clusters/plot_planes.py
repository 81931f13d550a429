"""
Clusters and their margin
=========================

Maximum margin clustering finds the labels that a support vector machine can separate best. Grey
areas are inside the margin. With the linear kernel the margin is a strip; with other kernels it
follows the clusters. :class:`structsvm.displays.MarginDisplay` draws both.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs, make_circles, make_moons

from structsvm.displays import MarginDisplay
from structsvm.problems import CPM3C, MMC

blobs, _ = make_blobs(300, centers=[[0, 3], [-3, -2], [3, -2]], random_state=0)
circles, _ = make_circles(300, factor=0.4, noise=0.06, random_state=0)
moons, _ = make_moons(300, noise=0.06, random_state=0)

panels = {
    "CPM3C(3)": (blobs, CPM3C(3, random_state=0)),
    'MMC(kernel="rbf", gamma=2)': (circles, MMC(kernel="rbf", gamma=2.0, random_state=0)),
    "MMC(n_components=2)": (moons, MMC(n_components=2, random_state=0)),
}

# %%

figure, axes = plt.subplots(1, 3, figsize=(9, 3.6), layout="constrained")
for ax, (title, (X, clusterer)) in zip(axes, panels.items(), strict=True):
    clusterer.fit(X)
    MarginDisplay.from_estimator(clusterer, X, clusterer.labels_, ax=ax)
    ax.get_legend().remove()
    ax.set_title(title, family="monospace", fontsize=9)
    ax.set(xticks=[], yticks=[])
plt.show()
