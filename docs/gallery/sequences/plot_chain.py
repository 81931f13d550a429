"""
Labels of a sequence, with and without neighbours
=================================================

A machine is idle, busy or cooling down. A noisy sensor is read once a minute, and states change
rarely: a position says little about its state, its neighbours say more.
:class:`structsvm.problems.ChainSVM` learns which state follows which;
:class:`structsvm.problems.MulticlassSVM` sees one reading at a time.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm.problems import ChainSVM, MulticlassSVM

# %%
# Sequences are drawn from a Markov chain. A state is kept for ten minutes in the mean.

STATES = np.array(["idle", "busy", "cooling"])
LEVELS = np.array([0.0, 2.0, 1.0])
CHANGES = np.array([[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.1, 0.0, 0.9]])


def draw(rng, length=120):
    states = [0]
    while len(states) < length:
        states.append(rng.choice(3, p=CHANGES[states[-1]]))
    readings = LEVELS[states] + rng.normal(0, 0.8, length)
    return np.column_stack([readings, readings**2]), STATES[states]


rng = np.random.default_rng(0)
X, y = zip(*[draw(rng) for _ in range(40)], strict=True)
train, test = slice(0, 30), slice(30, 40)

# %%
# Both are linear in the same features: a reading and its square.

chain = ChainSVM().fit(X[train], y[train])
alone = MulticlassSVM().fit(np.concatenate(X[train]), np.concatenate(y[train]))
print(f"alone:    {alone.score(np.concatenate(X[test]), np.concatenate(y[test])):.3f}")
print(f"in chain: {chain.score(X[test], y[test]):.3f}")
print(chain.result_)

# %%
# The score of a state after another: the changes that never happen have the lowest scores.

for state, scores in zip(chain.classes_, chain.transitions_, strict=True):
    after = dict(zip(chain.classes_.tolist(), scores.round(2).tolist(), strict=True))
    print(f"{state:8}", after)

# %%
# A sequence that was not trained on.

readings, true = X[test][0], y[test][0]
rows = {"true": true, "alone": alone.predict(readings), "chain": chain.predict([readings])[0]}
figure, (above, below) = plt.subplots(
    2, sharex=True, figsize=(8, 3.6), height_ratios=[2, 1], layout="constrained"
)
above.plot(readings[:, 0], ".", color="0.3")
above.set_ylabel("reading")
codes = [[STATES.tolist().index(state) for state in row] for row in rows.values()]
below.imshow(codes, aspect="auto", interpolation="nearest", cmap="Blues", vmin=-0.5)
below.set_yticks(range(3), list(rows))
below.set_xlabel("minute")
plt.show()
