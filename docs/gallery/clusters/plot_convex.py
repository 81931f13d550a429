"""
A bound over all labellings
===========================

Which rows belong together? :class:`structsvm.problems.SDPMMC` relaxes the search for two clusters
to a semidefinite program, whose optimum is a lower bound for every labelling. Its matrix is blue
for pairs in the same cluster, red for pairs in different clusters, and pale for undecided pairs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from structsvm.datasets import plane
from structsvm.problems import SDPMMC

# %%
# Rows of the matrices are in the order of the true clusters.

figure, axes = plt.subplots(2, 2, figsize=(5, 5), layout="constrained")
for name, (left, right) in zip(("circles", "ai"), axes, strict=True):
    X, y = plane(name)
    sdp = SDPMMC(random_state=0).fit(X)
    left.scatter(*X.T, c=[f"C{label}" for label in sdp.labels_], s=12)
    order = np.argsort(y, kind="stable")
    right.imshow(sdp.M_[np.ix_(order, order)], cmap="RdBu", vmin=-1, vmax=1)
    labels = {"SDPMMC": sdp.labels_, "KMeans": KMeans(2, random_state=0).fit_predict(X)}
    for method, found in labels.items():
        print(f"{name:8} {method}: adjusted Rand index {adjusted_rand_score(y, found):.3f}")
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
plt.show()
