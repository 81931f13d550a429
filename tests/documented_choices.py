"""The named choices of parameters, as docstrings and as annotations have them."""

import inspect
import re
import typing

import structsvm
import structsvm.datasets
import structsvm.displays
import structsvm.features
import structsvm.problems
from structsvm.docstrings import entries
from structsvm.problems.decisions import best_decisions

MODULES = (structsvm, structsvm.problems, structsvm.features, structsvm.datasets)
DISPLAYS = (structsvm.displays.ConvergenceDisplay, structsvm.displays.SimilarityDisplay)

#: The public classes and functions, by the name that a user imports.
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) or inspect.isclass(getattr(module, name))
} | {
    "structsvm.problems.decisions.best_decisions": best_decisions,
    **{f"structsvm.displays.{kind.__name__}.plot": kind.plot for kind in DISPLAYS},
}


def documented(called):
    """The quoted words in the types of the parameters, by parameter."""
    types = {
        name: entry.partition("\n")[0].partition(" : ")[2].partition("default=")[0]
        for name, entry in entries(called, "Parameters").items()
    }
    found = {name: set(re.findall(r"'([^']+)'", kind)) for name, kind in types.items()}
    return {name: words for name, words in found.items() if words}


def annotated(called):
    """The words that annotations allow, by parameter."""
    plain = inspect.isclass(called) and "__dataclass_fields__" not in vars(called)
    hints = typing.get_type_hints(called.__init__ if plain else called)
    return {
        name: words
        for name, hint in hints.items()
        if (words := literals(hint)) and name in inspect.signature(called).parameters
    }


def literals(hint):
    """The words of all literals in an annotation."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return set().union(*map(literals, typing.get_args(hint)))
