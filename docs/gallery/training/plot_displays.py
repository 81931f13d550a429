"""
Pictures of training and of models
==================================

``structsvm.displays`` has five pictures in the manner of scikit-learn's displays.
``from_estimator`` draws a fitted estimator, on new axes or on the axes ``ax``. The display that it
returns has the axes, the lines and the numbers as attributes. Displays use only public attributes
of estimators, so they also draw estimators of your own problems. They need matplotlib.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_blobs

from structsvm import displays
from structsvm.problems import MMC, ChainSVM, CorrelationClustering, MulticlassSVM

X, y = load_digits(return_X_y=True)
X = X / 16

# %%
# Convergence
# -----------
# The primal and the dual value of each pass, or with ``kind="gap"`` the gap between them on a
# logarithmic scale; against passes, or against seconds with ``x="seconds"``. A dual value is drawn
# only if it was computed. Several fits, each with a ``name``, can share axes. Legends stand above
# the axes: in your own figure ``layout="constrained"`` makes room for them.

figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
for C in (1.0, 10.0):
    svm = MulticlassSVM(C=C, random_state=0).fit(X[:600], y[:600])
    displays.ConvergenceDisplay.from_estimator(svm, kind="gap", name=f"C = {C:g}", ax=ax)
plt.show()

# %%
# A solver returns a result, which ``from_result`` draws.
#
# Margin
# ------
# For estimators of rows with two features: the boundary, the area within the margin in grey, and
# the rows with their predicted labels, or with the labels that you pass.

rows, _ = make_blobs(150, centers=4, cluster_std=1.3, random_state=3)
clusterer = MMC(kernel="linear", random_state=0).fit(rows)
displays.MarginDisplay.from_estimator(clusterer, rows)
plt.show()

# %%
# Clusters
# --------
# Images by their score, the value of the decision function. With the true labels, images of another
# class than most of their cluster are red.

chosen = np.flatnonzero(np.isin(y, (3, 8)))[:120]
halves = MMC(random_state=0).fit(X[chosen])
figure, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
displays.ClusterDisplay.from_estimator(halves, X[chosen], y[chosen], shape=(8, 8), ax=ax)
plt.show()

# %%
# Similarity
# ----------
# The similarity of each pair of items of a set, which a model for clusterings of sets has learned.

rng = np.random.default_rng(0)
labels = [rng.integers(0, 4, 40) for _ in range(6)]
sets = [np.eye(4)[own] + rng.normal(0, 0.3, (40, 4)) for own in labels]
pairs = CorrelationClustering().fit(sets[:5], labels[:5])
displays.SimilarityDisplay.from_estimator(pairs, sets[5], labels[5])
plt.show()

# %%
# Transitions
# -----------
# The weights of the transitions of a chain, from the label of a row to the label of a column.

words = ["the", "dog", "barks", ".", "a", "cat", "sees", "the", "dog", ".", "dogs", "bark", "."]
tags = ["DET", "NOUN", "VERB", ".", "DET", "NOUN", "VERB", "DET", "NOUN", ".", "NOUN", "VERB", "."]
tagger = ChainSVM().fit([[{"word": word} for word in words]], [tags])
figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
displays.TransitionDisplay.from_estimator(tagger, ax=ax)
plt.show()

# %%
# In a notebook, estimators and results show their numbers as a table.
