"""Error messages about tasks, which name the example, and the method or the search at fault.

The functions of this module are called only when a task is made, or after a call has failed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from structsvm.contract.latent import LatentProblem
from structsvm.contract.missing import misspelt
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.exceptions import ProblemError
from structsvm.task.call import Call
from structsvm.task.likeness import Likeness, likeness
from structsvm.task.task import Task

#: For a method of a task, the method of the problem that it calls for one example after another.
SINGLE = {
    "search": "separation_oracle",
    "search_rescaled": "slack_oracle",
    "decode": "decode",
    "impute": "impute",
    "losses": "loss",
    "evaluation_losses": "evaluation_loss",
    "joint_features": "joint_feature",
    "differences": "joint_feature",
    "plane": "joint_feature",
    "soft": "soft_oracle",
}
#: Pairs of a method of a task, and a method of the problem that it replaces.
REPLACED = (
    *((method, single) for method, single in SINGLE.items() if method != "impute"),
    ("differences", "joint_feature_difference"),
    ("plane", "joint_feature_difference"),
)

#: The methods of a task that read outputs.
READERS = ("refine", "losses", "evaluation_losses", "joint_features", "differences", "plane")
#: Words for the outputs in Y of a problem with known outputs, and of a self-labelled problem.
TRUTH = (
    "the true output",
    "what impute returned (complete, in a LatentProblem: it must be a whole output)",
)


def single_form(watched: Any, method: str) -> str:
    """Return the name of the problem's method behind the task's ``method``, or '' if none."""
    kind = type(watched.task)
    if getattr(kind, method) is not getattr(Task, method):
        return ""
    if method == "plane":
        return single_form(watched, "differences") or f"{kind.__name__}.differences"
    if method == "differences" and watched.problem.has_own_difference:
        return "joint_feature_difference"
    if method == "evaluation_losses" and getattr(watched.problem, "evaluation_loss", None) is None:
        return single_form(watched, "losses")
    return SINGLE.get(method, "")


@cache
def overridden(problem: Any, kind: Any) -> str:
    """Return a message if an inherited task ignores a method that the problem overrides, or ''."""
    kinds = problem.__mro__
    # A LatentProblem uses the task of its other base class.
    owner = next(base for base in kinds if "task" in vars(base) and base is not LatentProblem)
    for below in kinds[: kinds.index(owner)]:
        for method, single in REPLACED:
            if single in vars(below) and getattr(kind, method) is not getattr(Task, method):
                return (
                    f"{below.__name__} overrides {single}, which the task of {owner.__name__} does "
                    f"not call: {kind.__name__}.{method} answers in its place. Override task too: "
                    f"return a subclass of {kind.__name__} with its own {method}, or "
                    "structsvm.Task(self, X, Y), which calls the methods one by one"
                )
    return ""


def notes(problem: Any, kind: Any) -> list[str]:
    """Return remarks on misspelt or unused names in a user's class of tasks."""
    found = [*misspelt(kind, frozenset())]
    if kind.soft not in (Task.soft, None) and problem.soft_oracle is None:
        found.append(
            f"{kind.__name__}.soft is never called: {type(problem).__name__} does not define "
            "soft_oracle, which it answers for"
        )
    return found


def name_of(watched: Any, method: str) -> str:
    """Return the name of the task's or the problem's method, for messages."""
    return single_form(watched, method) or f"{type(watched.task).__name__}.{method}"


def call_of(watched: Any, method: str, arguments: tuple[Any, ...] = ()) -> Call:
    """Return the context for calls of a method of the task or of its problem."""
    task, single = watched.task, single_form(watched, method)
    hint = "; ".join(filter(None, (_hint(watched, method, arguments), uncut(watched))))
    if not single:
        return Call(watched.problem, method, watched.index, hint=hint, owner=type(task).__name__)
    hint = "; ".join(filter(None, (hint, watched.made)))
    return Call(watched.problem, single, watched.index, hint=hint, task=task)


def uncut(watched: Any) -> str:
    """Return a message if a task for some examples has attributes for all examples, or ''."""
    n, task = watched.whole, watched.task
    held = [name for name, value in vars(task).items() if _length(value) == n != watched.n]
    words = (
        f"{type(task).__name__}.part leaves all {n} examples in {' and '.join(held)}: override it "
        "to cut them too, or keep them in X"
    )
    return words if held else ""


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (list, tuple)) else (*getattr(value, "shape", ()), 0)[0]


def named(watched: Any, method: str, arguments: tuple[Any, ...], error: Exception) -> Exception:
    """Convert an error to a ProblemError that names method and example; keep any ProblemError."""
    try:
        call_of(watched, method, arguments).require_none(error)
    except ProblemError as found:
        return found
    return error


