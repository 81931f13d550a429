"""
Trees: which stream flows where
===============================

Gauges stand along the streams of a valley, on a map that shows no slopes. Which gauge is the next
one downstream? :class:`structsvm.problems.DependencyParser` scores all arcs and finds the best
tree, as for :doc:`the words of a sentence </trees>`. If each gauge chooses alone, water runs in
circles.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.linear_model import LogisticRegression

from structsvm.problems import DependencyParser


def draw(rng, n=40):
    """Return the places of streams that branch upwards from the mouth, and the next of each."""
    places, nexts, angles = [np.zeros(2)], [], [np.pi / 2]
    while len(nexts) < n:
        start = int(rng.integers(len(places)))
        angle = angles[start] + rng.normal(0, 0.6)
        place = places[start] + rng.uniform(0.9, 1.1) * np.array([np.cos(angle), np.sin(angle)])
        if np.linalg.norm(place - places, axis=1).min() > 0.85:
            places.append(place)
            nexts.append(start)
            angles.append(angle)
    return np.array(places), np.array(nexts)


def arcs(places):
    """Return the features of arcs from each gauge to all places: length, square, and rise."""
    steps = places - places[1:, None]
    lengths = np.linalg.norm(steps, axis=2)
    return np.stack([lengths, lengths**2, steps[:, :, 1]], axis=2)


# %%
# Both learn from the same arcs: a logistic regression separates true arcs from other arcs.

rng = np.random.default_rng(0)
places, y = zip(*[draw(rng) for _ in range(80)], strict=True)
X = np.array([arcs(valley) for valley in places])
parser = DependencyParser(single_root=False).fit(X[:40], y[:40])

to_itself = np.eye(40, 41, 1, dtype=bool)
true = np.array(y)[:, :, None] == np.arange(41)
pairs = LogisticRegression().fit(X[:40, ~to_itself].reshape(-1, 3), true[:40, ~to_itself].ravel())
alone = np.where(to_itself, -np.inf, X[40:] @ pairs.coef_[0]).argmax(axis=2)
found = {"each alone": alone, "tree": parser.predict(X[40:])}
for name, nexts in found.items():
    print(f"{name:10} {np.mean(np.equal(nexts, y[40:])):.1%} of the arcs are right")

# %%
# The first test valley. Wrong arcs are red.

figure, axes = plt.subplots(1, 2, figsize=(5, 3), layout="constrained")
for ax, (name, nexts) in zip(axes, found.items(), strict=True):
    graph = nx.DiGraph(list(enumerate(nexts[0].tolist(), start=1)))
    colours = ["tab:blue" if y[40][i - 1] == j else "tab:red" for i, j in graph.edges]
    style = {"node_size": 15, "arrowsize": 7, "width": 1.5, "with_labels": False}
    nx.draw_networkx(graph, places[40], ax=ax, edge_color=colours, **style)
    ax.set(title=name, frame_on=False)
plt.show()
