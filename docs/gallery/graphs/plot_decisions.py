"""
Routes for predicted travel times
=================================

Costs of the edges of a grid are predicted from five features, and the cheapest path for them is
taken. Least squares predicts the costs as well as a linear function can.
:class:`structsvm.problems.DecisionFocusedRegressor` predicts costs whose paths have
little regret: what they cost more than the best paths, at the true costs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from structsvm.datasets import shortest_path_costs
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths, best_decisions

# %%
# True costs are a polynomial of the features. At degree 1 a linear function has them right, but for
# noise; the higher the degree, the worse a linear function does.

DEGREES = [1, 2, 4, 6, 8]
paths = GridPaths(5, 5)
train, test = slice(0, 500), slice(500, 3500)


def regret(predicted, best):
    """The relative regret of the cheapest paths for predicted costs."""
    costs = best.costs.reshape(predicted.shape)
    return (costs * paths.batch(predicted)).sum() / best.values.sum() - 1


found = {"least squares": [], "SPO+": []}
for degree in DEGREES:
    X, costs = shortest_path_costs(3500, degree=degree, noise=0.5, random_state=1)
    best = best_decisions(paths, costs)
    squares = LinearRegression().fit(X[train], costs[train])
    focused = DecisionFocusedRegressor(paths).fit(X[train], best[train])
    for name, model in zip(found, (squares, focused), strict=True):
        found[name].append(regret(model.predict(X[test]), best[test]))
    print(f"degree {degree}:", *(f"{name} {values[-1]:.3f}" for name, values in found.items()))

# %%
# The last fit, with its certificate: the objective is within the gap of the least one. The
# optimizer is called less than twice for each example, beside the call that finds the best path.

result = focused.result_
print(result)
print(f"{result.oracle_calls / result.n_examples:.2f} calls for each example")

# %%
# What SPO+ saves grows with the degree. As predictions of costs, those of SPO+ are worse.

errors = [np.square(model.predict(X[test]) - costs[test]).mean() for model in (squares, focused)]
print("squared error at degree 8: least squares {:.1f}, SPO+ {:.1f}".format(*errors))
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for (name, values), style in zip(found.items(), ("o--", "o-"), strict=True):
    ax.plot(DEGREES, 100 * np.array(values), style, label=name)
ax.set(xlabel="degree of the true costs", ylabel="regret in percent", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
