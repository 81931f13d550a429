"""What each estimator can do, from its class: the methods, parameters and tags that it has."""

import inspect

import structsvm
import structsvm.problems

from .families import bundled
from .table import two_columns


def text():
    """A table of the estimators, and the problems that compute on the device of a network."""
    kinds = [structsvm.StructuredSVM, structsvm.LatentSVM, *bundled(has_predict)]
    rows = [(reference(kind), ", ".join(abilities(kind))) for kind in kinds]
    on_device = ", ".join(reference(kind) for kind in bundled(is_on_device))
    return (
        two_columns("Estimator", "What it has", rows)
        + f"\nProblems whose inference runs on the device of a network's tensors: {on_device}.\n"
    )


def has_predict(kind):
    return inspect.isclass(kind) and hasattr(kind, "fit") and hasattr(kind, "predict")


def is_on_device(kind):
    is_problem = inspect.isclass(kind) and issubclass(kind, structsvm.Problem)
    return is_problem and getattr(kind.__new__(kind), "tensor_inference", None) is not None


def reference(kind):
    module = structsvm.problems if kind.__module__.startswith("structsvm.problems") else structsvm
    return f"{{class}}`~{module.__name__}.{kind.__name__}`"


def abilities(kind):
    """The words of the page for what the class has."""
    fit, parameters = (inspect.signature(part).parameters for part in (kind.fit, kind))
    has = {"probabilities": hasattr(kind, "predict_proba"), "sparse X": accepts_sparse(kind)}
    training = {
        "weights": "sample_weight" in fit,
        "early stopping": "early_stopping" in parameters,
        "warm start": "warm_start" in parameters,
        "jobs": "n_jobs" in parameters,
        "checkpoint": "checkpoint" in fit,
        "prior": "w_prior" in fit,
    }
    has |= {"training options": True} if all(training.values()) else training
    return [ability for ability, there in has.items() if there]


def accepts_sparse(kind):
    """Whether scikit-learn's tags say so. Where the problem is the user's, its methods decide."""
    users = kind in (structsvm.StructuredSVM, structsvm.LatentSVM)
    return not users and constructed(kind).__sklearn_tags__().input_tags.sparse


def constructed(kind):
    """An object with None for what has no default, which its tags do not depend on."""
    parameters = inspect.signature(kind).parameters.values()
    return kind(**{p.name: None for p in parameters if p.default is p.empty})
