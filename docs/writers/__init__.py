"""What pages show that is made from the code.

The table of estimators stands in its page, so that it is there on a plain view of the repository; a
test compares the two. The others are included when the site is built.
"""

from pathlib import Path

from . import defaults, measurements, problem_classes, solvers, versions

FOLDER = Path(__file__).parents[1] / "generated"
MODULES = (defaults, measurements, problem_classes, solvers, versions)


def write():
    """Write the text of each module to docs/generated, where the pages include it from."""
    FOLDER.mkdir(exist_ok=True)
    for module in MODULES:
        name = module.__name__.rpartition(".")[2]
        (FOLDER / f"{name}.txt").write_text(module.text())
