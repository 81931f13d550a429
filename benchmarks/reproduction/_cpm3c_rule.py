"""Another rule for C that needs no labels: J(C) / C = 0.6, by bisection."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from benchmarks.reproduction._cpm3c_fits import fitted
from benchmarks.reproduction._protocol import over_seeds
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row

#: Seeds that the rule is tried with.
SEEDS = 3
#: J(C) / C is this.
RATIO = 0.6
#: Bisections of log C.
STEPS = 7


def rule_row(data: Set) -> Row:
    """Accuracy with the C at which J(C) / C is 0.6, and with C='auto' for the same seeds."""
    name, X, y, k = data
    chosen = [bisected_C(X, k, seed) for seed in range(SEEDS)]
    by_rule = over_seeds(name, "rule", y, lambda seed: fitted(X, k, seed, C=chosen[seed]), SEEDS)
    by_auto = over_seeds(name, "auto", y, partial(fitted, X, k), SEEDS)
    return {
        "data": name,
        "C of the rule": float(np.median(chosen)),
        "accuracy of the rule": by_rule["accuracy"],
        "its worst": by_rule["worst"],
        "C of 'auto'": by_auto["C"],
        "accuracy of 'auto'": by_auto["accuracy"],
    }


def bisected_C(X: Any, k: int, seed: int) -> float:
    """The C of the rule, by bisection of log C; J(C) / C falls from 1 at C = 0."""
    low, high = math.log(0.3), math.log(1000)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if objective_ratio(X, k, seed, math.exp(middle)) > RATIO:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def objective_ratio(X: Any, k: int, seed: int, C: float) -> float:
    """J(C) / C, which is 1 where only w = 0 is found."""
    try:
        return fitted(X, k, seed, C=C, n_init=3, rtol=0.03).objective_ / C
    except ValueError:
        return 1.0
