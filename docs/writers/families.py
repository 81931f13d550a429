"""The families of problems, their public names, and the type stub that lists them."""

from importlib import import_module
from pathlib import Path

from structsvm.problems.decisions import optimizers

PROBLEMS = Path(__file__).parents[2] / "problems"
STUB = PROBLEMS / "__init__.pyi"
#: Names that only their family exports.
WITHIN = {*optimizers.__all__, "Instance", "Optimum", "best_decisions"}
HEAD = (
    '"""The names that structsvm.problems exports; a family is imported when one of its names is'
    ' used."""\n\n'
)


def exported():
    """The public classes and functions of each family, by name."""
    folders = sorted(path.parent.name for path in PROBLEMS.glob("*/__init__.py"))
    modules = {folder: import_module(f"structsvm.problems.{folder}") for folder in folders}
    return {
        folder: {name: getattr(module, name) for name in module.__all__ if name not in WITHIN}
        for folder, module in modules.items()
    }


def bundled(condition):
    """The public classes and functions that satisfy a condition, by name."""
    found = [kind for names in exported().values() for kind in names.values() if condition(kind)]
    return sorted(found, key=lambda kind: kind.__name__)


def stub():
    """The text of the type stub, which tells lazily imported names apart by family."""
    blocks = (
        f"from .{family} import (\n" + "".join(f"    {name} as {name},\n" for name in names) + ")\n"
        for family, names in exported().items()
    )
    return HEAD + "".join(blocks)
