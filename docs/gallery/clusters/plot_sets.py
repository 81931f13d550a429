"""
New sets clustered like earlier ones
====================================

Shells from ten beaches are sorted into species. Three of twelve measurements depend on the species,
nine do not. :class:`structsvm.problems.SupervisedKMeans` learns which similarity gives these
clusters, and sorts the shells of other beaches, whose species are new. k-means has no examples, so
all measurements count.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from structsvm.problems import SupervisedKMeans

# %%
# Each beach has forty shells of four species, which no other beach has.


def draw(rng):
    y = np.arange(40) % 4
    X = rng.normal(size=(40, 12))
    X[:, :3] += 2 * rng.normal(size=(4, 3))[y]
    return scale(X), y


rng = np.random.default_rng(0)
X, y = zip(*[draw(rng) for _ in range(40)], strict=True)
learned = SupervisedKMeans().fit(X[:10], y[:10])
found = {
    "k-means": [KMeans(4, random_state=0).fit_predict(x) for x in X[10:]],
    "SupervisedKMeans": learned.predict(X[10:], n_clusters=[4] * 30),
}
for name, labels in found.items():
    scores = [adjusted_rand_score(*pair) for pair in zip(y[10:], labels, strict=True)]
    print(f"{name:16} adjusted Rand index {np.mean(scores):.3f}")

# %%
# The similarities of all pairs on the first new beach, with the shells in the order of their
# species. Red pairs are similar. :doc:`/supervised_clustering` also compares a classifier of pairs,
# which is simpler.

figure, axes = plt.subplots(1, 2, figsize=(5, 2.9), layout="constrained")
similarities = {"all measurements": X[10] @ X[10].T, "learned": learned.similarity(X[10])}
order = np.argsort(y[10], kind="stable")
for ax, (title, K) in zip(axes, similarities.items(), strict=True):
    most = np.quantile(abs(K), 0.97)
    ax.imshow(K[np.ix_(order, order)], cmap="RdBu_r", vmin=-most, vmax=most)
    ax.set(title=title, xticks=[], yticks=[])
plt.show()
