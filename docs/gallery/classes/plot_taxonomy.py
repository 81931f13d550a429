"""
Classes in a taxonomy: birds of five families
=============================================

A bird is one of 25 species in five families, and only three birds of each species are known. A
wrong species of the right family is half a mistake. Species of a family share weights in
:class:`structsvm.problems.TaxonomySVM`, and its loss is the distance in the tree;
:class:`structsvm.problems.MulticlassSVM` treats all species alike.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.metrics import confusion_matrix

from structsvm.problems import MulticlassSVM, TaxonomySVM

# %%
# Birds are drawn around the mean of their species, which lies near the mean of its family.

tree = nx.balanced_tree(5, 2, create_using=nx.DiGraph)  # 0 is the root, 1 to 5 are families
species = np.arange(6, 31)
rng = np.random.default_rng(0)
means = np.repeat(rng.normal(size=(5, 20)), 5, axis=0) + 0.5 * rng.normal(size=(25, 20))


def draw(n):
    return np.repeat(means, n, axis=0) + rng.normal(size=(25 * n, 20)), np.repeat(species, n)


(X, y), (X_test, y_test) = draw(3), draw(100)
models = {"MulticlassSVM": MulticlassSVM(), "TaxonomySVM": TaxonomySVM(tree, cost="distance")}
found = {name: model.fit(X, y).predict(X_test) for name, model in models.items()}
for name, predicted in found.items():
    wrong = np.mean(predicted != y_test)
    astray = np.mean((predicted - 1) // 5 != (y_test - 1) // 5)
    print(f"{name:13} wrong species {wrong:.1%}, wrong family {astray:.1%}")

# %%
# Rows are the true species, columns the predicted species, in the order of the families.

figure, axes = plt.subplots(1, 2, figsize=(5, 2.9), layout="constrained")
for ax, (name, predicted) in zip(axes, found.items(), strict=True):
    ax.imshow(np.sqrt(confusion_matrix(y_test, predicted)), cmap="Blues")
    for edge in np.arange(4.5, 24, 5):
        ax.axhline(edge, color="tab:orange", linewidth=0.7)
        ax.axvline(edge, color="tab:orange", linewidth=0.7)
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
