"""A soft oracle that enumerates."""

from __future__ import annotations

import numpy as np

from structsvm import SoftOutput


def soft_output(problem, outputs, x, y, w, mu):
    """The soft output by enumeration, and the probabilities of the outputs."""
    rows = problem.joint_feature(x, y) - np.array([problem.joint_feature(x, z) for z in outputs])
    losses = np.array([problem.loss(y, z) for z in outputs])
    s = losses - rows @ w
    p = np.exp((s - s.max()) / mu)
    value = s.max() + mu * np.log(p.sum())
    p /= p.sum()
    return SoftOutput(float(value), p @ rows, float(p @ losses)), p
