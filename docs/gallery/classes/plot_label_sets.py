"""
Label sets: a digit on seven segments
=====================================

A handwritten digit, half of whose pixels are lost, is to be shown on a display of seven segments,
each on or off. :class:`structsvm.problems.MultiLabelSVM` learns which segments are on together.
Separate classifiers for the segments show many signs that are no digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import LinearSVC

from structsvm.datasets import digits
from structsvm.problems import MultiLabelSVM

# %%
# The segments that are on for 0 to 9, and the ends of each segment.

DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010"]
DIGITS += ["1101011", "1101111", "1010010", "1111111", "1111011"]
SHAPE = np.array([list(map(int, digit)) for digit in DIGITS])
ENDS = ["02 12", "01 02", "11 12", "01 11", "00 01", "10 11", "00 10"]

X, y = digits()
X = X * (np.random.default_rng(0).random(X.shape) < 0.5)
Y = SHAPE[y]
train, test = slice(0, 1000), slice(1000, None)
models = {"alone": MultiOutputClassifier(LinearSVC()), "together": MultiLabelSVM()}
found = {name: model.fit(X[train], Y[train]).predict(X[test]) for name, model in models.items()}
for name, shown in found.items():
    right = np.all(shown == Y[test], axis=1)
    digit = np.any(np.all(shown[:, None] == SHAPE, axis=2), axis=1)
    print(f"segments {name:9} {right.mean():.1%} of the displays right, {digit.mean():.1%} a digit")

# %%
# The first images of the test part. Wrong displays are red.

figure, axes = plt.subplots(3, 8, figsize=(5, 3), layout="constrained")
for i, column in enumerate(axes.T):
    column[0].imshow(X[test][i].reshape(8, 8), cmap="Blues")
    for ax, shown in zip(column[1:], found.values(), strict=True):
        colour = "tab:blue" if np.array_equal(shown[i], Y[test][i]) else "tab:red"
        for (start, stop), on in zip(map(str.split, ENDS), shown[i], strict=True):
            ends = np.array([list(map(int, end)) for end in (start, stop)]).T
            ax.plot(*ends, color=colour, linewidth=4, alpha=1 if on else 0.1)
        ax.set(xlim=(-0.4, 1.4), ylim=(-0.4, 2.4), aspect="equal")
for ax, name in zip(axes[:, 0], ["image", *found], strict=True):
    ax.set_ylabel(name)
for ax in axes.flat:
    ax.set(xticks=[], yticks=[], frame_on=False)
plt.show()
