"""
Decisions: routes for predicted travel times
============================================

The travel times of the streets of a grid are predicted from five features, and a driver takes the
fastest route by the predicted times. Least squares predicts the times well.
:class:`structsvm.problems.DecisionFocusedRegressor` predicts times that lead to good routes: routes
of little regret, the time lost against the fastest route.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from structsvm.datasets import shortest_path_costs
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths, best_decisions

# %%
# True times are a polynomial of the features: the higher its degree, the worse a linear function
# fits.

DEGREES = [1, 2, 4, 6, 8]
paths = GridPaths(5, 5)
train, test = slice(0, 500), slice(500, 3500)


def regret(predicted, best):
    """Return the relative regret of the fastest routes for predicted times."""
    costs = best.costs.reshape(predicted.shape)
    return (costs * paths.batch(predicted)).sum() / best.values.sum() - 1


found = {"least squares": [], "decision-focused": []}
for degree in DEGREES:
    X, costs = shortest_path_costs(3500, degree=degree, noise=0.5, random_state=1)
    best = best_decisions(paths, costs)
    squares = LinearRegression().fit(X[train], costs[train])
    focused = DecisionFocusedRegressor(paths).fit(X[train], best[train])
    for name, model in zip(found, (squares, focused), strict=True):
        found[name].append(regret(model.predict(X[test]), best[test]))

regrets = (f"{name} {values[-1]:.1%}" for name, values in found.items())
print(f"regret at degree {DEGREES[-1]}:", *regrets, sep="\n")

# %%
# The gain of the decision-focused regressor grows with the degree.

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for (name, values), style in zip(found.items(), ("o--", "o-"), strict=True):
    ax.plot(DEGREES, 100 * np.array(values), style, label=name)
ax.set(xlabel="degree of the true times", ylabel="regret in percent", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
