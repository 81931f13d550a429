"""The contract of a problem in one file of plain text, from its docstrings."""

import inspect
import re
from importlib.resources import files
from pathlib import Path
from typing import get_args

import structsvm
from structsvm import exceptions, objective
from structsvm.contract.problem import OracleQuality
from structsvm.networks import NetworkLayers
from structsvm.results.status import Guarantee, guarantee_of

STORED = Path(__file__).parents[1] / "contract.txt"
REQUIRED = ("joint_feature", "loss", "separation_oracle", "decode")
#: The classes of what methods return.
VALUES = (
    structsvm.WeightConstraints,
    structsvm.SoftOutput,
    structsvm.SoftSum,
    structsvm.Axes,
    structsvm.Products,
)
HEAD = """structsvm {version}: the contract of a problem of one's own

Made from the docstrings. A subclass of structsvm.Problem with four methods is trained by
structsvm.StructuredSVM(problem, C=...).fit(X, Y); structsvm.check_problem(problem, X, Y) tests it.
"""


def text():
    own = vars(structsvm.Problem)
    others = [name for name in own if name[0] != "_" and name not in REQUIRED]
    parts = [
        HEAD.format(version=structsvm.__version__),
        described("Problem", structsvm.Problem),
        heading("A problem to start from", "="),
        (files("structsvm.command_line") / "template.py").read_text(encoding="utf-8"),
        heading("The four methods", "="),
        *(member(structsvm.Problem, name) for name in REQUIRED),
        heading("What most problems add", "="),
        *(member(structsvm.Problem, name) for name in others),
        *(
            part
            for kind in (
                structsvm.Task,
                structsvm.LatentProblem,
                structsvm.SelfLabelledProblem,
                NetworkLayers,
            )
            for part in group(kind)
        ),
        *(described(kind.__name__, kind) for kind in VALUES),
        described("The objective", objective),
        described("What a result guarantees", Guarantee),
        *(guarantee(quality) for quality in get_args(OracleQuality)),
        described("The checker", structsvm.check_problem),
        heading("Errors", "="),
        *(described(name, kind, "-") for name, kind in errors()),
    ]
    return "\n".join(part for part in parts if part)


def group(kind):
    """A class of the contract, and its public methods."""
    names = [name for name in vars(kind) if name[0] != "_" and not is_restored(kind, name)]
    return [described(kind.__name__, kind), *(member(kind, name) for name in names)]


def is_restored(kind, name):
    """Whether a class takes a method of a base class back, in place of its own."""
    return any(vars(kind)[name] is vars(base).get(name) for base in kind.__mro__[1:])


def member(kind, name):
    """The signature and docstring of a method; nothing for an attribute."""
    method = inspect.unwrap(getattr(kind, name))
    method = getattr(method, "method", method)  # of an optional one
    if not inspect.isfunction(method):
        return ""
    names = ", ".join(inspect.signature(method).parameters)
    return described(f"{name}({names})", method, "-")


def guarantee(quality):
    """The words of a result for a quality of the oracle."""
    problem = structsvm.Problem()
    problem.oracle_quality = quality
    return guarantee_of(problem, imputes=False).text + "\n"


def errors():
    return [
        (name, kind)
        for name, kind in vars(exceptions).items()
        if inspect.isclass(kind) and issubclass(kind, ValueError)
    ]


def described(title, thing, underline="="):
    return f"{heading(title, underline)}\n{plain(inspect.getdoc(thing))}\n"


def heading(title, underline):
    return f"{title}\n{underline * len(title)}\n"


def plain(docstring):
    """A docstring without the roles of Sphinx."""
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", docstring).replace("``", "`")
