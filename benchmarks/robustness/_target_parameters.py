"""Good values and pools of bad ones for the parameters of a class."""

from __future__ import annotations

import inspect
from typing import Any

from benchmarks.robustness._pool import Make, Pool
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS, PLAIN
from benchmarks.robustness._pool_labels import WEIGHTS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import Arguments
from benchmarks.robustness._target_data import TAXONOMIES

#: Settings that make a fit of a few rows quick.
QUICK = {"n_init": 2, "max_iter": 100}


def parameters(cls: Any, **required: Any) -> tuple[dict[str, Make], dict[str, Pool]]:
    """Good values, the defaults or those required, and pools for all parameters of a class."""
    defaults = cls(**required).get_params(deep=False)
    quick = {name: QUICK.get(name, value) for name, value in defaults.items()}
    good = {name: (lambda value=value: value) for name, value in quick.items()}
    pools: dict[str, Pool] = {}
    for name in defaults:
        pool = {**PLAIN}
        if name in ("kernel", "loss", "delta", "oracle", "predictor", "transformer"):
            pool |= FUNCTIONS
        if name in ("cost", "universum", "structure"):
            pool |= MATRICES
        if name == "taxonomy":
            pool |= TAXONOMIES
        pools[name] = {key: make for key, make in pool.items() if not unfair(name, key)}
    if hasattr(cls, "fit") and "sample_weight" in inspect.signature(cls.fit).parameters:
        good["sample_weight"], pools["sample_weight"] = lambda: None, {**WEIGHTS, **ANYTHING}
    return good, pools


def fitted(cls: Any, given: Arguments, *data: Any, **options: Any) -> Any:
    """An estimator fitted to data, given its parameters and perhaps weights of the examples."""
    weights = {name: given.pop(name) for name in ("sample_weight",) if name in given}
    return cls(**given).fit(*data, **options, **weights)


def unfair(parameter: str, key: str) -> bool:
    """Whether a value is legitimate for a parameter, and costs more than a case may."""
    if parameter == "n_jobs":
        return key in ("two", "int8", "uint8", "minus one")  # starts processes
    # A limit of 10^30 passes or no limit at all is what it says.
    return parameter in ("max_iter", "time_limit") and key in ("1e30", "1e300", "None")
