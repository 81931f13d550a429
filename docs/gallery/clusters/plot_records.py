"""
Records of the same person
==========================

Which records of a village are of the same person? A classifier scores pairs of records, and the
usual way takes the connected components of the likely pairs, in which one wrong pair joins two
persons. :class:`structsvm.problems.CorrelationClustering` learns how similar all pairs of a
cluster must be in total.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CorrelationClustering, PairTable

# %%
# A village has eight persons, each with two to eight records of four rough numbers. The features of
# a pair are the differences of these numbers.

FIELDS = ["east", "north", "height", "born"]


def draw(rng):
    """The records of ten villages, and the table of their pairs."""
    person = np.repeat(np.arange(80), rng.integers(2, 9, 80))
    values = rng.normal(size=(80, 4))[person] + rng.normal(0, 0.3, (len(person), 4))
    left, right = np.triu_indices(len(person), 1)
    left, right = np.array([left, right])[:, person[left] // 8 == person[right] // 8]
    pairs = pd.DataFrame(-abs(values[left] - values[right]), columns=FIELDS)
    return values, person, pairs.assign(left=left, right=right, village=person[left] // 8)


def components(pairs, likely):
    ends = pairs.loc[likely, ["left", "right"]].to_numpy().T
    n = 1 + pairs.right.max()
    return connected_components(coo_array((np.ones(ends.shape[1]), tuple(ends)), (n, n)))[1]


rng = np.random.default_rng(0)
(_, person, pairs), (values, new_person, new_pairs) = draw(rng), draw(rng)
classifier = LogisticRegression().fit(pairs[FIELDS], person[pairs.left] == person[pairs.right])
p, new_p = (classifier.predict_proba(table[FIELDS])[:, 1] for table in (pairs, new_pairs))
threshold = max(
    np.linspace(0.05, 0.95, 19),
    key=lambda t: adjusted_rand_score(person, components(pairs, p > t)),
)

options = {"ids": ("left", "right"), "block": "village"}
model = CorrelationClustering().fit(PairTable(pairs, **options), dict(enumerate(person)))
clusters = model.predict(PairTable(new_pairs, **options))
found = {
    "components": components(new_pairs, new_p > threshold),
    "correlation clustering": np.array([clusters[i] for i in range(len(new_person))]),
}
for name, labels in found.items():
    print(f"{name:22} adjusted Rand index {adjusted_rand_score(new_person, labels):.3f}")

# %%
# The threshold is the best threshold for the training records. The picture shows the first new
# village: colours are persons, and lines join records of one cluster.

figure, axes = plt.subplots(2, figsize=(5, 6), layout="constrained")
pairs = new_pairs[new_pairs.village == 0]
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    together = pairs[labels[pairs.left] == labels[pairs.right]]
    for ends in together[["left", "right"]].to_numpy():
        ax.plot(*values[ends, :2].T, color="tab:gray", alpha=0.4, zorder=0)
    first = new_person < 8
    ax.scatter(*values[first, :2].T, c=new_person[first], cmap="tab10", s=40)
    ax.set(title=name, xticks=[], yticks=[], frame_on=False)
plt.show()
