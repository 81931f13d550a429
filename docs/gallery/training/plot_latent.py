"""
Latent outputs: a digit somewhere in a strip
============================================

A digit lies somewhere in a noisy strip. The training data say which digit, but not where.
:class:`structsvm.LatentSVM` alternates between imputing the places and learning the digits, for a
problem of your own. A classifier of whole strips would have to learn each digit at each place.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

from structsvm import LatentProblem, LatentSVM
from structsvm.datasets import digits


class HiddenDigit(LatentProblem):
    """An input has the pixels of a window at each place; an output is (digit, place)."""

    def initialize(self, X, Y):
        self.size_joint_feature = 5 * 64

    def joint_feature(self, x, y):
        joint = np.zeros((5, 64))
        joint[y[0]] = x[y[1]]
        return joint.ravel()

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def separation_oracle(self, x, y, w):
        return self.decode(x, w, np.arange(5) != y[0])

    def decode(self, x, w, losses=0):
        scores = x @ w.reshape(5, 64).T + losses
        place, digit = np.unravel_index(scores.argmax(), scores.shape)
        return int(digit), int(place)

    def complete(self, x, digit, w):
        return digit, int((x @ w.reshape(5, 64)[digit]).argmax())

    def evaluation_loss(self, digit, y_hat):
        return float(digit != y_hat[0])


# %%
# The digits 0 to 4, each at one of 17 places. 150 strips are for training.

rng = np.random.default_rng(0)
images, y = digits()
images, y = images[y < 5], y[y < 5].tolist()
strips = rng.uniform(0, 0.6, (len(y), 8, 24))
for strip, image in zip(strips, images, strict=True):
    place = rng.integers(17)
    strip[:, place : place + 8] += image.reshape(8, 8)

windows = np.lib.stride_tricks.sliding_window_view(strips, 8, axis=2)
X = list(windows.transpose(0, 2, 1, 3).reshape(len(y), 17, 64))
latent = LatentSVM(HiddenDigit(), n_init=1, rtol=0.1).fit(X[:150], y[:150])
whole = LinearSVC().fit(strips[:150].reshape(-1, 192), y[:150])
print(f"whole strips {whole.score(strips[150:].reshape(-1, 192), y[150:]):.1%} right")
print(f"LatentSVM    {latent.score(X[150:], y[150:]):.1%} right")

# %%
# The first test strips, with the predicted digits and windows. Wrong digits are red.

figure, axes = plt.subplots(4, 2, figsize=(5, 4), layout="constrained")
for i, (digit, place) in enumerate(latent.predict(X[150:158])):
    ax = axes.flat[i]
    ax.imshow(strips[150 + i], cmap="Blues")
    colour = "tab:green" if digit == y[150 + i] else "tab:red"
    ax.add_patch(plt.Rectangle((place - 0.5, -0.5), 8, 8, fill=False, color=colour, linewidth=3))
    ax.set_title(f"a {digit}", color=colour)
    ax.set(xticks=[], yticks=[])
plt.show()
