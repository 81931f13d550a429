"""The command ``structsvm``, also available as ``python -m structsvm``."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import keyword
import os
import sys
from collections.abc import Sequence
from importlib.resources import files
from operator import attrgetter
from pathlib import Path
from typing import Any

from structsvm.check import CheckReport, ContractViolation, check_problem
from structsvm.command_line.versions import show_versions
from structsvm.contract.problem import Problem
from structsvm.data.names import brief
from structsvm.version import __version__


class UsageError(Exception):
    """The exception for a command that cannot be carried out. The message has one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns
    -------
    int
        The exit status: 0 for success, 1 for a problem with errors, 2 for incorrect usage.
    """
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except UsageError as error:
        line = " ".join(str(error).split())
        print(f"structsvm {options.command}: {line}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="structsvm", description="Structural SVMs.")
    parser.add_argument("--version", action="version", version=f"structsvm {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="label sequences of digits, cluster digits, certify")
    folder: dict[str, Any] = {"type": Path, "default": Path(), "metavar": "DIR"}
    demo.add_argument("--output", help="folder of pictures (default: .)", **folder)
    demo.set_defaults(run=_demo)

    new = commands.add_parser("new", help="write a small Problem, to be made into your own")
    new.add_argument("file", type=Path, metavar="my_problem.py", help="its class is MyProblem")
    new.set_defaults(run=_new)

    check = commands.add_parser("check", help="test whether a Problem keeps the contract")
    check.add_argument("problem", metavar="module:Class", help="constructed without arguments")
    data = "a function that returns (X, Y); default: the example_data() of the class"
    check.add_argument("--data", metavar="module:function", help=data)
    most = "number of examples to test on (default: 10)"
    check.add_argument("--max-examples", type=int, default=10, metavar="N", help=most)
    limit = "start no new trial after S seconds (default: no limit)"
    check.add_argument("--max-seconds", type=float, metavar="S", help=limit)
    verbose = "show progress, and list all checks, one a line"
    check.add_argument("--verbose", action="store_true", help=verbose)
    check.set_defaults(run=_check)

    versions = commands.add_parser("versions", help="print the versions that a bug report needs")
    versions.set_defaults(run=lambda options: show_versions())
    return parser


def _demo(options: argparse.Namespace) -> None:
    from structsvm.command_line import demo  # imported here, since it imports all problems

    try:
        demo.run(options.output)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise UsageError(f"--output must be a folder to write to: {_told(error)}") from None


def _new(options: argparse.Namespace) -> None:
    path = options.file
    name = _class_name(path)
    template = (files("structsvm.command_line") / "template.py").read_text(encoding="utf-8")
    text = template.replace("MyProblem", name).replace("my_problem", path.stem)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists already; choose another name, or remove it") from None
    except FileNotFoundError:
        raise UsageError(f"there is no folder {path.parent}; create it first") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {_told(error)}") from None
    print(f"{path} is written. In its folder:")
    print(f"  structsvm check {path.stem}:{name}\n  python {path.name}")


def _class_name(path: Path) -> str:
    """Return the name of the class in a file, such as MyProblem for my_problem.py."""
    module = path.stem
    name = "".join(part[:1].upper() + part[1:] for part in module.split("_"))
    if path.suffix != ".py":
        raise UsageError(f"expected a file name such as my_problem.py; got {str(path)!r}")
    if not (module.isidentifier() and name.isidentifier()) or keyword.iskeyword(module):
        raise UsageError(f"{module!r} cannot be the name of a module; try my_problem.py")
    installed = module in sys.modules or importlib.util.find_spec(module) is not None
    if keyword.iskeyword(name) or (installed and not path.exists()):
        raise UsageError(f"{module!r} is a name of Python or of an installed module; try another")
    return name


def _check(options: argparse.Namespace) -> int:
    # Add the current folder, as ``python -m`` does, since the user's module is in it.
    sys.path.insert(0, os.getcwd())
    problem = _problem(options.problem)
    X, Y = _data(options.data, problem)
    limits = {"max_examples": options.max_examples, "max_seconds": options.max_seconds}
    try:
        report = check_problem(problem, X, Y, verbose=options.verbose, **limits)
    except ContractViolation as violation:
        print(violation)
        return 1
    except (TypeError, ValueError) as error:
        raise UsageError(f"cannot check {type(problem).__name__}: {_told(error)}") from error
    except KeyboardInterrupt:
        raise UsageError("interrupted; nothing was found so far") from None
    print(f"{type(problem).__name__}: {_listed(report) if options.verbose else report}")
    return 0


def _listed(report: CheckReport) -> str:
    """Return the report of ``structsvm check`` as text, with one check per line."""
    groups = [("passed", report.checks), ("cut short", report.cut_short)]
    groups.append(("not applicable", report.not_applicable))
    lines = [f"{len(report.checks)} checks passed"]
    lines += [f"  {group:<16}{name}" for group, names in groups for name in names]
    return "\n".join(lines + [f"note: {note}" for note in report.notes])


def _problem(target: str) -> Problem:
    found = _imported(target, Problem)
    if not (isinstance(found, type) and issubclass(found, Problem)):
        raise UsageError(f"{target} is not a subclass of structsvm.Problem")
    try:
        inspect.signature(found).bind()
    except TypeError as error:
        raise UsageError(
            f"{target} is constructed without arguments, but is {error}; give it a default"
        ) from None
    problem: Problem = _called(target, found)
    return problem


def _data(target: str | None, problem: Problem) -> tuple[Any, Any]:
    name = type(problem).__name__
    function = _imported(target) if target else problem.example_data
    if function is None:
        raise UsageError(f"no data: give --data module:function, or {name} an example_data()")
    target = target or f"{name}.example_data"
    pair = _called(target, function)
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise UsageError(f"{target}() must return a tuple (X, Y); it returned {brief(pair)}")
    return pair


def _imported(target: str, kind: type | None = None) -> Any:
    """Import the module and return the object that ``module:name`` refers to.

    The name may be dotted, such as ``MyProblem.example_data``. If the name is missing, the error
    lists the subclasses of ``kind`` that the module defines.
    """
    module_name, _, name = target.partition(":")
    if not (module_name and name):
        raise UsageError(f"expected module:name, such as my_module:MyProblem; got {target!r}")
    if module_name.endswith(".py"):
        raise UsageError(f"{module_name} is a file; give its module without .py, in its folder")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise UsageError(f"cannot import {module_name}: {_told(error)}") from error
    try:
        return attrgetter(name)(module)
    except AttributeError:
        own = [
            value.__name__
            for value in vars(module).values()
            if kind and isinstance(value, type) and issubclass(value, kind)
            if value.__module__ == module.__name__
        ]
        there = f"; it has {', '.join(own)}" if own else ""
        raise UsageError(f"the module {module_name} has no {name}{there}") from None


def _called(target: str, function: Any) -> Any:
    """Call a function or class without arguments; turn any exception into a UsageError."""
    try:
        return function()
    except Exception as error:
        raise UsageError(f"{target}() failed: {_told(error)}") from error


def _told(error: Exception) -> str:
    """Return the type and message of an error, as text."""
    return f"{type(error).__name__}: {error}"
