"""
How far from the optimum?
=========================

Each pass of a cutting-plane solver gives an objective, the primal value, and a lower bound of the
optimum, the dual value. Their difference, the duality gap, bounds what further training could gain:
:class:`structsvm.Result` has all three, and :class:`structsvm.displays.ConvergenceDisplay` draws
them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.displays import ConvergenceDisplay
from structsvm.problems import Multiclass

X, y = load_digits(return_X_y=True)
X = X / 16

# %%
# Digits, with one slack for all examples and with a slack for each example.

results = {
    "one slack": OneSlackCuttingPlane().solve(Multiclass(), X[:600], y[:600], C=10.0),
    "n slacks": NSlackCuttingPlane().solve(Multiclass(), X[:600], y[:600], C=10.0),
}
for name, result in results.items():
    print(f"{name}: {result.iterations} passes, gap {result.gap:.4f} of {result.primal:.4f}")

# %%

figure, axes = plt.subplots(2, figsize=(5, 6), layout="constrained")
for ax, (name, result) in zip(axes, results.items(), strict=True):
    ConvergenceDisplay.from_result(result, ax=ax)
    ax.set_xlabel(f"passes with {name}")
plt.show()
