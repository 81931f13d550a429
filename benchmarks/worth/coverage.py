"""Coverage of prediction sets, by the family of problems.

An estimator is trained once. Held-out data are divided at random twenty times, into a half to
calibrate on and a half of new examples. By the theory, the coverage of a division is beta-binomial:
the table has its standard deviation, the one found, and how many divisions lie in the band of 95 %,
or above. Above it are families whose predictions are right more often than was asked, so that no
threshold covers less. "Parts" is the number of parts per slot, "alone" the fraction of sets with
only the prediction, and "loss bounded" the fraction of predictions whose loss, or regret of a
decision, is at most ``loss_bound_``. "Seen" are data that were looked at when the sets were
written. Sets of problems that know no parts have no sizes.

    python -m benchmarks worth/coverage    # needs the files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import betabinom

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.worth._families import FAMILIES, Family
from structsvm.conformal import Conformal
from structsvm.conformal.deficits import Deficits

DRAWS = 20
COVERAGE, RISK = 0.9, 0.05


def sizes(found: list[Any]) -> Row:
    """The mean number of parts in a slot, and how often none is in doubt."""
    if found[0].sizes is None:
        return {}
    parts = np.concatenate([own.sizes for own in found])
    alone = np.mean([own.n_doubtful == 0 for own in found])
    return {"parts": float(parts.mean()), "alone": float(alone)}


def one_draw(family: Family, draw: int, asked: dict[str, float]) -> Row:
    old, new = family.halves(draw)
    sets = Conformal(family.estimator, **asked).fit(*old)
    row = {"covered": sets.score_coverage(*new), **sizes(sets.predict_set(new[0]))}
    if "risk" not in asked:
        losses = Deficits(family.estimator, new[0]).of_outputs(*new).losses
        row["loss bounded"] = float(np.mean(losses <= sets.loss_bound_))
    return row


def expected(n: int, new: int) -> Row:
    """The standard deviation of the coverage of new examples, and the ends of the band."""
    k = int((1 - COVERAGE) * (n + 1) + 1e-9)
    law = betabinom(new, n + 1 - k, k)
    low, high = law.interval(0.95)
    return {"expected deviation": float(law.std()) / new, "low": low / new, "high": high / new}


def coverage(family: Family) -> list[Row]:
    whole = summary(family, "coverage")
    return [whole, *([summary(family, "risk")] if "parts" in whole else [])]


def summary(family: Family, kind: str) -> Row:
    n = len(family.y) // 2
    asked = {kind: COVERAGE if kind == "coverage" else RISK}
    draws = [one_draw(family, draw, asked) for draw in range(DRAWS)]
    row: Row = {"asked": f"{kind} {asked[kind]}", "calibrated on": n, "new": len(family.y) - n}
    row |= {name: float(np.mean([own[name] for own in draws])) for name in draws[0]}
    covered = np.array([own["covered"] for own in draws])
    row["deviation"] = float(covered.std(ddof=1))
    if kind == "coverage":
        law = expected(n, len(family.y) - n)
        row["expected deviation"] = law["expected deviation"]
        row["in the band"] = int(np.sum((law["low"] <= covered) & (covered <= law["high"])))
        row["above"] = int(np.sum(covered > law["high"]))
    return row


def seen(seen: bool) -> Experiment:
    """The families whose data had, or had no, part in writing the code."""
    return Experiment(
        f"coverage, {'data seen before' if seen else 'data never seen before'}",
        ("family", "data", "asked"),
        {key: load for key, (known, load) in FAMILIES.items() if known == seen},
        coverage,
    )


EXPERIMENTS = seen(False), seen(True)
