"""
Ten clusters of digits
======================

:class:`structsvm.problems.CPM3C` divides 1797 handwritten digits into ten clusters. Each row shows
images of one cluster, those of the smallest margin on the left. Inverted images are another digit
than most of their cluster. :class:`structsvm.displays.ClusterDisplay` draws them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.cluster import contingency_matrix

from structsvm.datasets import digits
from structsvm.displays import ClusterDisplay
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

figure, ax = plt.subplots(figsize=(9, 2.8), layout="constrained")
ClusterDisplay.from_estimator(clusterer, X, y, shape=(8, 8), n_columns=40, ax=ax)
plt.show()
