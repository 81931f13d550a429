"""
Matching: the same fish in two photographs
==========================================

Which fish of one photograph is which of another, taken a little later?
:class:`structsvm.problems.AssignmentSVM` learns how much a step counts, and a change of size or of
colour, and matches all fish together. If each fish takes the partner that a classifier of pairs
finds most likely, several fish take the same partner.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from structsvm.problems import AssignmentSVM

# %%
# A fish has two coordinates, a size and a colour. Sizes are measured badly.


def draw(rng, n=20):
    before, y = rng.random((n, 4)), rng.permutation(n)
    after = np.empty((n, 4))
    after[y] = before + rng.normal(size=(n, 4)) * [0.12, 0.12, 0.4, 0.12]
    return before, after, y


rng = np.random.default_rng(0)
before, after, y = map(np.array, zip(*[draw(rng) for _ in range(100)], strict=True))
X = -np.square(before[:, :, None] - after[:, None])
train, test = slice(0, 50), slice(50, 100)
svm = AssignmentSVM().fit(X[train], y[train])

true = y[:, :, None] == np.arange(20)
pairs = LogisticRegression().fit(X[train].reshape(-1, 4), true[train].ravel())
found = {
    "each fish alone": (X[test] @ pairs.coef_[0]).argmax(axis=2),
    "AssignmentSVM": np.array(svm.predict(X[test])),
}
for name, partners in found.items():
    print(f"{name:15} {np.mean(partners == y[test]):.1%} of the partners right")

# %%
# The pair of photographs with the median error if each fish chooses alone. A line leads from a
# fish, a dot, to its partner, a triangle. Wrong lines are red.

right = {name: partners == y[test] for name, partners in found.items()}
i = np.argsort(right["each fish alone"].mean(axis=1))[25]
figure, axes = plt.subplots(2, figsize=(5, 5), layout="constrained")
for ax, (name, partners) in zip(axes, found.items(), strict=True):
    for start, stop, ok in zip(
        before[test][i], after[test][i][partners[i]], right[name][i], strict=True
    ):
        ax.plot(*np.stack([start, stop])[:, :2].T, color="tab:blue" if ok else "tab:red", zorder=0)
    for (left, up, size, colour), marker in ((before[test][i].T, "o"), (after[test][i].T, "^")):
        ax.scatter(left, up, 30 + 60 * size.clip(0), colour, marker=marker, cmap="viridis")
    ax.set(title=f"{name}: {right[name][i].mean():.0%}", xticks=[], yticks=[])
plt.show()
