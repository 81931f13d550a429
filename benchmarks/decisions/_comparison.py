"""All methods on draws of a problem: means, deviations and paired differences."""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.decisions._draws import Draw
from benchmarks.decisions._learned import Learned
from benchmarks.decisions._ours import ours
from benchmarks.decisions._two_stage import two_stage
from benchmarks.report import one_thread, report
from benchmarks.store import Content, Row, save

OURS, THEIRS = ("ours, auto", "ours, chosen"), ("PyEPO SPO+", "PyEPO perturbed")


def compared(draw: Draw, seed: int) -> dict[str, Learned]:
    """What every method learned from a draw; without PyEPO's where it is not installed."""
    found = two_stage(draw, seed)
    if importlib.util.find_spec("pyepo") is not None:
        from benchmarks.decisions._pyepo import LOSSES, learned

        found |= {name: learned(draw, name, seed) for name in LOSSES}
    return found | ours(draw)


class Comparison:
    """The rows of all problems, numbers of examples and degrees so far.

    Parameters
    ----------
    results : str
        Where they are stored after each of these cases.
    """

    def __init__(self, results: str) -> None:
        self.results = results
        self.content: Content = {}

    def add(self, name: str, drawn: Callable[..., Draw], n: int, degree: int, seeds: range) -> None:
        """Compare the methods on draws of a problem, and store and print the means."""
        start, case = time.process_time(), {"problem": name, "degree": degree, "n": n}
        case["draws"] = len(seeds)
        regrets, costs = {}, []
        for seed in seeds:
            draw = drawn(n, degree, seed)
            found = compared(draw, seed)
            for method, learned in found.items():
                regrets.setdefault(method, []).append(draw.test.regret(learned.predict))
            costs.append(found)
        self._put("regret, percent", case | _means(regrets))
        self._put("differences", case | _differences(regrets))
        for title, attribute in (("calls per example", "calls"), ("CPU seconds", "seconds")):
            self._put(title, case | _costs(costs, attribute))
        self._put("certificates", case | _certificates(costs))
        for method, values in regrets.items():
            rounded = [round(value, 3) for value in values]
            self._put("regrets of all draws", case | {"method": method, "regrets": rounded})
        print(self.content["regret, percent"][-1], self.content["differences"][-1], flush=True)
        print(f"{time.process_time() - start:.0f} CPU seconds", flush=True)

    def _put(self, title: str, row: Row) -> None:
        self.content.setdefault(title, []).append(row)
        save(self.results, title, self.content[title])


def _means(regrets: dict[str, list[float]]) -> Row:
    row = {method: float(np.mean(values)) for method, values in regrets.items()}
    deviations = {
        f"{method}, deviation": float(np.std(values, ddof=1)) for method, values in regrets.items()
    }
    return row | deviations


def _differences(regrets: dict[str, list[float]]) -> Row:
    """Ours less the one of PyEPO's losses that is better on average, draw by draw."""
    means = {method: np.mean(regrets[method]) for method in THEIRS if method in regrets}
    if not means:
        return {}
    best = min(means, key=lambda method: means[method])
    row: Row = {"PyEPO's best": best}
    for method in OURS:
        difference = np.subtract(regrets[method], regrets[best])
        row[method] = float(difference.mean())
        row[f"{method}, standard error"] = _standard_error(difference)
    return row


def _standard_error(values: Any) -> float:
    return float(np.std(values, ddof=1) / len(values) ** 0.5)


def _costs(costs: list[dict[str, Learned]], attribute: str) -> Row:
    """Means over draws, of a fit and of the whole search where there is one."""
    row: Row = {}
    for method in costs[0]:
        parts = {method: attribute}
        if method not in ("least squares", "forest", "ours, auto"):
            parts[f"{method}, search"] = f"search_{attribute}"
        for name, part in parts.items():
            row[name] = float(np.mean([getattr(found[method], part) for found in costs]))
    return {name: value for name, value in row.items() if value}


def _certificates(costs: list[dict[str, Learned]]) -> Row:
    """The largest certified gap, in percent, and how many fits converged."""
    row: Row = {}
    for method in ("Hamming SVM", *OURS):
        row[method] = max(found[method].gap or 0.0 for found in costs)
        row[f"{method}, converged"] = sum(bool(found[method].converged) for found in costs)
    return row


def main(results: str, compare: Callable[[Comparison], None]) -> None:
    """Make the comparisons with one thread, and report them."""
    if importlib.util.find_spec("pyepo") is None:
        print("PyEPO is not installed, and left out: pip install pyepo==2.2.7")
    else:
        import torch

        torch.set_num_threads(1)
    # The smallest C to choose from may leave the weights at 0.
    warnings.filterwarnings("ignore", "training ended at w = 0")
    comparison = Comparison(results)
    with one_thread():
        compare(comparison)
    report(results, comparison.content)
