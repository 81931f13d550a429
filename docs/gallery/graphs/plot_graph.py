"""
Graphs: pixels of a noisy image
===============================

Which pixels are ink, and which paper? :class:`structsvm.problems.GraphSVM` labels all pixels
together: neighbours attract each other, by a learned weight, and a minimum cut finds the best
labelling. A threshold sees one pixel at a time.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm.problems import GraphSVM, grid_graph

# %%
# The masks are unions of two discs. The noise is larger than the difference of ink and paper.

SIDE = 40


def draw(rng):
    rows, columns = np.indices((SIDE, SIDE))
    places = rng.uniform(8, SIDE - 8, (2, 2))
    mask = np.any([np.hypot(rows - a, columns - b) < 8 for a, b in places], axis=0)
    return mask + rng.normal(0, 1.2, mask.shape), mask


rng = np.random.default_rng(1)
images, masks = zip(*[draw(rng) for _ in range(8)], strict=True)
X = [grid_graph(image[:, :, None]) for image in images]
Y = [mask.ravel() for mask in masks]

# %%
# Five images are for training, three for testing.

svm = GraphSVM(attractive=True).fit(X[:5], Y[:5])
threshold = [image > 0.5 for image in images[5:]]
print(f"threshold {np.mean(np.equal(threshold, masks[5:])):.1%} of the pixels right")
print(f"GraphSVM  {svm.score(X[5:], Y[5:]):.1%} of the pixels right")

# %%

found = [labels.reshape(SIDE, SIDE) for labels in map(np.asarray, svm.predict(X[5:]))]
figure, axes = plt.subplots(3, 4, figsize=(5, 4), layout="constrained")
columns = {"image": images[5:], "threshold": threshold, "GraphSVM": found, "truth": masks[5:]}
for column, (title, pictures) in zip(axes.T, columns.items(), strict=True):
    column[0].set_title(title)
    for ax, picture in zip(column, pictures, strict=True):
        ax.imshow(picture, cmap="Blues")
        ax.set(xticks=[], yticks=[])
plt.show()
