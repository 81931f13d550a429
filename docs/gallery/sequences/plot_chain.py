"""
Labels of a sequence, with and without neighbours
=================================================

A machine is idle, busy or cooling down, and a noisy sensor is read once a minute. One reading says
little about the state, the readings around it say more: :class:`structsvm.problems.ChainSVM` learns
which state follows which. :class:`structsvm.problems.MulticlassSVM` sees one reading at a time.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm.problems import ChainSVM, MulticlassSVM

# %%
# A state lasts ten minutes on average. Thirty sequences are for training, ten for testing.

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
print(f"alone    {alone.score(np.concatenate(X[test]), np.concatenate(y[test])):.1%} right")
print(f"in chain {chain.score(X[test], y[test]):.1%} right")

# %%
# The first test sequence.

readings, true = X[test][0], y[test][0]
rows = {"alone": alone.predict(readings), "chain": chain.predict([readings])[0], "true": true}
figure, (above, below) = plt.subplots(2, sharex=True, figsize=(5, 3.4), layout="constrained")
above.plot(readings[:, 0], ".", color="tab:gray")
above.set_ylabel("reading")
codes = [[STATES.tolist().index(state) for state in row] for row in rows.values()]
below.imshow(codes, aspect="auto", interpolation="nearest", cmap="viridis")
below.set_yticks(range(3), list(rows))
below.set_xlabel("minute")
plt.show()
