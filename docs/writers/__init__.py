"""What pages include that is made from the code when the site is built."""

from pathlib import Path

from . import defaults, estimators, measurements, problem_classes, solvers, versions

FOLDER = Path(__file__).parents[1] / "generated"
MODULES = (defaults, estimators, measurements, problem_classes, solvers, versions)


def write():
    """Write the text of each module to docs/generated, where the pages include it from."""
    FOLDER.mkdir(exist_ok=True)
    for module in MODULES:
        name = module.__name__.rpartition(".")[2]
        (FOLDER / f"{name}.txt").write_text(module.text())
