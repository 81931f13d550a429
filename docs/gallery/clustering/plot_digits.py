"""
Ten clusters of digits
======================

:class:`structsvm.problems.CPM3C` divides 1797 handwritten digits into ten clusters. Each row shows
images of one cluster, those of the smallest margin on the left. Red images are another digit than
most of their cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.cluster import contingency_matrix

from structsvm.datasets import digits
from structsvm.problems import CPM3C

X, y = digits()
clusterer = CPM3C(10, random_state=0).fit(X)
print(clusterer.result_)

# %%
# The labels are used afterwards, to count the images that are of the most frequent digit of their
# cluster.

table = contingency_matrix(y, clusterer.labels_)
usual = np.unique(y)[table.argmax(axis=0)]
print(f"{table.max(axis=0).sum()} of {len(y)}")

# %%

SHOWN = 40
scores = np.sort(clusterer.decision_function(X), axis=1)
margin = scores[:, -1] - scores[:, -2]
pixels = np.ones((10, 9, SHOWN, 9, 3))
for row, cluster in enumerate(np.argsort(usual, kind="stable")):
    members = np.flatnonzero(clusterer.labels_ == cluster)
    members = members[np.argsort(margin[members])]
    for column, i in enumerate(members[np.linspace(0, len(members) - 1, SHOWN).astype(int)]):
        colour = np.array([0.1, 0.35, 0.65] if y[i] == usual[cluster] else [0.85, 0.0, 0.1])
        ink = X[i].reshape(8, 8, 1) / X.max()
        pixels[row, :8, column, :8] = 1 - ink * (1 - colour)
figure, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
ax.imshow(pixels.reshape(90, SHOWN * 9, 3), interpolation="nearest", aspect="auto")
ax.set(xticks=[], yticks=[], xlabel="margin, from smallest to largest", ylabel="cluster")
plt.show()
