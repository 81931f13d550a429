"""
Ten clusters of digits
======================

1797 images of handwritten digits are divided into ten clusters without their labels, by
:class:`structsvm.problems.CPM3C` and by k-means. Each row of
:class:`structsvm.displays.ClusterDisplay` shows images of one cluster; red images are another
digit than most of their cluster.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.metrics.cluster import contingency_matrix

from structsvm.datasets import digits
from structsvm.displays import ClusterDisplay
from structsvm.problems import CPM3C

X, y = digits()
methods = {"k-means": KMeans(10, n_init=10, random_state=0), "CPM3C": CPM3C(10, random_state=0)}
for name, method in methods.items():
    table = contingency_matrix(y, method.fit_predict(X))
    purity = table.max(axis=0).sum() / len(y)
    print(f"{name:7} {purity:.1%} of the images are of the main digit of their cluster")

figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ClusterDisplay.from_estimator(methods["CPM3C"], X, y, shape=(8, 8), n_columns=20, ax=ax)
plt.show()