def verdict(
    watched: Any, error: ProblemError, method: str, outputs: Any, *rest: Any
) -> ProblemError:
    """Return an error that says whether a method that reads outputs, or a search, is at fault.

    The task's method `method`, such as ``losses``, raised `error` when it read `outputs`. To find
    the fault, `method` is called again with reference outputs, such as the true outputs. If
    `method` also fails for the reference outputs, `method` is at fault, and `error` is returned. If
    `method` fails only for `outputs`, the returned error names the search that found `outputs`. The
    search is at fault if `outputs` have another type than the reference outputs, or if only
    `outputs` contain NaN or infinity.
    """
    bare = copy.copy(watched)
    bare.judges = False

    def of_truth(task: Any, given: Any) -> Likeness:
        """Call `method` with the true outputs Y, then compare Y with the outputs `given`."""
        getattr(task, method)(task.Y, *rest)
        found = likeness(given, task.Y)
        # A relaxed output may have another form.
        relaxed = task.problem.oracle_quality == "overgenerating"
        return min(found, Likeness.UNSETTLED) if relaxed else found

    for search, measured in _suspects(bare, outputs, of_truth):
        try:
            found = measured()
        except ProblemError:
            continue
        made = ProblemError(_verdict(search, found, error))
        made.__cause__ = error.__cause__
        return made
    return error


def _suspects(
    bare: Any, outputs: Any, of_truth: Callable[[Any, Any], Likeness]
) -> list[tuple[str, Callable[[], Likeness]]]:
    """Return pairs: a search that may be at fault, and a function that tests whether it is."""
    imputer = name_of(bare, "impute")
    if outputs is bare.Y:
        if not bare.imputed:
            return []

        def decoded() -> Likeness:
            return of_truth(bare.with_labels(bare.decode(np.zeros(bare.size))), outputs)

        return [(imputer, decoded)]
    suspects = [(search_of(bare, outputs), lambda: of_truth(bare, outputs))]
    if bare.imputed:
        suspects.append((imputer, lambda: of_truth(bare.with_labels(outputs), bare.Y)))
    return suspects


def _verdict(search: str, found: Likeness, error: ProblemError) -> str:
    """Return the message of the error, with the method at fault.

    If a method returns NaN or divides by 0 for an output of finite numbers, the method is at fault.
    Any error other than NaN or a division by 0 may mean that the search returned an invalid output,
    for example a label out of range.
    """
    cause = error.__cause__
    if found is Likeness.UNLIKE:
        return f"{search} returned an output that cannot be read, while others can: {error}"
    if found is Likeness.ALIKE and (cause is None or isinstance(cause, ArithmeticError)):
        return (
            f"{error}. What {search} returned is finite and has the form of other outputs: the "
            "method named first is wrong for it"
        )
    return (
        f"{error}. Other outputs can be read. Either {search} returned what is no output of this "
        "x, or the method named first cannot read all outputs: look at what was returned"
    )


def search_of(watched: Any, outputs: Any) -> str:
    """Return the search that returned the outputs, or all searches that may have returned them."""
    found, search = watched.found
    cheap = [name for name in ("search_pool", "refine") if getattr(watched.task, name)]
    if found is not outputs:
        searches = ["search", *cheap]
    elif not search:
        searches = cheap or ["search"]
    elif hasattr(watched.task, search):
        searches = [search]
    else:
        return str(search)
    return " or ".join(name_of(watched, method) for method in searches)


def _hint(watched: Any, method: str, arguments: tuple[Any, ...]) -> str:
    """Return a hint at the arguments for which a method of the task failed."""
    latent = isinstance(watched.problem, SelfLabelledProblem)
    if latent and arguments and method in ("search", "search_rescaled"):
        return "y is what impute returned, or is in Y: only CCCP imputes"
    if not arguments or method not in READERS:
        return ""
    outputs = arguments[1 if method == "refine" else 0]
    found, name = search_of(watched, outputs), "y" if method == "joint_features" else "y_hat"
    if method in ("differences", "plane") and single_form(watched, method) == "joint_feature":
        return f"y is {TRUTH[latent]}, or what {found} returned"
    if outputs is watched.Y and method in ("losses", "joint_features"):
        return f"{name} is {TRUTH[latent]}"
    hint = f"{name} is what {found} returned"
    if latent and method == "evaluation_losses" and watched.problem.evaluation_loss is None:
        hint += ", y an annotation: define evaluation_loss if it is not a complete output"
    return hint
